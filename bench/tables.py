"""The figures of a bench on a terminal."""

from collections.abc import Iterator
from typing import Any

from rich.table import Table

from bench.summary import Figures

METRIC_NAMES = {"ttft": "TTFT", "itl": "ITL", "tpot": "TPOT", "e2e": "E2E"}


def head_lines(report: Figures) -> list[str]:
    """What makes the figures comparable."""
    machine, client = report["machine"], report["client"]
    engine = ", ".join(f"{name} {value}" for name, value in report["engine"].items()) or "says nothing of itself"
    load = f"average {report['load_average']['before']} before, {report['load_average']['after']} after"
    lines = [
        f"engine    {engine}",
        f"model     {report['model']}",
        f"machine   {machine['cpu']}, {machine['cores']} cores, {machine['system']}, Python {machine['python']}",
        f"load      {load}; {report['started']}",
        f"client    {client['processes']} process(es), floor {client['floor_us']:.0f} us (its round trip to nothing)",
        f"warm-up   {report['warmup']} requests a target; {report['repeats']} repeat(s), interleaved",
        f"policies  {', '.join(report['families']) or 'none seen'}",
    ]
    return [*lines, f"note      {report['note']}"] if report["note"] else lines


def tables(report: Figures) -> Iterator[Table]:
    for section in report["sections"]:
        yield _targets(section, any(report["slo"].values()))
        yield _latencies(section)


def _targets(section: Figures, slo: bool) -> Table:
    """`asked`: generations the engine was asked for; `client`: a load process's share of a core."""
    streamed = ", streamed" if section["stream"] else ""
    columns = ["", "answers", "errors", "asked", "hits", "+shared", "answers/s", "client"]
    table = _table(f"{section['title']}: {section['how']}{streamed}", *columns)
    if slo:
        table.add_column("in SLO/s", justify="right")
    for name, target in section["targets"].items():
        client = f"{target['client']['cpu_share']:.0%}"
        table.add_row(
            name,
            f"{target['answers']:,}",
            f"{sum(target['errors'].values()):,}",
            f"{target['generations']:,}",
            percent(target["hit_rate"]),
            percent(target["spared_rate"]),
            plus_minus(target["throughput_per_s"]),
            f"{client} client-bound" if target["client"]["client_bound"] else client,
            *([plus_minus(target["goodput_per_s"])] if slo else []),
        )
    if "proxy_over_direct" in section:
        told = section["proxy_over_direct"]
        table.caption = "proxy over direct: " + ", ".join(
            f"{name.replace('_', ' ')} {plus_minus(value)}" for name, value in told.items() if value["mean"] is not None
        )
        table.caption_justify = "left"
    return table


def _latencies(section: Figures) -> Table:
    table = _table("milliseconds", "", "outcome", "metric", "n", "mean", "p50", "p90", "p95", "p99", "p99.9", "max")
    for name, target in section["targets"].items():
        for outcome, metrics in target["latencies"].items():
            if outcome == "all" and len(target["outcomes"]) < 2:
                continue
            for metric, spread in metrics.items():
                if metric == "ttft" and not section["stream"]:
                    continue  # a plain answer comes whole, or nearly so
                quantiles = (spread[key] for key in ("mean", "p50", "p90", "p95", "p99", "p999", "max"))
                table.add_row(
                    name, outcome, METRIC_NAMES[metric], f"{spread['count']:,}", *(brief(value) for value in quantiles)
                )
        table.add_section()
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", box=None, header_style="bold", pad_edge=False)
    for column in columns:
        left = column in ("", "outcome", "metric")
        table.add_column(column, justify="left" if left else "right")
    return table


def brief(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def plus_minus(value: dict[str, Any]) -> str:
    """A mean with half its 95 % interval, where there are repeats to have one."""
    if value["mean"] is None:
        return "-"
    return brief(value["mean"]) if value["half"] is None else f"{brief(value['mean'])} ± {brief(value['half'])}"
