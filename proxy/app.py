"""The composition root: builds every part from the settings, and closes what it built."""

import asyncio
import os
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.routing import Mount

from config.settings import Settings
from policies.model import PolicySet
from proxy.acceptance import Acceptance
from proxy.access_log import AccessLog
from proxy.account import PRIVATE, Account
from proxy.admin import admin_app
from proxy.admin_access import SAFE_METHODS, TOKEN_HEADER, AdminAccess
from proxy.bypass_hint import BypassHint
from proxy.cache.build import build_semantics
from proxy.cache.exact import Entry, ExactCache
from proxy.chain import Stages, build_chain
from proxy.context import Handler, RequestContext
from proxy.edge import Edge, Receive, Scope, peer_of, refusal
from proxy.errors import ProxyError, Unavailable
from proxy.explain import Explainer
from proxy.flight import Flights
from proxy.headers import joined_fields, request_id
from proxy.hit_lane import HitLane
from proxy.journal import Journal
from proxy.metrics import Metrics
from proxy.middleware.cache_store import CacheStore
from proxy.middleware.exact_lookup import ExactLookup
from proxy.middleware.keying import Keying, Policies
from proxy.middleware.micro_batch import Merger, MicroBatch, send_merged
from proxy.middleware.permit import Permit
from proxy.middleware.semantic_lookup import SemanticLookup
from proxy.middleware.single_flight import Head, SingleFlight
from proxy.models import Models
from proxy.openai import CHAT, COMPLETIONS
from proxy.outlet import Send
from proxy.passthrough import PassThrough
from proxy.probe import Probe
from proxy.readings import readings
from proxy.reload import Reloader
from proxy.replay import Marks
from proxy.revalidation import Revalidation
from proxy.tenants import TenantRights, Tenants
from proxy.upstream import make_client
from proxy.upstream.ask import Ask
from proxy.upstream.build import Connect, build_upstreams
from proxy.upstream.client import UpstreamClient
from proxy.upstream.credentials import Credentials
from proxy.upstream.health import Verdict
from proxy.upstream.pool import Pool

if TYPE_CHECKING:  # loading it loads numpy
    from proxy.semantics import Semantics

MODEL_PATHS = frozenset({CHAT, COMPLETIONS})
OWN_PATHS = ("/healthz", "/readyz", "/metrics", "/admin", "/dashboard")
LOG_FLUSH_S = 1.0
PROBE_TIMEOUT_S = 2.0


