"""A reply with a bad frame is an error of the upstream: never an answer, and never the next request's answer."""

import contextlib

import pytest

from proxy.errors import UpstreamFailed
from tests.proxy.upstream.asks import GENEROUS, body_of, get, post
from tests.proxy.upstream.conftest import Connect, Kind, Serve
from tests.proxy.upstream.scripted_server import CHUNKED_HEAD, END, READ, RESET, chunk, chunked, plain

pytestmark = [pytest.mark.anyio, pytest.mark.real_loop]


@pytest.fixture
def anyio_backend():
    return "asyncio", {"use_uvloop": True}  # which loop reads the bytes does not matter here


OK = b"HTTP/1.1 200 OK\r\n"

BROKEN = {
    "length and coding": OK + b"content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "coding and length": OK + b"transfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "two lengths": OK + b"content-length: 2\r\ncontent-length: 3\r\n\r\nok",
    "list of lengths": OK + b"content-length: 2, 3\r\n\r\nok",
    "negative length": OK + b"content-length: -2\r\n\r\nok",
    "signed length": OK + b"content-length: +2\r\n\r\nok",
    "hexadecimal length": OK + b"content-length: 0x2\r\n\r\nok",
    "no length": OK + b"content-length: \r\n\r\nok",
    "length overflow": OK + b"content-length: 99999999999999999999\r\n\r\nok",
    "NUL in a header": OK + b"x: a\0b\r\ncontent-length: 2\r\n\r\nok",
    "line without colon": OK + b"x\r\ncontent-length: 2\r\n\r\nok",
    "no name": OK + b": x\r\ncontent-length: 2\r\n\r\nok",
    "chunk size is no number": CHUNKED_HEAD + b"zz\r\nok\r\n0\r\n\r\n",
    "negative chunk": CHUNKED_HEAD + b"-2\r\nok\r\n0\r\n\r\n",
    "chunk size with prefix": CHUNKED_HEAD + b"0x2\r\nok\r\n0\r\n\r\n",
    "chunk size overflow": CHUNKED_HEAD + b"fffffffffffffffff\r\nok\r\n0\r\n\r\n",
    "chunk longer than it says": CHUNKED_HEAD + b"2\r\noklahoma\r\n0\r\n\r\n",
    "line feeds around chunks": CHUNKED_HEAD + b"2\nok\n0\n\n",
    "length in a trailer": CHUNKED_HEAD + b"2\r\nok\r\n0\r\ncontent-length: 5\r\n\r\n",
    "upgrade": b"HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\nok",
    "unknown version": b"HTTP/1.2 200 OK\r\ncontent-length: 2\r\n\r\nok",
    "coding but chunked": OK + b"transfer-encoding: gzip\r\n\r\nok",
    "coding after chunks": OK + b"transfer-encoding: chunked, gzip\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "request": b"GET / HTTP/1.1\r\nhost: x\r\n\r\n",
    "other protocol": b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n",
    "extra reply": plain(b"ok") + plain(b"smuggled"),
    "extra reply after chunks": chunked(b"ok") + plain(b"smuggled"),
    "extra reply after none": b"HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\n" + plain(b"smuggled"),
    "extra bytes": plain(b"ok") + b"more",
    "extra bytes after close": plain(b"ok", b"connection: close") + b"more",
    "HTTP/2.0": b"HTTP/2.0 200 OK\r\ncontent-length: 2\r\n\r\nok",
    "HTTP/0.9": b"HTTP/0.9 200 OK\r\ncontent-length: 2\r\n\r\nok",
    "status 600": b"HTTP/1.1 600 X\r\ncontent-length: 2\r\n\r\nok",
    "coding within chunks": OK + b"transfer-encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "chunks in HTTP/1.0": b"HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "endless trailers": CHUNKED_HEAD + chunk(b"ok") + b"0\r\n" + b"x: y\r\n" * 50_000 + b"\r\n",
    "endless head": OK + b"x: " + b"y" * 300_000 + b"\r\ncontent-length: 2\r\n\r\nok",
    "endless headers": OK + b"x: y\r\n" * 50_000 + b"content-length: 2\r\n\r\nok",
    "informational with a length": b"HTTP/1.1 103 Early Hints\r\ncontent-length: 8\r\n\r\nsmuggled" + plain(b"ok"),
    "unknown version after informational": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.2 200 OK\r\n\r\nok",
    "endless informational": b"HTTP/1.1 103 Early Hints\r\n\r\n" * 20_000 + plain(b"ok"),
}

