"""A request's head, and what follows from it alone: worked out once for all requests that repeat it."""

from typing import Self

from proxy.errors import Headers
from proxy.headers import forwarded, given_request_id, joined_fields
from proxy.openai import CHAT, COMPLETIONS
from proxy.permit import read_directives

VARYING = frozenset({b"x-request-id", b"traceparent", b"tracestate", b"x-stainless-retry-count"})
"""Headers that differ from request to request and have no part in any decision."""

_JSON = b"application/json"
_PLAIN = b"identity"
_MODEL_PATHS = {path.encode("ascii"): path for path in (CHAT, COMPLETIONS)}


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
        "is_coded",
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
        self.address = self.target.decode("latin-1")
        """Path and query, as the key has them."""
        self.given_id = given_request_id([value for name, value in headers if name == b"x-request-id"])
        """The client's own request id, if it sent a sane one."""
        self.directives = read_directives(fields)
        chosen = fields.get(b"x-askonce-family")
        self.family = "" if chosen is None else chosen.decode("latin-1")
        """The one that the client chose, if any."""
        steps = fields.get(b"content-encoding", b"").lower().split(b",")
        self.is_coded = any(step.strip() not in (b"", _PLAIN) for step in steps)
        """The body is compressed, say, and can't be read."""
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
