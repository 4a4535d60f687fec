"""What the load client sends, and what came back."""

from dataclasses import dataclass, field
from enum import StrEnum

CHAT = "/v1/chat/completions"


class Expected(StrEnum):
    """How an exchange should end."""

    ANSWER = "answer"
    ERROR = "error"
    """The prompt tells the stub engine to break it."""
    LEFT = "left"
    """The client leaves before the end."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One request."""

    body: bytes
    stream: bool = False
    at_s: float | None = None
    """In an open loop: when it is due, in seconds since the start."""
    expected: Expected = Expected.ANSWER


@dataclass(slots=True)
class Answer:
    """One exchange, filled as it goes on. Times are monotonic seconds."""

    due_s: float
    """When the request should have been sent; latencies count from here."""
    sent_s: float = 0.0
    status: int = 0
    cache_status: bytes = b""
    family: bytes = b""
    chunks: list[tuple[float, bytes]] = field(default_factory=list)
    """The body, each piece with the time it was read."""
    ended_s: float = 0.0
    error: str | None = None
    """A word for what went wrong; none of the client's or the engine's text."""
