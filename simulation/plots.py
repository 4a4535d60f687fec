"""The pictures of the report, drawn without a display; each function returns a finished figure."""

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from simulation.published import ENTRIES, Measure
from simulation.schedulers import DISCIPLINES, RUN, Discipline, Server, Timeline
from simulation.study import Parameters, Study
from simulation.workload import Arrivals, Workload

mpl.use("Agg")

COLOURS: dict[Discipline, str] = {"sequential": "#777777", "static": "#d9822b", "continuous": "#1f6fb4"}
WAIT, IDLE, LIMIT = "#d8d8d8", "#f3c9a5", "#b22222"
GANTT_REQUESTS, GANTT_LOAD = 20, 2.0
TIME_LOAD, TIME_S, TIME_BIN_S = 8.0, 180, 3.0


def p95_against_load(study: Study) -> Figure:
    figure, axes = _axes("p95 of the response time against load", "load, requests per second", "p95, seconds")
    slo_s = study.parameters.slo_s
    shown = [one for one in study.points if one.label != "overloaded"]
    bottom = 0.8 * min([one.p95_s.mean for one in shown] + [slo_s])
    top = 1.15 * max([one.p95_s.mean + one.p95_s.half for one in shown] + [4 * slo_s])
    left, right = 0.8 * min(one.load for one in shown), 1.3 * max(study.capacity_per_s.values())
    for discipline in DISCIPLINES:
        points = sorted((one for one in shown if one.discipline == discipline), key=lambda one: one.load)
        colour = COLOURS[discipline]
        axes.errorbar(
            [one.load for one in points],
            [one.p95_s.mean for one in points],
            yerr=[one.p95_s.half for one in points],
            color=colour,
            marker="o",
            markersize=4,
            capsize=3,
            label=discipline,
        )
        capacity = study.capacity_per_s[discipline]
        axes.axvline(capacity, color=colour, linestyle=":", linewidth=1.2)
        axes.annotate(
            f"capacity {capacity:.2f}",
            (capacity, top),
            xytext=(-3, -4),
            textcoords="offset points",
            rotation=90,
            ha="right",
            va="top",
            color=colour,
            fontsize=8,
        )
    _published(axes, study, "p95_s", top)
    axes.axhline(slo_s, color=LIMIT, linewidth=1, linestyle="--")
    axes.annotate(
        f"limit {slo_s:g} s", (left, slo_s), xytext=(4, 3), textcoords="offset points", color=LIMIT, fontsize=8
    )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    _plain_ticks(axes)
    axes.legend(loc="upper left", frameon=False, fontsize=9)
    return figure


def slot_use(study: Study) -> Figure:
    figure, axes = _axes("Slot use against load", "load, requests per second", "paid slot steps that gave a token, %")
    for discipline in DISCIPLINES:
        points = sorted((one for one in study.points if one.discipline == discipline), key=lambda one: one.load)
        axes.errorbar(
            [one.load for one in points],
            [one.slot_use_percent.mean for one in points],
            yerr=[one.slot_use_percent.half for one in points],
            color=COLOURS[discipline],
            marker="o",
            markersize=4,
            capsize=3,
            label=discipline,
            # Both never waste a slot: the wider line stays visible under the other.
            linewidth=4 if discipline == "sequential" else 1.5,
        )
    _published(axes, study, "slot_use_percent", 100)
    axes.set_ylim(0, 108)
    axes.legend(loc="center right", frameon=False)
    return figure


