"""Every metric askonce exports, in one table; `docs/metrics.md` is generated from it."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Metric:
    """One family of series."""

    name: str
    """As it is exported, without the suffixes that its kind adds (`_total`, `_bucket`, `_sum`, `_count`)."""
    kind: Literal["counter", "gauge", "histogram"]
    unit: str
    labels: dict[str, str]
    """What each label may be: only names from the configuration, and words of closed sets."""
    text: str


OUTCOME = "hit, semantic, stale, collapsed, miss, bypass, pass, refused"
FAMILY = "a configured family, or default"
UPSTREAM = "a configured upstream"
STATUS = "an HTTP status; 499 where the client left"
TOKENS = "prompt or completion"

METRICS = (
    Metric(
        "askonce_requests",
        "counter",
        "requests",
        {"outcome": OUTCOME, "family": FAMILY, "model": "a configured alias or glob, or none"},
        "Requests to the model paths that were answered, by outcome.",
    ),
    Metric(
        "askonce_replies",
        "counter",
        "replies",
        {"path": "model, models or pass", "status": STATUS},
        "Replies on all paths that reach an engine, by kind of path.",
    ),
    Metric(
        "askonce_bypasses",
        "counter",
        "requests",
        {"reason": "a word of docs/headers.md"},
        "Requests to which the cache did not apply in full, by the first reason.",
    ),
    Metric("askonce_ttft_seconds", "histogram", "s", {"outcome": OUTCOME}, "From a request to the first byte it got."),
    Metric("askonce_e2e_seconds", "histogram", "s", {"outcome": OUTCOME}, "From a request to the end of its reply."),
    Metric(
        "askonce_upstream_seconds",
        "histogram",
        "s",
        {"upstream": UPSTREAM},
        "From asking an upstream to the end of its reply.",
    ),
    Metric(
        "askonce_generations_saved",
        "counter",
        "generations",
        {"by": "hit, semantic, stale or collapsed"},
        "Requests answered without a generation of their own.",
    ),
    Metric(
        "askonce_tokens_saved",
        "counter",
        "tokens",
        {"kind": TOKENS},
        "Tokens of the answers that were served again or shared, as the engine told them.",
    ),
    Metric(
        "askonce_upstream_seconds_saved",
        "counter",
        "s",
        {},
        "What those answers took upstream when they were generated, waiting for a place included.",
    ),
    Metric(
        "askonce_tokens_spent",
        "counter",
        "tokens",
        {"kind": TOKENS},
        "Tokens of generated answers that might have been stored, as the engine told them.",
    ),
    Metric("askonce_stored", "counter", "answers", {"family": FAMILY}, "Answers stored (fills)."),
    Metric(
        "askonce_not_stored",
        "counter",
        "answers",
        {
            "reason": "status, error, unfinished, shape, finish_reason, refusal, empty, invalid_json, "
            "invalid_arguments, size or purged"
        },
        "Answers that might have been stored and were not.",
    ),
    Metric("askonce_cache_entries", "gauge", "answers", {}, "Answers in the store."),
    Metric("askonce_cache_bytes", "gauge", "bytes", {}, "What they count for."),
    Metric("askonce_revalidations", "gauge", "answers", {}, "Stale answers being renewed."),
    Metric("askonce_flights", "gauge", "flights", {}, "Answers being generated for whoever asks for them."),
    Metric("askonce_flight_readers", "gauge", "clients", {}, "Clients that read them."),
    Metric("askonce_flight_bytes", "gauge", "bytes", {}, "Bytes held for them."),
    Metric("askonce_flights_started", "counter", "flights", {}, "Flights begun."),
    Metric("askonce_flights_joined", "counter", "clients", {}, "Clients that joined one begun by another."),
    Metric(
        "askonce_flights_asked_again",
        "counter",
        "flights",
        {},
        "Flights that asked once more, for those who waited, after a failure that may pass.",
    ),
    Metric("askonce_readers_cut", "counter", "clients", {}, "Clients cut off because they took nothing for too long."),
    Metric("askonce_batches", "counter", "batches", {}, "Batches sent, by families with a window or that merge."),
    Metric("askonce_batched_requests", "counter", "requests", {}, "Requests that left in them."),
    Metric("askonce_batching", "gauge", "requests", {}, "Requests that wait for their batch."),
    Metric(
        "askonce_upstream_up",
        "gauge",
        "0 or 1",
        {"upstream": UPSTREAM},
        "Whether an upstream may be asked: neither down nor draining.",
    ),
    Metric("askonce_upstream_in_flight", "gauge", "requests", {"upstream": UPSTREAM}, "Exchanges under way."),
    Metric("askonce_upstream_waiting", "gauge", "requests", {"upstream": UPSTREAM}, "Requests in its queue."),
    Metric(
        "askonce_upstream_failures",
        "counter",
        "exchanges",
        {"upstream": UPSTREAM, "code": "the error's code, such as upstream_timeout"},
        "Exchanges that broke; an engine's own error status is an answer, not one of them.",
    ),
    Metric("askonce_semantic_vectors", "gauge", "vectors", {}, "Stored texts that similarity can find."),
    Metric("askonce_semantic_namespaces", "gauge", "namespaces", {}, "Sets in which similarity may decide."),
    Metric("askonce_semantic_bytes", "gauge", "bytes", {}, "What vectors and texts count for."),
    Metric(
        "askonce_semantic_misses",
        "counter",
        "lookups",
        {"family": FAMILY, "reason": "empty, threshold, embedder-…, shadow, or the guard's reason"},
        "Semantic lookups that served nothing.",
    ),
    Metric("askonce_semantic_fills_left_out", "counter", "answers", {}, "Answers stored without a vector: too busy."),
    Metric("askonce_embedder_up", "gauge", "0 or 1", {}, "Whether vectors can be made; 0 where no family needs any."),
    Metric("askonce_embedder_waiting", "gauge", "texts", {}, "Texts in the embedder's queue."),
    Metric("askonce_embedder_vectors", "counter", "vectors", {}, "Vectors made."),
    Metric("askonce_embedder_reused", "counter", "vectors", {}, "Vectors taken from those made lately."),
    Metric("askonce_embedder_batches", "counter", "batches", {}, "Batches the embedder ran."),
    Metric(
        "askonce_embedder_refused",
        "counter",
        "texts",
        {"reason": "why, as a word"},
        "Texts that got no vector: too late, too many, too long, or a failure.",
    ),
    Metric("askonce_reloads", "counter", "reloads", {"result": "ok or refused"}, "Reloads of settings and policies."),
)


def metrics_table() -> str:
    """Markdown: one row a metric, with the names as a scrape shows them."""
    rows = ["| Metric | Kind | Unit | Labels | |", "|---|---|---|---|---|"]
    for metric in METRICS:
        name = metric.name + "_total" * (metric.kind == "counter")
        labels = "<br>".join(f"`{label}`: {values}" for label, values in metric.labels.items())
        rows.append(f"| `{name}` | {metric.kind} | {metric.unit} | {labels} | {metric.text} |")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    print(metrics_table(), end="")
