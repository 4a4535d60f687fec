"""Four limits, on real sockets. Exact times are in test_http1_connection.py, on the virtual loop."""

import socket
from dataclasses import replace

import pytest

from proxy.errors import UpstreamTimeout
from proxy.upstream.client import Timeouts
from tests.proxy.upstream.asks import GENEROUS, body_of, post
from tests.proxy.upstream.conftest import Connect, Serve
from tests.proxy.upstream.scripted_server import CHUNKED_HEAD, READ, chunk, plain

pytestmark = [pytest.mark.anyio, pytest.mark.real_loop]

SHORT_S = 0.02


@pytest.mark.parametrize(
    ("limits", "beginning"),
    [
        (replace(GENEROUS, first_byte_s=SHORT_S), b""),
        (replace(GENEROUS, first_byte_s=SHORT_S), b"HTTP/1.1 100 Continue\r\n\r\n"),
        (replace(GENEROUS, between_chunks_s=SHORT_S), b"HTTP/1.1 200"),
        (replace(GENEROUS, total_s=SHORT_S), b""),
        (replace(GENEROUS, total_s=SHORT_S), b"HTTP/1.1 200"),
    ],
)
async def test_T02_silence_before_the_head(serve: Serve, connect: Connect, limits: Timeouts, beginning: bytes):
    server = await serve([READ, beginning], [READ, plain(b"next")])
    client = connect(server)
    with pytest.raises(UpstreamTimeout) as late:
        await client.send(post(), limits)
    assert late.value.status == 504
    await server.at_most_open(0)
    assert await body_of(await client.send(post(), GENEROUS)) == b"next"


@pytest.mark.parametrize("limits", [replace(GENEROUS, between_chunks_s=SHORT_S), replace(GENEROUS, total_s=SHORT_S)])
@pytest.mark.parametrize("whole", [True, False])
async def test_T02_silence_between_chunks(serve: Serve, connect: Connect, limits: Timeouts, whole: bool):
    server = await serve([READ, CHUNKED_HEAD + chunk(b"1")])
    client = connect(server)

    async def exchange() -> None:
        # On a busy machine so short a total may be over before the head is there.
        reply = await client.send(post(), limits)
        try:
            await (reply.read(100) if whole else body_of(reply))
        finally:
            await reply.aclose()

    with pytest.raises(UpstreamTimeout):
        await exchange()
    await server.at_most_open(0)


async def test_T02_no_limits_at_all(serve: Serve, connect: Connect):
    server = await serve([READ, plain(b"ok")])
    reply = await connect(server).send(post(), Timeouts(None, None, None, None))
    assert await body_of(reply) == b"ok"


@pytest.mark.parametrize("limits", [replace(GENEROUS, connect_s=SHORT_S), replace(GENEROUS, total_s=SHORT_S)])
async def test_T02_connection_that_is_not_accepted(connect: Connect, limits: Timeouts):
    with socket.socket() as full, socket.socket() as first, socket.socket() as second:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        # Linux completes one handshake beyond the backlog, then leaves further ones without an answer.
        for filler in (first, second):
            filler.setblocking(False)
            filler.connect_ex(full.getsockname())
        client = connect(f"http://127.0.0.1:{full.getsockname()[1]}")
        with pytest.raises(UpstreamTimeout):
            await client.send(post(), limits)
        await client.aclose()
