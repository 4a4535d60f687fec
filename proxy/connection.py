"""One client's connection: uvicorn's, with limits on what a client sends, and two shorter ways to an answer. (One long
module: a connection's states share their fields, and what each leaves for the next has to be read in one place.)

Limits, per connection. `_fed` counts the bytes since the head began, or since the last piece of body, so it also bounds
trailers and chunk extensions. A connection is in one of these states, each with at most one timer:

    idle       closed after idle_timeout_s; a new one that stays silent, after head_timeout_s
    head       over the limits 431; not complete head_timeout_s after its first byte 408, unless we pause the reading
    body       less than MIN_BODY_BYTES within body_timeout_s 408, unless it is we who pause the reading
    answered   the reply is complete before the body: what still comes is dropped for LINGER_S, then closed
    refused    the refusal is written and our side ended; what still comes is dropped for LINGER_S, because closing
               with unread bytes would reset the connection, and the client might never see why

Besides, in any state: a client that takes nothing of what waits for it in send_timeout_s is cut off (`UnreadWatch`).

A POST to a model path that has been read whole, up to MAX_HELD_BYTES, on a connection that stays, may be answered by a
`Lane`, before there is a task, or by a `Direct` without ASGI. If the next read is its head once more and a body of the
length that it says, that need not be parsed. All else is uvicorn's cycle.
"""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import httptools
from uvicorn import Config
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from proxy.departure import DEPARTURE, Departure
from proxy.direct import DirectCycle
from proxy.head_bytes import HeadBytes
from proxy.refusal import BODY_LATE, HEAD_LATE, HEAD_TOO_LARGE, NOT_HTTP, Refusal
from proxy.request_head import RequestHead
from proxy.unread import UnreadWatch, unread_bytes

LINGER_S = 2.0
"""How long bytes nobody wants are read after a refusal, so that the client gets to read it."""

MIN_BODY_BYTES = 1024
"""A body that brings less than this in `body_timeout_s`, and not its end, has timed out."""

MAX_PIPELINED = 32
"""Requests that may wait behind the one being answered; one read can hold thousands."""

MAX_READ_BEHIND = 4
"""With up to so many whole requests waiting a connection is read on, so that its client's leaving is seen."""

MAX_HELD_BYTES = 65_536
"""A longer body is the application's from here on."""

MAX_HEADS_SEEN = 4
"""So many heads of a connection are looked at as bytes in vain: a client whose every head is another one is parsed."""

Reply = Coroutine[Any, Any, None]
Direct = Callable[[RequestHead, str | None, bytes, DirectCycle], Reply | None]
"""Head, peer and body of a POST, and its way back, to what answers it, or to None: then ASGI is used."""


class Lane(Protocol):
    """Answers some POST requests before there is a task for them.

    Its replies have status 200, and begin behind the status line: headers, an empty line, the body. None: the request
    goes the usual way.
    """

    def parsed(self, head: RequestHead, body: bytes) -> bytes | None:
        """Asked with each request that may be answered so."""

    def arrived_as(self, data: bytes) -> None:
        """What `parsed` has just answered was one read, no more and no less."""

    def unparsed(self, data: bytes) -> bytes | None:
        """Asked with each read that begins a request."""


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """As the section `server` of the settings; times in seconds."""

    drain_s: float = 2
    grace_s: float = 30
    head_timeout_s: float = 10
    body_timeout_s: float = 30
    idle_timeout_s: float = 75
    send_timeout_s: float = 60
    max_head_bytes: int = 65_536
    max_header_lines: int = 200


class State(ServerState):
    """What all connections share."""

    def __init__(self, limits: ServerLimits, lane: Lane | None, direct: Direct | None) -> None:
        super().__init__()
        self.limits = limits
        self.lane = lane
        self.direct = direct
        self.draining = False
        self._written: tuple[list[tuple[bytes, bytes]], bytes] = [], b""

    def default_lines(self) -> bytes:
        """`default_headers`, which uvicorn makes anew each second, as they are written."""
        headers, lines = self._written
        if headers is not self.default_headers:
            headers = self.default_headers
            lines = b"".join([b"%b: %b\r\n" % item for item in headers])
            self._written = headers, lines
        return lines


