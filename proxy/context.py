"""What travels down and up the chain."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from policies.guards import Facts, Lexicon
from policies.model import FamilyPolicy
from proxy.errors import Headers
from proxy.openai import Request
from proxy.permit import Permits
from proxy.request_head import RequestHead
from proxy.tenants import Tenant

if TYPE_CHECKING:  # it imports the types above
    from proxy.upstream.pool import Route


class Outcome(StrEnum):
    """How a request was answered: the word in `Cache-Status`, in every log line and every metric label."""

    HIT = "hit"
    SEMANTIC = "semantic"
    STALE = "stale"
    COLLAPSED = "collapsed"
    MISS = "miss"
    BYPASS = "bypass"
    PASS = "pass"
    REFUSED = "refused"


class Withheld(bytes):
    """A chunk of a stream that only readers who asked for usage get: askonce asked for it, not the client."""

    __slots__ = ()


class Stream(Protocol):
    """A body still under way. `aclose` is idempotent, and before the end it gives the rest up."""

    def __aiter__(self) -> AsyncIterator[bytes]: ...

    async def aclose(self) -> None: ...


@dataclass(slots=True)
class Reply:
    """An answer on its way to one client, or to a flight's log."""

    status: int
    headers: Headers
    """End-to-end headers, lower case, without length and framing."""
    body: bytes | Stream
    events: bool = False
    """Whether the body is an event stream, whatever the client asked for."""
    outcome: Outcome = Outcome.MISS
    detail: str | None = None
    """Goes into `Cache-Status`: a short word or a number, never prompt text."""
    age_s: float | None = None
    ttl_s: float | None = None
    stored: bool = False
    similarity: float | None = None
    """Of a semantic hit."""
    upstream: str | None = None
    """Name of the upstream that answered, for log and metrics."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the guard compares of a text, and the lexicon it was read by."""

    lexicon: Lexicon
    facts: Facts


@dataclass(frozen=True, slots=True)
class Matched:
    """What similarity may judge of a request."""

    namespace: bytes
    """32 bytes: everything in the request but the text."""
    text: str
    embedded: Callable[[], str]
    """What an embedder gets of the text."""
    reading: Callable[[], Reading]
    """Both are made by the first call, and kept for the fill."""


class Client(Protocol):
    """The connection of one client, as far as the chain may know it."""

    def watch(self) -> None:
        """From now on, cancel the request's task when the client goes away. Called before the first wait."""


@dataclass(slots=True, eq=False)
class RequestContext:
    """One client's request. The edge fills the first block; each later field names the stage that writes it."""

    head: RequestHead
    body: bytes
    request: Request
    tenant: Tenant
    request_id: str
    client: Client

    family: FamilyPolicy = field(init=False)
    """Keying."""
    route: "Route" = field(init=False)
    """Keying."""
    key: bytes = field(init=False, default=b"")
    """Keying: 32 bytes; empty if the body can't be keyed."""
    permits: Permits = field(init=False)
    """Permit."""
    matched: Matched | None = None
    """SemanticLookup: None where the request takes no part."""
    upstream_s: float = 0.0
    """CacheStore: seconds from asking to the end of the answer."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    """CacheStore: what the engine said the answer took; 0 where it did not."""


Handler = Callable[[RequestContext], Awaitable[Reply]]


class Middleware(Protocol):
    """One stage of the chain. One that has nothing to do may return what `call_next` returned."""

    def __call__(self, ctx: RequestContext, call_next: Handler) -> Awaitable[Reply]: ...
