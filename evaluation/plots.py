"""The pictures of the report, from the result file's numbers alone."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evaluation.intervals import lower_bound, upper_bound

Result = Mapping[str, Any]

_COLOURS = {
    "hashed unigrams": "#999999",
    "hashed uni+bigrams": "#b08d57",
    "MiniLM": "#1f77b4",
    "MiniLM + literal guard": "#2ca02c",
    "MiniLM + typed guard": "#d62728",
}
_HIT, _MISS = "#2ca02c", "#d62728"


def curves(result: Result) -> Figure:
    """Hits against false hits as the threshold falls, a line for each row, a picture for each set."""
    names = list(result["sets"])
    figure = Figure(figsize=(10, 3.4 * _lines(names)), layout="constrained")
    for axes, name in zip(_grid(figure, names), names, strict=True):
        for row, cells in result["rows"].items():
            cell = cells[name]
            false = [100 * wrong / max(1, cell["n_miss"]) for _, _, wrong in cell["curve"]]
            hits = [100 * hit / max(1, cell["n_hit"]) for _, hit, _ in cell["curve"]]
            axes.plot(false, hits, color=_COLOURS.get(row), label=row, marker=".", markersize=3, linewidth=1.2)
        axes.set_xscale("symlog", linthresh=1)
        axes.set(xlim=(-0.05, 110), ylim=(-2, 102), title=name, xlabel="wrong answers, % of should-miss")
        axes.set_xticks([0, 1, 10, 100], ["0", "1", "10", "100"])
        axes.set_ylabel("hits, %")
        axes.grid(alpha=0.3)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=5, fontsize=8, frameon=False)
    return figure


def histograms(result: Result, row: str = "MiniLM") -> Figure:
    """Similarity to the nearest stored prompt: what should hit beside what should miss."""
    names = list(result["sets"])
    figure = Figure(figsize=(10, 3 * _lines(names)), layout="constrained")
    for axes, name in zip(_grid(figure, names), names, strict=True):
        found = result["rows"][row][name]["histogram"]
        bins = len(found["should_hit"])
        edges = [at / bins for at in range(bins + 1)]
        for which, colour in (("should_hit", _HIT), ("should_miss", _MISS)):
            shares = [100 * count / max(1, sum(found[which])) for count in found[which]]
            axes.stairs(shares, edges, fill=True, alpha=0.45, color=colour, label=which.replace("_", " "))
        axes.set(xlim=(0.3, 1.0), title=name, xlabel="similarity (MiniLM)")
        axes.set_ylabel("%")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2, fontsize=8, frameon=False)
    return figure


def families(result: Result, row: str = "MiniLM + typed guard", name: str = "seed_shaped") -> Figure:
    """Hit and false-hit rate of each family at its own threshold, with one-sided 95 % bounds on either side."""
    by_family = result["rows"][row][name]["families"]["by_family"]
    labels = [family.replace("_", " ") for family in by_family]
    places = range(len(labels))
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    hit, false = figure.subplots(1, 2)
    _bars(hit, places, [(one["hits"], one["n_hit"]) for one in by_family.values()], _HIT)
    _bars(false, places, [(one["false_hits"], one["n_miss"]) for one in by_family.values()], _MISS)
    hit.set(title="hits, % of should-hit", ylim=(0, 105))
    false.set(title="false hits, % of should-miss", ylim=(0, None))
    for axes in (hit, false):
        axes.set_xticks(list(places), labels, rotation=20, ha="right")
        axes.grid(alpha=0.3, axis="y")
        axes.set_axisbelow(True)
    return figure


def _bars(axes: Axes, places: Sequence[int], counts: Sequence[tuple[int, int]], colour: str) -> None:
    rates = [100 * count / of if of else 0.0 for count, of in counts]
    below = [rate - 100 * lower_bound(count, of) for rate, (count, of) in zip(rates, counts, strict=True)]
    above = [100 * upper_bound(count, of) - rate for rate, (count, of) in zip(rates, counts, strict=True)]
    axes.bar(places, rates, color=colour, alpha=0.6, yerr=[below, above], capsize=4, ecolor="#333333")
    for place, (count, of) in zip(places, counts, strict=True):
        axes.annotate(
            f"{count}/{of}", (place, 0), xytext=(4, 4), textcoords="offset points", fontsize=8, color="#333333"
        )


def _lines(names: Sequence[str]) -> int:
    return (len(names) + 2) // 3


def _grid(figure: Figure, names: Sequence[str]) -> list[Axes]:
    """Three to a line; places without a set stay empty."""
    places = figure.subplots(_lines(names), 3, squeeze=False).flatten().tolist()
    for unused in places[len(names) :]:
        unused.set_axis_off()
    return places[: len(names)]
