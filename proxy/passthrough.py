"""Every path that askonce does not know: streamed through both ways, never cached, never shared."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from urllib.parse import quote

import orjson

from proxy.account import PRIVATE
from proxy.departure import DEPARTURE
from proxy.edge import (
    ClientGone,
    Receive,
    Scope,
    WatchedClient,
    check_length,
    ours,
    peer_of,
    read_body,
    refusal,
    too_large,
)
from proxy.errors import BadRequest, Forbidden, Headers, NotFound
from proxy.headers import forwarded, joined_fields, request_headers, request_id, response_headers
from proxy.journal import Journal
from proxy.management import manages
from proxy.metrics import Metrics
from proxy.openai import may_name_another_model
from proxy.outlet import BODYLESS, Send
from proxy.tenants import Tenant, Tenants
from proxy.upstream.ask import Exchange, open_exchange
from proxy.upstream.client import UpstreamRequest
from proxy.upstream.credentials import Credentials
from proxy.upstream.pool import Pool, Upstream

NAMELESS = frozenset({"GET", "HEAD", "OPTIONS", "DELETE"})
"""Methods whose body, if there is one, names no model."""

ADMIN = "-admin"
"""Whose requests wait at a gate without a tenant; no tenant is called so."""


class PassThrough:
    """Forwards method, raw path, query and body unchanged, and the reply as it comes."""

    def __init__(
        self,
        pool: Pool,
        credentials: Credentials,
        tenants: Tenants,
        metrics: Metrics,
        journal: Journal,
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
        self._journal = journal
        self._clock = clock
        self._management = management
        self._max_body_bytes = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """To the upstream that serves the model a JSON body or a form names, else to the first."""
        await self._run(scope, receive, send, None, scope["raw_path"])

    async def to_named(self, name: str, target: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        """To the upstream of that name, management paths included: the caller has checked the admin token."""
        await self._run(scope, receive, send, name, target)

    async def _run(self, scope: Scope, receive: Receive, send: Send, name: str | None, raw_path: bytes) -> None:
        client = WatchedClient(scope.get(DEPARTURE), receive)
        echoed = request_id([value for field, value in scope["headers"] if field == b"x-request-id"])
        arrived_s = self._clock()
        status, failed = 499, None
        try:
            exchange = await self._ask(scope, receive, client, name, raw_path, echoed)
        except ClientGone:
            pass
        except asyncio.CancelledError:
            if not client.gone:
                raise
        except Exception as error:
            reply = refusal(ours(error))
            status, failed = reply.status, reply.detail
            assert isinstance(reply.body, bytes)
            headers = [*reply.headers, *PRIVATE, (b"x-request-id", echoed.encode("ascii"))]
            headers.append((b"content-length", b"%d" % len(reply.body)))
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": reply.body})
        else:
            status = exchange.reply.status
            try:
                headers = _headers(status, exchange.reply.headers, echoed, exchange.upstream, name)
                await send({"type": "http.response.start", "status": status, "headers": headers})
                async for chunk in exchange:
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
                await send({"type": "http.response.body", "body": b"", "more_body": False})
            except asyncio.CancelledError:
                if not client.gone:
                    raise
                failed = "gone"
            except Exception as error:
                # The server closes a connection whose reply was not ended, and so tells the client.
                failed = ours(error).code
            finally:
                await exchange.aclose()
        finally:
            client.close()
            self._metrics.replied("pass", status)
            self._journal.write(
                {
                    "request_id": echoed,
                    "method": scope["method"],
                    "path": scope["path"],
                    "status": status,
                    "outcome": "pass",
                    "failed": failed,
                    "e2e_ms": round((self._clock() - arrived_s) * 1000, 2),
                }
            )

    async def _ask(
        self, scope: Scope, receive: Receive, client: WatchedClient, name: str | None, raw_path: bytes, echoed: str
    ) -> Exchange:
        """Forward the request; the reply's head has arrived.

        Raises:
            ProxyError: it can't or may not be forwarded, or nobody answers.
            ClientGone: the client left before its request was read.
        """
        if not raw_path.startswith(b"/"):
            raise BadRequest("The request target must be a path that begins with a slash.", code="invalid_path")
        if name is None and not self._management and manages(scope["method"], scope["path"]):
            raise Forbidden(
                "This path manages the engine. To forward such paths, write pass_through: all.",
                code="management_path",
            )
        check_length(scope, self._max_body_bytes)
        fields = joined_fields(scope["headers"])
        # Who holds the admin token needs no tenant's key besides.
        tenant = self._tenants.enter(fields, peer_of(scope)) if name is None else None
        body, upstream = await self._target(scope, receive, client, name, tenant, fields.get(b"content-type", b""))
        query = scope["query_string"]
        request = UpstreamRequest(
            scope["method"],
            upstream.base_path + raw_path + (b"?" + query if query else b""),
            request_headers(
                forwarded(scope["headers"], identity=False),
                authorization=self._credentials.for_upstream(upstream, fields),
                request_id=echoed,
            ),
            body,
        )
        queued_as = ADMIN if tenant is None else tenant.label
        return await open_exchange(upstream, request, upstream.timeouts, queued_as, self._metrics, self._clock)

    async def _target(
        self,
        scope: Scope,
        receive: Receive,
        client: WatchedClient,
        name: str | None,
        tenant: Tenant | None,
        content_type: bytes,
    ) -> tuple[bytes | AsyncIterator[bytes], Upstream]:
        upstreams = self._pool.upstreams
        if name is not None:
            named = next((upstream for upstream in upstreams if upstream.name == name), None)
            if named is None:
                raise NotFound("No upstream has this name. They are the names under `upstreams:` in the settings.")
            return await self._body(receive, client), named
        assert tenant is not None
        restricted = not tenant.may_ask(None)
        if scope["method"] in NAMELESS or (len(upstreams) == 1 and not restricted):
            return await self._body(receive, client), self._pool.choose(self._pool.first)
        body = await read_body(scope, receive, self._max_body_bytes)
        client.watch()
        model = _model(body)
        if restricted and not tenant.may_ask(model):
            raise Forbidden(
                "This tenant may ask some models only: send JSON that names one of them as `model`.",
                param="model",
                code="model_not_allowed",
            )
        if model is None:  # not for rights: which part of a form counts is the engine's to say
            model = _form_model(body, content_type)
        return body, self._pool.choose(self._pool.route_or_first(model))

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
            raise too_large(self._max_body_bytes)


def _headers(status: int, raw: Headers, echoed: str, upstream: Upstream, asked: str | None) -> Headers:
    """The engine's headers for the client, without its address. What says nothing of caches is private."""
    headers = [item for item in response_headers(raw) if item[0] not in (b"x-request-id", b"date")]
    headers = [(name, _own(value, upstream, asked) if name == b"location" else value) for name, value in headers]
    if status not in BODYLESS:
        headers += [item for item in raw if item[0] == b"content-length"]
    if not any(name == b"cache-control" for name, _ in headers):
        headers += PRIVATE
    headers.append((b"x-request-id", echoed.encode("ascii")))
    return headers


