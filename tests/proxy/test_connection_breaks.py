"""A connection that is pushed, cut, mixed and starved: each request still gets its own whole reply, or none.
(Long, since every way to an answer, parsed or not, with ASGI or without, is tried with every disturbance.)
"""

import asyncio
import contextlib
import gc
from collections.abc import Callable
from typing import Any

import httptools
import orjson
import pytest

from proxy.connection import MAX_HEADS_SEEN, LimitedProtocol, Reply
from proxy.direct import DirectCycle
from proxy.hit_lane import MAX_REMEMBERED_BYTES
from proxy.request_head import RequestHead
from proxy.server import DrainingServer, ServerLimits
from tests.builders import ScriptedReply, answer, chat, policy_set, stack, stream_of
from tests.live import CLOSE, PATIENCE_S, RESET, Live, engine_of, json_reply, serving, wired
from tests.proxy.upstream.scripted_server import Request

pytestmark = pytest.mark.anyio

CHAT = b"/v1/chat/completions"


def post(body: bytes, *lines: bytes, path: bytes = CHAT) -> bytes:
    """A request with a length."""
    return head(b"content-length: %d" % len(body), *lines, path=path) + body


def head(*lines: bytes, path: bytes = CHAT) -> bytes:
    fixed = [b"host: a", b"content-type: application/json", b"authorization: Bearer sk-a"]
    return b"\r\n".join([b"POST %b HTTP/1.1" % path, *fixed, *lines, b"", b""])


def chunked(body: bytes, *trailers: bytes, size: int = 1 << 20) -> bytes:
    pieces = [body[place : place + size] for place in range(0, len(body), size)]
    lines = b"".join([b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces])
    return head(b"transfer-encoding: chunked") + lines + b"\r\n".join([b"0", *trailers, b"", b""])


def asking(text: str = "Say hi", **fields: Any) -> bytes:
    return orjson.dumps(chat(text, **fields))


def saying(request: Request) -> bytes:
    """Answers with the question, as it was asked for."""
    asked = orjson.loads(request.body)
    text = asked["messages"][-1]["content"]
    if not asked.get("stream"):
        return json_reply(answer(text))
    events = b"".join(stream_of(text))
    return b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: %d\r\n\r\n" % len(events) + events


