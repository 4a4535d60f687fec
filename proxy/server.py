"""The two things uvicorn lacks for a proxy in production: a stop that loses nothing, and limits on what a client sends.

Stopping, on SIGTERM or SIGINT:

    signal          `on_drain`: readiness says no, replies say `connection: close`, requests are still taken
    + drain_s       no new connections; idle ones close; what is under way goes on
    + grace_s       the application's shutdown: it ends its flights, each with an error event
    + LAST_WORDS_S  what is left is cut, without the end that would make it look whole

Each further signal ends the wait that is under way. The exit status is 0. SIGHUP calls `on_reload`.

Limits, per connection. `_fed` counts the bytes since the head began, or since the last piece of body, so it also bounds
trailers and chunk extensions. A connection is in one of these states, each with at most one timer:

    idle       closed after idle_timeout_s (uvicorn's own timer); a new one that stays silent, after head_timeout_s
    head       over the limits 431; not complete head_timeout_s after its first byte 408
    body       less than MIN_BODY_BYTES within body_timeout_s 408, unless it is we who pause the reading
    answered   the reply is complete before the body: what still comes is dropped for LINGER_S, then closed
    refused    the refusal is written and our side ended; what still comes is dropped for LINGER_S, because closing
               with unread bytes would reset the connection, and the client might never see why
"""

import asyncio
import contextlib
import logging
import signal
import threading
from collections.abc import Callable, Coroutine, Generator
from dataclasses import dataclass
from socket import socket
from typing import Any

import httptools
import uvloop
from uvicorn import Config, Server
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from proxy.departure import DEPARTURE, Departure
from proxy.direct import DirectCycle
from proxy.refusal import BODY_LATE, HEAD_LATE, HEAD_TOO_LARGE, NOT_HTTP, Refusal

LAST_WORDS_S = 5.0
"""For the application's own shutdown, and again for its last replies to reach their clients."""

LINGER_S = 2.0
"""How long bytes nobody wants are read after a refusal, so that the client gets to read it."""

MIN_BODY_BYTES = 1024
"""A body that brings less than this in `body_timeout_s`, and not its end, has timed out."""

MAX_PIPELINED = 32
"""Requests that may wait behind the one being answered; one read can hold thousands."""

MAX_HELD_BYTES = 65_536
"""A longer body is the application's from here on."""

Lane = Callable[[bytes, list[tuple[bytes, bytes]], bytes], bytes | None]
"""URL, headers and body of a POST to the whole reply, or to None: then the application is asked."""

Reply = Coroutine[Any, Any, None]
Direct = Callable[[bytes, list[tuple[bytes, bytes]], str | None, bytes, DirectCycle, Departure], Reply | None]
"""URL, headers, peer and body of a POST, and its way back, to what answers it, or to None: then ASGI is used."""

logger = logging.getLogger("askonce.server")


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """As the section `server` of the settings; times in seconds."""

    drain_s: float = 2
    grace_s: float = 30
    head_timeout_s: float = 10
    body_timeout_s: float = 30
    idle_timeout_s: float = 75
    max_head_bytes: int = 65_536
    max_header_lines: int = 200


def serve(
    app: Callable[..., Any],
    *,
    host: str,
    port: int,
    limits: ServerLimits,
    on_drain: Callable[[], None],
    on_reload: Callable[[], None],
    on_listening: Callable[[int], None] = lambda port: None,
    sockets: list[socket] | None = None,
    lane: Lane | None = None,
    direct: Direct | None = None,
) -> int:
    """Serve until a signal says stop; the process's exit status: 0, or 1 if it could not start.

    The three callbacks run on the event loop, between other work. `on_listening` is given the port, which matters when
    `port` is 0. With `sockets`, which several processes may share, `host` and `port` are not bound.
    A POST whose body has been read may be answered before there is a task for it, by `lane`, or without ASGI, by
    `direct`.
    """
    server = DrainingServer(app, host, port, limits, on_drain, on_reload, on_listening, lane, direct)
    try:
        server.run(sockets)
    except SystemExit:  # uvicorn's way to say that the address is taken or the application failed to start
        return 1
    return 0


class _State(ServerState):
    """What all connections share."""

    def __init__(self, limits: ServerLimits, lane: Lane | None, direct: Direct | None) -> None:
        super().__init__()
        self.limits = limits
        self.lane = lane
        self.direct = direct
        self.draining = False


