"""https, which `auto` gives to aiohttp."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from proxy.errors import UpstreamUnreachable
from proxy.upstream import make_client
from proxy.upstream.aiohttp_client import AiohttpClient
from proxy.upstream.client import UpstreamClient
from tests.proxy.upstream.asks import GENEROUS, body_of, post
from tests.proxy.upstream.scripted_server import CHUNKED_HEAD, READ, ScriptedServer, chunk, chunked, plain

pytestmark = [pytest.mark.anyio, pytest.mark.real_loop]

CERTIFICATE = Path(__file__).with_name("localhost.pem")


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(CERTIFICATE)
    started = await ScriptedServer.start(
        [[READ, plain(b"1"), READ, chunked(b"2"), READ, CHUNKED_HEAD + chunk(b"3")]], tls
    )
    yield started
    await started.aclose()


@pytest.fixture
async def client(server: ScriptedServer) -> AsyncIterator[UpstreamClient]:
    made = make_client(server.url, tls=ssl.create_default_context(cafile=str(CERTIFICATE)))
    yield made
    await made.aclose()


async def test_exchanges_share_a_connection(server: ScriptedServer, client: UpstreamClient):
    assert isinstance(client, AiohttpClient)
    assert [await body_of(await client.send(post(), GENEROUS)) for _ in range(2)] == [b"1", b"2"]
    assert len(server.peers) == 1
    assert server.requests[0].all(b"host") == [b"127.0.0.1:%d" % server.port]


@pytest.mark.parametrize("cancel", [True, False])
async def test_leaving_closes_the_connection(server: ScriptedServer, client: UpstreamClient, cancel: bool):
    for _ in range(2):
        await body_of(await client.send(post(), GENEROUS))
    reply = await client.send(post(), GENEROUS)
    assert await anext(aiter(reply)) == b"3"
    if cancel:
        waiting = asyncio.create_task(body_of(reply))
        await asyncio.sleep(0)
        waiting.cancel()
    else:
        await reply.aclose()
    await server.peers[0].closed.wait()


async def test_unknown_certificate_is_no_connection(server: ScriptedServer):
    client = make_client(server.url)
    with pytest.raises(UpstreamUnreachable):
        await client.send(post(), GENEROUS)
    await client.aclose()
    assert server.requests == []
