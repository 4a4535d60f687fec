"""The one text of a prompt that an embedder gets."""

from policies.guards.legible import legible
from policies.guards.written_out import written_out


def as_embedded(text: str) -> str:
    """The text with units in full and slips of the pen put right. The guard reads what was written."""
    return legible(written_out(text))