class LimitedProtocol(HttpToolsProtocol):
    """uvicorn's connection over httptools, with the limits of this module's docstring."""

    def __init__(
        self,
        config: Config,
        server_state: State,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._state = server_state
        self._limits = server_state.limits
        self._in_head = True
        self._fed = 0
        self._read = 0
        self._body_bytes = 0
        self._deaf = False
        self._upgrading = False
        self._refusal: Refusal | None = None
        self._between = True
        """No byte of the next request has come."""
        self._whole = 0
        """Requests that are complete, but those that `Lane.unparsed` has answered."""
        self._by_lane = 0
        """Those of them that `Lane.parsed` has answered."""
        self._idle_since_s = 0.0
        self._held: list[bytes] | None = None
        """The body so far, up to MAX_HELD_BYTES, of a request that may do without ASGI."""
        self._held_bytes = 0
        self._held_headers: list[tuple[bytes, bytes]] = []
        """Those of its head: what follows its body are trailers."""
        self._taken: RequestHead | None = None
        """Of the last request in a read, if lane or direct took it; between reads no head is kept but `_seen`."""
        self._seen: tuple[HeadBytes, RequestHead] | None = None
        """The last head of this connection that was looked at as bytes."""
        self._heads_seen = 0
        """That were looked at as bytes and have not come again."""
        self._peer: str | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._departure = Departure()
        self._running: RequestResponseCycle | None = None
        """The last one that uvicorn has started; likewise."""
        self._direct: DirectCycle | None = None
        """The last one; requests behind it may have become `cycle` before it is complete."""

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        super().connection_made(transport)
        self._peer = None if self.client is None else self.client[0]
        self._unread = UnreadWatch(
            self.loop, partial(unread_bytes, transport), transport.abort, self._limits.send_timeout_s
        )
        self._arm(self._limits.head_timeout_s, self._head_late)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread.begin()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._unread.end()

    def connection_lost(self, exc: Exception | None) -> None:
        self._disarm()
        self._unread.end()
        super().connection_lost(exc)
        self._unset_keepalive_if_required()  # uvicorn's leaves it where the connection was reset
        if self._running is not None and not self._running.response_complete:
            self._running.disconnected = True
        self._departure.happened()
        if self._direct is not None:
            self._direct.disconnect()

    def on_message_begin(self) -> None:
        # uvicorn's own makes a scope as well, which only the requests need that `_begin` hands over.
        self._between = False
        self.url = b""
        self.headers = []
        self.expect_100_continue = False

    def data_received(self, data: bytes) -> None:
        if self._deaf:
            return
        alone = self._between and self._is_free()
        if alone and self._take_unparsed(data):
            self._disarm()
            self._fed = 0  # of empty lines before it
            return
        whole, by_lane = self._whole, self._by_lane
        self._fed += len(data)
        self._read = len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as stopped:
            self._read_on_without_upgrade(data[stopped.args[0] :])
            return
        except httptools.HttpParserError:
            self._refuse(self._refusal or NOT_HTTP)
            return
        taken, self._taken = self._taken, None
        if alone and self._between and self._whole == whole + 1 and taken is not None:
            if self._by_lane > by_lane:
                self._by_lane_as(data)
            elif whole and self._heads_seen < MAX_HEADS_SEEN:
                self._heads_seen += 1
                seen = HeadBytes.of(data)
                self._seen = None if seen is None else (seen, taken)
        elif self._fed > self._limits.max_head_bytes or len(self.headers or ()) > self._limits.max_header_lines:
            self._refuse(HEAD_TOO_LARGE)
        elif self._timer is None and not self._between:
            if self._in_head:
                self._arm(self._limits.head_timeout_s, self._head_late)
            else:
                self._watch_body()

    def on_headers_complete(self) -> None:
        limit = self._limits.max_head_bytes
        if len(self.headers) > self._limits.max_header_lines or (
            # A head that began within a read has none of its bytes in `_fed`, and at most the whole read.
            (self._fed > limit or self._read > limit) and self._head_bytes() > limit
        ):
            self._stop_parsing(HEAD_TOO_LARGE)
        if len(self.pipeline) >= MAX_PIPELINED:
            self._stop_parsing(NOT_HTTP)  # ends the connection after the replies that are due, so it is never written
        if self.parser.should_upgrade():
            if self.parser.get_method() == b"CONNECT":
                self._stop_parsing(NOT_HTTP)
            self._upgrading = True
            return
        self._disarm()
        self._in_head = False
        self._fed = 1  # not nothing: the body is to come
        if self._may_be_held():
            self._held = []
            self._held_bytes = 0
            self._held_headers, self.headers = self.headers, []
        else:
            self._begin()

    def _begin(self) -> None:
        """Hand the request to the application; what came of its body follows."""
        held, self._held = self._held, None
        if held is None:
            url, headers, expected = self.url, self.headers, self.expect_100_continue
        else:
            url, headers, expected = self.url, self._held_headers, False
        self._held_headers = []
        super().on_message_begin()
        self.url, self.headers, self.expect_100_continue = url, headers, expected
        self.scope["headers"] = headers
        self.scope[DEPARTURE] = self._departure  # type: ignore[literal-required]  # ours, beside ASGI's
        super().on_headers_complete()
        self.headers = []  # trailers go nowhere, instead of into the headers the application already looked at
        if self._state.draining:
            self.cycle.keep_alive = False
        if held:
            super().on_body(b"".join(held))

    def on_body(self, body: bytes) -> None:
        self._fed = 1
        self._body_bytes += len(body)
        if self._held is None:
            super().on_body(body)
            return
        self._held.append(body)
        self._held_bytes += len(body)
        if self._held_bytes > MAX_HELD_BYTES:
            self._begin()

    def on_message_complete(self) -> None:
        if self._upgrading:
            return
        self._disarm()
        self._in_head = True
        self._fed = 0
        self._between = True
        self._whole += 1
        self._taken = None
        if self._held is not None:
            body = self._held[0] if len(self._held) == 1 else b"".join(self._held)
            head = None if self._state.draining else RequestHead.read(self.url, self._held_headers)
            if head is not None and (self._take_lane(head, body) or self._go_direct(head, body)):
                self._held = None
                self._held_headers = []
                self._taken = head
                return
            self._begin()
        super().on_message_complete()
        if 0 < len(self.pipeline) <= MAX_READ_BEHIND:
            self.flow.resume_reading()

    def _take_unparsed(self, data: bytes) -> bool:
        """Answer a read, on a free connection, that is one request known by its bytes, or by those of its head."""
        lane = self._state.lane
        if lane is not None and (reply := lane.unparsed(data)) is not None:
            self._answer(reply)
            return True
        if self._seen is None:
            return False
        seen, head = self._seen
        body = seen.body_in(data)
        if body is None or len(body) > MAX_HELD_BYTES:
            return False
        self._heads_seen = 0
        if self._take_lane(head, body):
            self._by_lane_as(data)
        elif not self._go_direct(head, body):
            return False
        self._whole += 1
        return True

    def _take_lane(self, head: RequestHead, body: bytes) -> bool:
        lane = self._state.lane
        reply = None if lane is None else lane.parsed(head, body)
        if reply is None:
            return False
        self._by_lane += 1
        self._answer(reply)
        return True

    def _by_lane_as(self, data: bytes) -> None:
        if self._state.lane is not None:
            self._state.lane.arrived_as(data)

    def _answer(self, reply: bytes) -> None:
        """A reply of the lane, to a request that has no cycle."""
        self.transport.write(b"".join((STATUS_LINE[200], self._state.default_lines(), reply)))
        self._after_reply()

    def _go_direct(self, head: RequestHead, body: bytes) -> bool:
        if self._state.direct is None:
            return False
        cycle = DirectCycle(self.transport, self.flow, self._state.default_lines, self.on_response_complete)
        answering = self._state.direct(head, self._peer, body, cycle)
        if answering is None:
            return False
        self.cycle = cycle  # type: ignore[assignment]  # it answers what uvicorn asks of its own
        self._direct = cycle
        # As `create_task` would, which in uvloop takes twice as long.
        cycle.begin(asyncio.Task(answering, loop=self.loop, name="request"), self.tasks)
        return True

    def _may_be_held(self) -> bool:
        """A POST that nothing waits before, on a connection that stays and whose client reads what it gets."""
        return (
            (self._state.lane is not None or self._state.direct is not None)
            and self.parser.get_method() == b"POST"
            and self._is_free()
            and not self.expect_100_continue
            and self.parser.should_keep_alive()
            and self.parser.get_http_version() == "1.1"
        )

    def _is_free(self) -> bool:
        """Nothing waits or is under way, the client reads what it gets, and the connection may stay."""
        cycle = self.cycle
        return (cycle is None or cycle.response_complete) and not self._state.draining and not self.flow.write_paused

    def shutdown(self) -> None:
        if self._held is not None:
            self._begin()  # a request whose body is under way is no idle connection
        super().shutdown()

    def on_response_complete(self) -> None:
        self._after_reply()
        if not self._in_head and self.cycle.response_complete and not self.transport.is_closing():
            self._arm(LINGER_S, self.transport.close)

    def _after_reply(self) -> None:
        """As uvicorn's, but for the idle timer: one a connection, that looks when it fires, and not one a request."""
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            self._watch_rest()
            return
        if self.flow.read_paused:
            self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
            return
        self._idle_since_s = self.loop.time()
        if self.timeout_keep_alive_task is None:
            self._look_later(self._limits.idle_timeout_s)

    def _look_later(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(seconds, self.timeout_keep_alive_handler)

    def timeout_keep_alive_handler(self) -> None:
        """Close the connection if it has been idle for so long; a request that has begun has timers of its own."""
        self.timeout_keep_alive_task = None
        if self.transport.is_closing():
            return
        left_s = self._idle_since_s + self._limits.idle_timeout_s - self.loop.time()
        if not self._between or not (self.cycle is None or self.cycle.response_complete):
            self._look_later(self._limits.idle_timeout_s)
        elif left_s > 0:
            self._look_later(left_s)
        else:
            self.transport.close()
            self._watch_rest()

    def _watch_rest(self) -> None:
        """The connection is closing, and stays until what waits has been read."""
        if self.transport.get_write_buffer_size():
            self._unread.begin()

    def _read_on_without_upgrade(self, rest: bytes) -> None:
        """Parse the head again as if it asked for no upgrade, which a server may ignore (RFC 9110 section 7.8).

        httptools takes what follows such a head for another protocol, and would lose the body: curl's `--http2` sends
        `Upgrade: h2c` on each request.
        """
        method, version = self.parser.get_method(), self.parser.get_http_version().encode("ascii")
        kept = [line for line in self.headers if line[0] not in (b"upgrade", b"connection", b"http2-settings")]
        lines = [method + b" " + self.url + b" HTTP/" + version, *(name + b": " + value for name, value in kept)]
        self._upgrading = False
        self._fed = 0
        self.parser = httptools.HttpRequestParser(self)
        self.data_received(b"\r\n".join([*lines, b"", rest]))

    def _head_bytes(self) -> int:
        return len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)

    def _head_late(self) -> None:
        self._timer = None
        if self.flow.read_paused:
            self._arm(self._limits.head_timeout_s, self._head_late)
        elif not self._between:
            self._refuse(HEAD_LATE)
        else:
            self.transport.close()

    def _watch_body(self) -> None:
        self._body_bytes = 0
        self._arm(self._limits.body_timeout_s, self._body_late)

    def _body_late(self) -> None:
        if self.flow.read_paused or self._body_bytes >= MIN_BODY_BYTES:
            self._watch_body()
        else:
            self._refuse(BODY_LATE)

    def _stop_parsing(self, refusal: Refusal) -> None:
        """Leave the parser from within one of its callbacks; `data_received` does the rest."""
        self._refusal = refusal
        raise ValueError(refusal.error.code)

    def _refuse(self, refusal: Refusal) -> None:
        """Answer what the client sent with an error, if that is still possible, and end the connection.

        - Its reply was complete before its body: cut, as another reply would seem to be the next request's.
        - The request is whole, and an error in what follows it: nothing may be written before its reply. It is
          answered, and the connection closed then.
        - Its reply is under way, or waits behind another: cut, so that nobody takes it for whole.
        - Nothing was written yet: the error is the reply.
        """
        self._deaf = True
        self._disarm()
        if self.transport.is_closing():
            return
        cycle = self.cycle
        answered = cycle is not None and cycle.response_complete and not self._in_head and self._held is None
        self._held = None
        waiting = cycle is not None and not cycle.response_complete
        if waiting and not cycle.more_body:
            cycle.keep_alive = False
            return
        if answered or (waiting and (cycle.response_started or self.pipeline)):
            self.transport.abort()
            return
        self.transport.write(refusal.reply(self.server_state.default_headers))
        self.transport.write_eof()
        self._arm(LINGER_S, self.transport.abort)
        if waiting:
            cycle.disconnected = True
            cycle.message_event.set()

    def _arm(self, seconds: float, call: Callable[[], None]) -> None:
        self._disarm()
        self._timer = self.loop.call_later(seconds, call)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
