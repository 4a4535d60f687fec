"""A request's head as bytes."""

from proxy.errors import Headers
from proxy.upstream.client import UpstreamRequest
from proxy.upstream.origin import OWN_HEADERS, Origin, check_request_line

BODILESS_METHODS = frozenset(("GET", "HEAD", "OPTIONS", "TRACE"))
"""Methods for which no body needs no Content-Length: 0 (RFC 9110, 8.6)."""


class HeadEncoder:
    """Encodes heads for one origin. All but the framing of the last one is kept: clients repeat themselves."""

    def __init__(self, origin: Origin) -> None:
        self._host = b" HTTP/1.1\r\nhost: " + origin.authority.encode("ascii")
        self._method = ""
        self._target = b""
        self._headers: Headers | None = None
        self._encoded = b""

    def encode(self, request: UpstreamRequest) -> bytes:
        """The request line and the headers, framed as the body demands.

        Raises:
            ValueError: something in it would end a line early.
        """
        method, body = request.method, request.body
        if request.headers != self._headers or request.target != self._target or method != self._method:
            self._encode(request)
        if not isinstance(body, bytes):
            return self._encoded + b"transfer-encoding: chunked\r\n\r\n"
        if body or method not in BODILESS_METHODS:
            return b"%bcontent-length: %d\r\n\r\n" % (self._encoded, len(body))
        return self._encoded + b"\r\n"

    def _encode(self, request: UpstreamRequest) -> None:
        check_request_line(request.method, request.target)
        lines = [request.method.encode("ascii") + b" " + request.target + self._host]
        lines += [b": ".join(header) for header in request.headers if header[0] not in OWN_HEADERS]
        lines.append(b"")
        encoded = b"\r\n".join(lines)
        # Of line breaks there is one for each line: two in the first, none in the last.
        if len(encoded) - len(encoded.translate(None, b"\r\n\0")) != 2 * len(lines):
            raise ValueError("a header holds a line break or a NUL")
        self._method, self._target, self._headers = request.method, request.target, [*request.headers]
        self._encoded = encoded
