"""Real sockets, on both loops, with both clients."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Literal

import pytest

from proxy.upstream import make_client
from proxy.upstream.client import UpstreamClient
from tests.proxy.upstream.scripted_server import Script, ScriptedServer

Kind = Literal["http1", "aiohttp"]
Serve = Callable[..., Awaitable[ScriptedServer]]
Connect = Callable[..., UpstreamClient]


class Clock:
    """Monotonic seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture(params=["uvloop", "asyncio"])
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, dict[str, Any]]:
    return "asyncio", {"use_uvloop": request.param == "uvloop"}


@pytest.fixture(params=["http1", "aiohttp"])
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    """Starts a server; its argument are scripts, one for each connection."""
    servers: list[ScriptedServer] = []

    async def start(*scripts: Script) -> ScriptedServer:
        servers.append(await ScriptedServer.start(scripts))
        return servers[-1]

    yield start
    for server in servers:
        await server.aclose()


@pytest.fixture
async def connect(kind: Kind) -> AsyncIterator[Connect]:
    """Makes a client of a server, or of a URL."""
    clients: list[UpstreamClient] = []

    def make(server: ScriptedServer | str, **settings: Any) -> UpstreamClient:
        url = server if isinstance(server, str) else server.url
        clients.append(make_client(url, kind, **settings))
        return clients[-1]

    yield make
    for client in clients:
        await client.aclose()
