"""The pictures of a bench, drawn without a display."""

import re
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from bench.tally import Values

mpl.use("Agg")

COLOURS = {
    "hit": "#2a9d4b",
    "semantic": "#7b4fb0",
    "stale": "#a0a020",
    "shared": "#1f6fb4",
    "miss": "#d9822b",
    "bypass": "#777777",
    "uncached": "#222222",
}


def figures(report: dict[str, Any]) -> dict[str, Figure]:
    """By file name."""
    found = {}
    for section in report["sections"]:
        if section["targets"]:
            found[f"{slug(section)}-latency"] = _latency(section)
            found[f"{slug(section)}-outcomes"] = _outcomes(section)
    return found


def slug(section: dict[str, Any]) -> str:
    """A section's title as a file name."""
    return "-".join(re.findall(r"[a-z0-9]+", section["title"].lower()))


def _latency(section: dict[str, Any]) -> Figure:
    """Share of the requests that took longer, by outcome: the tail is what the logarithm shows."""
    figure = Figure(figsize=(7.5, 4.2), dpi=110, layout="constrained")
    axes = figure.add_subplot()
    for name, target in section["targets"].items():
        for key, encoded in target["histograms"].items():
            outcome, metric = key.split("/")
            if metric != "e2e":
                continue
            values, counts = Values(encoded.encode()).steps()
            total = int(counts.sum())
            times = (values / 1e3).tolist()
            above = (1 - (np.cumsum(counts) - counts) / total).tolist()
            # Both ends, so that a single value shows as well.
            times, above = [*times, times[-1]], [*above, 0.5 / total]
            style = "-" if name == "proxy" else "--"
            axes.step(times, above, style, where="pre", color=COLOURS[outcome], label=f"{name}: {outcome} ({total:,})")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("end to end, milliseconds")
    axes.set_ylabel("share that took longer")
    axes.set_title(f"{section['title']}: {section['how']}")
    axes.grid(alpha=0.25)
    axes.legend(fontsize=8)
    return figure


def _outcomes(section: dict[str, Any]) -> Figure:
    figure = Figure(figsize=(7.5, 1.3 + 0.6 * len(section["targets"])), dpi=110, layout="constrained")
    axes = figure.add_subplot()
    shown = set()
    for place, (_, target) in enumerate(section["targets"].items()):
        left = 0.0
        for outcome, count in target["outcomes"].items():
            part = 100 * count / max(target["answers"], 1)
            label = None if outcome in shown else outcome
            axes.barh(place, part, left=left, color=COLOURS[outcome], label=label)
            shown.add(outcome)
            left += part
    axes.set_yticks(range(len(section["targets"])), list(section["targets"]))
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("% of the answers")
    figure.legend(fontsize=8, ncols=4, loc="outside upper center")
    return figure
