"""Counts what happens, and exports it with what is read at a scrape. `metric_table.py` names every metric."""

from collections.abc import Callable, Iterator, Mapping

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from proxy.cache.exact import Entry
from proxy.context import Outcome, Reply, RequestContext
from proxy.metric_table import METRICS, Metric
from proxy.tally import Count, Counter, Histogram, Series, Sum

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)

Reading = float | Mapping[str, float]
"""A value, or one by the value of the metric's only label."""
Readings = Mapping[str, Callable[[], Reading]]
"""How to read a metric, by its name."""


class Metrics:
    """One per app, with a registry of its own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._before: list[Callable[[], None]] = []
        self.registry.register(_First(self._before))
        self._readings: dict[str, Callable[[], Reading]] = {}
        counters: dict[str, Counter] = {}
        histograms: dict[str, Histogram] = {}
        for metric in METRICS:
            labels = tuple(metric.labels)
            if metric.name in READ_AT_SCRAPE:
                continue
            if metric.kind == "counter":
                counters[metric.name] = Counter(metric.name, metric.text, labels)
            else:
                histograms[metric.name] = Histogram(metric.name, metric.text, labels, SECONDS)
            self.registry.register(counters.get(metric.name) or histograms[metric.name])
        self.registry.register(_AtScrape(self._readings))
        self._requests = counters["askonce_requests"]
        self._replies = counters["askonce_replies"]
        self._bypasses = counters["askonce_bypasses"]
        self._generations_saved = counters["askonce_generations_saved"]
        tokens_saved = counters["askonce_tokens_saved"]
        seconds_saved = counters["askonce_upstream_seconds_saved"]
        tokens_spent = counters["askonce_tokens_spent"]
        self._stored = counters["askonce_stored"]
        self._not_stored = counters["askonce_not_stored"]
        self._asked_again = counters["askonce_flights_asked_again"]
        self._upstream_failures = counters["askonce_upstream_failures"]
        self._semantic_misses = counters["askonce_semantic_misses"]
        self._reloads = counters["askonce_reloads"]
        self._first_byte = histograms["askonce_ttft_seconds"]
        self._whole = histograms["askonce_e2e_seconds"]
        self._upstream = histograms["askonce_upstream_seconds"]
        # What every request counts, found once: the label values are few, and none is the client's text.
        self._stored_sums: dict[str, Sum] = {}
        self._upstream_series: dict[str, Series] = {}
        self._statuses: dict[tuple[str, int], Sum] = {}
        self._prompt_saved = tokens_saved.at("prompt")
        self._completion_saved = tokens_saved.at("completion")
        self._time_saved = seconds_saved.at()
        self._prompt_spent = tokens_spent.at("prompt")
        self._completion_spent = tokens_spent.at("completion")

    def answers(self, status: int, outcome: Outcome, family: str, model: str, reason: str | None) -> Count:
        """Counts a reply of a model path that has gone out whole: seconds to its first byte, and to its end."""
        replies = self._replies.at("model", str(status))
        requests = self._requests.at(outcome.value, family, model)
        first_byte, whole = self._first_byte.at(outcome.value), self._whole.at(outcome.value)
        bypasses = Sum() if reason is None else self._bypasses.at(reason)

        def count(ttft_s: float, e2e_s: float) -> None:
            replies.value += 1
            requests.value += 1
            bypasses.value += 1
            first_byte.observe(ttft_s)
            whole.observe(e2e_s)

        return count

    def repeated(self, ctx: RequestContext, entry: Entry, reply: Reply) -> Count:
        """Counts all there is to count of a hit on `entry` that goes out whole, as `answers` does of any reply."""
        outcome = reply.outcome.value
        replies = self._replies.at("model", str(reply.status))
        requests = self._requests.at(outcome, ctx.family.name, ctx.route.label)
        first_byte, whole = self._first_byte.at(outcome), self._whole.at(outcome)
        saved = self._generations_saved.at(outcome)
        took = entry.prompt_tokens, entry.completion_tokens, entry.upstream_s

        def count(ttft_s: float, e2e_s: float) -> None:
            replies.value += 1
            requests.value += 1
            saved.value += 1
            first_byte.observe(ttft_s)
            whole.observe(e2e_s)
            self.shared(1, *took)

        return count

    def replied(self, path: str, status: int) -> None:
        """A reply's head went out, on any path; `path` is a kind, not the client's text."""
        replies = self._statuses.get((path, status))
        if replies is None:
            replies = self._statuses[path, status] = self._replies.at(path, str(status))
        replies.value += 1

    def hit(self, entry: Entry, outcome: Outcome) -> None:
        """A stored answer was served."""
        self._generations_saved.add(outcome.value)
        self.shared(1, entry.prompt_tokens, entry.completion_tokens, entry.upstream_s)

    def followed(self) -> None:
        """A client shares a flight it did not start. What the flight took is told by `shared`, once that is known."""
        self._generations_saved.add(Outcome.COLLAPSED.value)

    def shared(self, times: int, prompt_tokens: int, completion_tokens: int, upstream_s: float) -> None:
        """An answer that took this was given so many times more."""
        if times:
            self._prompt_saved.value += times * prompt_tokens
            self._completion_saved.value += times * completion_tokens
            self._time_saved.value += times * upstream_s

    def asked_again(self) -> None:
        """A flight asks once more."""
        self._asked_again.add()

    def spent(self, prompt_tokens: int, completion_tokens: int) -> None:
        """An answer was generated, and read here."""
        self._prompt_spent.value += prompt_tokens
        self._completion_spent.value += completion_tokens

    def stored(self, family: str) -> None:
        """An answer was stored."""
        stored = self._stored_sums.get(family)
        if stored is None:
            stored = self._stored_sums[family] = self._stored.at(family)
        stored.value += 1

    def not_stored(self, reason: str) -> None:
        """An answer that might have been stored was not."""
        self._not_stored.add(reason)

    def upstream_failed(self, upstream: str, code: str) -> None:
        """An exchange failed."""
        self._upstream_failures.add(upstream, code)

    def upstream_time(self, upstream: str, seconds: float) -> None:
        """An exchange ended."""
        series = self._upstream_series.get(upstream)
        if series is None:
            series = self._upstream_series[upstream] = self._upstream.at(upstream)
        series.observe(seconds)

    def semantic_miss(self, family: str, reason: str) -> None:
        """A semantic lookup served nothing: `empty`, `threshold`, a guard's reason, the embedder's, or `shadow`."""
        self._semantic_misses.add(family, reason)

    def reloaded(self, result: str) -> None:
        """Settings and policies were read again: `ok` or `refused`."""
        self._reloads.add(result)

    def read(self, readings: Readings) -> None:
        """From now on, read these metrics at each scrape; every one of `READ_AT_SCRAPE` has to be among them."""
        self._readings.update(readings)

    def before_reading(self, settle: Callable[[], None]) -> None:
        """From now on, call `settle` before any metric is read: it counts what was put off."""
        self._before.append(settle)

    def render(self) -> bytes:
        """The text exposition format."""
        return generate_latest(self.registry)


READ_AT_SCRAPE = frozenset(
    {metric.name for metric in METRICS if metric.kind == "gauge"}
    | {"askonce_flights_started", "askonce_flights_joined", "askonce_readers_cut"}
    | {"askonce_batches", "askonce_batched_requests", "askonce_semantic_fills_left_out", "askonce_embedder_refused"}
    | {"askonce_embedder_vectors", "askonce_embedder_reused", "askonce_embedder_batches"}
)
"""Metrics that their owners count themselves."""


class _First(Collector):
    """Has no metric, and is asked before those that have."""

    def __init__(self, before: list[Callable[[], None]]) -> None:
        self._before = before

    def collect(self) -> Iterator[Family]:
        for settle in self._before:
            settle()
        return iter(())


class _AtScrape(Collector):
    """Metrics whose values are where they are counted; a label's value that is gone is no longer exported."""

    def __init__(self, readings: Readings) -> None:
        self._readings = readings

    def collect(self) -> Iterator[Family]:
        for metric in METRICS:
            read = self._readings.get(metric.name)
            if read is not None:
                yield _family(metric, read())


def _family(metric: Metric, reading: Reading) -> Family:
    kind = CounterMetricFamily if metric.kind == "counter" else GaugeMetricFamily
    family = kind(metric.name, metric.text, labels=tuple(metric.labels))
    for label, value in reading.items() if isinstance(reading, Mapping) else [(None, reading)]:
        family.add_metric([] if label is None else [label], value)
    return family