class Replies:
    """Every reply in a run of bytes, by a strict parser; what is left over is an error."""

    def __init__(self) -> None:
        self.done: list[tuple[int, dict[bytes, bytes], bytes]] = []
        self._parser = httptools.HttpResponseParser(self)
        self._begin()

    def _begin(self) -> None:
        self._fields: dict[bytes, bytes] = {}
        self._body: list[bytes] = []

    def feed(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_header(self, name: bytes, value: bytes) -> None:
        assert name not in self._fields, "said twice"
        self._fields[name] = value

    def on_body(self, data: bytes) -> None:
        self._body.append(data)

    def on_message_complete(self) -> None:
        assert b"date" in self._fields
        self.done.append((self._parser.get_status_code(), self._fields, b"".join(self._body)))
        self._begin()


class Raw:
    """A client that sends what bytes it likes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._replies = Replies()

    def send(self, data: bytes) -> "Raw":
        self._writer.write(data)
        return self

    async def replies(self, count: int) -> list[tuple[int, dict[bytes, bytes], bytes]]:
        while len(self._replies.done) < count:
            data = await asyncio.wait_for(self._reader.read(1 << 16), PATIENCE_S)
            assert data, "closed before its reply"
            self._replies.feed(data)
        return self._replies.done

    async def reply(self) -> tuple[int, dict[bytes, bytes], bytes]:
        """The next one."""
        found = (await self.replies(1))[0]
        del self._replies.done[0]
        return found

    async def closed(self) -> bool:
        try:
            return await asyncio.wait_for(self._reader.read(), PATIENCE_S) == b""
        except ConnectionResetError:
            return True

    async def until(self, end: bytes) -> bytes:
        return await asyncio.wait_for(self._reader.readuntil(end), PATIENCE_S)

    def leave(self) -> None:
        self._writer.transport.abort()


@contextlib.asynccontextmanager
async def raw(port: int):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    client = Raw(reader, writer)
    try:
        yield client
    finally:
        client.leave()


class Wire(asyncio.Transport):
    """A transport that keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.ended = False
        self.closing = False
        self.aborted = False
        self.unread = 0
        """Of what was written."""

    def get_write_buffer_size(self) -> int:
        return self.unread

    def write(self, data: Any) -> None:
        assert not self.ended
        self.written += data

    def write_eof(self) -> None:
        self.ended = True

    def close(self) -> None:
        self.closing = True

    def abort(self) -> None:
        self.closing = self.aborted = True

    def is_closing(self) -> bool:
        return self.closing

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


class Echo:
    """A `Direct` that answers with the headers and the body that it was given."""

    def __init__(self) -> None:
        self.wait: asyncio.Event | None = None

    def __call__(self, head: RequestHead, peer: str | None, body: bytes, cycle: DirectCycle) -> Reply:
        return self._answer(head, body, cycle)

    async def _answer(self, head: RequestHead, body: bytes, cycle: DirectCycle) -> None:
        if self.wait is not None:
            await self.wait.wait()
        told = b"; ".join(name for name, _ in head.headers)
        sending = cycle.whole(200, b"x-names: %b\r\n" % told, b"%d" % len(body))
        if sending is not None:
            await sending


class Connection:
    """Our protocol on a `Wire`, with an `Echo` behind it."""

    def __init__(self, **limits: Any) -> None:
        async def app(scope, receive, send):
            size, more = 0, True
            while more:
                message = await receive()
                size, more = size + len(message["body"]), message["more_body"]
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"asgi:%d" % size})

        self.echo = Echo()
        server = DrainingServer(
            app, "a", 0, ServerLimits(**limits), lambda: None, lambda: None, lambda _: None, direct=self.echo
        )
        self.state = server._state
        self.state.default_headers = [(b"date", b"now")]
        self.wire = Wire()
        self.protocol = LimitedProtocol(server.config, self.state, {})
        self.protocol.connection_made(self.wire)

    def send(self, data: bytes) -> None:
        self.protocol.data_received(data)

    def replies(self) -> list[tuple[int, dict[bytes, bytes], bytes]]:
        replies = Replies()
        replies.feed(self.wire.written)
        return replies.done

    def statuses(self) -> list[int]:
        return [status for status, _, _ in self.replies()]


async def turns(count: int = 4) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_trailers_are_not_headers_of_a_body_that_is_answered_without_asgi():
    connection = Connection()
    connection.send(chunked(b"abc", b"x-late: 1", b"authorization: Bearer sk-b"))
    await turns()
    [(status, fields, body)] = connection.replies()
    assert (status, body) == (200, b"3")
    assert fields[b"x-names"].split(b"; ") == [b"host", b"content-type", b"authorization", b"transfer-encoding"]


async def test_a_body_that_breaks_off_on_a_kept_connection_is_told_so():
    connection = Connection()
    connection.send(post(b"abc"))
    await turns()
    connection.send(head(b"transfer-encoding: chunked") + b"3\r\nabc\r\nnot a size\r\n")
    assert connection.statuses() == [200, 400]
    assert connection.wire.ended


async def test_a_body_that_stops_on_a_kept_connection_is_told_so():
    connection = Connection(body_timeout_s=5)
    connection.send(post(b"abc"))
    await turns()
    connection.send(head(b"content-length: 10") + b"abc")
    await asyncio.sleep(5.1)
    assert connection.statuses() == [200, 408]


async def test_half_a_head_behind_a_request_times_out_though_it_came_in_the_same_read():
    connection = Connection(head_timeout_s=5, idle_timeout_s=60)
    connection.send(post(b"abc") + b"POST / HT")
    await turns()
    assert connection.statuses() == [200]
    await asyncio.sleep(5.1)
    assert connection.statuses() == [200, 408]


