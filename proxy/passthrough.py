"""Every path that askonce does not know: streamed through both ways, never cached, never shared."""

import asyncio
from collections.abc import AsyncIterator, Callable

import orjson

from proxy.access_log import AccessLog
from proxy.edge import ClientGone, Receive, Scope, Send, WatchedClient, joined_fields, read_body, refusal
from proxy.errors import BodyTooLarge, Forbidden, NotFound, ProxyError
from proxy.headers import request_headers, request_id, response_headers
from proxy.management import manages
from proxy.metrics import Metrics
from proxy.tenants import Tenants
from proxy.upstream.ask import open_exchange
from proxy.upstream.client import UpstreamRequest
from proxy.upstream.credentials import Credentials
from proxy.upstream.pool import Pool, Upstream

BODYLESS = frozenset({"GET", "HEAD", "OPTIONS", "DELETE"})


class PassThrough:
    """Forwards method, raw path, query and body unchanged, and the reply as it comes."""

    def __init__(
        self,
        pool: Pool,
        credentials: Credentials,
        tenants: Tenants,
        metrics: Metrics,
        access_log: AccessLog,
        clock: Callable[[], float],
        *,
        management: bool,
        max_body_bytes: int,
    ) -> None:
        """`management`: whether paths that manage an engine are forwarded too."""
        self._pool = pool
        self._credentials = credentials
        self._tenants = tenants
        self._metrics = metrics
        self._log = access_log
        self._clock = clock
        self._management = management
        self._max_body_bytes = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """To the upstream that serves the model a JSON body names, else to the first."""
        await self._run(scope, receive, send, None, scope["raw_path"])

    async def to_named(self, name: str, target: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        """To the upstream of that name, management paths included: the caller has checked the admin token."""
        await self._run(scope, receive, send, name, target)

    async def _run(self, scope: Scope, receive: Receive, send: Send, name: str | None, raw_path: bytes) -> None:
        client = WatchedClient(receive)
        echoed = request_id([value for field, value in scope["headers"] if field == b"x-request-id"]).encode("ascii")
        started = False
        arrived_s = self._clock()
        status = 499
        try:
            if name is None and not self._management and manages(scope["method"], scope["path"]):
                raise Forbidden(
                    "This path manages the engine. To forward such paths, write pass_through: all.",
                    code="management_path",
                )
            fields = joined_fields(scope["headers"])
            tenant = self._tenants.identify(fields)
            body, upstream = await self._target(scope, receive, client, name)
            query = scope["query_string"]
            request = UpstreamRequest(
                scope["method"],
                upstream.base_path.encode("ascii") + raw_path + (b"?" + query if query else b""),
                request_headers(
                    scope["headers"],
                    authorization=self._credentials.for_upstream(upstream, fields),
                    request_id=echoed.decode("ascii"),
                    identity=False,
                ),
                body,
            )
            exchange = await open_exchange(upstream, request, tenant.label, self._metrics, self._clock)
            try:
                headers = response_headers(exchange.reply.headers)
                headers += [item for item in exchange.reply.headers if item[0] == b"content-length"]
                headers.append((b"x-request-id", echoed))
                status = exchange.reply.status
                await send({"type": "http.response.start", "status": status, "headers": headers})
                started = True
                async for chunk in exchange:
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
                await send({"type": "http.response.body", "body": b"", "more_body": False})
            finally:
                await exchange.aclose()
        except ProxyError as error:
            if started:
                raise  # the server closes the connection without an end, and so tells the client
            status = error.status
            reply = refusal(error)
            headers = [*reply.headers, (b"x-request-id", echoed), (b"content-length", b"%d" % len(error.body()))]
            await send({"type": "http.response.start", "status": error.status, "headers": headers})
            await send({"type": "http.response.body", "body": error.body()})
        except ClientGone:
            pass
        except asyncio.CancelledError:
            if not client.gone:
                raise
        finally:
            client.close()
            self._metrics.replied("pass", status)
            if self._log.on:
                self._log.write(
                    {
                        "request_id": echoed.decode("ascii"),
                        "method": scope["method"],
                        "path": scope["path"],
                        "status": status,
                        "outcome": "pass",
                        "e2e_ms": round((self._clock() - arrived_s) * 1000, 2),
                    }
                )

    async def _target(
        self, scope: Scope, receive: Receive, client: WatchedClient, name: str | None
    ) -> tuple[bytes | AsyncIterator[bytes], Upstream]:
        upstreams = self._pool.upstreams
        if name is not None:
            named = next((upstream for upstream in upstreams if upstream.name == name), None)
            if named is None:
                raise NotFound("No upstream has this name. They are the names under `upstreams:` in the settings.")
            return await self._body(receive, client), named
        if len(upstreams) == 1 or scope["method"] in BODYLESS:
            return await self._body(receive, client), self._pool.choose(self._pool.first)
        body = await read_body(scope, receive, self._max_body_bytes)
        client.watch()
        return body, self._pool.choose(self._pool.route_or_first(_model(body)))

    async def _body(self, receive: Receive, client: WatchedClient) -> bytes | AsyncIterator[bytes]:
        """A body that has arrived as it is, a longer one as it comes."""
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        chunk: bytes = message.get("body", b"")
        if message.get("more_body", False):
            return self._streamed(chunk, receive, client)
        self._check(len(chunk))
        client.watch()
        return chunk

    async def _streamed(self, chunk: bytes, receive: Receive, client: WatchedClient) -> AsyncIterator[bytes]:
        size = 0
        more = True
        while True:
            size += len(chunk)
            self._check(size)
            if chunk:
                yield chunk
            if not more:
                client.watch()
                return
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            chunk, more = message.get("body", b""), message.get("more_body", False)

    def _check(self, size: int) -> None:
        if size > self._max_body_bytes:
            raise BodyTooLarge(f"The body is larger than max_body_bytes, which is {self._max_body_bytes} bytes.")


def _model(body: bytes) -> str | None:
    try:
        payload = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    model = payload.get("model") if isinstance(payload, dict) else None
    return model if isinstance(model, str) else None
