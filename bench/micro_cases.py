"""What `python -m bench micro` measures: each case makes its parts once and then runs any number of times."""

import functools
import itertools
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import orjson

from bench.in_process import InProcess, completion, outcome_of
from bench.reading import read_outcome
from policies.classify import classify
from policies.guards import parse
from policies.guards.as_embedded import as_embedded
from policies.guards.lexicon import default_lexicon
from policies.load import load_policies
from proxy import openai
from proxy.cache.candidate import Candidate
from proxy.cache.embedder import Vector
from proxy.cache.embedder_loader import embedder_loader
from proxy.cache.embedder_worker import EmbeddingWorker
from proxy.cache.index import VectorIndex
from proxy.cache.lookup import Hit, decide
from proxy.cache.semantic import SemanticCache
from proxy.keys import cache_key
from proxy.openai import CHAT, read_request
from proxy.permit import decide as permit
from proxy.permit import read_directives
from proxy.replay import END, Marks, new_id, personal, render

Run = Callable[[int], Awaitable[None]]
"""Do it so many times."""

ASKED = "Which city is the capital of France?"

ENTRIES = 10_000
"""In the index of the semantic cases."""
LONG_STREAM, SHORT_STREAM = 220, 20


@dataclass(frozen=True, slots=True)
class Case:
    """One cost, per operation."""

    name: str
    what: str
    start: Callable[[], Any]
    """An async context manager of a `Run`."""


