"""A request's head, and what follows from it alone.

A client's requests on one connection mostly repeat their head, but for the length of the body. So all of them share one
`RequestHead`, whose facts are worked out once, and a `SeenHead` knows the head again by its bytes: such a request need
not be parsed.
"""

from typing import Self

from proxy.errors import Headers
from proxy.headers import forwarded, given_request_id, joined_fields
from proxy.openai import CHAT, COMPLETIONS
from proxy.permit import read_directives

VARYING = frozenset({b"x-request-id", b"traceparent", b"tracestate", b"x-stainless-retry-count"})
"""Headers that differ from request to request and have no part in any decision."""

_JSON = b"application/json"
_MODEL_PATHS = {path.encode("ascii"): path for path in (CHAT, COMPLETIONS)}
_LENGTH = b"\r\ncontent-length:"
_MAX_DIGITS = 12


class RequestHead:
    """One head of a request to a model path. Nothing of it is ever changed."""

    __slots__ = (
        "_told",
        "address",
        "directives",
        "family",
        "fields",
        "forwarded",
        "given_id",
        "headers",
        "is_json",
        "path",
        "query",
        "target",
    )

    def __init__(self, path: str, query: bytes, headers: Headers) -> None:
        """`headers`: names in lower case; the length, which is the body's, is left out here."""
        self.path = path
        self.query = query
        """What follows the path, raw; forwarded, and part of the key."""
        self.headers = headers = [item for item in headers if item[0] != b"content-length"]
        self.fields = fields = joined_fields(headers)
        """Headers by name, repeated ones joined by a comma."""
        self.target = path.encode("ascii") + (b"?" + query if query else b"")
        self.address = f"{path}?{query.decode('latin-1')}" if query else path
        """Path and query, as the key has them."""
        self.given_id = given_request_id([value for name, value in headers if name == b"x-request-id"])
        """The client's own request id, if it sent a sane one."""
        self.directives = read_directives(fields)
        chosen = fields.get(b"x-askonce-family")
        self.family = "" if chosen is None else chosen.decode("latin-1")
        """The one that the client chose, if any."""
        kind = fields.get(b"content-type", b"")
        self.is_json = b"content-encoding" not in fields and (
            kind == _JSON or kind.partition(b";")[0].strip().lower() == _JSON
        )
        """The body is JSON, and not coded."""
        self.forwarded = forwarded(headers)
        """The headers that go up, without credential and request id."""
        self._told: bytes | None = None

    @classmethod
    def read(cls, url: bytes, headers: Headers) -> Self | None:
        """The head of what an HTTP parser read; None if its path is none of a model."""
        path, _, query = url.partition(b"?")
        name = _MODEL_PATHS.get(path)
        return None if name is None or b"#" in query else cls(name, query, headers)

    @property
    def told(self) -> bytes:
        """The same bytes for the same head, whatever varies without a part in any decision."""
        if self._told is None:
            lines = [b"%b:%b" % item for item in self.headers if item[0] not in VARYING]
            self._told = b"\n".join([self.target, *lines])
        return self._told


class SeenHead:
    """A head as its bytes came, in two pieces: before the digits of the length, and after them."""

    __slots__ = ("_after", "_before", "head")

    def __init__(self, head: RequestHead, before: bytes, after: bytes) -> None:
        self.head = head
        self._before = before
        self._after = after

    @classmethod
    def in_read(cls, head: RequestHead, data: bytes) -> Self | None:
        """From a read that held this head and its body, and nothing else; None if they have no such form."""
        end = data.find(b"\r\n\r\n") + 4
        lowered = data[:end].lower()
        begin = lowered.find(_LENGTH) + len(_LENGTH)
        if lowered.count(_LENGTH) != 1 or lowered.count(b"\ntransfer-encoding") != 0:
            return None
        while data[begin : begin + 1] == b" ":
            begin += 1
        seen = cls(head, data[:begin], data[data.find(b"\r", begin) : end])
        return seen if seen.body_in(data) == data[end:] else None

    def body_in(self, data: bytes) -> bytes | None:
        """The body, if `data` is this head with a length and as many bytes; else None."""
        if not data.startswith(self._before):
            return None
        begin = len(self._before)
        end = data.find(b"\r", begin, begin + _MAX_DIGITS + 1)
        if end < 0 or not data.startswith(self._after, end):
            return None
        digits = data[begin:end]
        begin = end + len(self._after)
        return data[begin:] if digits.isdigit() and int(digits) == len(data) - begin else None