def gantt(parameters: Parameters) -> Figure:
    """The first requests of the study, static above and continuous below, on one clock."""
    work = parameters.mix.draw(GANTT_REQUESTS, parameters.seed, Arrivals(GANTT_LOAD))
    server = parameters.server
    figure = Figure(figsize=(8, 6.4), dpi=90, layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    shown: tuple[tuple[Axes, Discipline], ...] = ((upper, "static"), (lower, "continuous"))
    for axes, discipline in shown:
        line = RUN[discipline](work, server)
        own_end = _own_ends(discipline, work, server, line)
        rows = np.arange(GANTT_REQUESTS)
        arrival, begin, finish = (np.array(each) for each in (work.arrival_s, line.scheduled_s, line.finish_s))
        axes.barh(rows, begin - arrival, left=arrival, color=WAIT, height=0.8)
        axes.barh(rows, own_end - begin, left=begin, color=COLOURS[discipline], height=0.8)
        axes.barh(
            rows, finish - own_end, left=own_end, color=IDLE, height=0.8, hatch="////", edgecolor="white", linewidth=0
        )
        axes.set_ylim(GANTT_REQUESTS - 0.4, -0.6)
        axes.set_xlim(0, None)
        axes.set_yticks([0, 4, 9, 14, 19], ["1", "5", "10", "15", "20"])
        axes.set_ylabel("request")
        mean = float(np.mean(finish - arrival))
        axes.set_title(
            f"{discipline}: mean {mean:.1f} s, last answer at {max(line.finish_s):.1f} s", loc="left", fontsize=10
        )
        _strip(axes)
    lower.set_xlabel(f"seconds ({GANTT_LOAD:g} requests per second, {parameters.slots} slots)")
    upper.legend(
        handles=[
            Patch(color=WAIT, label="waits"),
            Patch(color=COLOURS["static"], label="generates (static)"),
            Patch(facecolor=IDLE, hatch="////", edgecolor="white", label="done, but held by the batch"),
            Patch(color=COLOURS["continuous"], label="generates (continuous)"),
        ],
        loc="upper right",
        fontsize=8,
        frameon=True,
        framealpha=0.9,
        edgecolor="none",
    )
    return figure


def throughput_over_time(parameters: Parameters) -> Figure:
    figure, axes = _axes(
        f"Output over time at {TIME_LOAD:g} requests per second", "seconds since the start", "output tokens per second"
    )
    work = parameters.mix.draw(int(TIME_LOAD * TIME_S), parameters.seed, Arrivals(TIME_LOAD))
    server = parameters.server
    edges = np.arange(0, TIME_S + TIME_BIN_S, TIME_BIN_S)
    middle = edges[:-1] + TIME_BIN_S / 2
    asked, _ = np.histogram(work.arrival_s, edges, weights=work.output_tokens)
    window = np.ones(5) / 5  # 15 s
    axes.plot(
        middle[2:-2],
        np.convolve(asked / TIME_BIN_S, window, "valid"),
        color="#2e8b57",
        linewidth=1,
        label="asked for (15 s mean)",
    )
    for discipline in DISCIPLINES:
        line = RUN[discipline](work, server)
        emitted = _emitted(edges, np.array(line.first_s), _own_ends(discipline, work, server, line), work)
        axes.plot(middle, np.diff(emitted) / TIME_BIN_S, color=COLOURS[discipline], linewidth=1.3, label=discipline)
    axes.set_xlim(0, TIME_S)
    axes.set_ylim(0, None)
    axes.margins(y=0.15)
    axes.legend(loc="upper center", ncol=4, frameon=False, fontsize=8, bbox_to_anchor=(0.5, -0.13))
    return figure


def sharing_bars(study: Study) -> Figure:
    figure, axes = _axes(
        "What sharing answers does to p95", "p95, seconds (median and quartiles over question draws)", ""
    )
    rows = np.arange(len(study.sharing))
    medians = np.array([one.p95_median_s for one in study.sharing])
    quartiles = np.array([one.p95_quartiles_s for one in study.sharing])
    colours = ["#1f6fb4" if one.engines == 1 else "#7fb3d9" for one in study.sharing]
    axes.barh(rows, medians, color=colours, height=0.65)
    axes.errorbar(medians, rows, xerr=np.abs(quartiles.T - medians), fmt="none", ecolor="black", capsize=3, linewidth=1)
    for row, one in enumerate(study.sharing):
        axes.text(one.p95_quartiles_s[1] + 0.15, row, f"{one.p95_median_s:.1f} s", va="center", fontsize=9)
    axes.set_yticks(rows, [f"{one.name}\n({one.load:.3g} req/s)" for one in study.sharing])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(0, max(one.p95_quartiles_s[1] for one in study.sharing) * 1.12)
    axes.grid(axis="y", visible=False)
    return figure


def heat_map(study: Study) -> Figure:
    figure, axes = _axes(
        "p95 in seconds: load against cache hits",
        "load, requests per second (in brackets: overloaded, grows with the run)",
        "hit rate",
    )
    values = np.array([row.p95_s for row in study.heat])
    shade = np.log10(values)
    image = axes.imshow(shade, cmap="YlOrRd", aspect="auto", origin="lower")
    dark = 0.7 * shade.max() + 0.3 * shade.min()
    for (row, column), value in np.ndenumerate(values):
        text = f"{value:.0f}" if value >= 20 else f"{value:.1f}"
        left = study.heat_loads[column] * (1 - study.heat[row].hit_rate)
        over = left >= study.capacity_per_s["continuous"]
        axes.text(
            column,
            row,
            f"({text})" if over else text,
            ha="center",
            va="center",
            fontsize=9,
            color="white" if np.log10(value) > dark else "black",
        )
    axes.set_xticks(range(len(study.heat_loads)), [f"{load:.3g}" for load in study.heat_loads])
    axes.set_yticks(range(len(study.heat)), [f"{100 * row.hit_rate:.0f} %" for row in study.heat])
    axes.grid(visible=False)
    ticks = [tick for tick in (0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000) if values.min() <= tick <= values.max()]
    bar = figure.colorbar(image, ax=axes, ticks=np.log10(ticks), pad=0.02)
    bar.set_ticklabels([f"{tick:g} s" for tick in ticks])
    return figure


def _own_ends(discipline: Discipline, work: Workload, server: Server, line: Timeline) -> NDArray[np.float64]:
    """When each request's own last token was made; in a static batch that is before it is answered."""
    if discipline != "static":
        return np.array(line.finish_s)
    sizes = {begin: line.scheduled_s.count(begin) for begin in set(line.scheduled_s)}
    step_s = np.array([server.decode_s[sizes[begin]] for begin in line.scheduled_s])
    ends: NDArray[np.float64] = np.array(line.first_s) + (np.array(work.output_tokens) - 1) * step_s
    return ends


def _emitted(
    times: NDArray[np.float64], first: NDArray[np.float64], end: NDArray[np.float64], work: Workload
) -> NDArray[np.float64]:
    """Tokens made by each of the times, as if each request's came evenly."""
    span = np.maximum(end - first, 1e-9)
    parts = np.clip((times[:, None] - first) / span, 0, 1)
    made: NDArray[np.float64] = parts @ np.array(work.output_tokens, dtype=np.float64)
    return made


def _axes(title: str, across: str, up: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(8, 4.4), dpi=90, layout="constrained")
    axes: Axes = figure.subplots()
    axes.set_title(title, loc="left", fontsize=11)
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    _strip(axes)
    return figure, axes


def _strip(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e6e6e6", linewidth=0.7)
    axes.set_axisbelow(True)


def _plain_ticks(axes: Axes) -> None:
    """1, 2, 5 in each decade, as numbers a reader knows instead of powers of ten."""
    ticks = [step * 10.0**decade for decade in range(-3, 5) for step in (1, 2, 5)]
    for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        inside = [tick for tick in ticks if low <= tick <= high]
        axis.set_ticks(inside, [f"{tick:g}" for tick in inside])
    axes.minorticks_off()


def _published(axes: Axes, study: Study, measure: Measure, top: float) -> None:
    """Crosses where the published table has a number, if this study is about the same system."""
    if not study.parameters.as_published:
        return
    known = [one for one in ENTRIES if one.measure == measure and one.load is not None and one.value <= top]
    axes.plot(
        [one.load for one in known if one.load is not None],
        [one.value for one in known],
        linestyle="none",
        marker="x",
        color="black",
        markersize=6,
        zorder=5,
        label="published",
    )
