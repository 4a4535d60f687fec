"""A request's head as bytes."""

import functools

from proxy.upstream.client import UpstreamRequest
from proxy.upstream.origin import OWN_HEADERS, Origin, check_request_line

BODILESS_METHODS = frozenset(("GET", "HEAD", "OPTIONS", "TRACE"))
"""Methods for which no body needs no Content-Length: 0 (RFC 9110, 8.6)."""


def host_lines(origin: Origin) -> bytes:
    """The end of the request line, and the Host header without its line break."""
    return b" HTTP/1.1\r\nhost: " + origin.authority.encode("ascii")


def encode_head(request: UpstreamRequest, host: bytes) -> bytes:
    """The request line and the headers, framed as the body demands; `host` is what `host_lines` made.

    Raises:
        ValueError: something in it would end a line early.
    """
    method, body = request.method, request.body
    lines = [_first_lines(method, request.target, host)]
    for header in request.headers:
        if header[0] not in OWN_HEADERS:
            lines.append(b": ".join(header))
    if not isinstance(body, bytes):
        lines.append(b"transfer-encoding: chunked")
    elif body or method not in BODILESS_METHODS:
        lines.append(b"content-length: %d" % len(body))
    lines.append(b"\r\n")
    head = b"\r\n".join(lines)
    # Our own line breaks are one more than `lines`: the first of these holds one, and the last is one.
    if len(head) - len(head.translate(None, b"\r\n\0")) != 2 * len(lines) + 2:
        raise ValueError("a header holds a line break or a NUL")
    return head


@functools.lru_cache(maxsize=256)
def _first_lines(method: str, target: bytes, host: bytes) -> bytes:
    check_request_line(method, target)
    return method.encode("ascii") + b" " + target + host
