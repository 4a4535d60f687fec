"""A deterministic OpenAI-compatible engine without a socket: what it answers, when, and how it fails when told to.

A generation takes `base_ms` and, for each item of a prompt array, `per_item_ms`: the shape of a batch on a real engine.
All waiting is `asyncio.sleep`, so that it runs on a virtual clock as well. `bench.stub_script` has the failures.
"""

import asyncio
import collections
import dataclasses
import json
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from bench import stub_answers
from bench.stub_answers import Asked
from bench.stub_embeddings import embeddings
from bench.stub_reply import Bursts, Headers, StubReply, error_reply, json_reply, model, plain_reply
from bench.stub_script import Script, UnknownOption, read_script
from bench.stub_stream import Broken, coding, timeline

CHAT = "/v1/chat/completions"
COMPLETIONS = "/v1/completions"
EMBEDDINGS = "/v1/embeddings"
INPUT = {CHAT: "messages", COMPLETIONS: "prompt", EMBEDDINGS: "input"}

ECHOED = ("/echo", "/api/", "/tokenize", "/v1/responses", "/v1/rerank")
"""Paths under which a request is told back, so that a test sees what arrived."""


@dataclass(slots=True)
class Stats:
    """Counters since the start."""

    requests: int = 0
    generations: int = 0
    """One for each item of a prompt array."""
    in_flight: int = 0
    aborted: int = 0
    """Requests whose client left before the end."""


