"""The composition root: builds every part from the settings, and closes what it built."""

import asyncio
import logging
import os
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.routing import Mount

from config.settings import Settings, UpstreamSettings
from policies.load import PolicyError, load_policies
from policies.model import PolicySet
from proxy.access_log import AccessLog
from proxy.admin import AdminToken, admin_app
from proxy.cache.exact import ExactCache
from proxy.chain import Stages, build_chain
from proxy.context import Reply
from proxy.edge import Edge, Receive, Scope, Send, joined_fields, refusal
from proxy.errors import ProxyError
from proxy.flight import Flights
from proxy.gate import Gate
from proxy.headers import request_id
from proxy.metrics import Metrics
from proxy.middleware.cache_store import CacheStore
from proxy.middleware.exact_lookup import ExactLookup
from proxy.middleware.keying import Keying, Policies
from proxy.middleware.micro_batch import Merger, MicroBatch, send_merged
from proxy.middleware.permit import Permit
from proxy.middleware.single_flight import SingleFlight
from proxy.models import Models
from proxy.openai import CHAT, COMPLETIONS
from proxy.passthrough import PassThrough
from proxy.replay import Marks
from proxy.tenants import Tenants
from proxy.upstream import make_client
from proxy.upstream.ask import Ask
from proxy.upstream.client import Timeouts, UpstreamClient
from proxy.upstream.credentials import Credentials
from proxy.upstream.pool import Pool, Upstream

logger = logging.getLogger("askonce")

MODEL_PATHS = frozenset({CHAT, COMPLETIONS})
OWN_PATHS = ("/healthz", "/readyz", "/metrics", "/admin", "/dashboard")
LOG_FLUSH_S = 1.0


