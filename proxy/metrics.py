"""Every metric askonce exports, named in one table; labels come from configured names and closed sets only."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from proxy.cache.exact import Entry
from proxy.context import Outcome, Reply, RequestContext

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)

# name, labels, help; histograms are in seconds
COUNTERS = {
    "requests": ("askonce_requests", ("outcome", "family", "model"), "Requests to the model paths, by outcome."),
    "replies": ("askonce_replies", ("path", "status"), "Replies, by kind of path and status."),
    "bypasses": ("askonce_bypasses", ("reason",), "Requests that were neither looked up nor stored, by reason."),
    "not_stored": ("askonce_not_stored", ("reason",), "Answers that were not stored, by reason."),
    "stored": ("askonce_stored", ("family",), "Answers stored."),
    "tokens_spent": ("askonce_tokens_spent", ("kind",), "Tokens of answers that were generated and read here."),
    "tokens_saved": ("askonce_tokens_saved", ("kind",), "Tokens of answers that were not generated again."),
    "seconds_saved": ("askonce_upstream_seconds_saved", (), "Upstream seconds that stored answers had taken."),
    "generations_saved": ("askonce_generations_saved", ("by",), "Generations that were not needed."),
    "asked_again": ("askonce_flights_asked_again", (), "Flights that asked once more after a passing failure."),
    "semantic_misses": ("askonce_semantic_misses", ("family", "reason"), "Semantic lookups without a hit, by reason."),
    "reloads": ("askonce_reloads", ("result",), "Reloads of settings and policies: ok or refused."),
    "upstream_failures": ("askonce_upstream_failures", ("upstream", "code"), "Exchanges that failed, by code."),
}
HISTOGRAMS = {
    "first_byte": ("askonce_ttft_seconds", ("outcome",), "From the request to the first byte of the reply's body."),
    "whole": ("askonce_e2e_seconds", ("outcome",), "From the request to the end of the reply."),
    "upstream": ("askonce_upstream_seconds", ("upstream",), "From asking an upstream to the end of its reply."),
}


class Metrics:
    """Counts what happens. One per app, with a registry of its own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._counters = {
            key: Counter(name, text, labels, registry=self.registry) for key, (name, labels, text) in COUNTERS.items()
        }
        self._histograms = {
            key: Histogram(name, text, labels, registry=self.registry, buckets=SECONDS)
            for key, (name, labels, text) in HISTOGRAMS.items()
        }
        self._up = Gauge(
            "askonce_upstream_up", "Whether an upstream may be asked.", ("upstream",), registry=self.registry
        )
        self._ready: dict[tuple[str, str, str], Counter] = {}

    def answered(self, ctx: RequestContext, reply: Reply, ttft_s: float, e2e_s: float) -> None:
        """One reply of a model path has gone out whole."""
        outcome = reply.outcome
        labels = (outcome.value, ctx.family.name, ctx.route.label)
        counter = self._ready.get(labels)
        if counter is None:
            counter = self._ready[labels] = self._counters["requests"].labels(*labels)
        counter.inc()
        self._histograms["first_byte"].labels(outcome.value).observe(ttft_s)
        self._histograms["whole"].labels(outcome.value).observe(e2e_s)
        if ctx.permits.reason is not None:
            self._counters["bypasses"].labels(ctx.permits.reason).inc()

    def replied(self, path: str, status: int) -> None:
        """A reply's head went out, on any path; `path` is a kind, not the client's text."""
        self._counters["replies"].labels(path, str(status)).inc()

    def hit(self, entry: Entry, outcome: Outcome) -> None:
        """A stored answer was served."""
        self._counters["generations_saved"].labels(outcome.value).inc()
        self._counters["tokens_saved"].labels("prompt").inc(entry.prompt_tokens)
        self._counters["tokens_saved"].labels("completion").inc(entry.completion_tokens)
        self._counters["seconds_saved"].inc(entry.upstream_s)

    def followed(self) -> None:
        """A client shares a flight it did not start."""
        self._counters["generations_saved"].labels(Outcome.COLLAPSED.value).inc()

    def asked_again(self) -> None:
        """A flight asks once more."""
        self._counters["asked_again"].inc()

    def stored(self, entry: Entry) -> None:
        """An answer was stored."""
        self._counters["stored"].labels(entry.family).inc()
        self._counters["tokens_spent"].labels("prompt").inc(entry.prompt_tokens)
        self._counters["tokens_spent"].labels("completion").inc(entry.completion_tokens)

    def not_stored(self, reason: str) -> None:
        """An answer that might have been stored was not."""
        self._counters["not_stored"].labels(reason).inc()

    def upstream_failed(self, upstream: str, code: str) -> None:
        """An exchange failed."""
        self._counters["upstream_failures"].labels(upstream, code).inc()

    def upstream_time(self, upstream: str, seconds: float) -> None:
        """An exchange ended."""
        self._histograms["upstream"].labels(upstream).observe(seconds)

    def semantic_miss(self, family: str, reason: str) -> None:
        """A semantic lookup served nothing: `empty`, `threshold`, a guard's reason, the embedder's, or `shadow`."""
        self._counters["semantic_misses"].labels(family, reason).inc()

    def reloaded(self, result: str) -> None:
        """Settings and policies were read again: `ok` or `refused`."""
        self._counters["reloads"].labels(result).inc()

    def upstream_states(self, states: dict[str, Callable[[], float]]) -> None:
        """Export whether each upstream may be asked; in place of those that were exported before."""
        self._up.clear()
        for upstream, up in states.items():
            self._up.labels(upstream).set_function(up)

    def gauge(self, name: str, text: str, read: Callable[[], float]) -> None:
        """Export what `read()` returns at the time of the scrape."""
        Gauge(name, text, registry=self.registry).set_function(read)

    def render(self) -> bytes:
        """The text exposition format."""
        return generate_latest(self.registry)
