"""Which upstream serves a model, and which of several to ask now."""

import fnmatch
import hashlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from policies.model import TimeoutsPolicy
from proxy.errors import ModelNotFound, Unavailable
from proxy.gate import Gate
from proxy.upstream.client import Timeouts, UpstreamClient
from proxy.upstream.health import USABLE, Health, Verdict

ROUTES_REMEMBERED = 1024
"""Model names, chosen by clients, whose route is kept ready."""

NO_UPSTREAM = "no_upstream"
"""Code of the error that nobody could be asked, so that nothing was generated."""

_PREFERENCE = {Verdict.USABLE: 0, Verdict.SUSPECTED: 1, Verdict.DOWN: 2}


class Upstream:
    """One configured engine and what is known of it now. Changed only by the probe, its exchanges and its gate."""

    def __init__(
        self,
        *,
        name: str,
        url: str,
        models: Sequence[str],
        aliases: dict[str, str],
        api_key: str | None,
        revision: str,
        always_stream: bool,
        ask_usage: bool,
        drain: bool,
        timeouts: Timeouts,
        client: UpstreamClient,
        gate: Gate,
        health: Health,
        stale_window_s: float = 0.05,
    ) -> None:
        self.name = name
        self.url = url
        path = url.partition("://")[2].partition("/")[2].rstrip("/")
        self.base_path = f"/{path}".encode("ascii") if path else b""
        """What stands before `/v1` in the configured URL; usually empty."""
        self.models = tuple(models)
        self.aliases = aliases
        self.api_key = api_key
        """None: the client's own goes up. Empty: none does, since the variable that should hold one does not."""
        self.revision = revision
        self.always_stream = always_stream
        self.ask_usage = ask_usage
        self.drain = drain
        self.timeouts = timeouts
        self.client = client
        self.stale_window_s = stale_window_s
        """As the client was made with it."""
        self.gate = gate
        self.health = health
        self.limits: dict[str, tuple[TimeoutsPolicy, Timeouts]] = {}
        """By family: what it gives, and what holds here. Written by the exchanges, anew where a reload changed it."""
        self.without_usage: set[str] = set()
        """The server's names of models that are not asked for usage, since it refused that; `Ask` writes them."""
        self.fingerprints: dict[str, str] = {}
        """By the server's name of a model: what identifies its weights. The probe writes it; kept while it is away."""
        self._matches = [re.compile(fnmatch.translate(glob)).match for glob in models]

    def own_path(self, location: bytes) -> bytes:
        """A `Location` on this server as the path a client of ours asks for; any other as it is."""
        url, base = urlsplit(self.url), self.base_path
        here = f"{url.scheme}://{url.netloc.rpartition('@')[2]}".lower().encode()
        absolute = location[: len(here)].lower() == here
        path = location[len(here) :] if absolute else location
        if path[:1] not in ((b"/", b"?", b"#", b"") if absolute else (b"/",)):
            return location
        if path.startswith(base) and path[len(base) : len(base) + 1] in (b"/", b"?", b"#", b""):
            path = path[len(base) :]
        # Two slashes, or what a browser takes for two, would begin the name of another host.
        return b"/" + path.lstrip(b"/\\") if absolute or path[1:2] not in (b"/", b"\\") else location

    def resolve(self, model: str | None) -> str | None:
        """This upstream's name for `model`, or None if it does not serve it. No model at all is anybody's."""
        if model is None:
            return ""
        if model in self.aliases:
            return self.aliases[model]
        if any(match(model) for match in self._matches):
            return model
        return None


@dataclass(frozen=True, slots=True)
class Route:
    """Where requests for one model go: upstreams that all mean the same by it."""

    model: str
    """The upstreams' name for the model; it and the revision are in the key."""
    revision: str
    """The configured one, and a digest of what the upstreams say identifies the weights."""
    upstreams: tuple[Upstream, ...]
    label: str
    """The model as a metric label: a configured name or glob."""
    always_stream: bool
    """Whether plain requests, too, are asked as streams, whoever is chosen."""
    asks_usage: bool
    """Whether a stream that may be shared has its usage, whoever is chosen."""


