"""The application the server's tests serve: says what it was asked, and streams until told to stop."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class TalkingApp:
    """Paths: /length answers with the length of the body, /headers with their number, /early before the body is read,
    /ready 200 or 503. The streams send one event, then: /stream waits for `go_on` and ends well; /ending the same, but
    says an error event if the lifespan ends first; /deaf never ends."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        self.ending = asyncio.Event()
        self.draining = False
        self.left = threading.Event()

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        match scope["path"]:
            case "/length":
                body = await self._body(receive)
                if body is not None:
                    await reply(send, str(len(body)))
            case "/headers":
                await self._body(receive)
                await reply(send, str(len(scope["headers"])))
            case "/early":
                await reply(send, "enough", status=413)
            case "/ready":
                await reply(send, "", status=503 if self.draining else 200)
            case "/stream" | "/ending" | "/deaf" as path:
                await self._stream(path, send)

    async def _body(self, receive: Receive) -> bytes | None:
        body = b""
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.left.set()
                return None
            body += bytes(message["body"])
            if not message["more_body"]:
                return body

    async def _stream(self, path: str, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        await send({"type": "http.response.body", "body": b"data: 1\n\n", "more_body": True})
        waits = [asyncio.ensure_future(asyncio.Event().wait())]
        if path != "/deaf":
            waits.append(asyncio.ensure_future(self.go_on.wait()))
        if path == "/ending":
            waits.append(asyncio.ensure_future(self.ending.wait()))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        last = b"data: [DONE]\n\n" if self.go_on.is_set() else b'data: {"error": {}}\n\n'
        await send({"type": "http.response.body", "body": last, "more_body": False})

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self.ending.set()
        await send({"type": "lifespan.shutdown.complete"})


async def reply(send: Send, text: str, status: int = 200) -> None:
    body = text.encode()
    headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
