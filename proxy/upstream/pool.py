"""Which upstream serves a model, and which of several to ask now."""

import fnmatch
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from cachetools import LRUCache

from proxy.errors import ModelNotFound, Unavailable
from proxy.gate import Gate
from proxy.upstream.client import Timeouts, UpstreamClient

ROUTES_REMEMBERED = 1024
"""Model names, chosen by clients, whose route is kept ready."""


class Upstream:
    """One configured engine and what is known of it now. Changed only by the pool, the probe and the gate."""

    def __init__(
        self,
        *,
        name: str,
        base_path: str,
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
    ) -> None:
        self.name = name
        self.base_path = base_path
        """What stands before `/v1` in the configured URL; usually empty."""
        self.models = tuple(models)
        self.aliases = aliases
        self.api_key = api_key
        self.revision = revision
        self.always_stream = always_stream
        self.ask_usage = ask_usage
        self.drain = drain
        self.timeouts = timeouts
        self.client = client
        self.gate = gate
        self._matches = [re.compile(fnmatch.translate(glob)).match for glob in models]

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
    upstreams: tuple[Upstream, ...]
    label: str
    """The model as a metric label: a configured name or glob."""

    @property
    def always_stream(self) -> bool:
        """Whether plain requests, too, are asked as streams, whoever is chosen."""
        return all(upstream.always_stream for upstream in self.upstreams)

    @property
    def asks_usage(self) -> bool:
        """Whether a stream that may be shared has its usage, whoever is chosen."""
        return all(upstream.ask_usage for upstream in self.upstreams)


class Pool:
    """All upstreams, in the order of the configuration."""

    def __init__(self, upstreams: Sequence[Upstream]) -> None:
        self.upstreams = tuple(upstreams)
        self._routes: LRUCache[str | None, Route] = LRUCache(ROUTES_REMEMBERED)

    def route(self, model: str | None) -> Route:
        """The upstreams for `model`.

        The first that serves it decides what it means (model and revision); others join if they mean the same.

        Raises:
            ModelNotFound: nobody serves it.
        """
        route = self._routes.get(model)
        if route is None:
            route = self._routes[model] = self._find(model)
        return route

    @property
    def first(self) -> Route:
        """Where requests go that name no model: the first upstream in use, whoever it serves."""
        upstream = next((upstream for upstream in self.upstreams if not upstream.drain), self.upstreams[0])
        return Route("", upstream.revision, (upstream,), "none")

    def route_or_first(self, model: str | None) -> Route:
        """The route of `model`, or the first upstream where nobody serves it."""
        try:
            return self.first if model is None else self.route(model)
        except ModelNotFound:
            return self.first

    def _find(self, model: str | None) -> Route:
        serving = [(upstream, name) for upstream in self.upstreams if (name := upstream.resolve(model)) is not None]
        if not serving:
            raise ModelNotFound(
                "No upstream serves this model. Ask GET /v1/models for the ones there are, or add the name to an "
                "upstream's `models` or `aliases`.",
                param="model",
            )
        first, name = serving[0]
        same = tuple(up for up, other in serving if (other, up.revision) == (name, first.revision))
        return Route(name, first.revision, same, _label(first, model))

    def choose(self, route: Route, tried: Collection[Upstream] = ()) -> Upstream:
        """The usable upstream of `route` with the least outstanding requests, in configured order among equals.

        Raises:
            Unavailable: none is left.
        """
        usable = [upstream for upstream in route.upstreams if upstream not in tried and not upstream.drain]
        if not usable:
            raise Unavailable("No upstream can take this request now.", code="no_upstream", retry_after_s=1)
        return min(usable, key=_outstanding)

    async def aclose(self) -> None:
        """Close every connection."""
        for upstream in self.upstreams:
            await upstream.client.aclose()


def _outstanding(upstream: Upstream) -> int:
    return upstream.gate.in_flight + upstream.gate.waiting


def _label(upstream: Upstream, model: str | None) -> str:
    if model is None:
        return "none"
    if model in upstream.aliases:
        return model
    return next((glob for glob in upstream.models if fnmatch.fnmatchcase(model, glob)), "other")
