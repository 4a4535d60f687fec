"""100,000 tenants, models and ids of a client's choosing: nothing that is kept grows with them."""

import asyncio
import gc
from typing import Any

import orjson
import pytest

from tests.builders import ScriptedReply, Stack, answer, chat, stack

pytestmark = pytest.mark.anyio

CLIENTS = 100_000
WHOLE = 600
"""Requests that go through everything; the rest ask the parts that keep something."""
REMEMBERED = 20_000
"""Over every bound of what is kept by a client's choice."""


def series(s: Stack) -> set[str]:
    """The names and labels of everything exported."""
    lines = s.app.metrics.render().decode().splitlines()
    return {line.rpartition(" ")[0] for line in lines if not line.startswith("#")}


async def call(s: Stack, body: dict[str, Any], n: int, path: str = "/v1/chat/completions") -> int:
    """One request, straight into the application; its status."""
    incoming = [{"type": "http.request", "body": orjson.dumps(body), "more_body": False}]
    status = 0

    async def receive() -> dict[str, Any]:
        return incoming.pop() if incoming else await asyncio.Future()

    async def send(message: Any) -> None:
        nonlocal status
        status = message.get("status", status)

    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "client": ("127.0.0.1", 1),
        "headers": [
            (b"content-type", b"application/json"),
            (b"authorization", b"Bearer sk-%d" % n),
            (b"x-request-id", b"id-%d" % n),
            (b"x-askonce-family", b"family-%d" % n),
        ],
    }
    await s.app(scope, receive, send)
    return status


async def test_R03_whatever_clients_make_up_no_map_and_no_metric_grows():
    store = {"max_entries": 500, "max_bytes": 2_000_000, "max_entry_bytes": 100_000}
    async with stack(store=store) as s:

        def respond(request: Any) -> ScriptedReply:
            del s.upstream.requests[:]
            return ScriptedReply(answer())

        async def some(first: int, count: int) -> None:
            for n in range(first, first + count):
                body = chat(f"question {n}", model=f"model-{n}", user=f"user-{n}", temperature=n % 2)
                assert await call(s, body, n) == 200
                if n % 20 == 0:
                    assert await call(s, {"input": "a"}, n, path=f"/v1/thing-{n}") == 200

        s.upstream.script(respond)
        await some(0, 50)
        known = series(s)
        gc.collect()
        await some(50, WHOLE)
        for n in range(CLIENTS):
            s.app.tenants.enter({b"authorization": b"Bearer %d" % n}, "127.0.0.1")
            s.app.pool.route(f"made-up-{n}")
        await asyncio.sleep(0)  # the last flight lands one turn after its reply
        assert series(s) == known
        assert len(s.app.cache) <= 500
        assert s.app.cache.size <= 2_000_000
        assert len(s.app.flights) == s.app.flights.total_bytes == 0
        gate = s.app.pool.upstreams[0].gate
        assert (gate.in_flight, gate.waiting) == (0, 0)
        for name, size in kept(s.app).items():
            assert size <= REMEMBERED, name


def kept(app: Any) -> dict[str, int]:
    """The sizes of all maps, lists and sets that hang on the application's own objects, by where they hang."""
    sizes: dict[str, int] = {}
    seen: set[int] = set()

    def look(value: Any, where: str, depth: int) -> None:
        if id(value) in seen or depth > 6:
            return
        seen.add(id(value))
        if hasattr(value, "__len__") and not isinstance(value, str | bytes):
            sizes[where] = len(value)
        if isinstance(value, dict | list | tuple | set) and len(value) > 1000:
            return
        if isinstance(value, dict):
            inner = [(f"[{key!r:.30}]", item) for key, item in value.items()]
        elif isinstance(value, list | tuple | set):
            inner = [(f"[{place}]", item) for place, item in enumerate(value)]
        elif type(value).__module__.split(".")[0] in ("proxy", "cachetools"):
            names = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
            inner = [(f".{name}", getattr(value, name, None)) for name in [*names, *getattr(value, "__dict__", {})]]
        else:
            inner = []
        for name, item in inner:
            look(item, where + name, depth + 1)

    look(app, "app", 0)
    return sizes
