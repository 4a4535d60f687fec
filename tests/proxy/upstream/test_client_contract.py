"""What both clients do with requests and replies that are in order."""

import asyncio
import gzip
import socket
from collections.abc import AsyncIterator

import pytest

from proxy.errors import BodyTimeout, UpstreamFailed, UpstreamUnreachable
from proxy.upstream.aiohttp_client import AiohttpClient
from proxy.upstream.http1_client import Http1Client
from tests.proxy.upstream.asks import GENEROUS, body_of, get, pieces, post
from tests.proxy.upstream.conftest import Connect, Serve
from tests.proxy.upstream.scripted_server import (
    CHUNKED_HEAD,
    END,
    HEAD,
    LAST_CHUNK,
    READ,
    chunk,
    chunked,
    plain,
)

pytestmark = [pytest.mark.anyio, pytest.mark.real_loop]


@pytest.fixture
def anyio_backend():
    return "asyncio", {"use_uvloop": True}  # both loops are for what ends connections: reuse, cancellation, limits


async def test_request_goes_up_as_it_is(serve: Serve, connect: Connect):
    server = await serve([READ, plain(b"ok")])
    headers = [(b"authorization", b"Bearer sk-\xc3\xa9"), (b"x-twice", b"1"), (b"x-twice", b"2"), (b"x-empty", b"")]
    reply = await connect(server).send(post(b'{"a":1}', b"/v1//x/../%7e?a=b%20c&d&e=?", headers), GENEROUS)
    await reply.aclose()
    (request,) = server.requests
    assert request.line == b"POST /v1//x/../%7e?a=b%20c&d&e=? HTTP/1.1"
    sent = [(name.lower(), value) for name, value in request.headers]
    assert sent[0] == (b"host", b"127.0.0.1:%d" % server.port)
    assert sorted(sent[1:]) == sorted([*headers, (b"content-length", b"7")])
    assert request.body == b'{"a":1}'


async def test_H04_host_connection_and_length_are_the_clients_own(serve: Serve, connect: Connect):
    server = await serve([READ, plain(b"ok"), READ, plain(b"ok")])
    foreign = [(b"host", b"evil"), (b"connection", b"close, x"), (b"content-length", b"9"), (b"te", b"trailers")]
    client = connect(server)
    for body in (b"{}", pieces(b"{", b"}")):
        reply = await client.send(post(body, headers=[*foreign, (b"transfer-encoding", b"gzip")]), GENEROUS)
        assert await body_of(reply) == b"ok"
    whole, streamed = server.requests
    assert whole.all(b"host") == streamed.all(b"host") == [b"127.0.0.1:%d" % server.port]
    assert whole.all(b"connection") == streamed.all(b"connection") == []
    assert (whole.all(b"content-length"), whole.all(b"transfer-encoding")) == ([b"2"], [])
    assert (streamed.all(b"content-length"), streamed.all(b"transfer-encoding")) == ([], [b"chunked"])
    assert whole.body == streamed.body == b"{}"


async def test_nothing_is_added_to_a_request_without_body(serve: Serve, connect: Connect):
    server = await serve([READ, plain(b"ok")])
    await (await connect(server).send(get(), GENEROUS)).aclose()
    assert [name.lower() for name, _ in server.requests[0].headers] == [b"host"]


async def test_empty_post_says_so(serve: Serve, connect: Connect):
    server = await serve([READ, plain(b"ok")])
    await (await connect(server).send(post(b""), GENEROUS)).aclose()
    assert server.requests[0].all(b"content-length") == [b"0"]


async def test_large_bodies_pass_both_ways(serve: Serve, connect: Connect):
    large = bytes(range(256)) * 32768  # 8 MiB: more than any buffer on the way
    server = await serve([READ, plain(large)])
    reply = await connect(server).send(post(large), GENEROUS)
    assert await body_of(reply) == large
    assert server.requests[0].body == large


async def test_streamed_body_is_sent_as_the_server_reads_it(serve: Serve, connect: Connect):
    server = await serve([READ, plain(b"ok")])
    sent = [bytes([number % 256]) * 65536 for number in range(128)]
    reply = await connect(server).send(post(pieces(*sent)), GENEROUS)
    assert await body_of(reply) == b"ok"
    assert server.requests[0].body == b"".join(sent)


