"""HTTP to chain and back, for the model paths: read the body, run the chain, send the reply. No framework."""

import asyncio
import logging
import traceback
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from proxy.account import Account, lines_of
from proxy.context import Handler, Outcome, Reply, RequestContext, Stream
from proxy.departure import DEPARTURE, Departure
from proxy.direct import DirectCycle
from proxy.errors import BodyTooLarge, ProxyError
from proxy.headers import new_request_id
from proxy.heartbeat import EVENT_ENDS, Heartbeat
from proxy.hit_lane import HitLane
from proxy.openai import UNREAD, read_request
from proxy.outlet import BODYLESS, AsgiOutlet, Message, Outlet, Send
from proxy.request_head import RequestHead
from proxy.tenants import Tenants

Scope = Message
Receive = Callable[[], Awaitable[Message]]

HIT = Outcome.HIT
"""Read once: from the class it is a call."""

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
        """One request of any ASGI server, from its head to the end of its reply."""
        exchange = Exchange(
            self._clock(),
            RequestHead(scope["path"], scope["query_string"], scope["headers"]),
            peer_of(scope),
            AsgiOutlet(send),
            WatchedClient(scope.get(DEPARTURE), receive),
        )
        try:
            body = await read_body(scope, receive, self._max_body_bytes)
        except ClientGone:
            self._note(exchange, None)
        except asyncio.CancelledError:
            self._note(exchange, None)
            raise
        except BodyTooLarge as error:
            await self._run(exchange, b"", refusal(error))
        else:
            await self._run(exchange, body)

    def direct(
        self, head: RequestHead, peer: str | None, body: bytes, cycle: DirectCycle
    ) -> Coroutine[Any, Any, None] | None:
        """The same for a POST that our own server has read whole; None if its body is too large."""
        if len(body) > self._max_body_bytes:
            return None
        return self._run(Exchange(self._clock(), head, peer, cycle, cycle), body)

    async def _run(self, exchange: "Exchange", body: bytes, reply: Reply | None = None) -> None:
        """From the body to the end of the reply; `reply` if that is known already."""
        client = exchange.client
        try:
            if reply is None:
                head, generation = exchange.head, self._lane.generation
                try:
                    ctx = exchange.ctx = RequestContext(
                        head,
                        body,
                        UNREAD if head.is_coded else read_request(head.path, body),
                        self._tenants.enter(head.fields, exchange.peer),
                        exchange.request_id,
                        client,
                    )
                    reply = await self._handler(ctx)
                    if reply.outcome is HIT:
                        self._lane.remember(ctx, reply, generation)
                except Exception as error:
                    reply = refusal(ours(error))
            answer = reply.body
            if isinstance(answer, bytes):
                lines = lines_of(reply, exchange.request_id, exchange.ctx)
                exchange.first_byte_s = self._clock()
                if (sending := exchange.outlet.whole(reply.status, lines, answer)) is not None:
                    await sending
                exchange.sent_bytes = len(answer)
                self._note(exchange, reply)
            else:
                await self._send(exchange, reply, answer)
        except asyncio.CancelledError:
            # Cancelled by the watcher: the client is gone. By anybody else: the server is stopping, and goes on.
            self._note(exchange, None)
            if not client.gone:
                raise
        finally:
            client.close()

    async def _send(self, exchange: "Exchange", reply: Reply, body: Stream) -> None:
        """A reply whose body is still under way."""
        outlet = exchange.outlet
        try:
            lines = lines_of(reply, exchange.request_id, exchange.ctx)
            if reply.status in BODYLESS:
                if (sending := outlet.whole(reply.status, lines, b"")) is not None:
                    await sending
            else:
                await outlet.start(reply.status, lines)
                if reply.events:
                    await self._send_events(exchange, body)
                    await outlet.end()
                elif await self._send_bytes(exchange, body):
                    await outlet.end()
        finally:
            await body.aclose()
        self._note(exchange, reply)

    async def _send_bytes(self, exchange: "Exchange", body: Stream) -> bool:
        """A body as it comes; False if it broke off: then the server closes the connection without an end."""
        try:
            async for chunk in body:
                if exchange.first_byte_s is None:
                    exchange.first_byte_s = self._clock()
                exchange.sent_bytes += len(chunk)
                if (sending := exchange.outlet.chunk(chunk)) is not None:
                    await sending
        except Exception as error:
            exchange.failed = ours(error).code
            return False
        return True

    async def _send_events(self, exchange: "Exchange", body: Stream) -> None:
        """Events as they come; a comment when there were none for long; an error event, and no end, on failure."""
        send, time = exchange.outlet.chunk, asyncio.get_running_loop().time
        heartbeat = Heartbeat(send, self._heartbeat_s)
        between_events = True
        heartbeat.since_s = time()
        try:
            async for chunk in body:
                heartbeat.since_s = None
                if exchange.first_byte_s is None:
                    exchange.first_byte_s = self._clock()
                exchange.sent_bytes += len(chunk)
                if (sending := send(chunk)) is not None:
                    await sending
                between_events = chunk.endswith(EVENT_ENDS)
                if between_events:
                    heartbeat.since_s = time()
        except Exception as error:
            failure = ours(error)
            exchange.failed = failure.code
            heartbeat.since_s = None
            if (sending := send(failure.event() if between_events else b"\n\n" + failure.event())) is not None:
                await sending
        finally:
            await heartbeat.aclose()

    def _note(self, exchange: "Exchange", reply: Reply | None) -> None:
        """Account for a request that is over; without a reply, its client left."""
        self._account.note(
            exchange.head.path,
            exchange.ctx,
            reply,
            exchange.request_id,
            exchange.arrived_s,
            exchange.first_byte_s,
            exchange.sent_bytes,
            exchange.failed,
        )


