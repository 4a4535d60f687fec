"""From tallies to the figures of a report: one dictionary, which is the JSON, and what tables and pictures read."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from bench.reading import OUTCOMES
from bench.session import DIRECT, PROXY, Measured, Section
from bench.tally import METRICS, Tally, Values
from simulation.intervals import estimate

CLIENT_BOUND = 0.7
"""Share of a core above which a load process tells its own limit, not the server's."""
QUANTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p999": 0.999, "max": 1.0}
GENERATED = ("miss", "bypass", "uncached")
SPARED = ("hit", "semantic", "stale")

Figures = dict[str, Any]


def section_figures(section: Section) -> Figures:
    """One case: how it was put, each target, and the proxy over the engine alone."""
    case = section.case
    loop = case.loop
    how = f"{loop.users} users" if loop.rate_per_s is None else f"{loop.rate_per_s:g} requests/s"
    if loop.rate_per_s is not None:
        how += ", evenly spaced" if loop.fixed else ", Poisson"
    if case.workload.name == "trace":
        how = "at the trace's own times" if loop.rate_per_s is None else how
    figures: Figures = {
        "workload": case.workload.name,
        "title": case.workload.title,
        "parameters": {name: value for name, value in asdict(case.workload).items() if isinstance(value, int | float)},
        "how": how,
        "loop": "closed" if loop.rate_per_s is None and case.workload.name != "trace" else "open",
        "stream": case.stream,
        "targets": {name: target_figures(measured) for name, measured in section.measured.items() if measured.repeats},
    }
    if PROXY in figures["targets"] and DIRECT in figures["targets"]:
        told = ratios(section.measured[PROXY].repeats, section.measured[DIRECT].repeats)
        if not case.stream:
            del told["ttft_p50"]  # a plain answer comes whole, or nearly so
        figures["proxy_over_direct"] = told
    return figures


def target_figures(measured: Measured) -> Figures:
    """One case on one target, over all repeats. Times in milliseconds."""
    whole = Tally()
    for tally in measured.repeats:
        whole.merge(tally)
    done = whole.done
    counted = [sum(tally.outcomes[name] for name in GENERATED) for tally in measured.repeats]
    generations = measured.generations or counted
    return {
        "requests": done + sum(whole.errors.values()) + sum(whole.injected.values()),
        "answers": done,
        "errors": dict(whole.errors),
        "injected": dict(whole.injected),
        "outcomes": {name: whole.outcomes[name] for name in OUTCOMES if whole.outcomes[name]},
        "generations": sum(generations),
        "generations_counted_by": "engine" if measured.generations else "Cache-Status",
        "hit_rate": share(sum(whole.outcomes[name] for name in SPARED), done),
        "spared_rate": share(sum(whole.outcomes[name] for name in (*SPARED, "shared")), done),
        "throughput_per_s": interval([tally.done / tally.elapsed_s for tally in measured.repeats]),
        "output_tokens_per_s": interval([tally.tokens / tally.elapsed_s for tally in measured.repeats]),
        "goodput_per_s": interval([tally.good / tally.elapsed_s for tally in measured.repeats]),
        "within_slo": share(whole.good, done),
        "e2e_p50_ms": _over_repeats(measured.repeats, "e2e", 0.5),
        "e2e_p99_ms": _over_repeats(measured.repeats, "e2e", 0.99),
        "ttft_p50_ms": _over_repeats(measured.repeats, "ttft", 0.5),
        "latencies": _latencies(whole),
        "prompt_tokens": _spread(whole.prompt_tokens, 1),
        "output_tokens": _spread(whole.output_tokens, 1),
        "finish_reasons": dict(whole.finishes),
        "families": dict(whole.families),
        "client": {
            "cpu_share": max(whole.cpu_shares, default=0.0),
            "client_bound": max(whole.cpu_shares, default=0.0) > CLIENT_BOUND,
            "late_p99_ms": whole.lateness.quantile(0.99) / 1e3,
            "reconnects": whole.reconnects,
        },
        "repeats": [
            {
                "answers": tally.done,
                "seconds": tally.elapsed_s,
                "outcomes": dict(tally.outcomes),
                "errors": dict(tally.errors),
                "generations": cost,
            }
            for tally, cost in zip(measured.repeats, generations, strict=True)
        ],
        "histograms": {
            f"{outcome}/{metric}": values.encode().decode("ascii")
            for (outcome, metric), values in sorted(whole.latencies.items())
        },
    }