class Pool:
    """All upstreams, in the order of the configuration, which is the order of preference between revisions."""

    def __init__(self, upstreams: Sequence[Upstream]) -> None:
        self.upstreams = tuple(upstreams)
        self._routes: dict[str | None, tuple[Route, ...]] = {}
        """At most `ROUTES_REMEMBERED`; the oldest makes room."""

    def replace(self, upstreams: Sequence[Upstream]) -> None:
        """A reload: what is under way goes on where it is."""
        self.upstreams = tuple(upstreams)
        self.forget_routes()

    def forget_routes(self) -> None:
        """Something that routes depend on has changed."""
        self._routes.clear()

    def route(self, model: str | None) -> Route:
        """The upstreams for `model`: of the groups that mean the same by it, the first that is well, else can be asked.

        Raises:
            ModelNotFound: nobody serves it.
        """
        routes = self._routes.get(model)
        if routes is None:
            routes = self._find(model)
            if len(self._routes) >= ROUTES_REMEMBERED:
                del self._routes[next(iter(self._routes))]
            self._routes[model] = routes
        if len(routes) > 1:
            return min(routes, key=_rank)
        return routes[0]

    @property
    def first(self) -> Route:
        """Where requests go that name no model: the first upstream that can be asked, whoever it serves."""
        upstream = next((upstream for upstream in self.upstreams if _usable(upstream)), self.upstreams[0])
        return _route("", (upstream,), "none")

    def route_or_first(self, model: str | None) -> Route:
        """The route of `model`, or the first upstream where nobody serves it."""
        try:
            return self.first if model is None else self.route(model)
        except ModelNotFound:
            return self.first

    def _find(self, model: str | None) -> tuple[Route, ...]:
        groups: dict[tuple[str, str], list[Upstream]] = {}
        for upstream in self.upstreams:
            if (name := upstream.resolve(model)) is not None:
                groups.setdefault((name, upstream.revision), []).append(upstream)
        if not groups:
            raise ModelNotFound(
                "No upstream serves this model. Ask GET /v1/models for the ones there are, or add the name to an "
                "upstream's `models` or `aliases`.",
                param="model",
            )
        return tuple(_route(name, tuple(group), _label(group[0], model)) for (name, _), group in groups.items())

    def choose(self, route: Route, tried: Collection[Upstream] = ()) -> Upstream:
        """The healthiest upstream of `route` with the least outstanding requests, in configured order among equals.

        Raises:
            Unavailable: none is left; the message says why for each.
        """
        upstreams = route.upstreams
        first = upstreams[0]
        if len(upstreams) == 1 and not (tried or first.drain) and first.health.verdict is USABLE:
            return first
        usable = [upstream for upstream in upstreams if upstream not in tried and _usable(upstream)]
        if not usable:
            why = "; ".join(f"{upstream.name}: {_trouble(upstream)}" for upstream in upstreams)
            raise Unavailable(f"No upstream can take this request now ({why}).", code=NO_UPSTREAM, retry_after_s=1)
        return min(usable, key=_load)

    async def aclose(self) -> None:
        """Close every connection."""
        for upstream in self.upstreams:
            await upstream.client.aclose()


def _route(model: str, upstreams: tuple[Upstream, ...], label: str) -> Route:
    known = sorted({up.fingerprints[model] for up in upstreams if model in up.fingerprints})
    revision = upstreams[0].revision
    if known:
        revision += "#" + hashlib.sha256("\n".join(known).encode()).hexdigest()[:16]
    return Route(
        model,
        revision,
        upstreams,
        label,
        always_stream=all(upstream.always_stream for upstream in upstreams),
        asks_usage=all(upstream.ask_usage and model not in upstream.without_usage for upstream in upstreams),
    )


def _usable(upstream: Upstream) -> bool:
    return not upstream.drain and upstream.health.may_be_asked()


def _rank(route: Route) -> int:
    """How little can be said for a route now; the first among equals is preferred."""
    usable = [_PREFERENCE[upstream.health.verdict] for upstream in route.upstreams if _usable(upstream)]
    return min(usable, default=len(_PREFERENCE))


def _trouble(upstream: Upstream) -> str:
    return "draining" if upstream.drain else upstream.health.reason or "failed just now"


def _load(upstream: Upstream) -> tuple[int, int]:
    return _PREFERENCE[upstream.health.verdict], upstream.gate.in_flight + upstream.gate.waiting


def _label(upstream: Upstream, model: str | None) -> str:
    if model is None:
        return "none"
    if model in upstream.aliases:
        return model
    return next((glob for glob in upstream.models if fnmatch.fnmatchcase(model, glob)), "other")
