"""One-line requests, replies and stacks: what tests arrange with.

A `Stack` is the whole app with a scripted network below it: `upstream.script(...)` says what the engine answers next,
`upstream.requests` what it was asked.
"""

import asyncio
import inspect
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import httpx
import orjson

from config.settings import Settings
from policies.load import load_policies
from policies.model import FamilyPolicy, PolicySet
from proxy.app import App, create_app
from proxy.errors import Headers
from proxy.upstream.client import Timeouts, UpstreamRequest

CHAT = "/v1/chat/completions"
COMPLETIONS = "/v1/completions"


def chat(text: str = "Say hi", **fields: Any) -> dict[str, Any]:
    """A greedy chat request; a field given as None is sent as null, as `...` is left out."""
    body = {"model": "m", "messages": [{"role": "user", "content": text}], "temperature": 0, **fields}
    return {name: value for name, value in body.items() if value is not ...}


def completion(prompt: Any = "Once upon", **fields: Any) -> dict[str, Any]:
    """A greedy completion request."""
    body = {"model": "m", "prompt": prompt, "temperature": 0, **fields}
    return {name: value for name, value in body.items() if value is not ...}


def answer(text: str = "Hello!", *, finish: str | None = "stop", **fields: Any) -> dict[str, Any]:
    """A chat completion as an engine gives it."""
    return {
        "id": "chatcmpl-origin",
        "object": "chat.completion",
        "created": 1700000000,
        "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8},
        **fields,
    }


def event(payload: Any) -> bytes:
    """One server-sent event."""
    return b"data: " + (payload if isinstance(payload, bytes) else orjson.dumps(payload)) + b"\n\n"


def chunk(delta: dict[str, Any] | None = None, *, finish: str | None = None, index: int = 0, **fields: Any) -> bytes:
    """One event of a chat stream."""
    return event(
        {
            "id": "chatcmpl-origin",
            "object": "chat.completion.chunk",
            "created": 1700000000,
            "model": "m",
            "choices": [{"index": index, "delta": delta or {}, "finish_reason": finish}],
            **fields,
        }
    )