async def test_a_head_that_is_finished_in_time_behind_a_request_is_answered():
    connection = Connection(head_timeout_s=5, idle_timeout_s=60)
    second = post(b"abcd")
    connection.send(post(b"abc") + second[:9])
    await asyncio.sleep(4)
    connection.send(second[9:])
    await asyncio.sleep(10)
    assert [body for _, _, body in connection.replies()] == [b"3", b"4"]


async def test_half_a_head_behind_a_request_that_is_being_answered_spoils_no_reply():
    connection = Connection(head_timeout_s=5)
    connection.echo.wait = asyncio.Event()
    connection.send(post(b"abc") + b"POST / HT")
    await asyncio.sleep(6)
    assert connection.wire.written == b""
    connection.echo.wait.set()
    await turns()
    [(status, fields, body)] = connection.replies()
    assert (status, body, fields[b"connection"]) == (200, b"3", b"close")
    assert connection.wire.closing


async def test_a_body_that_is_late_behind_a_slow_reply_cuts_neither():
    connection = Connection(body_timeout_s=5)
    connection.echo.wait = asyncio.Event()
    late = post(b"abcd")
    connection.send(post(b"abc") + late[:-1])
    await asyncio.sleep(20)
    connection.echo.wait.set()
    await turns()
    connection.send(late[-1:])
    await turns()
    assert [body for _, _, body in connection.replies()] == [b"3", b"asgi:4"]


async def test_a_kept_connection_is_closed_when_it_has_been_idle_for_so_long_and_not_before():
    connection = Connection(idle_timeout_s=10)
    for _ in range(4):
        connection.send(post(b"abc"))
        await asyncio.sleep(9)
        assert not connection.wire.closing
    await asyncio.sleep(1.1)
    assert connection.wire.closing
    assert connection.statuses() == [200] * 4


async def test_a_slow_reply_is_not_idle():
    connection = Connection(idle_timeout_s=10)
    connection.send(post(b"abc"))
    await turns()
    connection.echo.wait = asyncio.Event()
    connection.send(post(b"abc"))
    await asyncio.sleep(35)
    assert not connection.wire.closing
    connection.echo.wait.set()
    await asyncio.sleep(9)
    assert not connection.wire.closing
    assert connection.statuses() == [200, 200]
    await asyncio.sleep(1.2)
    assert connection.wire.closing


async def test_an_empty_line_behind_each_of_many_requests_is_no_long_head():
    connection = Connection(max_head_bytes=200)
    for _ in range(150):
        connection.send(post(b"abc"))
        await turns()
        connection.send(b"\r\n")
    assert connection.statuses() == [200] * 150


@pytest.mark.parametrize(("length", "kept"), [(20_000, 0), (2000, 1)])
async def test_of_a_kept_connections_heads_none_is_kept_but_a_short_one(length, kept):
    def count() -> int:
        gc.collect()
        return sum(type(found) is RequestHead for found in gc.get_objects())

    before = count()
    connection = Connection()
    for _ in range(6):
        connection.send(post(b"abc", b"x-long: " + b"y" * length))
        await turns()
    assert connection.statuses() == [200] * 6
    assert connection.protocol._held_headers == []
    assert count() - before == kept


async def test_however_often_its_head_changes_one_that_comes_again_is_not_parsed(monkeypatch):
    parsed: list[bytes] = []

    class Read:
        @staticmethod
        def read(url: bytes, headers: list[tuple[bytes, bytes]]) -> RequestHead | None:
            parsed.append(url)
            return RequestHead.read(url, headers)

    monkeypatch.setattr("proxy.connection.RequestHead", Read)
    connection = Connection()
    changes = 3 * MAX_HEADS_SEEN
    for number in range(changes):
        for body in (b"a", b"ab", b"abc"):
            connection.send(post(body, b"x-number: %d" % number))
            await turns()
    assert connection.statuses() == [200] * 3 * changes
    assert len(parsed) == changes + 1  # a connection's first head is looked at when it comes again