class DrainingServer(Server):
    """uvicorn's server, with the signals and the shutdown of this module's docstring."""

    def __init__(
        self,
        app: Callable[..., Any],
        host: str,
        port: int,
        limits: ServerLimits,
        on_drain: Callable[[], None],
        on_reload: Callable[[], None],
        on_listening: Callable[[int], None],
        lane: Lane | None = None,
        direct: Direct | None = None,
    ) -> None:
        super().__init__(
            Config(
                app,
                host=host,
                port=port,
                loop="uvloop",
                http=LimitedProtocol,
                ws="none",
                lifespan="on",
                interface="asgi3",
                log_config=None,
                access_log=False,
                proxy_headers=False,  # only the code that knows the trusted proxies looks at forwarding headers
                server_header=False,
            )
        )
        self._state = self.server_state = _State(limits, lane, direct)
        self._limits = limits
        self._on_drain = on_drain
        self._on_reload = on_reload
        self._on_listening = on_listening
        self._hurried = False

    async def startup(self, sockets: list[socket] | None = None) -> None:
        if not isinstance(asyncio.get_running_loop(), uvloop.Loop):
            raise RuntimeError("askonce runs on uvloop: start it with serve(), or install uvloop")
        await super().startup(sockets)
        if self.started:
            self._on_listening(self.servers[0].sockets[0].getsockname()[1])

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Handle signals on the loop. Nothing is raised again afterwards, so that the exit status is 0."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self.stop)
        loop.add_signal_handler(signal.SIGINT, self.stop)
        loop.add_signal_handler(signal.SIGHUP, self.reload)
        try:
            yield
        finally:
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                loop.remove_signal_handler(number)

    def stop(self) -> None:
        """Begin to stop; called again, end the present wait. On the loop's thread."""
        if self._state.draining:
            self.should_exit = True
            self._hurried = True
            return
        self._state.draining = True
        asyncio.get_running_loop().call_later(self._limits.drain_s, self._stop_accepting)
        self._on_drain()

    def reload(self) -> None:
        """Have the application read its policies again; whatever happens, go on serving."""
        try:
            self._on_reload()
        except Exception:
            logger.exception("the reload failed; what was in force stays in force")

    def _stop_accepting(self) -> None:
        self.should_exit = True

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        """From the moment no more connections are taken to the moment none is left."""
        self._state.draining = True
        for server in self.servers:
            server.close()
        for listener in sockets or ():
            listener.close()
        for connection in list(self._state.connections):
            connection.shutdown()
        await self._silence(self._limits.grace_s)
        self._hurried = False
        try:
            await asyncio.wait_for(self.lifespan.shutdown(), LAST_WORDS_S)
        except TimeoutError:
            logger.error("the application took more than %g s to shut down", LAST_WORDS_S)
        await self._silence(LAST_WORDS_S)
        if self._state.tasks:
            logger.warning("%d replies were cut off after %g s", len(self._state.tasks), self._limits.grace_s)
        for task in list(self._state.tasks):
            task.cancel()
        for connection in list(self._state.connections):
            connection.transport.abort()

    async def _silence(self, seconds: float) -> None:
        """Wait until no request is under way and no connection open, at most so long."""
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + seconds
        state = self._state
        # uvicorn changes both sets, and has no event that says so.
        while (state.tasks or state.connections) and not self._hurried and loop.time() < deadline_s:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


class LimitedProtocol(HttpToolsProtocol):
    """uvicorn's connection over httptools, with the limits of this module's docstring."""

    def __init__(
        self,
        config: Config,
        server_state: _State,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._state = server_state
        self._limits = server_state.limits
        self.timeout_keep_alive = self._limits.idle_timeout_s  # type: ignore[assignment]  # call_later takes floats
        self._in_head = True
        self._fed = 0
        self._read = 0
        self._body_bytes = 0
        self._deaf = False
        self._upgrading = False
        self._refusal: Refusal | None = None
        self._held: list[bytes] | None = None
        """The body so far, up to MAX_HELD_BYTES, of a request that may do without ASGI."""
        self._timer: asyncio.TimerHandle | None = None
        self._departure = Departure()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        super().connection_made(transport)
        self._arm(self._limits.head_timeout_s, self._head_late)

    def connection_lost(self, exc: Exception | None) -> None:
        self._disarm()
        super().connection_lost(exc)
        self._departure.happened()

    def on_message_begin(self) -> None:
        # uvicorn's own makes a scope as well, which only the requests need that `_begin` hands over.
        self.url = b""
        self.headers = []
        self.expect_100_continue = False

    def data_received(self, data: bytes) -> None:
        if self._deaf:
            return
        self._unset_keepalive_if_required()
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
        if self._fed > self._limits.max_head_bytes or len(self.headers or ()) > self._limits.max_header_lines:
            self._refuse(HEAD_TOO_LARGE)
        elif self._timer is None and self._fed:
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
        else:
            self._begin()

    def _begin(self) -> None:
        """Hand the request to the application; what came of its body follows."""
        held, self._held = self._held, None
        url, headers, expected = self.url, self.headers, self.expect_100_continue
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
        if sum(map(len, self._held)) > MAX_HELD_BYTES:
            self._begin()

    def on_message_complete(self) -> None:
        if self._upgrading:
            return
        self._disarm()
        self._in_head = True
        self._fed = 0
        if self._held is not None:
            body = self._held[0] if len(self._held) == 1 else b"".join(self._held)
            if self._take_lane(body) or self._go_direct(body):
                self._held = None
                return
            self._begin()
        super().on_message_complete()

    def _take_lane(self, body: bytes) -> bool:
        lane = self._state.lane
        reply = None if lane is None else lane(self.url, self.headers, body)
        if reply is None:
            return False
        self.transport.write(reply)
        HttpToolsProtocol.on_response_complete(self)
        return True

    def _go_direct(self, body: bytes) -> bool:
        if self._state.direct is None:
            return False
        cycle = DirectCycle(self.transport, self.flow, self.on_response_complete)
        peer = None if self.client is None else self.client[0]
        answering = self._state.direct(self.url, self.headers, peer, body, cycle, self._departure)
        if answering is None:
            return False
        self.cycle = cycle  # type: ignore[assignment]  # it answers what uvicorn asks of its own
        task = self.loop.create_task(answering)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        task.add_done_callback(cycle.over)
        return True

    def _may_be_held(self) -> bool:
        """A POST that nothing waits before, on a connection that stays and whose client reads what it gets."""
        cycle = self.cycle
        return (
            (self._state.lane is not None or self._state.direct is not None)
            and self.parser.get_method() == b"POST"
            and (cycle is None or cycle.response_complete)
            and not self._state.draining
            and not self.expect_100_continue
            and not self.flow.write_paused
            and self.parser.should_keep_alive()
            and self.parser.get_http_version() == "1.1"
        )

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self._in_head and self.cycle.response_complete and not self.transport.is_closing():
            self._arm(LINGER_S, self.transport.close)

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
        if self._fed:
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
        answered = cycle is not None and cycle.response_complete and not self._in_head
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
