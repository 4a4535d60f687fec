"""From the settings of upstreams to upstreams; a reload keeps the connections of those that stay."""

from collections.abc import Callable, Mapping, Sequence

from config.settings import Settings, UpstreamSettings, key_from
from proxy.gate import Gate
from proxy.upstream import make_client
from proxy.upstream.client import Timeouts, UpstreamClient
from proxy.upstream.health import Health
from proxy.upstream.pool import Upstream

Connect = Callable[..., UpstreamClient]
"""Called as `make_client` is."""


def build_upstreams(
    settings: Settings,
    environment: Mapping[str, str],
    clock: Callable[[], float],
    connect: Connect = make_client,
    previous: Sequence[Upstream] = (),
) -> list[Upstream]:
    """The configured upstreams; one that was there before, at the same URL, keeps its client, gate and health."""
    return [_build(item, settings, environment, clock, connect, previous) for item in settings.upstreams]


def _build(
    item: UpstreamSettings,
    settings: Settings,
    environment: Mapping[str, str],
    clock: Callable[[], float],
    connect: Connect,
    previous: Sequence[Upstream],
) -> Upstream:
    limits = item.timeouts
    stale_window_s = item.stale_window_ms / 1000
    place = (item.name, item.url, stale_window_s)
    before = next((old for old in previous if (old.name, old.url, old.stale_window_s) == place), None)
    if before is None:
        client = connect(item.url, settings.upstream_client, stale_window_s=stale_window_s)
        gate = Gate(item.max_concurrency, item.max_queue, item.queue_timeout_s)
        health = Health(clock)
    else:
        client, gate, health = before.client, before.gate, before.health
        gate.configure(item.max_concurrency, item.max_queue, item.queue_timeout_s)
    upstream = Upstream(
        name=item.name,
        url=item.url,
        models=item.models,
        aliases=item.aliases,
        api_key=key_from(environment, item.api_key_env),
        revision=item.revision,
        always_stream=item.always_stream,
        ask_usage=item.ask_usage,
        drain=item.drain,
        timeouts=Timeouts(limits.connect_s, limits.first_byte_s, limits.between_chunks_s, limits.total_s),
        client=client,
        gate=gate,
        health=health,
        stale_window_s=stale_window_s,
    )
    if before is not None:
        upstream.fingerprints = before.fingerprints
        upstream.without_usage = before.without_usage
    return upstream