class App:
    """The ASGI application. The model paths go straight to the edge; Starlette serves only what is askonce's own."""

    def __init__(
        self,
        settings: Settings,
        policies: PolicySet,
        *,
        read_settings: Callable[[], Settings] | None = None,
        files: tuple[Path, ...] = (),
        environment: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.monotonic,
        connect: Connect = make_client,
    ) -> None:
        self.settings = settings
        self.policies = Policies(policies)
        self.draining = False
        """Set by the server once it is told to stop; `/readyz` then says no."""
        self._environment = os.environ if environment is None else environment
        self._clock = clock
        self._connect = connect
        self._retired: list[UpstreamClient] = []
        """Clients of upstreams that a reload removed; they may still carry exchanges."""
        self.admin_token = _secret(settings.admin_token)

        self.metrics = Metrics()
        self.access_log = AccessLog(None if settings.access_log == "off" else settings.access_log)
        self.pool = Pool(build_upstreams(settings, self._environment, clock, connect))
        self.credentials = Credentials(settings.forward_authorization)
        self.tenants = Tenants(
            _secret(settings.tenant_secret).encode(),
            trusted_proxies=settings.trusted_proxies,
            trust_header=settings.trust_tenant_header,
        )
        self._configure_tenants(settings)
        self.cache = ExactCache(
            max_entries=settings.store.max_entries, max_bytes=settings.store.max_bytes, on_removal=self._forget_vector
        )
        self.semantics: Semantics | None = None
        """Built when the first family needs it: the plain proxy loads neither numpy nor FAISS nor the lexicon."""
        self.flights: Flights[Head] = Flights(
            max_bytes=settings.flights.max_bytes,
            max_log_bytes=settings.store.max_entry_bytes,
            slow_reader_s=settings.flights.slow_reader_s,
        )
        self.batcher = Merger(send_merged)
        self.revalidation = Revalidation()
        self.models = Models(self.pool, self.credentials)
        self.acceptance = Acceptance(self._accepts, self._judges, ttl_s=settings.auth_ttl_s, clock=clock)
        self.probe = Probe(self.pool, interval_s=settings.probe_s, timeout_s=min(settings.probe_s, PROBE_TIMEOUT_S))
        self.reloader = Reloader(
            settings, read_settings or (lambda: settings), self.apply, self.start_semantics, self.metrics, files
        )
        self._marks = Marks.new()
        self._semantic_lookup = SemanticLookup(self.cache, self._marks, self.metrics, self.acceptance, clock)
        self.handler = self._chain()
        self._journal = Journal(self.access_log, clock)
        self.metrics.before_reading(self._journal.settle)
        self._account = Account(self.metrics, self._journal, clock)
        self.hit_lane = HitLane(self.cache, self.pool, self.acceptance, self._marks, self._account, clock)
        self.edge = Edge(
            self.handler,
            self.tenants,
            self._account,
            self.hit_lane,
            clock,
            max_body_bytes=settings.max_body_bytes,
            heartbeat_s=settings.flights.heartbeat_s,
        )
        self._pass_through = PassThrough(
            self.pool,
            self.credentials,
            self.tenants,
            self.metrics,
            self._journal,
            clock,
            management=settings.pass_through == "all",
            max_body_bytes=settings.max_body_bytes,
        )
        self._access = AdminAccess(self.admin_token, (settings.host, *settings.admin_hosts))
        own = admin_app(
            access=self._access,
            ready=self.ready,
            metrics=self.metrics,
            metrics_public=settings.metrics.public,
            purge=self.purge,
            families=self._family_names,
            explain=self._explainer(),
        )
        self._own = Starlette(routes=[Mount("/", app=own)], lifespan=self._lifespan)
        self.metrics.read(
            readings(self.pool, self.cache, self.flights, self.batcher, self.revalidation, lambda: self.semantics)
        )

    def _chain(self) -> Handler:
        metrics, clock, marks = self.metrics, self._clock, self._marks
        max_entry_bytes = self.settings.store.max_entry_bytes
        return build_chain(
            Stages(
                keying=Keying(self.policies, self.pool),
                permit=Permit(BypassHint(clock)),
                exact_lookup=ExactLookup(self.cache, marks, metrics, self.acceptance, self.revalidation, clock),
                single_flight=SingleFlight(self.flights, metrics),
                semantic_lookup=self._semantic_lookup,
                cache_store=CacheStore(
                    self.cache, marks, metrics, clock, max_entry_bytes=max_entry_bytes, on_stored=self._fill
                ),
                micro_batch=MicroBatch(self.batcher),
                ask=Ask(self.pool, self.credentials, self.acceptance, metrics, clock, max_entry_bytes=max_entry_bytes),
            )
        )

    def _explainer(self) -> Explainer:
        keying = Keying(self.policies, self.pool)
        return Explainer(self.tenants, keying, Permit(), self.cache, lambda: self.semantics, self._clock)

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
            await self.edge(scope, receive, send)
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
            tenant = self.tenants.enter(fields, peer_of(scope))
            reply = await self.models.reply(scope["path"], scope["headers"], fields, tenant.may_ask)
        except ProxyError as error:
            reply = refusal(error)
            reply.headers += PRIVATE
        assert isinstance(reply.body, bytes)
        await _send_small(scope, send, reply.status, reply.headers, reply.body)
        self.metrics.replied("models", reply.status)

    async def _named(self, scope: Scope, receive: Receive, send: Send) -> None:
        """`/upstream/NAME/…`: one upstream by name, management paths included, with the admin token."""
        fields = joined_fields(scope["headers"])
        try:
            if scope["method"] in SAFE_METHODS:
                self._access.check(fields)
            else:
                self._access.check_change(fields)
        except ProxyError as error:
            await _send_small(scope, send, error.status, error.headers(), error.body())
            return
        # Cut from the raw path, so that the percent-encoding of the rest survives.
        name, _, rest = scope["raw_path"].removeprefix(b"/upstream/").partition(b"/")
        if TOKEN_HEADER not in fields:
            # The token came as `Authorization`, where an engine's own credential would stand.
            scope = {**scope, "headers": [item for item in scope["headers"] if item[0] != b"authorization"]}
        await self._pass_through.to_named(unquote(name.decode("ascii")), b"/" + rest, scope, receive, send)

    def ready(self) -> tuple[bool, dict[str, Any]]:
        """Whether requests can be answered now, and why not. Read from what the probes found; asks nobody."""
        upstreams = {
            upstream.name: {
                "state": "draining" if upstream.drain else str(upstream.health.verdict),
                **({"reason": upstream.health.reason} if upstream.health.reason else {}),
            }
            for upstream in self.pool.upstreams
        }
        usable = [name for name, told in upstreams.items() if told["state"] not in ("draining", Verdict.DOWN)]
        worker = None if self.semantics is None else self.semantics.worker
        embedder = "unused" if worker is None else "ok" if worker.status.ok else worker.status.reason
        whole = len(usable) == len(upstreams) and embedder in ("unused", "ok")
        status = "ok" if whole else "degraded" if usable else "unavailable"
        if self.draining:
            status = "draining"
        detail = {"status": status, "upstreams": upstreams, "store": "ok", "embedder": embedder}
        return status in ("ok", "degraded"), detail

    def drain(self) -> None:
        """From now on `/readyz` says no, so that a balancer sends its traffic elsewhere."""
        self.draining = True

    def reload(self) -> None:
        """Read settings and policies again, and open the access log again; for a signal's callback."""
        self._journal.settle()
        self.access_log.reopen()
        self.reloader.soon()

    def apply(self, settings: Settings, policies: PolicySet) -> None:
        """Take over what a reload read: upstreams, tenants, policies. Cache, flights and connections stay."""
        before = self.pool.upstreams
        upstreams = build_upstreams(settings, self._environment, self._clock, self._connect, before)
        kept = {upstream.client for upstream in upstreams}
        self._retired += [upstream.client for upstream in before if upstream.client not in kept]
        self.pool.replace(upstreams)
        self.probe.follow()
        self._configure_tenants(settings)
        self.policies.current = policies
        self.hit_lane.forget()

    def _configure_tenants(self, settings: Settings) -> None:
        judged = any(self.credentials.passes_on(upstream) for upstream in self.pool.upstreams)
        self.tenants.configure(_rights(settings), by_credential=judged)

    def _fill(self, ctx: RequestContext, entry: Entry) -> None:
        if self.semantics is not None:
            self.semantics.fill(ctx, entry)

    def _family_names(self) -> list[str]:
        """Those in force, and those a reload removed whose answers are still stored."""
        policies = self.policies.current
        configured = [family.name for family in (*policies.families, policies.defaults)]
        return [*configured, *(self.cache.families() - {*configured})]

    def _forget_vector(self, key: bytes) -> None:
        if self.semantics is not None:
            self.semantics.cache.remove_key(key)

    def _lifetime_s(self, family: str) -> float:
        exact = self.policies.current.family(family).exact
        return exact.max_age_s if exact.sliding and exact.max_age_s is not None else exact.ttl_s

    async def start_semantics(self) -> None:
        """Build and load what semantic lookup needs, once a family asks for it; the proxy serves meanwhile."""
        families = [self.policies.current.defaults, *self.policies.current.families]
        if self.semantics is None and any(family.semantic.mode != "off" for family in families):
            self.semantics = build_semantics(
                self.settings, self._environment, self.cache, self._clock, self._lifetime_s
            )
            self._semantic_lookup.semantics = self.semantics
            await self.semantics.start()

    async def _accepts(self, ctx: RequestContext) -> str | None:
        others = [upstream for upstream in ctx.route.upstreams if not self.credentials.passes_on(upstream)]
        try:
            judge = self.pool.choose(ctx.route, others)
        except Unavailable:
            return None
        accepted = isinstance(await self.models.ask(judge, ctx.head.headers, ctx.head.fields), list)
        return judge.name if accepted else None

    def _judges(self, ctx: RequestContext) -> list[str]:
        return [upstream.name for upstream in ctx.route.upstreams if self.credentials.passes_on(upstream)]

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        flusher = asyncio.get_running_loop().create_task(self._keep_log())
        starting = asyncio.get_running_loop().create_task(self.start_semantics())
        await self.probe.start()
        self.reloader.watch()
        try:
            yield
        finally:
            flusher.cancel()
            starting.cancel()
            await asyncio.gather(flusher, starting, return_exceptions=True)
            await self.aclose()

    async def aclose(self) -> None:
        """End what is under way, each with an error, and close everything."""
        try:
            await self.reloader.aclose()
            await self.probe.aclose()
            await self.revalidation.aclose()
            await self.acceptance.aclose()
            await self.flights.drain(0)
            await self.batcher.aclose()
            if self.semantics is not None:
                await self.semantics.aclose()
            await self.pool.aclose()
            for client in self._retired:
                await client.aclose()
        finally:
            self.flush_log()
            self.access_log.close()

    def purge(self, family: str | None = None) -> int:
        """Drop the answers of one family, or of all; how many were stored.

        What was asked for before is given to those who wait for it, and to nobody else.
        """
        dropped = self.cache.purge(family)
        self.flights.close_to_joins(family)
        self.hit_lane.forget()
        return dropped

    def flush_log(self) -> None:
        """Write a line of every reply that has gone out."""
        self._journal.settle()
        self.access_log.flush()

    async def _keep_log(self) -> None:
        while True:
            await asyncio.sleep(LOG_FLUSH_S)
            self.flush_log()


def create_app(settings: Settings, policies: PolicySet, **options: Any) -> App:
    """The application for these settings and policies.

    Args:
        options: those of `App`: `read_settings` and `files` for reloads; `environment`, where `api_key_env` names are
            looked up; `clock`, monotonic seconds; `connect`, which makes the client of one upstream.
    """
    return App(settings, policies, **options)


def _rights(settings: Settings) -> list[TenantRights]:
    return [
        TenantRights(tenant.name, tenant.api_keys, tenant.models, tenant.requests_per_minute)
        for tenant in settings.tenants
    ]


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