class Exchange:
    """What is known of one request besides its context, which exists only once the body was read."""

    __slots__ = (
        "arrived_s",
        "client",
        "ctx",
        "failed",
        "first_byte_s",
        "head",
        "outlet",
        "peer",
        "request_id",
        "sent_bytes",
    )

    def __init__(
        self,
        arrived_s: float,
        head: RequestHead,
        peer: str | None,
        outlet: Outlet,
        client: "WatchedClient | DirectCycle",
    ) -> None:
        self.arrived_s = arrived_s
        self.head = head
        self.peer = peer
        self.outlet = outlet
        self.client = client
        self.request_id = head.given_id or new_request_id()
        self.ctx: RequestContext | None = None
        self.failed: str | None = None
        self.first_byte_s: float | None = None
        self.sent_bytes = 0


class WatchedClient:
    """Cancels the task that told it to watch when the client goes away.

    Our server tells by itself; any other ASGI server is asked, by a task that waits.
    """

    __slots__ = ("_departure", "_receive", "_task", "_watcher", "gone")

    def __init__(self, departure: Departure | None, receive: Receive | None = None) -> None:
        """`receive` is asked where there is no `departure`."""
        self._departure = departure
        self._receive = receive
        self._task: asyncio.Task[Any] | None = None
        """The one to cancel; None until `watch`."""
        self._watcher: asyncio.Task[None] | None = None
        self.gone = False

    def watch(self) -> None:
        """Start watching; the body must have been read."""
        if self._task is not None:
            return
        self._task = asyncio.current_task()
        if self._departure is not None:
            self._departure.tell(self._left)
        else:
            self._watcher = asyncio.get_running_loop().create_task(self._watch())

    async def _watch(self) -> None:
        assert self._receive is not None
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
        elif self._task is not None and self._departure is not None:
            self._departure.forget(self._left)


def peer_of(scope: Scope) -> str | None:
    """The address of the socket's other end, which no header can change."""
    client = scope.get("client")
    return None if client is None else client[0]


def refusal(error: ProxyError) -> Reply:
    """Our own error as a reply."""
    return Reply(error.status, error.headers(), error.body(), outcome=Outcome.REFUSED, detail=error.code)


def ours(error: Exception) -> ProxyError:
    """What a client is told of a failure. A fault of our own is logged, without its message: it may hold a prompt."""
    raised_at, error.__traceback__ = error.__traceback__, None  # its frames hold the flight that holds the error
    if isinstance(error, ProxyError):
        return error
    frames = "".join(traceback.format_tb(raised_at))
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
