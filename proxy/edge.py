"""HTTP to chain and back, for the model paths: read the body, run the chain, send the reply. No framework."""

import asyncio
import logging
import traceback
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from proxy.account import Account, head_of
from proxy.context import Handler, Outcome, Reply, RequestContext, Stream
from proxy.departure import DEPARTURE, Departure
from proxy.errors import BodyTooLarge, Headers, ProxyError
from proxy.headers import request_id
from proxy.heartbeat import EVENT_ENDS, Heartbeat
from proxy.hit_lane import HitLane
from proxy.openai import read_request
from proxy.tenants import Tenants

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

logger = logging.getLogger("askonce.edge")


class ClientGone(Exception):
    """The client left before its request was read."""


class Edge:
    """Answers the model paths, one call a request."""

    def __init__(
        self,
        handler: Handler,
        tenants: Tenants,
        account: Account,
        lane: HitLane,
        clock: Callable[[], float],
        *,
        max_body_bytes: int,
        heartbeat_s: float,
    ) -> None:
        self._handler = handler
        self._tenants = tenants
        self._account = account
        self._lane = lane
        self._clock = clock
        self._max_body_bytes = max_body_bytes
        self._heartbeat_s = heartbeat_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, from its head to the end of its reply."""
        exchange = _Exchange(self._clock(), scope, receive, send)
        client = exchange.client
        try:
            reply = await self._answer(exchange)
            await self._send(exchange, reply)
        except ClientGone:
            self._note(exchange, None)
        except asyncio.CancelledError:
            # Cancelled by the watcher: the client is gone. By anybody else: the server is stopping, and goes on.
            self._note(exchange, None)
            if not client.gone:
                raise
        finally:
            client.close()

    async def _answer(self, exchange: "_Exchange") -> Reply:
        scope = exchange.scope
        generation = self._lane.generation
        try:
            body = await read_body(scope, exchange.receive, self._max_body_bytes)
            fields = exchange.fields
            path: str = scope["path"]
            ctx = exchange.ctx = RequestContext(
                path=path,
                fields=fields,
                raw_headers=scope["headers"],
                body=body,
                request=read_request(path, body),
                tenant=self._tenants.enter(fields, peer_of(scope)),
                request_id=exchange.request_id,
                client=exchange.client,
                arrived_s=exchange.arrived_s,
                query=scope["query_string"],
            )
            reply = await self._handler(ctx)
            if reply.outcome is Outcome.HIT:
                self._lane.remember(ctx, reply, generation)
            return reply
        except ClientGone:
            raise
        except Exception as error:
            return refusal(ours(error))

    async def _send(self, exchange: "_Exchange", reply: Reply) -> None:
        body = reply.body
        headers = head_of(reply, exchange.request_id, exchange.ctx)
        send = exchange.send
        if isinstance(body, bytes):
            if reply.status not in BODYLESS:
                headers.append((b"content-length", b"%d" % len(body)))
            exchange.first_byte_s = self._clock()
            await send({"type": "http.response.start", "status": reply.status, "headers": headers})
            await send({"type": "http.response.body", "body": body})
            exchange.sent_bytes = len(body)
            self._note(exchange, reply)
            return
        try:
            await send({"type": "http.response.start", "status": reply.status, "headers": headers})
            if reply.events:
                await self._send_events(exchange, body)
                whole = True
            else:
                whole = await self._send_bytes(exchange, body)
            if whole:
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            await body.aclose()
        self._note(exchange, reply)

    async def _send_bytes(self, exchange: "_Exchange", body: Stream) -> bool:
        """A body as it comes; False if it broke off: then the server closes the connection without an end."""
        try:
            async for chunk in body:
                await self._send_chunk(exchange, chunk)
        except Exception as error:
            exchange.failed = ours(error).code
            return False
        return True

    async def _send_events(self, exchange: "_Exchange", body: Stream) -> None:
        """Events as they come; a comment when there were none for long; an error event, and no end, on failure."""
        heartbeat = Heartbeat(exchange.send, self._heartbeat_s)
        next_chunk = body.__aiter__().__anext__
        between_events = True
        try:
            while True:
                if between_events:
                    heartbeat.waiting()
                try:
                    chunk = await next_chunk()
                except StopAsyncIteration:
                    return
                heartbeat.sending()
                await self._send_chunk(exchange, chunk)
                between_events = chunk.endswith(EVENT_ENDS)
        except Exception as error:
            failure = ours(error)
            exchange.failed = failure.code
            heartbeat.sending()
            told = failure.event() if between_events else b"\n\n" + failure.event()
            await exchange.send({"type": "http.response.body", "body": told, "more_body": True})
        finally:
            await heartbeat.aclose()

    async def _send_chunk(self, exchange: "_Exchange", chunk: bytes) -> None:
        if exchange.first_byte_s is None:
            exchange.first_byte_s = self._clock()
        exchange.sent_bytes += len(chunk)
        await exchange.send({"type": "http.response.body", "body": chunk, "more_body": True})

    def _note(self, exchange: "_Exchange", reply: Reply | None) -> None:
        """Account for a request that is over; without a reply, its client left."""
        self._account.note(
            exchange.scope["path"],
            exchange.ctx,
            reply,
            request_id=exchange.request_id,
            arrived_s=exchange.arrived_s,
            first_byte_s=exchange.first_byte_s,
            sent_bytes=exchange.sent_bytes,
            failed=exchange.failed,
        )


BODYLESS = frozenset({204, 304})
"""Replies that have neither a body nor its length (RFC 9110 section 8.6)."""


class _Exchange:
    """What is known of one request besides its context, which exists only once the body was read."""

    __slots__ = (
        "arrived_s",
        "client",
        "ctx",
        "failed",
        "fields",
        "first_byte_s",
        "receive",
        "request_id",
        "scope",
        "send",
        "sent_bytes",
    )

    def __init__(self, arrived_s: float, scope: Scope, receive: Receive, send: Send) -> None:
        self.arrived_s = arrived_s
        self.scope = scope
        self.receive = receive
        self.send = send
        self.fields = joined_fields(scope["headers"])
        self.request_id = request_id([value for name, value in scope["headers"] if name == b"x-request-id"])
        self.client = WatchedClient(scope, receive)
        self.ctx: RequestContext | None = None
        self.failed: str | None = None
        self.first_byte_s: float | None = None
        self.sent_bytes = 0


class WatchedClient:
    """Cancels the task that made it when the client goes away; watches only once told to.

    Our server tells by itself; any other ASGI server is asked, by a task that waits.
    """

    __slots__ = ("_departure", "_receive", "_task", "_watcher", "_watching", "gone")

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self._departure: Departure | None = scope.get(DEPARTURE)
        self._receive = receive
        self._task = asyncio.current_task()
        self._watcher: asyncio.Task[None] | None = None
        self._watching = False
        self.gone = False

    def watch(self) -> None:
        """Start watching; the body must have been read."""
        if self._watching:
            return
        self._watching = True
        if self._departure is not None:
            self._departure.tell(self._left)
        else:
            self._watcher = asyncio.get_running_loop().create_task(self._watch())

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._left()

    def _left(self) -> None:
        self.gone = True
        if self._task is not None:
            self._task.cancel()

    def close(self) -> None:
        """Stop watching."""
        if self._watcher is not None:
            self._watcher.cancel()
        elif self._watching and self._departure is not None:
            self._departure.forget(self._left)


def joined_fields(raw: Headers) -> dict[bytes, bytes]:
    """Header fields by name, repeated ones joined as RFC 9110 section 5.3 says."""
    fields = dict(raw)
    if len(fields) != len(raw):
        fields.clear()
        for name, value in raw:
            fields[name] = fields[name] + b", " + value if name in fields else value
    return fields


def peer_of(scope: Scope) -> str | None:
    """The address of the socket's other end, which no header can change."""
    client = scope.get("client")
    return None if client is None else client[0]