async def test_a_lost_connection_leaves_no_timer():
    connection = Connection()
    connection.send(post(b"abc"))
    await turns()
    assert connection.protocol.timeout_keep_alive_task is not None
    connection.protocol.connection_lost(ConnectionResetError())
    assert connection.protocol.timeout_keep_alive_task is None


@pytest.mark.parametrize("closing", [False, True])
async def test_a_body_under_way_when_the_server_stops_is_answered_and_the_connection_closed(closing):
    connection = Connection()
    whole = post(b"abc")
    connection.send(whole[:-1])
    connection.state.draining = True
    if closing:
        connection.protocol.shutdown()
        assert not connection.wire.closing
    connection.send(whole[-1:])
    await turns()
    [(status, fields, body)] = connection.replies()
    assert (status, body, fields[b"connection"]) == (200, b"asgi:3", b"close")
    assert connection.wire.closing


async def test_who_sent_half_a_head_when_the_server_stops_is_closed():
    connection = Connection()
    connection.send(post(b"abc")[:30])
    connection.protocol.shutdown()
    assert connection.wire.closing


async def test_empty_lines_between_requests_are_nothing():
    connection = Connection(head_timeout_s=5, idle_timeout_s=60)
    connection.send(post(b"abc"))
    await turns()
    connection.send(b"\r\n")
    await asyncio.sleep(30)
    connection.send(post(b"abcd"))
    await turns()
    assert [body for _, _, body in connection.replies()] == [b"3", b"4"]


async def test_a_body_of_a_byte_a_chunk_costs_no_more_for_each_byte_before_it():
    connection = Connection()
    connection.send(chunked(b"x" * 60_000, size=1))
    await turns()
    assert [body for _, _, body in connection.replies()] == [b"60000"]


@pytest.mark.parametrize(("size", "by"), [(65_536, b"%d"), (65_537, b"asgi:%d")])
async def test_a_body_too_long_to_be_held_is_the_applications_whole(size, by):
    connection = Connection()
    connection.send(chunked(b"x" * size, size=1000))
    await turns()
    assert [body for _, _, body in connection.replies()] == [by % size]


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not holds():
            await asyncio.to_thread(lambda: None)  # gives the sockets a turn


async def settled(live: Live) -> None:
    """Until nothing of any request is left."""
    flights, gate = live.app.flights, live.app.pool.upstreams[0].gate
    await until(lambda: not any((len(flights), flights.readers, flights.total_bytes, gate.in_flight, gate.waiting)))


def said(body: bytes) -> str:
    """The text of a reply, plain or streamed."""
    if not body.startswith(b"data: "):
        return str(orjson.loads(body)["choices"][0]["message"]["content"])
    events = [orjson.loads(line[6:]) for line in body.split(b"\n\n") if line and line != b"data: [DONE]"]
    assert body.endswith(b"data: [DONE]\n\n")
    return "".join(choice["delta"].get("content") or "" for event in events for choice in event["choices"])


