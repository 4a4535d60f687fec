"""One request to the app over ASGI by hand, with a client that can leave or stop reading in the middle of its reply."""

import asyncio
import contextlib
from typing import Any

import orjson

from proxy.app import App
from proxy.openai import fold_stream
from proxy.outlet import Message
from tests.builders import CHAT


class Call:
    """Runs in a task of its own, as a server would run it. The reply is in `status`, `headers` and `pieces`."""

    def __init__(
        self, app: App, body: Any, *, path: str = CHAT, query: str = "", key: str = "sk-a", **headers: str
    ) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.pieces: list[bytes] = []
        self.ended = False
        """The reply was sent to its end."""
        self._app = app
        self._body: bytes | None = body if isinstance(body, bytes) else orjson.dumps(body)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        fields = {"content-type": "application/json", "authorization": f"Bearer {key}", **named}
        self._scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in fields.items()],
            "client": ("127.0.0.1", 50000),
        }
        self._over = asyncio.Event()
        """The client has left, or the reply has ended."""
        self._reads = asyncio.Event()
        self._reads.set()
        self._news = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Serve it here, and not in a task of its own."""
        await self._app(self._scope, self._receive, self._send)

    def start(self) -> "Call":
        self.task = asyncio.create_task(self.run())
        return self

    async def pieces_sent(self, count: int) -> None:
        """Wait until `count` pieces of the body have been sent."""
        while len(self.pieces) < count:
            self._news.clear()
            await self._news.wait()

    async def whole(self) -> bytes:
        """Wait for the end; the body."""
        assert self.task is not None
        await self.task
        assert self.ended
        return self.body

    @property
    def body(self) -> bytes:
        return b"".join(self.pieces)

    @property
    def outcome(self) -> str:
        """The `Cache-Status` without our name."""
        return self.headers["cache-status"].removeprefix("askonce; ")

    @property
    def completion(self) -> Any:
        """The JSON body, or what the events of the body come to."""
        if self.headers["content-type"].startswith("text/event-stream"):
            return fold_stream(self.body).record
        return orjson.loads(self.body)

    @property
    def text(self) -> str:
        """What the model said."""
        choice = self.completion["choices"][0]
        return str(choice["message"]["content"] if "message" in choice else choice["text"])

    @property
    def error_code(self) -> Any:
        """The code of the error in a JSON body, or in the last event."""
        last = self.body.rstrip().rpartition(b"data: ")[2]
        return orjson.loads(last)["error"]["code"]

    def stop_reading(self) -> None:
        """What is sent from now on finds no room."""
        self._reads.clear()

    def read_on(self) -> None:
        self._reads.set()

    async def leave(self) -> None:
        """The connection is gone; returns when the server is done with it."""
        assert self.task is not None
        self._over.set()
        self._reads.set()
        await self.task

    async def cancel(self) -> None:
        """The server gives the request up."""
        assert self.task is not None
        self.task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self.task

    async def _receive(self) -> Message:
        if (body := self._body) is not None:
            self._body = None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._over.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        await self._reads.wait()
        if self._over.is_set():
            return
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
            return
        if message["body"]:
            self.pieces.append(bytes(message["body"]))
        if not message.get("more_body", False):
            self.ended = True
            self._over.set()
        self._news.set()