class App:
    """The ASGI application. The model paths go straight to the edge; Starlette serves only what is askonce's own."""

    def __init__(
        self,
        settings: Settings,
        policies: PolicySet,
        *,
        environment: dict[str, str] | None = None,
        clock: Callable[[], float] = time.monotonic,
        connect: Callable[..., UpstreamClient] = make_client,
    ) -> None:
        self.settings = settings
        self.policies = Policies(policies)
        self.draining = False
        """Set by the server once it is told to stop; `/readyz` then says no."""
        environment = dict(os.environ) if environment is None else environment
        self.admin_token = _secret(settings.admin_token)
        secret = _secret(settings.tenant_secret).encode()

        self.metrics = Metrics()
        self.access_log = AccessLog(None if settings.access_log == "off" else settings.access_log)
        self.tenants = Tenants(secret)
        self.pool = Pool([_upstream(item, settings, environment, connect) for item in settings.upstreams])
        self.cache = ExactCache(max_entries=settings.store.max_entries, max_bytes=settings.store.max_bytes)
        self.flights: Flights[Reply] = Flights(
            max_bytes=settings.flights.max_bytes,
            max_log_bytes=settings.store.max_entry_bytes,
            slow_reader_s=settings.flights.slow_reader_s,
        )
        self.batcher = Merger(send_merged)
        credentials = Credentials(settings.forward_authorization)
        marks = Marks.new()
        max_entry_bytes = settings.store.max_entry_bytes
        self.handler = build_chain(
            Stages(
                keying=Keying(self.policies, self.pool),
                permit=Permit(),
                exact_lookup=ExactLookup(self.cache, marks, self.metrics, clock),
                single_flight=SingleFlight(self.flights, self.metrics),
                cache_store=CacheStore(self.cache, marks, self.metrics, clock, max_entry_bytes=max_entry_bytes),
                micro_batch=MicroBatch(self.batcher),
                ask=Ask(self.pool, credentials, self.metrics, clock, max_entry_bytes=max_entry_bytes),
            )
        )
        self._edge = Edge(
            self.handler,
            self.tenants,
            self.metrics,
            self.access_log,
            clock,
            max_body_bytes=settings.max_body_bytes,
            heartbeat_s=settings.flights.heartbeat_s,
        )
        self._models = Models(self.pool, credentials)
        self._pass_through = PassThrough(
            self.pool,
            credentials,
            self.tenants,
            self.metrics,
            self.access_log,
            clock,
            management=settings.pass_through == "all",
            max_body_bytes=settings.max_body_bytes,
        )
        self._token = AdminToken(self.admin_token)
        own = admin_app(
            token=self._token,
            ready=self.ready,
            metrics=self.metrics,
            metrics_public=settings.metrics.public,
            cache=self.cache,
            explain=None,
        )
        self._own = Starlette(routes=[Mount("/", app=own)], lifespan=self._lifespan)
        self._gauges()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Dispatch by path: three string comparisons for a model request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._own(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1003})
            return
        path: str = scope["path"]
        if path in MODEL_PATHS and scope["method"] == "POST":
            await self._edge(scope, receive, send)
        elif path == "/v1/models" or path.startswith("/v1/models/"):
            await self._list_models(scope, receive, send)
        elif _is_own(path):
            await self._own(scope, receive, send)
        elif path.startswith("/upstream/"):
            await self._named(scope, receive, send)
        else:
            await self._pass_through(scope, receive, send)

    async def _list_models(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "GET":
            await self._pass_through(scope, receive, send)
            return
        fields = joined_fields(scope["headers"])
        try:
            self.tenants.identify(fields)
            reply = await self._models.reply(scope["path"], scope["headers"], fields)
        except ProxyError as error:
            reply = refusal(error)
        assert isinstance(reply.body, bytes)
        await _send_small(scope, send, reply.status, reply.headers, reply.body)
        self.metrics.replied("models", reply.status)

    async def _named(self, scope: Scope, receive: Receive, send: Send) -> None:
        """`/upstream/NAME/…`: one upstream by name, management paths included, with the admin token."""
        try:
            self._token.check(joined_fields(scope["headers"]))
        except ProxyError as error:
            await _send_small(scope, send, error.status, error.headers(), error.body())
            return
        name, _, rest = scope["path"].removeprefix("/upstream/").partition("/")
        # The rest of the path is taken from the raw one, so that its own percent-encoding survives.
        target = b"/" + scope["raw_path"].split(b"/", 3)[3] if rest else b"/"
        bearer = [item for item in scope["headers"] if item[0] not in (b"authorization", b"x-askonce-admin-token")]
        kept = {**scope, "headers": bearer if self._admin_by_bearer(scope) else scope["headers"]}
        await self._pass_through.to_named(name, target, kept, receive, send)

    def _admin_by_bearer(self, scope: Scope) -> bool:
        return not any(name == b"x-askonce-admin-token" for name, _ in scope["headers"])

    def ready(self) -> tuple[bool, dict[str, Any]]:
        """Whether requests can be answered now, and why not."""
        if self.draining:
            return False, {"status": "draining"}
        return True, {"status": "ok", "upstreams": {upstream.name: {} for upstream in self.pool.upstreams}}

    def drain(self) -> None:
        """From now on `/readyz` says no, so that a balancer sends its traffic elsewhere."""
        self.draining = True

    def reload(self) -> None:
        """Read the policies again. What is wrong with them is said, and the old ones stay in force."""
        try:
            policies = load_policies(self.settings.policies, strict_evidence=self.settings.strict_evidence)
        except PolicyError as error:
            logger.error("the policies were not reloaded, the old ones stay in force:\n%s", error)
            return
        self.policies.current = policies
        logger.info("policies reloaded from %s", policies.source)

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        flusher = asyncio.get_running_loop().create_task(self._flush_log())
        try:
            yield
        finally:
            flusher.cancel()
            await asyncio.gather(flusher, return_exceptions=True)
            await self.flights.drain(0)
            await self.batcher.aclose()
            await self.pool.aclose()
            self.access_log.close()

    async def _flush_log(self) -> None:
        while True:
            await asyncio.sleep(LOG_FLUSH_S)
            self.access_log.flush()

    def _gauges(self) -> None:
        gauge = self.metrics.gauge
        gauge("askonce_cache_entries", "Stored answers.", lambda: len(self.cache))
        gauge("askonce_cache_bytes", "Bytes that stored answers count for.", lambda: self.cache.size)
        gauge("askonce_flights", "Answers being generated and shared.", lambda: len(self.flights))
        gauge("askonce_flight_bytes", "Bytes held for them.", lambda: self.flights.total_bytes)
        gauge("askonce_batching", "Requests that wait for their batch.", lambda: self.batcher.waiting)
        gauge("askonce_in_flight", "Exchanges under way.", lambda: sum(up.gate.in_flight for up in self.pool.upstreams))
        gauge("askonce_waiting", "Requests in the queues.", lambda: sum(up.gate.waiting for up in self.pool.upstreams))


def create_app(
    settings: Settings,
    policies: PolicySet,
    *,
    environment: dict[str, str] | None = None,
    clock: Callable[[], float] = time.monotonic,
    connect: Callable[..., UpstreamClient] = make_client,
) -> App:
    """The application for these settings and policies.

    Args:
        environment: where `api_key_env` names are looked up; the process's own if None.
        clock: monotonic seconds.
        connect: makes the client of one upstream; tests give one without a network.
    """
    return App(settings, policies, environment=environment, clock=clock, connect=connect)


def _upstream(
    item: UpstreamSettings,
    settings: Settings,
    environment: dict[str, str],
    connect: Callable[..., UpstreamClient],
) -> Upstream:
    limits = item.timeouts
    base_path = "/" + item.url.partition("://")[2].partition("/")[2]
    return Upstream(
        name=item.name,
        base_path=base_path.rstrip("/"),
        models=item.models,
        aliases=item.aliases,
        api_key=environment.get(item.api_key_env) if item.api_key_env else None,
        revision=item.revision,
        always_stream=item.always_stream,
        ask_usage=item.ask_usage,
        drain=item.drain,
        timeouts=Timeouts(limits.connect_s, limits.first_byte_s, limits.between_chunks_s, limits.total_s),
        client=connect(item.url, settings.upstream_client, stale_window_s=item.stale_window_ms / 1000),
        gate=Gate(max_concurrency=item.max_concurrency, max_queue=item.max_queue, queue_timeout_s=item.queue_timeout_s),
    )


def _secret(configured: SecretStr | None) -> str:
    """The configured value, or one for this start."""
    return secrets.token_urlsafe(32) if configured is None else configured.get_secret_value()


def _is_own(path: str) -> bool:
    return any(path == own or path.startswith(own + "/") for own in OWN_PATHS)


async def _send_small(scope: Scope, send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    echoed = request_id([value for name, value in scope["headers"] if name == b"x-request-id"]).encode("ascii")
    headers = [*headers, (b"x-request-id", echoed), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
