"""One-line requests, and what a test does with replies."""

from collections.abc import AsyncIterator

from proxy.errors import Headers
from proxy.upstream.client import Timeouts, UpstreamReply, UpstreamRequest

GENEROUS = Timeouts(connect_s=30, first_byte_s=30, between_chunks_s=30, total_s=60)


def post(
    body: bytes | AsyncIterator[bytes] = b"{}", target: bytes = b"/v1/chat/completions", headers: Headers | None = None
) -> UpstreamRequest:
    return UpstreamRequest("POST", target, headers or [(b"content-type", b"application/json")], body)


def get(target: bytes = b"/v1/models", method: str = "GET", headers: Headers | None = None) -> UpstreamRequest:
    return UpstreamRequest(method, target, headers or [], b"")


async def body_of(reply: UpstreamReply) -> bytes:
    """The whole body by iteration; the reply is closed."""
    try:
        return b"".join([chunk async for chunk in reply])
    finally:
        await reply.aclose()


async def pieces(*chunks: bytes) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk
