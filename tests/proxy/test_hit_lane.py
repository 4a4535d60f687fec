"""The lane answers what the chain would answer, byte for byte but for ids, and only that."""

import asyncio
import gc
import re

import orjson
import pytest

from proxy.hit_lane import MAX_REMEMBERED_BYTES
from proxy.request_head import RequestHead
from proxy.server import DrainingServer, ServerLimits
from tests.builders import ScriptedReply, answer, chat, policy_set, stack, stream_of

pytestmark = pytest.mark.anyio

HEADERS = [
    (b"host", b"askonce.test"),
    (b"content-type", b"application/json"),
    (b"authorization", b"Bearer sk-a"),
]


def dumped(body) -> bytes:
    return orjson.dumps(body)


async def asked(s, body: bytes, *, headers=HEADERS, path="/v1/chat/completions"):
    """The usual way, with exactly these bytes."""
    return await s.client.post(path, content=body, headers=[(n.decode(), v.decode()) for n, v in headers])


async def lane(s, body: bytes, headers=HEADERS, url=b"/v1/chat/completions"):
    head = RequestHead.read(url, list(headers))
    assert head is not None
    return s.app.hit_lane.parsed(head, body)


async def remembered(s, body: bytes, headers=HEADERS) -> None:
    """Asked until the chain has answered it from the cache, with the headers as a client of ASGI sends them."""
    sent: list[object] = []

    async def once() -> None:
        messages = iter([{"type": "http.request", "body": body, "more_body": False}])
        waiting: asyncio.Future[dict[str, object]] = asyncio.get_running_loop().create_future()

        async def receive():
            for message in messages:
                return message
            return await waiting

        async def send(message):
            sent.append(message)

        scope = {
            "type": "http",
            "method": "POST",
            "path": "/v1/chat/completions",
            "raw_path": b"/v1/chat/completions",
            "query_string": b"",
            "headers": list(headers),
            "client": ("127.0.0.1", 1),
        }
        await s.app(scope, receive, send)

    await once()
    await once()


def parsed(raw: bytes) -> tuple[dict[bytes, bytes], bytes]:
    head, _, body = raw.partition(b"\r\n\r\n")
    return dict(line.split(b": ", 1) for line in head.split(b"\r\n")), body


def without_ids(body: bytes) -> bytes:
    return re.sub(rb'"id":"[^"]+"|"created":\d+', b"", body)


@pytest.mark.parametrize("stream", [False, True])
async def test_it_says_what_the_chain_says(stream):
    body = dumped(chat(stream=stream))
    async with stack() as s:
        s.upstream.script(ScriptedReply(stream_of("a", "b") if stream else answer()))
        await remembered(s, body)
        raw = await lane(s, body)
        assert raw is not None
        fields, content = parsed(raw)
        usual = await asked(s, body)
        assert without_ids(content) == without_ids(usual.content)
        assert content != usual.content
        same = {b"content-type", b"cache-control", b"vary", b"x-askonce-family", b"x-askonce-origin-id", b"age"}
        assert {name: fields[name] for name in same} == {name: usual.headers[name.decode()].encode() for name in same}
        assert fields[b"cache-status"].startswith(b"askonce; hit; ttl=")
        assert int(fields[b"content-length"]) == len(content)
        assert s.upstream.calls == 1


async def test_it_knows_nothing_the_chain_has_not_served():
    body = dumped(chat())
    async with stack() as s:
        await asked(s, body)
        assert await lane(s, body) is None


@pytest.mark.parametrize(
    "change",
    [
        (b"authorization", b"Bearer sk-b"),
        (b"cache-control", b"no-cache"),
        (b"x-askonce-bypass", b"cache"),
        (b"content-type", b"text/plain"),
        (b"x-tenant", b"other"),
        (b"content-encoding", b"gzip"),
    ],
)
async def test_another_header_is_another_request(change):
    body = dumped(chat())
    async with stack() as s:
        await remembered(s, body)
        changed = [item for item in HEADERS if item[0] != change[0]] + [change]
        assert await lane(s, body, changed) is None
        assert await lane(s, body) is not None
        assert await lane(s, body, url=b"/v1/completions") is None
        assert await lane(s, body + b" ") is None


async def test_request_ids_and_traces_are_no_difference_and_the_id_is_echoed():
    body = dumped(chat())
    async with stack() as s:
        await remembered(s, body)
        raw = await lane(s, body, [*HEADERS, (b"x-request-id", b"mine-1"), (b"traceparent", b"00-1-2-01")])
        assert raw is not None
        assert parsed(raw)[0][b"x-request-id"] == b"mine-1"