# aiohttp's parser is kinder with these; none of them can end or extend a body.
KIND_OF_AIOHTTP = {
    "space before colon": OK + b"content-length : 2\r\n\r\nok",
    "folded length": OK + b"content-length:\r\n 2\r\n\r\nok",
    "folded header": OK + b"x: a\r\n b\r\ncontent-length: 2\r\n\r\nok",
    "bare line feed": OK + b"x: a\ncontent-length: 2\r\n\r\nok",
    "space after chunk size": CHUNKED_HEAD + b"2 \r\nok\r\n0\r\n\r\n",
}


@pytest.mark.parametrize("frame", [*BROKEN, *KIND_OF_AIOHTTP])
async def test_bad_frame_is_an_error(serve: Serve, connect: Connect, kind: Kind, frame: str):
    server = await serve([READ, (BROKEN | KIND_OF_AIOHTTP)[frame], READ, plain(b"poisoned")], [READ, plain(b"clean")])
    client = connect(server)
    if kind == "aiohttp" and frame in KIND_OF_AIOHTTP:
        assert await body_of(await client.send(post(), GENEROUS)) == b"ok"
        return
    with pytest.raises(UpstreamFailed) as failed:
        await body_of(await client.send(post(), GENEROUS))
    assert not failed.value.unprocessed
    assert await body_of(await client.send(post(), GENEROUS)) == b"clean"


TRUNCATED = {
    "nothing": b"",
    "half a status line": b"HTTP/1.1 20",
    "half a head": OK + b"content-length: 2\r\n",
    "less than its length": OK + b"content-length: 3\r\n\r\nok",
    "chunk without its end": CHUNKED_HEAD + b"5\r\nok",
    "chunks without the last": CHUNKED_HEAD + chunk(b"ok"),
    "last chunk without trailer section": CHUNKED_HEAD + chunk(b"ok") + b"0\r\n",
    "only informational": b"HTTP/1.1 100 Continue\r\n\r\n",
}


@pytest.mark.parametrize("ending", [END, RESET])
@pytest.mark.parametrize("frame", TRUNCATED)
async def test_truncated_reply_is_an_error(serve: Serve, connect: Connect, frame: str, ending):
    server = await serve([READ, TRUNCATED[frame], ending], [READ, plain(b"clean")])
    client = connect(server)
    with pytest.raises(UpstreamFailed) as failed:
        await body_of(await client.send(post(), GENEROUS))
    assert not failed.value.unprocessed
    assert len(server.requests) == 1
    assert await body_of(await client.send(post(), GENEROUS)) == b"clean"


async def test_reset_is_no_end_of_a_body_without_length(serve: Serve, connect: Connect):
    server = await serve([READ, OK + b"\r\nhalf an answ", RESET])
    with pytest.raises(UpstreamFailed):
        await body_of(await connect(server).send(post(), GENEROUS))


async def test_S11_chunks_before_a_reset_are_delivered(serve: Serve, connect: Connect):
    server = await serve([READ, CHUNKED_HEAD + chunk(b"one") + chunk(b"two"), END])
    reply = await connect(server).send(post(), GENEROUS)
    seen: list[bytes] = []

    async def collect() -> None:
        async for piece in reply:
            seen.append(piece)

    with pytest.raises(UpstreamFailed):
        await collect()
    assert b"".join(seen) == b"onetwo"
    with pytest.raises(UpstreamFailed):
        await anext(aiter(reply))
    await reply.aclose()
    await server.peers[0].closed.wait()


async def test_S11_error_status_and_silence_is_an_answer(serve: Serve, connect: Connect):
    server = await serve([READ, plain(b'{"error": {}}', status=b"503 Service Unavailable"), END])
    reply = await connect(server).send(post(), GENEROUS)
    assert (reply.status, await reply.read(1000)) == (503, b'{"error": {}}')
    await reply.aclose()


async def test_body_of_a_head_reply_poisons_nothing(serve: Serve, connect: Connect):
    server = await serve([READ, plain(b"smuggled"), READ, plain(b"poisoned")], [READ, plain(b"clean")])
    client = connect(server)
    with contextlib.suppress(UpstreamFailed):
        await body_of(await client.send(get(method="HEAD"), GENEROUS))
    assert await body_of(await client.send(post(), GENEROUS)) == b"clean"
