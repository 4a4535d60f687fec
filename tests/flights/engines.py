"""The stub engine below the app without a socket, so that what it takes its time for passes in virtual time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import orjson

from bench.stub_reply import StubReply
from bench.stub_stream import Broken
from bench.upstream import StubEngine
from config.settings import Settings
from policies.load import load_policies
from policies.model import PolicySet
from proxy.app import App, create_app
from proxy.errors import UpstreamFailed
from proxy.upstream.client import Timeouts, UpstreamRequest
from tests.builders import CHAT
from tests.flights.calls import Call


class EngineClient:
    """An upstream client whose network is a function call."""

    def __init__(self, engine: StubEngine) -> None:
        self.engine = engine
        self.open = 0
        """Exchanges under way."""
        self.bodies: list[Any] = []

    async def send(self, request: UpstreamRequest, timeouts: Timeouts) -> "_Reply":
        assert isinstance(request.body, bytes)
        self.bodies.append(orjson.loads(request.body))
        self.open += 1
        try:
            reply = await self.engine.reply(request.method, request.target.decode(), request.headers, request.body)
        except Broken as broken:
            self.open -= 1
            raise UpstreamFailed("The upstream closed the connection.", code="no_reply") from broken
        except BaseException:
            self.open -= 1
            raise
        return _Reply(self, reply)

    async def aclose(self) -> None:
        pass


class _Reply:
    def __init__(self, client: EngineClient, reply: StubReply) -> None:
        self.status = reply.status
        self.headers = reply.headers
        self._client = client
        self._reply = reply
        self._bodies = iter([reply.body]) if isinstance(reply.body, bytes) else None
        self._closed = False

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        if self._bodies is not None:
            for body in self._bodies:
                return body
            raise StopAsyncIteration
        assert not isinstance(self._reply.body, bytes)
        try:
            return b"".join(await anext(self._reply.body))
        except Broken as broken:
            raise UpstreamFailed("The upstream broke the reply off.", code="cut_short") from broken

    async def read(self, limit: int) -> bytes | None:
        whole = b"".join([part async for part in self])
        assert len(whole) <= limit
        await self.aclose()
        return whole

    async def aclose(self) -> None:
        if not self._closed:
            self._closed = True
            self._client.open -= 1
            if not isinstance(self._reply.body, bytes):
                await self._reply.body.aclose()


@dataclass
class EngineStack:
    """The app in front of a stub engine."""

    app: App
    engine: StubEngine
    client: EngineClient

    def ask(self, body: Any, *, path: str = CHAT, key: str = "sk-a", **headers: str) -> Call:
        """Begin a request."""
        return Call(self.app, body, path=path, key=key, **headers).start()

    async def assert_nothing_left(self) -> None:
        await assert_nothing_left(self.app)
        assert (self.client.open, self.engine.stats.in_flight) == (0, 0)


async def settle() -> None:
    """Let whatever is due at this moment happen."""
    for _ in range(20):
        await asyncio.sleep(0)


async def assert_nothing_left(app: App) -> None:
    """No flight, reader, logged byte, batch, place at a gate, or task but the caller's own."""
    await settle()
    flights, batcher = app.flights, app.batcher
    assert (len(flights), flights.readers, flights.total_bytes) == (0, 0, 0)
    assert (len(batcher), batcher.waiting) == (0, 0)
    assert [(upstream.gate.in_flight, upstream.gate.waiting) for upstream in app.pool.upstreams] == [(0, 0)] * len(
        app.pool.upstreams
    )
    running = {task.get_name() for task in asyncio.all_tasks() if task.get_coro().__qualname__.startswith(OURS)}  # type: ignore[union-attr]
    assert running == set()


OURS = ("SingleFlight", "MicroBatcher", "WatchedClient", "Heartbeat", "Edge", "Call")
"""Whose coroutines must not run any more."""


@asynccontextmanager
async def engine_stack(
    engine: StubEngine | None = None, policies: PolicySet | None = None, **settings: Any
) -> AsyncIterator[EngineStack]:
    """An app on the running loop, whose clock is the loop's, in front of a stub engine of 12 + 3 ms."""
    client = EngineClient(engine or StubEngine())
    app = create_app(
        Settings(access_log="off", **settings),
        policies if policies is not None else load_policies(None),
        environment={},
        clock=asyncio.get_running_loop().time,
        connect=lambda *_, **__: client,
    )
    yield EngineStack(app, client.engine, client)
    await app.flights.drain(0)