async def test_an_expired_or_purged_entry_is_not_served():
    body = dumped(chat())
    async with stack(policy_set(exact={"ttl_s": 10})) as s:
        await remembered(s, body)
        await asyncio.sleep(9.9)
        assert await lane(s, body) is not None
        await asyncio.sleep(0.2)
        assert await lane(s, body) is None
        await remembered(s, body)
        s.app.purge()
        assert await lane(s, body) is None


async def test_a_reload_forgets_everything():
    body = dumped(chat())
    async with stack() as s:
        await remembered(s, body)
        s.app.apply(s.app.settings, s.app.policies.current)
        assert await lane(s, body) is None


async def test_a_credential_whose_acceptance_is_old_goes_the_usual_way():
    body = dumped(chat())
    async with stack(policy_set(exact={"ttl_s": 3600}), auth_ttl_s=60) as s:
        await remembered(s, body)
        assert await lane(s, body) is not None
        await asyncio.sleep(61)
        assert await lane(s, body) is None


async def test_what_is_remembered_is_bounded():
    async with stack() as s:
        for number in range(20):
            await remembered(s, dumped(chat("x" * 60_000 + str(number))))
        assert 0 < s.app.hit_lane._by_parts.size <= MAX_REMEMBERED_BYTES


async def test_reads_that_differ_in_their_request_ids_leave_no_head_each():
    async with stack() as s:
        s.upstream.script(ScriptedReply(answer()))
        body = dumped(chat())
        await remembered(s, body)
        for n in range(50):
            named = b"id-%d" % n
            parsed = await lane(s, body, [*HEADERS, (b"x-request-id", named)])
            s.app.hit_lane.arrived_as(named)
            for reply in (parsed, s.app.hit_lane.unparsed(named)):
                assert reply is not None
                assert b"x-request-id: %b\r\n" % named in reply
        gc.collect()
        assert sum(type(kept) is RequestHead for kept in gc.get_objects()) < 50


@pytest.mark.real_loop
async def test_over_a_socket_whole_split_and_pipelined():
    body = dumped(chat())

    class One:
        """Knows one body."""

        known: bytes | None = None
        unread = 0

        def parsed(self, head, given):
            return b"content-length: 3\r\n\r\nhit" if given == body else None

        def arrived_as(self, data):
            self.known = data

        def unparsed(self, data):
            if data != self.known:
                return None
            self.unread += 1
            return b"content-length: 3\r\n\r\nraw"

    one = One()

    async def app(scope, receive, send):
        if scope["type"] == "lifespan":
            while True:
                message = await receive()
                await send({"type": message["type"] + ".complete"})
                if message["type"] == "lifespan.shutdown":
                    return
        given = b""
        while True:
            message = await receive()
            given += message.get("body", b"")
            if not message.get("more_body"):
                break
        reply = b"app:%d" % len(given)
        await send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [(b"content-length", b"%d" % len(reply))],
            }
        )
        await send({"type": "http.response.body", "body": reply})

    port: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    server = DrainingServer(
        app, "127.0.0.1", 0, ServerLimits(drain_s=0, grace_s=0), lambda: None, lambda: None, port.set_result, one
    )
    serving = asyncio.get_running_loop().create_task(server.serve())
    reader, writer = await asyncio.open_connection("127.0.0.1", await port)

    async def reply() -> bytes:
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 OK\r\ndate: ")
        match = re.search(rb"content-length: (\d+)", head)
        assert match is not None
        return await reader.readexactly(int(match[1]))

    def request(content: bytes) -> bytes:
        return b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n%b" % (
            len(content),
            content,
        )

    try:
        async with asyncio.timeout(30):
            writer.write(request(body))
            assert await reply() == b"hit"
            assert one.known == request(body)
            writer.write(request(body))
            assert await reply() == b"raw"
            one.known = None  # pieces may arrive in one read
            head, _, content = request(body).partition(b"\r\n\r\n")
            for part in (head[:20], head[20:] + b"\r\n\r\n", content[:5], content[5:]):
                writer.write(part)
                await writer.drain()
            assert await reply() == b"hit"
            one.known = None
            writer.write(request(body) + request(body) + request(b"other") + request(body))
            assert [await reply() for _ in range(4)] == [b"hit", b"hit", b"app:5", b"app:%d" % len(body)]
            assert one.known is None
            whole = request(body)
            writer.write(whole + whole[:40])
            assert await reply() == b"hit"
            assert one.known is None
            one.known = whole[40:]  # what comes now continues a request, whatever it looks like
            writer.write(whole[40:])
            assert await reply() == b"hit"
            large = b"x" * 200_000
            writer.write(request(large))
            assert await reply() == b"app:200000"
            writer.write(request(body))
            assert await reply() == b"hit"
            writer.write(request(body))
            assert await reply() == b"raw"
            assert one.unread == 2
    finally:
        writer.close()
        server.should_exit = True
        await serving
