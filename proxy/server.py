"""What uvicorn lacks for a proxy in production: a stop that loses nothing. `connection` has the rest.

Stopping, on SIGTERM or SIGINT:

    signal          `on_drain`: readiness says no, replies say `connection: close`, requests are still taken
    + drain_s       no new connections; idle ones close; what is under way goes on
    + grace_s       the application's shutdown: it ends its flights, each with an error event
    + LAST_WORDS_S  what is left is cut, without the end that would make it look whole

Each further signal ends the wait that is under way. The exit status is 0. SIGHUP calls `on_reload`.
"""

import asyncio
import contextlib
import logging
import signal
import threading
from collections.abc import Callable, Generator
from socket import socket
from typing import Any

import uvloop
from uvicorn import Config, Server

from proxy.connection import Direct, Lane, LimitedProtocol, State
from proxy.connection import ServerLimits as ServerLimits

LAST_WORDS_S = 5.0
"""For the application's own shutdown, and again for its last replies to reach their clients."""

logger = logging.getLogger("askonce.server")


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
        self._state = self.server_state = State(limits, lane, direct)
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
        except Exception:  # whatever a settings file can cause
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
