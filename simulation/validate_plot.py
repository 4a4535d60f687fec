"""The picture of a validation: measured against simulated, request by request and over time."""

import base64
import html
import io
from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from simulation.recorded import RecordedRun, Sample
from simulation.request import WorkloadError
from simulation.validate import Validation

mpl.use("Agg")

MEASURED, SIMULATED = "#777777", "#1f6fb4"

Floats = NDArray[np.float64]


def draw(run: RecordedRun, result: Validation, title: str, samples: Sequence[Sample] = ()) -> Figure:
    """Latency and TTFT per request, both distributions, and running and waiting over time.

    samples: the engine's own log; without it the measured lines are drawn from the requests' times, in which a
    preempted request counts as running.
    """
    seen = result.fleet.outcomes
    figure = Figure(figsize=(11, 8), layout="constrained")
    figure.suptitle(
        f"{title}\nlatency MAPE {result.every.latency_mape:.2%}, mean {result.every.latency_mean_err:+.2%}, "
        f"TTFT mean {result.every.ttft_mean_err:+.2%}, TPOT mean {result.every.tpot_mean_err:+.2%}",
        fontsize=11,
    )
    axes = figure.subplots(2, 2)
    measured, measured_ttft = run.last_token_s - seen.arrival_s, run.first_token_s - seen.arrival_s
    _scatter(axes[0, 0], measured, seen.latency_s, "latency, s")
    _scatter(axes[0, 1], measured_ttft, seen.ttft_s, "time to first token, s")
    _distributions(axes[1, 0], measured, seen.latency_s, "latency")
    _distributions(axes[1, 0], measured_ttft, seen.ttft_s, "TTFT", style="--")
    axes[1, 0].set(xlabel="seconds", ylabel="share of requests", ylim=(0, 1))
    axes[1, 0].legend(fontsize=8)
    _over_time(axes[1, 1], run, result, samples)
    return figure


def save(figure: Figure, path: Path) -> None:
    """As a .png, or as an .html page that holds the picture and needs no network."""
    check_plot(path)
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=110)
    content = picture.getvalue()
    if path.suffix.lower() == ".html":
        data = base64.b64encode(content).decode("ascii")
        heading = html.escape(figure.get_suptitle())
        content = (
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{heading.splitlines()[0]}</title>'
            f'<img alt="{heading}" style="max-width:100%" src="data:image/png;base64,{data}"></html>\n'
        ).encode()
    try:
        path.write_bytes(content)
    except OSError as error:
        raise WorkloadError(f"{path}: cannot be written ({error.strerror})") from None


def check_plot(path: Path) -> None:
    """Raises WorkloadError if nothing can be drawn under this name."""
    if path.suffix.lower() not in (".png", ".html"):
        raise WorkloadError(f"{path}: plots are .png or .html files")


def _scatter(axes: Axes, measured: Floats, simulated: Floats, what: str) -> None:
    longest = float(max(measured.max(), simulated.max())) * 1.05
    axes.plot([0, longest], [0, longest], color=MEASURED, linewidth=1)
    axes.scatter(measured, simulated, s=9, alpha=0.6, color=SIMULATED, linewidths=0)
    axes.set(xlim=(0, longest), ylim=(0, longest), xlabel=f"measured {what}", ylabel=f"simulated {what}")


def _distributions(axes: Axes, measured: Floats, simulated: Floats, what: str, style: str = "-") -> None:
    share = np.arange(1, len(measured) + 1) / len(measured)
    axes.step(np.sort(measured), share, style, color=MEASURED, where="post", label=f"{what}, measured")
    axes.step(np.sort(simulated), share, style, color=SIMULATED, where="post", label=f"{what}, simulated")


def _over_time(axes: Axes, run: RecordedRun, result: Validation, samples: Sequence[Sample]) -> None:
    seen = result.fleet.outcomes
    end = float(max(run.last_token_s.max(), seen.last_token_s.max()))
    moments = np.arange(0.0, end + 1, max(1.0, end / 600))
    lines = [
        (moments, *_counts(moments, seen.arrival_s, seen.scheduled_s, seen.last_token_s), SIMULATED, "simulated"),
        (moments, *_counts(moments, seen.arrival_s, run.scheduled_s, run.last_token_s), MEASURED, "measured"),
    ]
    if samples:
        rows = [(sample.t_s, sample.running, sample.waiting) for sample in samples]
        log = [np.array(values, dtype=np.float64) for values in zip(*rows, strict=True)]
        lines[1] = (log[0], log[1], log[2], MEASURED, "measured")
    for at, running, waiting, colour, who in lines:
        axes.plot(at, running, color=colour, label=f"running, {who}")
        axes.plot(at, waiting, "--", color=colour, label=f"waiting, {who}")
    axes.set(xlabel="seconds", ylabel="requests")
    axes.legend(fontsize=8)


def _counts(moments: Floats, arrival: Floats, scheduled: Floats, last: Floats) -> tuple[Floats, Floats]:
    """Running and waiting at each moment."""
    came, began, ended = (
        np.searchsorted(np.sort(times), moments, side="right") for times in (arrival, scheduled, last)
    )
    return (began - ended).astype(np.float64), (came - began).astype(np.float64)
