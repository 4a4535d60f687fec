"""Where the metrics are read that their owners count themselves."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from proxy.cache.exact import ExactCache
from proxy.flight import Flights
from proxy.metrics import Reading, Readings
from proxy.middleware.micro_batch import Merger
from proxy.revalidation import Revalidation
from proxy.upstream.health import Verdict
from proxy.upstream.pool import Pool, Upstream

if TYPE_CHECKING:  # they load numpy, which the plain proxy does without
    from proxy.cache.embedder_worker import EmbeddingWorker
    from proxy.semantics import Semantics


def readings(
    pool: Pool,
    cache: ExactCache,
    flights: Flights[Any],
    batcher: Merger,
    revalidation: Revalidation,
    semantics: "Callable[[], Semantics | None]",
) -> Readings:
    """All that `Metrics.read` wants. `semantics` gives None as long as no family needs it."""

    def upstreams(value: Callable[[Upstream], float]) -> Callable[[], Reading]:
        return lambda: {upstream.name: value(upstream) for upstream in pool.upstreams}

    def semantic(value: "Callable[[Semantics], float]") -> Callable[[], Reading]:
        return lambda: 0 if (there := semantics()) is None else value(there)

    def embedder(value: "Callable[[EmbeddingWorker], float]") -> Callable[[], Reading]:
        return semantic(lambda there: 0 if there.worker is None else value(there.worker))

    def refused() -> Reading:
        there = semantics()
        if there is None or there.worker is None:
            return {}
        return {reason: float(count) for reason, count in there.worker.refused.items()}

    return {
        "askonce_cache_entries": lambda: len(cache),
        "askonce_cache_bytes": lambda: cache.size,
        "askonce_revalidations": lambda: len(revalidation),
        "askonce_flights": lambda: len(flights),
        "askonce_flight_readers": lambda: flights.readers,
        "askonce_flight_bytes": lambda: flights.total_bytes,
        "askonce_flights_started": lambda: flights.started,
        "askonce_flights_joined": lambda: flights.joined,
        "askonce_readers_cut": lambda: flights.cut,
        "askonce_batches": lambda: batcher.batches,
        "askonce_batched_requests": lambda: batcher.items,
        "askonce_batching": lambda: batcher.waiting,
        "askonce_upstream_up": upstreams(_up),
        "askonce_upstream_in_flight": upstreams(lambda upstream: upstream.gate.in_flight),
        "askonce_upstream_waiting": upstreams(lambda upstream: upstream.gate.waiting),
        "askonce_semantic_vectors": semantic(lambda there: there.cache.stats().vectors),
        "askonce_semantic_namespaces": semantic(lambda there: there.cache.stats().namespaces),
        "askonce_semantic_bytes": semantic(lambda there: there.cache.stats().bytes),
        "askonce_semantic_fills_left_out": semantic(lambda there: there.fills_left_out),
        "askonce_embedder_up": embedder(lambda worker: worker.status.ok),
        "askonce_embedder_waiting": embedder(lambda worker: worker.waiting),
        "askonce_embedder_vectors": embedder(lambda worker: worker.vectors),
        "askonce_embedder_reused": embedder(lambda worker: worker.reused),
        "askonce_embedder_batches": embedder(lambda worker: worker.batches),
        "askonce_embedder_refused": refused,
    }


def _up(upstream: Upstream) -> float:
    return float(not upstream.drain and upstream.health.verdict is not Verdict.DOWN)
