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

SHARED_HEADERS = frozenset({b"content-type", b"content-encoding", b"retry-after", b"retry-after-ms", b"x-should-retry"})
"""Of a reply that several clients get: what its body can't be read without (a coding is there only if the engine coded
although asked not to), and when, or whether, to ask again; the official clients read all three."""

OURS = b"x-askonce-"
"""Begins the names of headers that only askonce writes."""

_FORWARDED_WITH_CODING = FORWARDED | {b"accept-encoding"}
_IDENTITY = (b"accept-encoding", b"identity")
_NOT_PASSED_BACK = HOP_BY_HOP | {b"content-length"}
_NAMES_NONE = (b"keep-alive", b"close")
"""The usual values of `Connection`, which name no header that could pass."""


def joined_fields(raw: Headers) -> dict[bytes, bytes]:
    """Header fields by name, repeated ones joined as RFC 9110 section 5.3 says."""
    fields = dict(raw)
    if len(fields) != len(raw):
        fields.clear()
        for name, value in raw:
            fields[name] = fields[name] + b", " + value if name in fields else value
    return fields


def forwarded(raw: Headers, *, identity: bool = True) -> Headers:
    """Those of a client's headers that go up, lower case, without credential, host, length and framing.

    Args:
        raw: the client's headers, lower case.
        identity: ask for a body without content coding, so that what is recorded is the text itself. Without it the
            client's own `Accept-Encoding` goes up, and the body passes as it is.
    """
    passed = FORWARDED if identity else _FORWARDED_WITH_CODING
    kept: Headers = []
    nominated: set[bytes] = set()
    for item in raw:
        name = item[0]
        if name in passed:
            kept.append(item)
        elif name == b"connection" and item[1] not in _NAMES_NONE:
            nominated.update(_nominated(item[1]))
    if nominated:
        kept = [item for item in kept if item[0] not in nominated]
    if identity:
        kept.append(_IDENTITY)
    return kept


def request_headers(common: Headers, *, authorization: bytes | None, request_id: str | None = None) -> Headers:
    """The headers of an upstream request: those that are `forwarded`, and what is only this request's.

    May be `common` itself, which is not to be changed.

    Args:
        authorization: the credential for this upstream: its own, or the client's where it is the judge.
        request_id: None where an answer may be shared: vLLM makes the answer's id of it.
    """
    if authorization is None and request_id is None:
        return common
    headers = [*common]
    if authorization is not None:
        headers.append((b"authorization", authorization))
    if request_id is not None:
        headers.append((b"x-request-id", request_id.encode("ascii")))
    return headers


def response_headers(raw: Iterable[tuple[bytes, bytes]]) -> Headers:
    """An upstream's end-to-end headers, lower case, in order, repeated ones kept. Length and framing are made anew."""
    lowered = [(name.lower(), value) for name, value in raw]
    dropped = {word for name, value in lowered if name == b"connection" for word in _nominated(value)}
    dropped |= _NOT_PASSED_BACK
    return [item for item in lowered if item[0] not in dropped]


def answer_headers(raw: Headers) -> tuple[Headers, bytes, bytes | None]:
    """Of an engine's answer, in one pass: the headers that go on, the content type, and the content coding if any.

    Those that only this askonce writes do not go on, whoever else stands behind it.

    Args:
        raw: names in lower case, as an upstream client gives them.
    """
    kept: Headers = []
    content_type: bytes | None = None
    coding: bytes | None = None
    nominated: set[bytes] = set()
    for item in raw:
        name, value = item
        if name in _NOT_PASSED_BACK:
            if name == b"connection" and value not in _NAMES_NONE:
                nominated.update(_nominated(value))
            continue
        if name == b"content-type":
            if content_type is None:
                content_type = value.lower()
        elif name == b"content-encoding":
            step = value.strip().lower()
            coding = step if coding is None else coding + b", " + step
        elif name.startswith(OURS):
            continue
        kept.append(item)
    if nominated:
        return answer_headers([item for item in kept if item[0] not in nominated])
    return kept, content_type or b"", None if coding in (b"", b"identity") else coding


def _nominated(connection: bytes) -> list[bytes]:
    """The header names that a value of `Connection` declares to be of this connection only."""
    return [name.strip().lower() for name in connection.split(b",")]


_SANE_ID = re.compile(rb"[A-Za-z0-9][A-Za-z0-9._:/+=@-]{0,127}")
_EMPTY_WORDS = frozenset({b"null", b"none", b"nil", b"undefined", b"nan"})


def given_request_id(values: list[bytes]) -> str | None:
    """The client's request id if it sent one sane `X-Request-Id`.

    Sane is 1 to 128 letters, digits and `._:/+=@-`; a serialised nothing such as `null` is not.
    """
    if len(values) == 1:
        value = values[0].strip()
        if _SANE_ID.fullmatch(value) and value.lower() not in _EMPTY_WORDS:
            return value.decode("ascii")
    return None


def new_request_id() -> str:
    """Unique, and not a secret: no system call for each request."""
    return getrandbits(128).to_bytes(16, "big").hex()


def request_id(values: list[bytes]) -> str:
    """The client's request id if it sent a sane one, else a new one."""
    return given_request_id(values) or new_request_id()


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
