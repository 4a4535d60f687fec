"""The whole proxy on a real socket, in front of an engine on another, both on the running loop (`real_loop`).

    async with engine_of(answer_anything) as engine, serving(engine.url) as url:
        ...

An engine is a function from a request to the bytes of a reply, or to steps: bytes, events to wait for, an end.
"""

import asyncio
import contextlib
import functools
import socket
import struct
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

import httpx
import orjson

from config.settings import Settings
from policies.load import load_policies
from policies.model import PolicySet
from proxy.app import App, create_app
from proxy.server import DrainingServer, ServerLimits
from tests.builders import answer
from tests.proxy.upstream.scripted_server import Request, plain, read_request

PATIENCE_S = 30
"""For what has to happen, and is only waited for so long when it does not."""


class Cut(Enum):
    """How an engine may end a reply."""

    CLOSE = auto()
    """In good order (FIN)."""
    RESET = auto()
    """By a reset (RST)."""


CLOSE, RESET = Cut

Steps = Sequence[bytes | asyncio.Event | Cut]
"""What an engine does for one request. Nothing at all: it stays silent until the client leaves."""
Respond = Callable[[Request], bytes | Steps]


class LiveEngine:
    """Answers every request by `respond`; a probe's, which is a GET without a credential, by itself."""

    def __init__(self, respond: Respond) -> None:
        self.respond = respond
        self.requests: list[Request] = []
        self.left = asyncio.Event()
        """A connection ended before its reply did."""
        self.failure: Exception | None = None
        """What `respond` raised; raised again when the engine is closed."""
        self._news = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    @property
    def calls(self) -> int:
        return len(self.requests)

    @property
    def bodies(self) -> list[Any]:
        """The JSON bodies it was sent."""
        return [orjson.loads(request.body) for request in self.requests]

    async def asked(self, count: int) -> None:
        """Wait until `count` requests have been read."""
        while len(self.requests) < count:
            self._news.clear()
            await asyncio.wait_for(self._news.wait(), PATIENCE_S)

    async def aclose(self) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()
        if self.failure is not None:
            raise self.failure

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            while await self._answer(await read_request(reader), reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        except Exception as error:
            self.failure = error
        finally:
            writer.transport.abort()

    async def _answer(self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Whether the connection goes on."""
        if request.line.startswith(b"GET /") and not request.all(b"authorization"):
            writer.write(json_reply({"object": "list", "data": [{"id": "m", "object": "model"}]}))
            return True
        self.requests.append(request)
        self._news.set()
        steps = self.respond(request)
        for step in [steps] if isinstance(steps, bytes) else steps or [asyncio.Event()]:
            if isinstance(step, bytes):
                writer.write(step)
            elif isinstance(step, asyncio.Event):
                if await self._left_before(step, reader):
                    return False
            elif step is RESET:
                raw = writer.get_extra_info("socket")
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return False
            else:
                writer.close()
                await writer.wait_closed()
                return False
        return True

    async def _left_before(self, event: asyncio.Event, reader: asyncio.StreamReader) -> bool:
        """Wait for `event`, or for the client to leave: nobody sends anything before the reply has ended."""
        waits, gone = asyncio.ensure_future(event.wait()), asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait([waits, gone], return_when=asyncio.FIRST_COMPLETED)
            if gone.done():
                self.left.set()
            return gone.done()
        finally:
            waits.cancel()
            gone.cancel()
            await asyncio.wait([waits, gone])


def json_reply(body: Any, status: bytes = b"200 OK", *headers: bytes) -> bytes:
    """A whole JSON reply."""
    data = body if isinstance(body, bytes) else orjson.dumps(body)
    return plain(data, b"content-type: application/json", *headers, status=status)


@asynccontextmanager
async def engine_of(respond: Respond = lambda request: json_reply(answer())) -> AsyncIterator[LiveEngine]:
    """An engine that listens."""
    engine = LiveEngine(respond)
    await engine.start()
    try:
        yield engine
    finally:
        await engine.aclose()


@dataclass(frozen=True, slots=True)
class Live:
    url: str
    port: int
    app: App


@functools.cache
def packaged_policies() -> PolicySet:
    """The policies that a proxy without a file of its own obeys."""
    return load_policies(None)


@asynccontextmanager
async def serving(
    upstream: str | None = None,
    policies: PolicySet | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    limits: ServerLimits | None = None,
    **settings: Any,
) -> AsyncIterator[Live]:
    """The proxy in front of `upstream`, or of the `upstreams` among the settings."""
    if upstream is not None:
        settings["upstreams"] = [{"name": "local", "url": upstream, **settings.pop("local", {})}]
    app = create_app(
        Settings(access_log=settings.pop("access_log", "off"), **settings),
        policies if policies is not None else packaged_policies(),
        environment=environment or {},
    )
    listening: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    limits = limits or ServerLimits(drain_s=0, grace_s=1)
    server = DrainingServer(
        app, "127.0.0.1", 0, limits, app.drain, app.reload, listening.set_result, app.hit_lane, app.edge.direct
    )
    # The signals stay pytest's.
    server.capture_signals = contextlib.nullcontext  # type: ignore[assignment,method-assign]
    task = asyncio.create_task(server.serve())
    try:
        waits: list[asyncio.Future[Any]] = [task, listening]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED, timeout=PATIENCE_S)
        port = listening.result()
        yield Live(f"http://127.0.0.1:{port}", port, app)
    finally:
        server.stop()
        await asyncio.wait_for(task, PATIENCE_S)


@dataclass(frozen=True, slots=True)
class Wired:
    """An engine, the proxy in front of it, and a client of the proxy."""

    engine: LiveEngine
    live: Live
    client: httpx.AsyncClient


@asynccontextmanager
async def wired(
    respond: Respond = lambda request: json_reply(answer()), policies: PolicySet | None = None, **settings: Any
) -> AsyncIterator[Wired]:
    """All three, on sockets."""
    async with (
        engine_of(respond) as engine,
        serving(engine.url, policies, **settings) as live,
        httpx.AsyncClient(
            base_url=live.url,
            timeout=PATIENCE_S,
            headers={"authorization": "Bearer sk-a"},
            verify=False,  # no certificates to load
        ) as client,
    ):
        yield Wired(engine, live, client)