def _own(location: bytes, upstream: Upstream, asked: str | None) -> bytes:
    """`asked`: the name by which the upstream was asked for, if it was."""
    path = upstream.own_path(location)
    return b"/upstream/" + quote(asked).encode() + path if asked is not None and path != location else path


def _model(body: bytes) -> str | None:
    try:
        payload = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(payload, dict) or may_name_another_model(payload):
        return None
    model = payload.get("model")
    return model if isinstance(model, str) else None


_FORM = re.compile(rb"multipart/form-data\s*;(?:.*;)?\s*boundary=\"?([^\";\s]{1,70})", re.IGNORECASE)
_NAMED_MODEL = re.compile(rb'form-data\s*;(?:[^\r\n]*;)?\s*name="?model"?\s*(?:;|\r|$)', re.IGNORECASE)

FORM_PARTS = 32
"""Of a form, so many are looked at for the model."""

FORM_HEAD_BYTES = 4096
"""Of a part; a longer one is none that says the model."""


def _form_model(body: bytes, content_type: bytes) -> str | None:
    """The model that a form names, as the one with a file to transcribe does."""
    form = _FORM.match(content_type)
    if form is None:
        return None
    boundary = b"--" + form[1]
    start = body.find(boundary)
    for _ in range(FORM_PARTS):
        end = body.find(b"\r\n" + boundary, start + len(boundary))
        if start < 0 or end < 0:
            return None
        head_end = body.find(b"\r\n\r\n", start, min(end, start + FORM_HEAD_BYTES))
        if head_end >= 0 and _NAMED_MODEL.search(body[start:head_end]):
            return body[head_end + 4 : end].decode("utf-8", "replace")
        start = end + 2
    return None
