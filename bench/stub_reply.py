"""Replies of the stub engine: plain ones, errors in every shape engines have, and bodies that are under way."""

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import Any

import orjson

from bench.stub_script import Script
from bench.stub_stream import Broken, compress

Headers = list[tuple[bytes, bytes]]


class Bursts:
    """A body under way. What a burst holds is written at once, a chunk for each item.

    `aclose` before the end counts as an abort.
    """

    def __init__(self, steps: AsyncGenerator[list[bytes], None], leave: Callable[[bool], None]) -> None:
        self._steps = steps
        self._leave: Callable[[bool], None] | None = leave

    def __aiter__(self) -> "Bursts":
        return self

    async def __anext__(self) -> list[bytes]:
        try:
            return await anext(self._steps)
        except (StopAsyncIteration, Broken):
            self._end(aborted=False)
            raise

    async def aclose(self) -> None:
        self._end(aborted=True)
        await self._steps.aclose()

    def _end(self, *, aborted: bool) -> None:
        leave, self._leave = self._leave, None
        if leave is not None:
            leave(aborted)


@dataclass(slots=True)
class StubReply:
    """A reply whose head is known."""

    status: int
    headers: Headers
    body: bytes | Bursts
    chunked: bool = False
    close: bool = False
    missing_bytes: int = 0
    """How many more bytes the announced length has than the body."""


def json_reply(status: int, value: Any) -> StubReply:
    return StubReply(status, [(b"content-type", b"application/json")], orjson.dumps(value))


def model(name: str) -> dict[str, Any]:
    """One entry of the model list."""
    return {"id": name, "object": "model", "created": 0, "owned_by": "stub"}


def plain_reply(answer: dict[str, Any], script: Script, headers: Headers) -> StubReply:
    """A completion in one piece, damaged as its script says."""
    if "not-json" in script:
        return StubReply(200, [(b"content-type", b"text/html"), *headers], b"<p>It works!</p>")
    if "error-body" in script:
        answer = {"error": {"message": "The engine died.", "type": "InternalServerError", "code": 500}}
    reply = json_reply(200, answer)
    assert isinstance(reply.body, bytes)
    reply.body = compress(reply.body, script)
    reply.headers += headers
    reply.chunked = "chunked" in script
    reply.close = "close" in script or "short-body" in script
    reply.missing_bytes = 10 if "short-body" in script else 0
    return reply


def error_reply(status: int, message: str, shape: str = "") -> StubReply:
    """An error in one of the shapes that engines use; OpenAI's object if none is named."""
    kind = {400: "invalid_request_error", 401: "authentication_error", 429: "rate_limit_error"}.get(
        status, "stub_error"
    )
    match shape:
        case "text":
            return StubReply(status, [(b"content-type", b"text/plain; charset=utf-8")], message.encode())
        case "html":
            return StubReply(status, [(b"content-type", b"text/html")], f"<h1>{status}</h1>{message}".encode())
        case "string":
            return json_reply(status, {"error": message})
        case "detail":
            return json_reply(status, {"detail": message})
        case "flat":
            return json_reply(
                status, {"object": "error", "message": message, "type": kind, "param": None, "code": status}
            )
        case _:
            error = {"message": message, "type": kind, "param": None, "code": status}
            return json_reply(status, {"error": error})