USAGE = chunk(choices=[], usage={"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8})
DONE = event(b"[DONE]")


def stream_of(*texts: str, finish: str | None = "stop", usage: bool = True, done: bool = True) -> list[bytes]:
    """A whole chat stream, an event a chunk."""
    parts = [chunk({"role": "assistant", "content": ""})]
    parts += [chunk({"content": text}) for text in texts]
    parts.append(chunk({}, finish=finish))
    return parts + [USAGE] * usage + [DONE] * done


Step = bytes | float | BaseException | asyncio.Event
"""A chunk; a pause in seconds of the loop's time; a failure; something to wait for."""


@dataclass
class ScriptedReply:
    """What the engine answers. A list body is a stream of steps."""

    body: dict[str, Any] | bytes | Sequence[Step] = field(default_factory=answer)
    status: int = 200
    headers: Headers | None = None
    wait: Step | None = None
    """Before the head."""


Script = ScriptedReply | BaseException | Callable[[UpstreamRequest], "ScriptedReply | Awaitable[ScriptedReply]"]


class _Reply:
    def __init__(self, upstream: "ScriptedUpstream", scripted: ScriptedReply) -> None:
        body = scripted.body
        steps: Sequence[Step]
        if isinstance(body, dict):
            steps, content_type = [orjson.dumps(body)], b"application/json"
        elif isinstance(body, bytes):
            steps, content_type = [body], b"application/json"
        else:
            steps, content_type = body, b"text/event-stream"
        self.status = scripted.status
        self.headers: Headers = [(b"content-type", content_type)] if scripted.headers is None else scripted.headers
        self._upstream = upstream
        self._steps = deque(steps)
        self._closed = False

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        while self._steps:
            step = self._steps.popleft()
            if isinstance(step, bytes):
                return step
            await _pass(step)
        raise StopAsyncIteration

    async def read(self, limit: int) -> bytes | None:
        whole = b"".join([part async for part in self])
        if len(whole) <= limit:
            await self.aclose()
            return whole
        self._steps.append(whole)
        return None

    async def aclose(self) -> None:
        if not self._closed:
            self._closed = True
            self._upstream.open -= 1
            self._upstream.aborted += bool(self._steps)


async def _pass(step: Step) -> None:
    if isinstance(step, BaseException):
        raise step
    if isinstance(step, asyncio.Event):
        await step.wait()
    elif isinstance(step, float):
        await asyncio.sleep(step)


class ScriptedUpstream:
    """A fake network with one engine behind it: answers from its scripts in turn, the last one for ever."""

    def __init__(self) -> None:
        self.requests: list[UpstreamRequest] = []
        self.open = 0
        """Exchanges under way."""
        self.aborted = 0
        """Replies closed before their end."""
        self._scripts: deque[Script] = deque([ScriptedReply()])

    def script(self, *scripts: Script) -> None:
        """What the next exchanges answer."""
        self._scripts = deque(scripts)

    @property
    def calls(self) -> int:
        return len(self.requests)

    @property
    def bodies(self) -> list[Any]:
        """The JSON bodies it was sent."""
        return [orjson.loads(request.body) for request in self.requests if isinstance(request.body, bytes)]

    async def send(self, request: UpstreamRequest, timeouts: Timeouts) -> _Reply:
        if not isinstance(request.body, bytes):
            data = b"".join([part async for part in request.body])
            request = UpstreamRequest(request.method, request.target, request.headers, data)
        self.requests.append(request)
        script = self._scripts.popleft() if len(self._scripts) > 1 else self._scripts[0]
        self.open += 1
        try:
            if isinstance(script, BaseException):
                raise script
            if not isinstance(script, ScriptedReply):
                made = script(request)
                script = await made if inspect.isawaitable(made) else made
            if script.wait is not None:
                await _pass(script.wait)
        except BaseException:
            self.open -= 1
            raise
        return _Reply(self, script)

    async def aclose(self) -> None:
        pass


@dataclass
class Stack:
    """The app, its one scripted engine, and a client whose connection is the app itself."""

    app: App
    upstream: ScriptedUpstream
    client: httpx.AsyncClient

    async def ask(self, body: Any = None, *, path: str = CHAT, key: str = "sk-a", **headers: str) -> httpx.Response:
        """POST a request; headers are given with underscores."""
        content = body if isinstance(body, bytes) else orjson.dumps(chat() if body is None else body)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        fields = {"content-type": "application/json", "authorization": f"Bearer {key}", **named}
        return await self.client.post(path, content=content, headers=fields)


def policy_set(**family: Any) -> PolicySet:
    """One family, the default one, with these settings."""
    return PolicySet(defaults=FamilyPolicy(**family))


@cache
def packaged_policies() -> PolicySet:
    """What an installation without a file of its own has; read once, as reading takes longer than most tests."""
    return load_policies(None)


@asynccontextmanager
async def stack(
    policies: PolicySet | None = None, *, environment: dict[str, str] | None = None, **settings: Any
) -> AsyncIterator[Stack]:
    """An app on the running loop, whose clock is the loop's."""
    upstream = ScriptedUpstream()
    app = create_app(
        Settings(access_log="off", **settings),
        policies if policies is not None else packaged_policies(),
        environment=environment or {},
        clock=asyncio.get_running_loop().time,
        connect=lambda url, kind, **options: upstream,
    )
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://askonce.test") as client:
        yield Stack(app, upstream, client)
    await app.flights.drain(0)


def outcome(reply: httpx.Response) -> str:
    """The `Cache-Status` of a reply, without our name and what changes from run to run."""
    value = reply.headers["cache-status"].removeprefix("askonce; ")
    return "; ".join(part for part in value.split("; ") if not part.startswith("ttl="))


def text_of(reply: httpx.Response) -> str:
    """The text of a reply in either wire mode."""
    if not reply.headers["content-type"].startswith("text/event-stream"):
        return str(reply.json()["choices"][0]["message"]["content"])
    parts = []
    for line in reply.text.split("\n"):
        if line.startswith("data: {"):
            for choice in orjson.loads(line[6:]).get("choices", []):
                parts.append(choice["delta"].get("content") or "")
    return "".join(parts)