async def test_reply_headers_are_as_received_with_names_in_lower_case(serve: Serve, connect: Connect):
    server = await serve(
        [READ, plain(b"ok", b"X-Odd: \xc3\xa9  ?", b"Set-Cookie: a=1", b"x-empty:", b"SET-COOKIE: b=2")]
    )
    client = connect(server)
    reply = await client.send(post(), GENEROUS)
    await reply.aclose()
    assert reply.status == 200
    assert reply.headers == [
        (b"x-odd", b"\xc3\xa9  ?"),
        (b"set-cookie", b"a=1"),
        (b"x-empty", b""),
        (b"set-cookie", b"b=2"),
        (b"content-length", b"2"),
    ]


async def test_cookies_are_not_kept(serve: Serve, connect: Connect):
    server = await serve([READ, plain(b"", b"set-cookie: a=1"), READ, plain(b"")])
    client = connect(server)
    for _ in range(2):
        await body_of(await client.send(get(), GENEROUS))
    assert server.requests[1].all(b"cookie") == []


async def test_redirect_is_an_answer(serve: Serve, connect: Connect):
    server = await serve([READ, plain(b"", b"location: /elsewhere", status=b"307 Temporary Redirect")])
    reply = await connect(server).send(post(), GENEROUS)
    assert (reply.status, await body_of(reply), len(server.requests)) == (307, b"", 1)


async def test_H02_coded_body_stays_coded(serve: Serve, connect: Connect):
    packed = gzip.compress(b"plain text")
    server = await serve([READ, plain(packed, b"content-encoding: gzip")])
    reply = await connect(server).send(post(), GENEROUS)
    assert (b"content-encoding", b"gzip") in reply.headers
    assert await body_of(reply) == packed


@pytest.mark.parametrize("status", [b"400 Bad Request", b"429 Too Many Requests", b"503 Service Unavailable", b"599 X"])
async def test_error_status_is_an_answer_and_not_retried(serve: Serve, connect: Connect, status: bytes):
    server = await serve([READ, plain(b"no", status=status)])
    reply = await connect(server).send(post(), GENEROUS)
    assert (b"%d" % reply.status, await body_of(reply), len(server.requests)) == (status[:3], b"no", 1)


async def test_chunks_arrive_as_they_are_sent(serve: Serve, connect: Connect):
    gate = asyncio.Event()
    server = await serve([READ, CHUNKED_HEAD + chunk(b"one"), gate, chunk(b"two") + LAST_CHUNK])
    reply = await connect(server).send(post(), GENEROUS)
    body = aiter(reply)
    assert await anext(body) == b"one"
    gate.set()
    assert [piece async for piece in body] == [b"two"]
    await reply.aclose()


async def test_head_arrives_before_the_body(serve: Serve, connect: Connect):
    gate = asyncio.Event()
    server = await serve([READ, CHUNKED_HEAD, gate, chunk(b"late") + LAST_CHUNK])
    reply = await connect(server).send(post(), GENEROUS)
    gate.set()
    assert await body_of(reply) == b"late"


async def test_S01_multibyte_split(serve: Serve, connect: Connect):
    text = "data: 漢🙂\n\n".encode()
    script = [READ, CHUNKED_HEAD, *[chunk(text[:cut]) + chunk(text[cut:]) for cut in range(1, len(text))], LAST_CHUNK]
    server = await serve(script)
    assert await body_of(await connect(server).send(post(), GENEROUS)) == text * (len(text) - 1)


async def test_read_gives_a_whole_body_within_the_limit(serve: Serve, connect: Connect):
    server = await serve([READ, plain(b"12345"), READ, chunked(b"123", b"45")])
    client = connect(server)
    for _ in range(2):
        reply = await client.send(post(), GENEROUS)
        assert await reply.read(5) == b"12345"
        assert await body_of(reply) == b""
    assert len(server.peers) == 1


async def test_read_leaves_what_is_too_long_to_iteration(serve: Serve, connect: Connect):
    gate = asyncio.Event()
    server = await serve([READ, CHUNKED_HEAD + chunk(b"123"), chunk(b"456"), gate, chunk(b"789") + LAST_CHUNK])
    reply = await connect(server).send(post(), GENEROUS)
    assert await reply.read(5) is None
    gate.set()
    assert await reply.read(8) is None
    assert await body_of(reply) == b"123456789"