@pytest.mark.real_loop
async def test_many_ways_of_asking_mixed_on_one_connection_each_get_their_own_answer():
    texts = [f'{n} % %s %(id)b " \\ é 漢 \U0001f600 \r\n' for n in range(4)]
    async with wired(saying) as w, raw(w.live.port) as client:
        for _round in range(4):
            for text in texts:
                for stream in (False, True):
                    body = asking(text, stream=stream)
                    for request in (post(body), chunked(body, size=7), post(body, b"expect: 100-continue")):
                        if b"expect" in request:
                            client.send(request[: request.index(b"\r\n\r\n") + 4])
                            assert await client.until(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
                            client.send(body)
                        else:
                            client.send(request)
                        status, _, got = await client.reply()
                        assert (status, said(got)) == (200, text)
        assert w.engine.calls <= 8
        await settled(w.live)


@pytest.mark.real_loop
async def test_hits_misses_and_streams_in_one_read_are_answered_in_order():
    async with wired(saying) as w, raw(w.live.port) as client:
        for text in ("a", "b"):
            for _ in range(3):
                client.send(post(asking(text)))
                await client.reply()
        order = ["a", "new 1", "b", "a", "new 2", "a", "b", "b"]
        client.send(b"".join(post(asking(text, stream=text.endswith("2"))) for text in order))
        assert [said(body) for _, _, body in await client.replies(len(order))] == order


@pytest.mark.real_loop
async def test_a_read_known_by_its_bytes_is_not_answered_in_the_middle_of_another_request():
    known = post(asking("a"))
    async with wired(saying) as w, raw(w.live.port) as client:
        for _ in range(4):
            client.send(known)
            assert said((await client.reply())[2]) == "a"
        assert w.live.app.hit_lane.unparsed(known) is not None
        # As the body of another request: it is no JSON.
        client.send(head(b"content-length: %d" % len(known)))
        await asyncio.to_thread(lambda: None)
        client.send(known)
        assert (await client.reply())[0] == 400
        # Behind one that is being answered.
        client.send(post(asking("slow")))
        client.send(known)
        assert [said(body) for _, _, body in await client.replies(2)] == ["slow", "a"]


@pytest.mark.real_loop
async def test_an_upgrade_nobody_speaks_changes_nothing_for_those_after_it():
    known = post(asking("a"))
    async with wired(saying) as w, raw(w.live.port) as client:
        for _ in range(3):
            client.send(known)
            await client.reply()
        upgrading = post(asking("a"), b"connection: upgrade, http2-settings", b"upgrade: h2c", b"http2-settings: AA")
        for _ in range(3):
            client.send(upgrading)
            assert said((await client.reply())[2]) == "a"
            client.send(known)
            assert said((await client.reply())[2]) == "a"
        assert w.live.app.hit_lane.unparsed(upgrading) is None
        assert w.engine.calls == 1


@pytest.mark.real_loop
async def test_whoever_asks_with_the_same_bytes_has_an_own_id_and_request_id():
    async with wired(saying) as w, raw(w.live.port) as client:
        seen = set()
        for _ in range(6):
            client.send(post(asking("a")))
            _, fields, body = await client.reply()
            seen.add((fields[b"x-request-id"], orjson.loads(body)["id"]))
        assert len({name for name, _ in seen}) == len({own for _, own in seen}) == 6
        for name in (b"mine", b"%s", b"null", b"a b"):
            client.send(post(asking("a"), b"x-request-id: " + name))
            client.send(post(asking("a"), b"x-request-id: " + name))
            told = [fields[b"x-request-id"] for _, fields, _ in await client.replies(2)]
            assert told == [name] * 2 if name == b"mine" else len({*told, name}) == 3
            await client.reply()
            await client.reply()


@pytest.mark.real_loop
async def test_an_entry_that_was_replaced_or_purged_is_not_given_again():
    count = iter(range(100))
    async with wired(lambda request: json_reply(answer(f"answer {next(count)}"))) as w, raw(w.live.port) as client:

        async def ask(*lines: bytes) -> str:
            client.send(post(asking("a"), *lines))
            return said((await client.reply())[2])

        assert [await ask() for _ in range(4)] == ["answer 0"] * 4
        assert await ask(b"cache-control: no-cache") == "answer 1"
        assert [await ask() for _ in range(3)] == ["answer 1"] * 3
        w.live.app.purge()
        assert [await ask() for _ in range(4)] == ["answer 2"] * 4
        w.live.app.apply(w.live.app.settings, w.live.app.policies.current)
        assert [await ask() for _ in range(4)] == ["answer 2"] * 4


@pytest.mark.real_loop
@pytest.mark.parametrize("status", [b"204 No Content", b"304 Not Modified"])
@pytest.mark.parametrize("kind", [b"application/json", b"text/event-stream"])
@pytest.mark.parametrize("stream", [False, True])
async def test_a_reply_that_may_have_no_body_has_none(status, kind, stream):
    empty = b"HTTP/1.1 %b\r\ncontent-type: %b\r\n\r\n" % (status, kind)
    async with wired(lambda request: empty) as w, raw(w.live.port) as client:
        for _ in range(2):
            client.send(post(asking("a", stream=stream, temperature=1)))
            got, fields, body = await client.reply()
            if kind == b"application/json" or stream:
                assert (got, body) == (int(status[:3]), b"")
                assert b"content-length" not in fields
                assert b"transfer-encoding" not in fields


@pytest.mark.real_loop
@pytest.mark.parametrize("stream", [False, True])
async def test_a_client_that_takes_nothing_for_a_while_gets_all_of_a_large_answer(stream):
    text = "x" * 3_000_000
    async with wired(saying) as w:
        reader, writer = await asyncio.open_connection("127.0.0.1", w.live.port, limit=1024)
        client = Raw(reader, writer)
        client.send(post(asking("small")))
        await client.reply()
        for _ in range(2):
            client.send(post(asking(text, stream=stream)))
            client.send(post(asking("small")))
        await asyncio.wait_for(w.engine.asked(2), PATIENCE_S)
        got = await client.replies(4)
        assert [len(said(body)) for _, _, body in got] == [len(text), 5] * 2
        client.leave()
        await settled(w.live)


@pytest.mark.real_loop
@pytest.mark.parametrize("way", ["plain", "stream", "split", "asgi", "pipelined"])
@pytest.mark.parametrize("moment", ["before", "asked", "begun"])
async def test_a_client_that_leaves_takes_its_generation_with_it(way, moment):
    def respond(request: Request) -> Any:
        if b"warm" in request.body:
            return json_reply(answer("warm"))
        if moment == "begun":
            return [b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n", stream_of("a")[0], asyncio.Event()]
        return []

    async with wired(respond) as w:
        async with raw(w.live.port) as client:
            client.send(post(asking("warm")))
            await client.reply()
            body = asking("slow", stream=True if moment == "begun" else way == "stream")
            request = post(body, b"expect: 100-continue") if way == "asgi" else post(body)
            if way == "split":
                client.send(request[:-5])
                await asyncio.to_thread(lambda: None)
                request = request[-5:]
            client.send(request)
            if way == "pipelined":
                client.send(post(asking("warm")) + post(asking("slow too"))[:40])
            if moment != "before":
                await w.engine.asked(2)
            if moment == "begun":
                assert b"text/event-stream" in await client.until(b"\r\n\r\n" if way != "asgi" else b"data: ")
        if moment != "before":
            await asyncio.wait_for(w.engine.left.wait(), PATIENCE_S)
        await settled(w.live)


@pytest.mark.real_loop
async def test_one_of_two_who_wait_for_the_same_may_leave():
    gate = asyncio.Event()

    def respond(request: Request) -> Any:
        return [gate, saying(request)]

    async with wired(respond) as w, raw(w.live.port) as stays:
        async with raw(w.live.port) as leaves:
            leaves.send(post(asking("a")))
            await w.engine.asked(1)
            stays.send(post(asking("a")))
            await until(lambda: w.live.app.flights.readers == 2)
        await until(lambda: w.live.app.flights.readers == 1)
        gate.set()
        assert said((await stays.reply())[2]) == "a"
        assert w.engine.calls == 1
        await settled(w.live)


def counted(live: Live, name: str) -> dict[str, float]:
    lines = live.app.metrics.render().decode().splitlines()
    found = [line.rpartition(" ") for line in lines if line.startswith(name)]
    return {labels: float(value) for labels, _, value in found if float(value)}


@pytest.mark.real_loop
async def test_every_outcome_is_one_line_of_json_and_one_count(tmp_path):
    log = tmp_path / "log"
    hang = asyncio.Event()

    def respond(request: Request) -> Any:
        if b"hang" in request.body:
            return [hang, saying(request)]
        if b"broken" in request.body:
            return b"no HTTP\r\n\r\n"
        if b"cut" in request.body:
            head_lines = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 9999\r\n\r\n"
            return [head_lines + stream_of("a")[0], CLOSE]
        return saying(request)

    tenants = [
        {"name": "a", "api_keys": ["sk-aaaaaaaa"]},
        {"name": "b", "api_keys": ["sk-bbbbbbbb"], "requests_per_minute": 3},
    ]
    async with (
        engine_of(respond) as engine,
        serving(
            access_log=str(log),
            tenants=tenants,
            upstreams=[{"name": "up-1", "url": engine.url}],
        ) as live,
    ):
        sent = 0

        def of(key: bytes, body: bytes, *lines: bytes) -> bytes:
            return post(body, *lines).replace(b"Bearer sk-a\r\n", b"Bearer %b\r\n" % key)

        a, b = b"sk-aaaaaaaa", b"sk-bbbbbbbb"
        async with raw(live.port) as client:
            statuses = []
            for request in [
                *[of(a, asking("x"))] * 5,
                *[of(a, asking("x", stream=True))] * 4,
                of(a, asking("x"), b"x-askonce-bypass: cache", b'x-request-id: 100%"quoted'),
                of(a, asking("broken")),
                of(a, asking("cut", stream=True)),
                of(a, b"no json"),
                of(b"sk-nobody", asking("x")),
                *[of(b, asking("x"))] * 5,
                of(a, asking("x"), b"cache-control: only-if-cached"),
                of(a, asking("y"), b"cache-control: only-if-cached"),
            ]:
                client.send(request)
                statuses.append((await client.reply())[0])
                sent += 1
        async with raw(live.port) as client:
            calls = engine.calls
            client.send(of(a, asking("hang")))
            await engine.asked(calls + 1)
        await settled(live)
        sent += 1
        statuses.append(499)
        live.app.flush_log()
        lines = [orjson.loads(line) for line in log.read_bytes().splitlines()]
        assert sorted(line["status"] for line in lines) == sorted(statuses)
        assert len(lines) == sent
        assert {line["tenant"] for line in lines} == {"a", "b", None}
        assert statuses.count(429) == 2
        replies = counted(live, 'askonce_replies_total{path="model"')
        for status in {*statuses}:
            [told] = [value for labels, value in replies.items() if f'"{status}"' in labels]
            assert told == statuses.count(status)
        outcomes = counted(live, "askonce_requests_total")
        by_log: dict[str, int] = {}
        for line in lines:
            if line["family"] is not None:
                by_log[line["outcome"]] = by_log.get(line["outcome"], 0) + 1
        for name, times in by_log.items():
            assert sum(value for labels, value in outcomes.items() if f'outcome="{name}"' in labels) == times
        assert by_log["hit"] >= 8


@pytest.mark.real_loop
@pytest.mark.parametrize("kind", ["misses", "hits", "streams", "refused", "unreachable"])
async def test_a_request_leaves_nothing_for_the_collector(kind):
    async with (
        engine_of(saying) as engine,
        serving("http://127.0.0.1:1" if kind == "unreachable" else engine.url) as live,
        raw(live.port) as client,
    ):

        async def some(first: int, count: int) -> None:
            for n in range(first, first + count):
                text = "same" if kind == "hits" else str(n)
                client.send(post(b"{" if kind == "refused" else asking(text, stream=kind == "streams")))
                await client.reply()

        await some(0, 20)
        gc.collect()
        gc.disable()
        found = []
        try:
            # Three times: a thread that an earlier test left, such as one that loads an embedder, does so once.
            for start in (20, 220, 420):
                await some(start, 200)
                found.append(gc.collect())
        finally:
            gc.enable()
        # What it finds is of connections, not of requests.
        assert min(found) < 200


@pytest.mark.parametrize("closed_by", ["the client", "its idle time"])
async def test_a_connection_that_closes_does_not_wait_for_ever_for_the_rest_to_be_read(closed_by):
    connection = Connection(idle_timeout_s=10, send_timeout_s=60)
    connection.wire.unread = 1000
    connection.send(post(b"abc", *([b"connection: close"] if closed_by == "the client" else [])))
    await asyncio.sleep(11)
    assert connection.wire.closing
    assert not connection.wire.aborted
    await asyncio.sleep(61)
    assert connection.wire.aborted


@pytest.mark.real_loop
@pytest.mark.parametrize("way", ["a stream", "whole", "passed through"])
async def test_a_client_that_reads_nothing_holds_neither_a_connection_nor_an_engine_for_ever(way):
    events = b"data: %b\n\n" % (b"x" * 1000) * 24_000  # more than the system's buffers hold
    kind = b"application/json" if way == "whole" else b"text/event-stream"
    lines = b"HTTP/1.1 200 OK\r\ncontent-type: %b\r\ncontent-length: %d\r\n\r\n" % (kind, len(events) + 1)
    path = b"/v1/responses" if way == "passed through" else CHAT
    limits = ServerLimits(drain_s=0, grace_s=1, send_timeout_s=0.2)
    async with (
        engine_of(lambda request: [lines + events, asyncio.Event()]) as engine,
        serving(engine.url, limits=limits) as live,
        raw(live.port) as client,
    ):
        client.send(post(asking(stream=way == "a stream"), b"cache-control: no-store", path=path))
        await asyncio.wait_for(engine.left.wait(), PATIENCE_S)
        await settled(live)


async def test_what_the_lane_remembers_counts_heads_and_replies():
    async with stack() as s:
        s.upstream.script(lambda request: ScriptedReply(answer("x" * 400_000)))
        lane = s.app.hit_lane
        for n in range(60):
            for _ in range(2):
                await s.ask(chat("a"), x_more=str(n) * 20_000)
        assert 0 < len(lane._by_parts._items) * 400_000 <= MAX_REMEMBERED_BYTES


@pytest.mark.parametrize("name", ["x-request-id", "traceparent", "x-more"])
async def test_what_the_lane_remembers_counts_headers_that_vary(name):
    async with stack() as s:
        s.upstream.script(lambda request: ScriptedReply(answer()))
        lane = s.app.hit_lane
        for n in range(60):
            for _ in range(2):
                await s.ask(chat(str(n)), **{name: "x" * 400_000})
        assert 0 < len(lane._by_parts._items) * 400_000 <= MAX_REMEMBERED_BYTES


@pytest.mark.real_loop
@pytest.mark.parametrize("own", ['a"b', "100% %s %(id)b %%", "\u00e4\u6f22\U0001f600", "line\r\nx-evil: 1", "\x00", ""])
@pytest.mark.parametrize("replay", ["fresh", "verbatim"])
async def test_whatever_id_an_engine_gives_its_answers_replays_have_their_length(own, replay):
    def respond(request: Request) -> bytes:
        return json_reply(answer("text %d %%", id=own, system_fingerprint="%(x)d"))

    async with wired(respond, policy_set(exact={"replay": replay})) as w, raw(w.live.port) as client:
        for stream in (False, True):
            for _ in range(4):
                client.send(post(asking("a", stream=stream)))
                status, fields, body = await client.reply()
                assert (status, said(body)) == (200, "text %d %%")
                assert b"x-evil" not in fields
                if replay == "verbatim" and not stream:
                    assert orjson.loads(body)["id"] == own


@pytest.mark.real_loop
async def test_a_stream_that_breaks_off_is_told_and_not_ended_as_whole():
    def respond(request: Request) -> Any:
        if b"fast" in request.body:
            return [b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + stream_of("a")[0], RESET]
        return [b"HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\ncontent-length: 9\r\n\r\nab", RESET]

    async with wired(respond) as w, raw(w.live.port) as client:
        client.send(post(asking("fast", stream=True)))
        status, _, body = await client.reply()
        assert status == 200
        assert b'"error"' in body
        assert b"[DONE]" not in body
        client.send(post(asking("other", stream=True)))
        assert (await client.reply())[0] == 502
        await settled(w.live)
