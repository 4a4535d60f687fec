"""Which headers go up, which come back, and the ones askonce writes itself."""

import re
from collections.abc import Iterable
from random import getrandbits

from proxy.errors import Headers

HOP_BY_HOP = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    }
)
"""Of one connection only (RFC 9110 section 7.6.1), as are those that `Connection` names."""

FORWARDED = frozenset(
    {
        b"accept",
        b"accept-language",
        b"anthropic-beta",
        b"anthropic-version",
        b"content-encoding",
        b"content-language",
        b"content-type",
        b"openai-beta",
        b"openai-organization",
        b"openai-project",
        b"traceparent",
        b"tracestate",
        b"user-agent",
    }
)
"""Request headers that go up. No credential and no cookie is among them; what is unknown stays here."""


def request_headers(
    raw: Headers,
    *,
    authorization: bytes | None = None,
    request_id: str | None = None,
    identity: bool = True,
) -> Headers:
    """The headers of an upstream request, lower case, without host, length and framing, which the new connection sets.

    Args:
        raw: the client's headers, lower case.
        authorization: the credential for this upstream: its own, or the client's where it is the judge.
        request_id: None where an answer may be shared: vLLM makes the answer's id of it.
        identity: ask for a body without content coding, so that what is recorded is the text itself. Without it the
            client's own `Accept-Encoding` goes up, and the body passes as it is.
    """
    nominated = _nominated(raw)
    kept = [(name, value) for name, value in raw if name in FORWARDED and name not in nominated]
    if identity:
        kept.append((b"accept-encoding", b"identity"))
    else:
        kept += [(name, value) for name, value in raw if name == b"accept-encoding" and name not in nominated]
    if authorization is not None:
        kept.append((b"authorization", authorization))
    if request_id is not None:
        kept.append((b"x-request-id", request_id.encode("ascii")))
    return kept


def response_headers(raw: Iterable[tuple[bytes, bytes]]) -> Headers:
    """An upstream's end-to-end headers, lower case, in order, repeated ones kept. Length and framing are made anew."""
    lowered = [(name.lower(), value) for name, value in raw]
    dropped = HOP_BY_HOP | _nominated(lowered) | {b"content-length"}
    return [(name, value) for name, value in lowered if name not in dropped]


def _nominated(raw: Headers) -> frozenset[bytes]:
    """The header names that `Connection` declares to be of this connection only."""
    values = [value for name, value in raw if name == b"connection"]
    if not values:
        return frozenset()
    return frozenset(name.strip().lower() for value in values for name in value.split(b","))


_SANE_ID = re.compile(rb"[A-Za-z0-9][A-Za-z0-9._:/+=@-]{0,127}")
_EMPTY_WORDS = frozenset({b"null", b"none", b"nil", b"undefined", b"nan"})


def request_id(values: list[bytes]) -> str:
    """The client's request id if it sent one sane `X-Request-Id`, else a new one.

    Sane is 1 to 128 letters, digits and `._:/+=@-`; a serialised nothing such as `null` is not.
    """
    if len(values) == 1:
        value = values[0].strip()
        if _SANE_ID.fullmatch(value) and value.lower() not in _EMPTY_WORDS:
            return value.decode("ascii")
    return f"{getrandbits(128):032x}"  # unique, and not a secret: no system call for each request


_OUTCOMES = {
    "hit": "hit",
    "semantic": "hit",
    "stale": "hit",
    "collapsed": "fwd=miss; collapsed",
    "miss": "fwd=miss",
    "bypass": "fwd=bypass",
}
_DETAILS = {"hit": "exact", "semantic": "semantic", "stale": "stale"}

_TOKEN = re.compile(r"[A-Za-z*][A-Za-z0-9:/!#$%&'*+.^_`|~-]*")
_NOT_IN_STRING = re.compile(r"[^\x20-\x7e]")


def cache_status(outcome: str, *, ttl_s: int | None = None, detail: str | None = None, stored: bool = False) -> bytes:
    """The value of `Cache-Status` (RFC 9211).

    Args:
        outcome: "hit", "semantic", "stale", "collapsed", "miss" or "bypass".
        ttl_s: seconds of freshness left, negative for a stale answer.
        detail: a short word, such as the reason of a bypass; without one, a hit says what kind it is.
    """
    parts = ["askonce", _OUTCOMES[outcome]]
    if stored:
        parts.append("stored")
    if ttl_s is not None:
        parts.append(f"ttl={ttl_s:d}")
    detail = detail or _DETAILS.get(outcome)
    if detail:
        parts.append(f"detail={_bare_item(detail)}")
    return "; ".join(parts).encode("ascii")


def _bare_item(text: str) -> str:
    """A token where the text is one, else a string (RFC 8941 sections 3.3.3 and 3.3.4), which holds ASCII only."""
    if _TOKEN.fullmatch(text):
        return text
    printable = _NOT_IN_STRING.sub("?", text)
    return '"' + printable.replace("\\", "\\\\").replace('"', '\\"') + '"'
