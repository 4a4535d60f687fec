"""Several scripted engines below one app, and time that passes when a test says so."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import orjson

from config.settings import Settings
from policies.model import PolicySet
from proxy.app import create_app
from proxy.errors import UpstreamUnreachable
from proxy.upstream.client import UpstreamRequest
from tests.builders import ScriptedReply, ScriptedUpstream, Stack, answer, policy_set, stream_of


@dataclass
class Fleet(Stack):
    """The app, its engines by name, and a client whose connection is the app itself."""

    engines: dict[str, ScriptedUpstream]

    def calls_of(self, name: str) -> int:
        return self.engines[name].calls

    @property
    def calls(self) -> int:
        """Generations, whoever made them."""
        return sum(engine.calls for engine in self.engines.values())

    def reload(self, policies: PolicySet | None = None, **settings: Any) -> None:
        """Take over other settings, and other policies if given, as a reload does."""
        self.app.apply(Settings(access_log="off", **settings), policies or self.app.policies.current)


def engine(name: str, **more: Any) -> dict[str, Any]:
    """One entry of `upstreams:`."""
    return {"name": name, "url": f"http://{name}.test", **more}


@asynccontextmanager
async def fleet(
    *upstreams: dict[str, Any],
    policies: PolicySet | None = None,
    environment: dict[str, str] | None = None,
    peer: str = "127.0.0.1",
    options: dict[str, Any] | None = None,
    policies_file: Path | None = None,
    **settings: Any,
) -> AsyncIterator[Fleet]:
    """An app on the running loop in front of these upstreams; an engine of a new name is made when it is first seen.

    `options` are further ones of `create_app`.
    """
    engines: dict[str, ScriptedUpstream] = {}

    def connect(url: str, kind: str, **options: Any) -> ScriptedUpstream:
        name = url.removeprefix("http://").removesuffix(".test")
        if name not in engines:
            engines[name] = ScriptedUpstream()
            engines[name].script(ScriptedReply(answer(f"from {name}")))
        return engines[name]

    given: dict[str, Any] = {"upstreams": upstreams or (engine("a"),), "access_log": "off", **settings}
    given["policies"] = policies_file
    app = create_app(
        Settings(**given),
        policies if policies is not None else policy_set(),
        environment=environment or {},
        clock=asyncio.get_running_loop().time,
        connect=connect,
        **(options or {}),
    )
    transport = httpx.ASGITransport(app=app, client=(peer, 40000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield Fleet(app, next(iter(engines.values())), client, engines)
    await app.aclose()


def dead(request: UpstreamRequest) -> ScriptedReply:
    """An engine that refuses the connection."""
    raise UpstreamUnreachable("No connection to the upstream could be made.")


def failing(status: int = 500) -> ScriptedReply:
    """An engine's own failure."""
    return ScriptedReply({"error": {"message": "broken", "type": "server_error"}}, status=status)


def counted(wait_s: float | None = None) -> Any:
    """An engine whose every generation has a text of its own, so that a shared one shows."""
    count = 0

    def reply(request: UpstreamRequest) -> ScriptedReply:
        nonlocal count
        count += 1
        assert isinstance(request.body, bytes)
        wanted = orjson.loads(request.body)
        body = stream_of(f"g{count}") if wanted.get("stream") else answer(f"g{count}")
        return ScriptedReply(body, wait=wait_s)

    return reply


def fate(reply: httpx.Response) -> str:
    """How a reply came about, as one word: hit, stale, collapsed, miss or bypass."""
    status = reply.headers["cache-status"]
    if "; hit" in status:
        return "stale" if "detail=stale" in status else "hit"
    return "collapsed" if "; collapsed" in status else status.partition("fwd=")[2].partition(";")[0]