def ratios(proxy: Sequence[Tally], direct: Sequence[Tally]) -> Figures:
    """The proxy's figure over the engine's, repeat by repeat."""
    pairs = list(zip(proxy, direct, strict=False))

    def over(figure: Callable[[Tally], float]) -> Figures:
        found = [figure(ours) / figure(theirs) for ours, theirs in pairs if figure(theirs)]
        return interval(found)

    return {
        "throughput": over(lambda tally: tally.done / tally.elapsed_s),
        "e2e_p50": over(lambda tally: tally.whole("e2e").quantile(0.5)),
        "e2e_p99": over(lambda tally: tally.whole("e2e").quantile(0.99)),
        "ttft_p50": over(lambda tally: tally.whole("ttft").quantile(0.5)),
    }


def interval(values: Sequence[float]) -> Figures:
    """The mean, half its 95 % interval (None for a single repeat), and the values."""
    if not values:
        return {"mean": None, "half": None, "values": []}
    found = estimate(values)
    return {"mean": found.mean, "half": found.half if len(values) > 1 else None, "values": list(values)}


def share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _over_repeats(repeats: Sequence[Tally], metric: str, quantile: float) -> Figures:
    return interval([values.quantile(quantile) / 1e3 for tally in repeats if (values := tally.whole(metric)).count])


def _latencies(tally: Tally) -> Figures:
    """By outcome (`all` first) and metric."""
    found: Figures = {"all": {metric: _spread(tally.whole(metric)) for metric in METRICS}}
    for outcome in OUTCOMES:
        rows = {metric: tally.latencies[outcome, metric] for metric in METRICS if (outcome, metric) in tally.latencies}
        if rows:
            found[outcome] = {metric: _spread(values) for metric, values in rows.items()}
    return {
        outcome: {metric: spread for metric, spread in rows.items() if spread is not None}
        for outcome, rows in found.items()
    }


def _spread(values: Values, unit: float = 1e3) -> Figures | None:
    if not values.count:
        return None
    spread = {name: values.quantile(at) / unit for name, at in QUANTILES.items()}
    return {"count": values.count, "mean": values.mean / unit, **spread}


def warnings(figures: Sequence[Figures], load_average: float = 0.0, cores: int | None = None) -> list[str]:
    """What a reader should know before quoting anything.

    Args:
        load_average: before the bench began; above one process for every second core, others were at work.
    """
    found = []
    if cores and load_average > cores / 2:
        found.append(f"not a quiet machine: load average {load_average} on {cores} cores before it began")
    for section in figures:
        for name, target in section["targets"].items():
            title = f"{section['title']}, {name}"
            if target["client"]["client_bound"]:
                found.append(
                    f"{title}: client-bound, a load process used {target['client']['cpu_share']:.0%} of a core"
                )
            if target["errors"]:
                told = ", ".join(f"{count} {word}" for word, count in target["errors"].items())
                found.append(f"{title}: errors: {told}")
            cut = target["finish_reasons"].get("length", 0)
            repeated = section["parameters"].get("repeat_share", 0.0)
            if name == PROXY and cut and (target["hit_rate"] or 0.0) < repeated / 2:
                found.append(
                    f"{title}: {cut} answers were cut by max_tokens; the default policy does not store such "
                    "(raise --max-tokens, or add length to finish_reasons)"
                )
            bypassed = target["outcomes"].get("bypass", 0)
            if name == PROXY and bypassed:
                found.append(f"{title}: {bypassed} requests passed the cache by; Cache-Status has the reason")
            if section["workload"] == "paraphrase" and name == PROXY and not target["outcomes"].get("semantic"):
                found.append(f"{title}: no semantic hit; does a family turn semantic lookup on?")
    return found


def finite(value: Any) -> Any:
    """The same with NaN and infinity as None, which JSON has no words for."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: finite(item) for name, item in value.items()}
    return [finite(item) for item in value] if isinstance(value, list) else value