async def test_read_beyond_the_buffers_waits_for_all(serve: Serve, connect: Connect):
    large = b"x" * 3_000_000
    server = await serve(
        [READ, CHUNKED_HEAD, *[chunk(large[at : at + 50_000]) for at in range(0, 3_000_000, 50_000)], LAST_CHUNK]
    )
    reply = await connect(server).send(post(), GENEROUS)
    assert await reply.read(3_000_000) == large
    await reply.aclose()


async def test_read_does_not_wait_for_a_body_that_says_it_is_too_long(serve: Serve, connect: Connect):
    server = await serve([READ, plain(b"x" * 100)[:-100]])
    reply = await connect(server).send(post(), GENEROUS)
    assert await reply.read(99) is None
    await reply.aclose()


async def test_close_ends_a_body_without_length(serve: Serve, connect: Connect):
    for head in (b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.0 200 OK\r\n\r\n"):
        server = await serve([READ, head + b"to the ", b"end", END])
        assert await body_of(await connect(server).send(post(), GENEROUS)) == b"to the end"


async def test_connection_close_and_http_1_0_are_not_used_again(serve: Serve, connect: Connect):
    heads = [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\ncontent-length: 2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nconnection: x, Close\r\ntransfer-encoding: chunked\r\n\r\n",
        b"HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\n",
    ]
    bodies = [b"ok", chunk(b"ok") + LAST_CHUNK, b"ok"]
    # Each server would answer a second request on the same connection.
    server = await serve(*[[READ, head + body, READ, plain(b"no")] for head, body in zip(heads, bodies, strict=True)])
    client = connect(server)
    for _ in heads:
        assert await body_of(await client.send(post(), GENEROUS)) == b"ok"
    assert len(server.peers) == 3


async def test_connection_is_used_again(serve: Serve, connect: Connect):
    server = await serve(
        [READ, plain(b"1"), READ, chunked(b"2"), READ, plain(b"", status=b"204 No Content"), READ, plain(b"4")]
    )
    client = connect(server)
    assert [await body_of(await client.send(post(), GENEROUS)) for _ in range(4)] == [b"1", b"2", b"", b"4"]
    assert len(server.peers) == 1


async def test_body_is_not_expected_where_there_is_none(serve: Serve, connect: Connect):
    no_content = b"HTTP/1.1 204 No Content\r\n\r\n"
    not_modified = b"HTTP/1.1 304 Not Modified\r\ncontent-length: 7\r\n\r\n"
    server = await serve([READ, no_content, READ, not_modified, READ, plain(b"x" * 9)[:-9]], [READ, plain(b"next")])
    client = connect(server)
    for request, status in ((post(), 204), (get(), 304), (get(method="HEAD"), 200)):
        reply = await client.send(request, GENEROUS)
        assert (reply.status, await reply.read(100)) == (status, b"")
        await reply.aclose()
    assert (b"content-length", b"9") in reply.headers


async def test_informational_replies_are_skipped(serve: Serve, connect: Connect):
    hints = b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\ncontent-length: 5\r\n\r\n"
    server = await serve([READ, b"HTTP/1.1 100 Continue\r\n\r\n", hints + hints + plain(b"final", b"x: y")])
    reply = await connect(server).send(post(), GENEROUS)
    assert reply.headers == [(b"x", b"y"), (b"content-length", b"5")]
    assert await body_of(reply) == b"final"


async def test_trailers_are_dropped(serve: Serve, connect: Connect):
    server = await serve([READ, CHUNKED_HEAD + chunk(b"body") + b"0\r\nx-trailer: 1\r\n\r\n", READ, plain(b"2")])
    client = connect(server)
    reply = await client.send(post(), GENEROUS)
    assert await body_of(reply) == b"body"
    assert reply.headers == [(b"transfer-encoding", b"chunked")]
    assert await body_of(await client.send(post(), GENEROUS)) == b"2"


async def test_early_reply_ends_the_upload_and_the_connection(serve: Serve, connect: Connect):
    never = asyncio.Event()
    stopped = asyncio.Event()

    async def upload() -> AsyncIterator[bytes]:
        try:
            yield b"x" * 100_000
            await never.wait()
        finally:
            stopped.set()

    server = await serve([HEAD, plain(b"too large", status=b"413 Payload Too Large")], [READ, plain(b"next")])
    client = connect(server)
    reply = await client.send(post(upload()), GENEROUS)
    assert (reply.status, await body_of(reply)) == (413, b"too large")
    await server.peers[0].closed.wait()
    await stopped.wait()
    assert await body_of(await client.send(post(), GENEROUS)) == b"next"


async def test_early_reply_to_a_body_in_one_piece(serve: Serve, connect: Connect):
    server = await serve([HEAD, plain(b"too large", status=b"413 Payload Too Large")], [READ, plain(b"next")])
    client = connect(server)
    reply = await client.send(post(b"x" * 32_000_000), GENEROUS)
    assert (reply.status, await body_of(reply)) == (413, b"too large")
    assert await body_of(await client.send(post(), GENEROUS)) == b"next"
    await server.peers[0].closed.wait()


async def test_failing_upload_raises_its_own_error_and_closes(serve: Serve, connect: Connect):
    async def upload() -> AsyncIterator[bytes]:
        yield b"half"
        raise BodyTimeout("The body was not sent in time.")

    server = await serve([READ])
    with pytest.raises(BodyTimeout):
        await connect(server).send(post(upload()), GENEROUS)
    await server.peers[0].closed.wait()
    assert server.requests == []


async def test_refused_connection_is_surely_unprocessed(connect: Connect):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        client = connect(f"http://127.0.0.1:{nobody.getsockname()[1]}")
        with pytest.raises(UpstreamUnreachable) as refused:
            await client.send(post(), GENEROUS)
    assert refused.value.unprocessed
    assert "127.0.0.1" not in refused.value.message


async def test_unknown_host_is_surely_unprocessed(connect: Connect):
    with pytest.raises(UpstreamUnreachable):
        await connect("http://upstream.invalid:8000").send(post(), GENEROUS)


async def test_closed_client_fails_what_is_under_way_and_takes_nothing_new(serve: Serve, connect: Connect):
    server = await serve([READ, CHUNKED_HEAD + chunk(b"1")], [READ], [READ, plain(b"idle")])
    client = connect(server)
    streaming = await client.send(post(), GENEROUS)
    assert await anext(aiter(streaming)) == b"1"
    waiting = asyncio.create_task(client.send(post(), GENEROUS))
    await server.asked(2)
    assert await body_of(await client.send(post(), GENEROUS)) == b"idle"
    rest = asyncio.create_task(body_of(streaming))
    await asyncio.sleep(0)
    await client.aclose()
    for task in (waiting, rest):
        with pytest.raises(UpstreamFailed):
            await task
    for peer in server.peers:
        await peer.closed.wait()
    with pytest.raises(UpstreamFailed):
        await client.send(post(), GENEROUS)
    await client.aclose()


@pytest.mark.parametrize(
    "request_",
    [
        post(target=b"/v1 HTTP/1.1\r\nx: y\r\n\r\nGET /"),
        post(target=b"http://elsewhere/"),
        post(headers=[(b"x", b"1\r\ny: 2")]),
        post(headers=[(b"x", b"1\ny: 2")]),
        post(headers=[(b"x", b"1\0")]),
        post(headers=[(b"x\r\ny", b"1")]),
        get(method="GET /x HTTP/1.1\r\n\r\nGET"),
        get(method="CONNECT"),
    ],
)
async def test_line_break_is_never_sent(serve: Serve, connect: Connect, request_):
    server = await serve([READ])
    with pytest.raises(ValueError):  # noqa: PT011  # aiohttp's own message for headers
        await connect(server).send(request_, GENEROUS)
    assert server.requests == []


async def test_nagle_is_off(serve: Serve, connect: Connect):
    server = await serve([READ, plain(b"ok")])
    client = connect(server)
    assert await body_of(await client.send(post(), GENEROUS)) == b"ok"
    if isinstance(client, Http1Client):
        transports = [connection.transport for connection in client.pool.open]
    else:
        assert isinstance(client, AiohttpClient)
        assert client.connector is not None
        transports = [connection.transport for connection in client.connector.live if connection.transport is not None]
    assert len(transports) == 1
    assert transports[0].get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
