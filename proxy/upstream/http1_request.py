"""A request's head as bytes."""

import functools

from proxy.upstream.client import UpstreamRequest
from proxy.upstream.origin import OWN_HEADERS, Origin, check_request_line

BODILESS_METHODS = frozenset(("GET", "HEAD", "OPTIONS", "TRACE"))
"""Methods for which no body needs no Content-Length: 0 (RFC 9110, 8.6)."""

_check = functools.lru_cache(maxsize=256)(check_request_line)


def host_lines(origin: Origin) -> bytes:
    """The end of the request line, and the Host header."""
    return b" HTTP/1.1\r\nhost: " + origin.authority.encode("ascii") + b"\r\n"


def encode_head(request: UpstreamRequest, host: bytes) -> bytes:
    """The request line and the headers, framed as the body demands; `host` is what `host_lines` made.

    Raises:
        ValueError: something in it would end a line early.
    """
    method, body = request.method, request.body
    _check(method, request.target)
    parts = [method.encode("ascii"), b" ", request.target, host]
    parts += [b"%b: %b\r\n" % header for header in request.headers if header[0] not in OWN_HEADERS]
    lines = len(parts) - 1
    if not isinstance(body, bytes):
        parts.append(b"transfer-encoding: chunked\r\n\r\n")
    elif body or method not in BODILESS_METHODS:
        parts.append(b"content-length: %d\r\n\r\n" % len(body))
    else:
        parts.append(b"\r\n")
        lines -= 1
    head = b"".join(parts)
    if head.count(b"\n") != lines + 1 or head.count(b"\r") != lines + 1 or b"\0" in head:
        raise ValueError("a header holds a line break or a NUL")
    return head