@dataclass(slots=True)
class StubEngine:
    """The engine. `failed` counts, by prompt, what `fail-first` has failed."""

    base_ms: float = 12.0
    per_item_ms: float = 3.0
    models: tuple[str, ...] = ("stub",)
    api_key: str | None = None
    dimensions: int = 384
    stats: Stats = field(default_factory=Stats)
    failed: collections.Counter[str] = field(default_factory=collections.Counter)

    async def answer(self, payload: dict[str, Any], path: str = CHAT) -> AsyncIterator[bytes]:
        """The body of the answer to `payload`, in process: one piece if plain, else the stream's chunks.

        Raises:
            Broken: where a server would break the connection.
        """
        reply = await self.reply("POST", path, [], json.dumps(payload).encode())
        if isinstance(reply.body, bytes):
            yield reply.body
            return
        try:
            async for burst in reply.body:
                for chunk in burst:
                    yield chunk
        finally:
            await reply.body.aclose()

    async def reply(self, method: str, target: str, headers: Headers, body: bytes) -> StubReply:
        """The reply to one request; returns when its head would be sent. Cancelling it counts as an abort.

        Raises:
            Broken: where a server would break the connection.
        """
        path = target.partition("?")[0]
        if path == "/stats":
            return json_reply(200, dataclasses.asdict(self.stats))
        self.stats.requests += 1
        self.stats.in_flight += 1
        try:
            reply = await self._route(method, path, target, headers, body)
        except BaseException as error:
            self._leave(isinstance(error, asyncio.CancelledError))
            raise
        if isinstance(reply.body, bytes):
            self._leave(False)
        return reply

    def _leave(self, aborted: bool) -> None:
        self.stats.in_flight -= 1
        self.stats.aborted += aborted

    async def _route(self, method: str, path: str, target: str, headers: Headers, body: bytes) -> StubReply:
        if path in ("/health", "/ping"):
            return json_reply(200, {"status": "ok"})
        if path.startswith("/v1/") and self.api_key is not None:
            given = [value for name, value in headers if name.lower() == b"authorization"]
            if given != [f"Bearer {self.api_key}".encode()]:
                return error_reply(401, "Invalid API key.")
        if path == "/v1/models":
            return json_reply(200, {"object": "list", "data": [model(name) for name in self.models]})
        if path.startswith("/v1/models/") and path.removeprefix("/v1/models/") in self.models:
            return json_reply(200, model(path.removeprefix("/v1/models/")))
        if path.startswith(ECHOED):
            told = {"method": method, "target": target, "body": body.decode("latin-1")}
            return json_reply(200, {**told, "headers": [[part.decode("latin-1") for part in item] for item in headers]})
        if path not in INPUT:
            return json_reply(404, {"detail": "Not Found"})
        if method != "POST":
            return json_reply(405, {"detail": "Method Not Allowed"})
        try:
            payload = json.loads(body)
            given_input = payload[INPUT[path]]
        except (ValueError, KeyError, TypeError, RecursionError):
            return error_reply(400, f"The body must be a JSON object with '{INPUT[path]}'.")
        if path == EMBEDDINGS:
            await self._work(Script({}), len(given_input) if isinstance(given_input, list) else 1)
            return json_reply(200, embeddings(payload, self.dimensions))
        if path == CHAT and not isinstance(given_input, list):
            return error_reply(400, "'messages' must be an array.")
        in_header = [f"[[stub: {value.decode('latin-1')}]]" for name, value in headers if name.lower() == b"x-stub"]
        prompts = stub_answers.read_prompts(payload, chat=path == CHAT)
        try:
            asked = Asked(payload, path == CHAT, prompts, read_script(*prompts, *in_header))
        except UnknownOption as error:
            return error_reply(400, str(error))
        if not (prompts and 1 <= asked.n <= stub_answers.CHOICES_MAX):
            return error_reply(400, f"There must be a prompt, and n must be 1 to {stub_answers.CHOICES_MAX}.")
        failure = self._failure(asked)
        if failure is not None:
            await asyncio.sleep(asked.script.number("first-byte-ms", 0) / 1000)
            return failure
        return await self._complete(asked)

    def _failure(self, asked: Asked) -> StubReply | None:
        script = asked.script
        if "fail-first" in script:
            prompt = "\0".join(asked.prompts)
            if self.failed[prompt] >= script.count("fail-first", 1):
                return None
            self.failed[prompt] += 1
        elif "status" not in script and "plain-text-error" not in script:
            return None
        status = script.count("status", 500 if "plain-text-error" in script else 503)
        reply = error_reply(status, "told to fail", "text" if "plain-text-error" in script else script.word("shape"))
        if "retry-after" in script:
            reply.headers.append((b"retry-after", script.word("retry-after", "1").encode()))
        return reply

    async def _complete(self, asked: Asked) -> StubReply:
        script = asked.script
        headers = coding(script)
        if "set-cookie" in script:
            headers.append((b"set-cookie", b"stub=1; Path=/"))
        told = None
        if not (asked.stream and "head-first" in script):
            told = await self._generate(asked)
            if "drop-before-reply" in script:
                raise Broken(reset=False)
            if not asked.stream:
                await asyncio.sleep(script.number("silence", 1) if "silence" in script else 0)
                return plain_reply(stub_answers.plain(told), script, headers)
        headers.insert(0, (b"content-type", b"text/event-stream; charset=utf-8"))
        return StubReply(
            200, headers, Bursts(self._bursts(asked, told), self._leave), chunked=True, close="close" in script
        )

    async def _work(self, script: Script, items: int) -> None:
        await asyncio.sleep(script.number("first-byte-ms", self.base_ms + items * self.per_item_ms) / 1000)

    async def _generate(self, asked: Asked) -> stub_answers.Answer:
        self.stats.generations += len(asked.prompts)
        generation = self.stats.generations
        await self._work(asked.script, len(asked.prompts))
        return stub_answers.answer(asked, generation)

    async def _bursts(self, asked: Asked, told: stub_answers.Answer | None) -> AsyncGenerator[list[bytes], None]:
        """The chunks of a stream, parted where time passes. `told` is None if the head went out before the work."""
        if told is None:
            told = await self._generate(asked)
        burst: list[bytes] = []
        for step in timeline(stub_answers.chunks(told, asked), asked.script):
            if isinstance(step, bytes):
                burst.append(step)
                continue
            if burst:
                yield burst
                burst = []
            if isinstance(step, Broken):
                raise step
            await asyncio.sleep(step)
        if burst:
            yield burst
