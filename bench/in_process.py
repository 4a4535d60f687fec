"""The whole proxy in this process, without sockets: a fake engine below the chain, an ASGI call above it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import orjson

from config.settings import Settings
from policies.load import load_policies
from policies.model import PolicySet
from proxy.app import App, create_app
from proxy.errors import Headers
from proxy.openai import CHAT
from proxy.upstream.client import Timeouts, UpstreamClient, UpstreamReply, UpstreamRequest

PIECE = "lorem ipsum dolor sit amet "
USAGE = {"prompt_tokens": 200, "completion_tokens": 100, "total_tokens": 300}
HEAD = {"id": "chatcmpl-bench", "created": 1_700_000_000, "model": "stub-model"}


def completion(pieces: int = 20) -> bytes:
    """A plain answer of so many pieces of text."""
    message = {"role": "assistant", "content": PIECE * pieces}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return orjson.dumps({**HEAD, "object": "chat.completion", "choices": [choice], "usage": USAGE})


def chunks(pieces: int = 20) -> list[bytes]:
    """The same as the events of a stream, each on its own, with usage."""
    head = {**HEAD, "object": "chat.completion.chunk"}
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}, *({"content": PIECE} for _ in range(pieces))]
    told = [{**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    told.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    told.append({**head, "choices": [], "usage": USAGE})
    return [b"data: " + orjson.dumps(event) + b"\n\n" for event in told] + [b"data: [DONE]\n\n"]


class _Reply:
    def __init__(self, headers: Headers, body: list[bytes]) -> None:
        self.status = 200
        self.headers = headers
        self._body = iter(body)

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        chunk = next(self._body, None)
        if chunk is None:
            raise StopAsyncIteration
        # As a socket does: the next chunk comes in a later turn of the loop.
        await asyncio.sleep(0)
        return chunk

    async def read(self, limit: int) -> bytes | None:
        return b"".join(self._body)

    async def aclose(self) -> None:
        pass


class FakeEngine:
    """Answers at once, with `pieces` pieces of text, plain or streamed as asked."""

    def __init__(self) -> None:
        self.calls = 0
        self.answer(20)

    def answer(self, pieces: int) -> None:
        self._plain, self._chunks = completion(pieces), chunks(pieces)

    async def send(self, request: UpstreamRequest, timeouts: Timeouts) -> UpstreamReply:
        self.calls += 1
        await asyncio.sleep(0)
        assert isinstance(request.body, bytes)
        if orjson.loads(request.body).get("stream"):
            return _Reply([(b"content-type", b"text/event-stream")], self._chunks)
        length = b"%d" % len(self._plain)
        return _Reply([(b"content-type", b"application/json"), (b"content-length", length)], [self._plain])

    async def aclose(self) -> None:
        pass


class InProcess:
    """An app with the settings given, and one client of it."""

    def __init__(self, policies: PolicySet | None = None, **settings: Any) -> None:
        self.engine = FakeEngine()
        settings = {"access_log": "off", "upstream": "http://127.0.0.1:9", **settings}
        self.app: App = create_app(
            Settings(**settings),
            policies or load_policies(None),
            environment={},
            connect=lambda *_, **__: self._client(),
        )
        self._headers = [
            (b"host", b"127.0.0.1"),
            (b"content-type", b"application/json"),
            (b"authorization", b"Bearer sk-bench"),
        ]
        self._scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "path": CHAT,
            "raw_path": CHAT.encode(),
            "query_string": b"",
            "client": ("127.0.0.1", 1),
        }

    def _client(self) -> UpstreamClient:
        return self.engine

    async def ask(self, body: bytes) -> list[dict[str, Any]]:
        """One request, in a task of its own as a server would; the messages that were sent."""
        return await asyncio.get_running_loop().create_task(self._ask(body))

    async def _ask(self, body: bytes) -> list[dict[str, Any]]:
        sent: list[dict[str, Any]] = []
        given = False

        async def receive() -> dict[str, Any]:
            nonlocal given
            if given:  # the client stays
                await asyncio.get_running_loop().create_future()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        headers = [*self._headers, (b"content-length", b"%d" % len(body))]
        await self.app({**self._scope, "headers": headers}, receive, send)
        return sent


def outcome_of(sent: list[dict[str, Any]]) -> str:
    """`Cache-Status` of a reply."""
    return next((value.decode() for name, value in sent[0]["headers"] if name == b"cache-status"), "")
