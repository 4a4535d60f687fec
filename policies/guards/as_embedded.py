"""The one text of a prompt that an embedder gets."""

from policies.guards.figures import in_figures
from policies.guards.legible import legible
from policies.guards.long_forms import in_long_form
from policies.guards.written_out import written_out


def as_embedded(text: str) -> str:
    """The text with units, numbers and short forms as one writes them out, and slips of the pen put right.

    The guard reads what was written.
    """
    return legible(in_long_form(written_out(in_figures(text))))