def refusal(error: ProxyError) -> Reply:
    """Our own error as a reply."""
    return Reply(error.status, error.headers(), error.body(), outcome=Outcome.REFUSED, detail=error.code)


def ours(error: Exception) -> ProxyError:
    """What a client is told of a failure. A fault of our own is logged, without its message: it may hold a prompt."""
    if isinstance(error, ProxyError):
        return error
    frames = "".join(traceback.format_tb(error.__traceback__))
    logger.error("a request failed with %s:\n%s", type(error).__name__, frames)
    return ProxyError("askonce failed on this request; its log says where.")


async def read_body(scope: Scope, receive: Receive, max_bytes: int) -> bytes:
    """The whole body.

    Raises:
        BodyTooLarge: it is, or says it will be, over `max_bytes`.
        ClientGone: the client left before its end.
    """
    check_length(scope, max_bytes)
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > max_bytes:
            raise too_large(max_bytes)
        chunks.append(chunk)
        if not message.get("more_body", False):
            return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def check_length(scope: Scope, max_bytes: int) -> None:
    """Refuse a body whose head says that it is too large, before any of it is read.

    Raises:
        BodyTooLarge: it is.
    """
    for name, value in scope["headers"]:
        # Beyond 18 digits it is too large whatever they are, and `int` may refuse them.
        if name == b"content-length" and value.isdigit() and (len(value) > 18 or int(value) > max_bytes):
            raise too_large(max_bytes)


def too_large(max_bytes: int) -> BodyTooLarge:
    """The refusal of a body over `max_bytes`."""
    return BodyTooLarge(f"The body is larger than max_body_bytes, which is {max_bytes} bytes.")