def body_of(size: int, *, mark: str = "", stream: bool = False, tools: int = 0) -> bytes:
    """A chat request of about `size` bytes."""
    text = "A customer writes that the checkout page fails for baskets with more than one gift card. "
    payload: dict[str, Any] = {
        "model": "stub-model",
        "messages": [
            {"role": "system", "content": "You are a careful assistant."},
            {"role": "user", "content": f"Ticket {mark}. "},
        ],
        "max_tokens": 128,
        "temperature": 0,
    }
    if stream:
        payload["stream"] = True
    if tools:
        payload["tools"] = [_tool(number) for number in range(tools)]
    room = max(0, size - len(orjson.dumps(payload)))
    payload["messages"][1]["content"] += (text * (room // len(text) + 1))[:room]
    return orjson.dumps(payload)


def _tool(number: int) -> dict[str, Any]:
    properties = {
        name: {"type": "string", "description": f"The {name} to look for."} for name in ("city", "day", "unit")
    }
    parameters = {"type": "object", "properties": properties, "required": ["city"]}
    told = {"name": f"tool_{number}", "description": "Looks something up.", "parameters": parameters}
    return {"type": "function", "function": told}


@asynccontextmanager
async def _sync(function: Callable[[], object]) -> AsyncIterator[Run]:
    async def run(count: int) -> None:
        for _ in range(count):
            function()

    yield run


def _reading(body: bytes) -> Any:
    return _sync(lambda: read_request(CHAT, body))


def _key(body: bytes) -> Any:
    payload = read_request(CHAT, body).payload
    fixed: dict[str, Any] = {"path": CHAT, "tenant": b"t" * 32, "model": "stub-model", "revision": "", "meaning": b""}
    return _sync(lambda: cache_key(payload, **fixed))


def _permit() -> Any:
    payload, family = read_request(CHAT, body_of(1024)).payload, load_policies(None).defaults
    fields = {b"content-type": b"application/json"}
    return _sync(lambda: permit(payload, family, read_directives(fields), keyable=True, json_body=True))


def _classify() -> Any:
    payload, policies = read_request(CHAT, body_of(1024)).payload, load_policies(None)
    texts: dict[str, Any] = {
        "prompt_text": lambda: openai.prompt_text(payload),
        "system_text": lambda: openai.system_text(payload),
    }
    return _sync(lambda: classify(policies, path=CHAT, model="stub-model", tenant=None, header=None, **texts))


def _replay(*, stream: bool) -> Any:
    marks, key = Marks.new(), b"k" * 32
    rendered = render(orjson.loads(completion()), marks)
    template = rendered.stream + END if stream else rendered.plain
    return _sync(lambda: personal(template, marks, new_id(CHAT, key), int(time.time())))


@asynccontextmanager
async def _hit(*, stream: bool) -> AsyncIterator[Run]:
    proxy = InProcess()
    body = body_of(1024, mark="7", stream=stream)
    await proxy.ask(body)
    must_be(await proxy.ask(body), "hit")

    async def run(count: int) -> None:
        for _ in range(count):
            await proxy.ask(body)

    yield run
    await proxy.app.aclose()


@asynccontextmanager
async def _miss(*, stream: bool, pieces: int = 20) -> AsyncIterator[Run]:
    proxy = InProcess(store={"max_entries": 1000})
    proxy.engine.answer(pieces)
    marks = itertools.count()
    template = body_of(1024, mark="@@@@@@@@", stream=stream)

    def fresh() -> bytes:
        return template.replace(b"@@@@@@@@", b"%08d" % next(marks))

    must_be(await proxy.ask(fresh()), "miss")

    async def run(count: int) -> None:
        for _ in range(count):
            await proxy.ask(fresh())

    yield run
    assert proxy.engine.calls == next(marks)
    await proxy.app.aclose()


def must_be(sent: list[dict[str, Any]], outcome: str) -> None:
    """A figure of something else would be worse than none."""
    found = outcome_of(sent)
    if sent[0]["status"] != 200 or read_outcome(found) != outcome:
        raise RuntimeError(f"expected a {outcome}, got {sent[0]['status']} with Cache-Status: {found}")


def packaged_worker() -> EmbeddingWorker:
    return EmbeddingWorker(embedder_loader("packaged"), deadline_s=60)


@asynccontextmanager
async def _embedding() -> AsyncIterator[Run]:
    """A short question's vector, through the worker: what a lookup spends before it looks."""
    worker = packaged_worker()
    await worker.start(60)
    numbers = itertools.count()

    async def run(count: int) -> None:
        for _ in range(count):
            # Vectors of recent texts are kept: another scope asks for a new one.
            assert isinstance(await worker.embed(ASKED, scope=b"%d" % next(numbers)), Vector)

    yield run
    await worker.aclose()


@asynccontextmanager
async def _semantic(*, embed: bool) -> AsyncIterator[Run]:
    """A semantic hit among 10,000 answered texts: one is the question in other words, the others are random points."""
    worker, space, lexicon = packaged_worker(), b"n" * 32, default_lexicon()
    await worker.start(60)
    cache = SemanticCache(VectorIndex, clock=time.monotonic, max_vectors=2 * ENTRIES)
    known = "What is the capital of France?"
    vector = await worker.embed(known)
    if not isinstance(vector, Vector):
        raise RuntimeError(f"the packaged embedder gives no vector: {vector.reason}")
    drawn = np.random.default_rng(0).standard_normal((ENTRIES - 1, len(vector.values))).astype(np.float32)
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    facts = parse(known, lexicon)
    for number, values in enumerate(drawn):
        other = Candidate(number.to_bytes(32), known, facts, time.monotonic(), "capitals")
        cache.add(space, Vector(values, vector.identity), other)
    cache.add(space, vector, Candidate(b"\xff" * 32, known, facts, time.monotonic(), "capitals"))
    ready = await worker.embed(ASKED)
    assert isinstance(ready, Vector)
    numbers = itertools.count()

    async def run(count: int) -> None:
        for _ in range(count):
            asked = functools.cache(lambda: parse(ASKED, lexicon))
            # Vectors of recent texts are kept: another scope asks for a new one.
            scope = b"%d" % next(numbers)
            found = await worker.embed(as_embedded(ASKED), scope=scope, meanwhile=asked) if embed else ready
            assert isinstance(found, Vector)
            verdict, _ = decide(
                cache.nearest(space, found, 5),
                asked(),
                threshold=0.8,
                guards=frozenset(),
                is_fresh=lambda candidate: True,
                facts_of=lambda candidate: facts,
            )
            assert isinstance(verdict, Hit)

    yield run
    await worker.aclose()


CASES = (
    Case("read_1k", "read and check a 1 KB body", partial(_reading, body_of(1024))),
    Case("read_32k", "read and check a 32 KB body", partial(_reading, body_of(32_768))),
    Case("key_1k", "key of a 1 KB body", partial(_key, body_of(1024))),
    Case("key_32k", "key of a 32 KB body", partial(_key, body_of(32_768))),
    Case("key_tools", "key of a body with 20 tools", partial(_key, body_of(1024, tools=20))),
    Case("classify", "family of a request, default policies", _classify),
    Case("permit", "three permissions", _permit),
    Case("replay_plain", "a stored answer as one body", partial(_replay, stream=False)),
    Case("replay_stream", "a stored answer as events", partial(_replay, stream=True)),
    Case("hit_plain", "an exact hit, whole app", partial(_hit, stream=False)),
    Case("hit_stream", "an exact hit as a stream, whole app", partial(_hit, stream=True)),
    Case("miss_plain", "a miss, whole app, stored", partial(_miss, stream=False)),
    Case("miss_stream", f"a streamed miss of {SHORT_STREAM} chunks, whole app, stored", partial(_miss, stream=True)),
    Case("miss_stream_long", f"the same with {LONG_STREAM} chunks", partial(_miss, stream=True, pieces=LONG_STREAM)),
    Case("embed", "the packaged embedder's vector of a short question, through the worker", _embedding),
    Case("semantic_search", f"nearest of {ENTRIES:,} and the guard, vector given", partial(_semantic, embed=False)),
    Case(
        "semantic_lookup", f"the same with the packaged embedder, {ENTRIES:,} entries", partial(_semantic, embed=True)
    ),
)

DERIVED = {
    "chunk": ("one chunk through flight and store", "miss_stream_long", "miss_stream", LONG_STREAM - SHORT_STREAM)
}
"""Name: what, a longer and a shorter case, and how many operations lie between them."""
