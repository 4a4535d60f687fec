"""The study as files: PNGs, and one HTML page that holds them and opens without a network."""

import base64
import io
from collections.abc import Iterable
from html import escape
from pathlib import Path

from matplotlib.figure import Figure

from simulation import plots
from simulation.intervals import Estimate
from simulation.published import ENTRIES, SATURATING_LOAD, WORDS
from simulation.schedulers import DISCIPLINES
from simulation.study import Study

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
table { border-collapse: collapse; font-size: 13px; margin: 1rem 0; }
th, td { padding: .2rem .45rem; text-align: right; border-bottom: 1px solid #e4e4e4; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
img { max-width: 100%; height: auto; display: block; margin: 1rem 0; }
.no { color: #b22222; font-weight: 600; } p.note { color: #555; }
"""


def figures(study: Study) -> dict[str, Figure]:
    """By file name; what the study has no numbers for is left out."""
    found: dict[str, Figure] = {}
    if study.points:
        found["p95-against-load"] = plots.p95_against_load(study)
        found["slot-use"] = plots.slot_use(study)
    found["gantt"] = plots.gantt(study.parameters)
    found["throughput-over-time"] = plots.throughput_over_time(study.parameters)
    if study.sharing:
        found["sharing"] = plots.sharing_bars(study)
    if study.heat:
        found["load-and-hits"] = plots.heat_map(study)
    return found


def write(study: Study, folder: Path) -> Path:
    """Writes folder/simulation.html and folder/simulation/NAME.png; returns the page's path."""
    images = folder / "simulation"
    images.mkdir(parents=True, exist_ok=True)
    pictures: dict[str, bytes] = {}
    for name, figure in figures(study).items():
        buffer = io.BytesIO()
        # Without the library's version in it, the same study gives the same bytes.
        figure.savefig(buffer, format="png", metadata={"Software": None})
        pictures[name] = buffer.getvalue()
        (images / f"{name}.png").write_bytes(pictures[name])
    page = folder / "simulation.html"
    page.write_text(html(study, pictures), encoding="utf-8")
    return page


def html(study: Study, pictures: dict[str, bytes]) -> str:
    parameters = study.parameters
    body = [
        "<h1>Batching: sequential, static, continuous</h1>",
        f"<p>A simulated server: a step takes {parameters.step_ms:g} ms and {parameters.sequence_ms:g} ms a sequence, "
        f"a prompt token {parameters.prompt_token_ms:g} ms, {parameters.slots} slots. Prompts have a median of "
        f"{parameters.prompt_median:g} tokens (log-sigma {parameters.prompt_sigma:g}), outputs of "
        f"{parameters.output_median:g} (log-sigma {parameters.output_sigma:g}, at most {parameters.output_cap}). "
        "Arrivals are Poisson. All three policies see the same requests. Intervals hold with 95 % confidence.</p>",
        _picture(pictures, "gantt"),
        "<h2>Response time against load</h2>",
        _picture(pictures, "p95-against-load"),
        "<p>Overloaded points are left out: their p95 only says how long the run was.</p>",
        _points(study),
        "<h2>The highest load that keeps the promise</h2>",
        f"<p>Where p95 reaches {parameters.slo_s:g} s, found in each replicate by itself. Short runs end before the "
        "queue has grown, and overstate.</p>",
        _highest(study),
        "<h2>Where the work goes</h2>",
        "<p>In a static batch every slot is paid for until the longest output ends.</p>",
        _picture(pictures, "slot-use"),
        _picture(pictures, "throughput-over-time"),
    ]
    if study.published:
        body += [
            "<h2>Beside the published table</h2>",
            "<p>The published numbers are averages of three runs of 1,500 requests. Each is compared with the "
            f"distribution of such averages over {parameters.replicates} replicates. <em>z</em> is its distance from "
            "the mean in units of one average's standard deviation and half its last printed digit; 2 is the limit. "
            f"The peaks are read at {SATURATING_LOAD:g} req/s.</p>",
            _published(study),
        ]
    if study.sharing:
        body += [
            "<h2>Sharing answers in front of the engines</h2>",
            "<p>Three requests in ten ask one of 500 questions (Zipf). Near capacity a few per cent of work taken away "
            "shorten the tail a lot; with two servers and room to spare they do less.</p>",
            _picture(pictures, "sharing"),
            _sharing(study),
        ]
    if study.heat:
        body += ["<h2>How many hits buy how much load</h2>", _picture(pictures, "load-and-hits")]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>askonce: batching study</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n" + "\n".join(body) + "\n</body>\n</html>\n"
    )


def _picture(pictures: dict[str, bytes], name: str) -> str:
    if name not in pictures:
        return ""
    data = base64.b64encode(pictures[name]).decode("ascii")
    return f'<img alt="{name.replace("-", " ")}" src="data:image/png;base64,{data}">'


def _table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Cells are text; one that begins with '!' is marked as a failure."""
    lines = ["<table>", "<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in header) + "</tr>"]
    for row in rows:
        cells = (
            f'<td class="no">{escape(cell[1:])}</td>' if cell.startswith("!") else f"<td>{escape(cell)}</td>"
            for cell in row
        )
        lines.append("<tr>" + "".join(cells) + "</tr>")
    return "\n".join([*lines, "</table>"])


def brief(value: float, digits: int = 3) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:#.{digits}g}"


def plus_minus(value: Estimate, digits: int = 3) -> str:
    return (
        f"{brief(value.mean, digits)} ± {value.half:,.0f}"
        if value.half >= 10
        else f"{brief(value.mean, digits)} ± {value.half:.2g}"
    )


def _points(study: Study) -> str:
    return (
        _table(
            (
                "policy",
                "req/s",
                "p95, s",
                "TTFT p95, s",
                "done/s",
                "tokens/s",
                "slot use, %",
                "runs",
                "moved",
                "label",
            ),
            (
                (
                    one.discipline,
                    f"{one.load:g}",
                    plus_minus(one.p95_s),
                    plus_minus(one.first_token_p95_s),
                    f"{one.done_per_s.mean:.3g}",
                    f"{one.tokens_per_s.mean:,.0f}",
                    f"{one.slot_use_percent.mean:.1f}",
                    f"{one.p95_s.replicates} × {one.requests:,}",
                    f"{100 * one.moved:+.1f} %",
                    one.label if one.label == "stable" else f"!{one.label}",
                )
                for discipline in DISCIPLINES
                for one in study.points
                if one.discipline == discipline
            ),
        )
        + '<p class="note">moved: p95 of the whole runs against that of their first halves.</p>'
    )


def _highest(study: Study) -> str:
    return _table(
        ("policy", "requests in a run", "replicates", "highest load, req/s", "of capacity"),
        (
            (
                one.discipline,
                f"{one.requests:,}",
                str(one.load.replicates),
                plus_minus(one.load, 4),
                f"{100 * one.load.mean / study.capacity_per_s[one.discipline]:.0f} %",
            )
            for discipline in DISCIPLINES
            for one in study.highest
            if one.discipline == discipline
        ),
    )


def _published(study: Study) -> str:
    return _table(
        ("policy", "measure", "req/s", "published", "mean", "SD of an average", "z", "reproduced"),
        (
            (
                entry.discipline,
                WORDS[entry.measure],
                "any" if entry.load is None else f"{entry.load:g}",
                f"{one.published:,g}",
                f"{one.mean:,.4g}",
                f"{one.sd:.2g}",
                f"{one.z:+.1f}",
                "yes" if one.within else "!no",
            )
            for entry, one in zip(ENTRIES, study.published, strict=True)
        ),
    )


def _sharing(study: Study) -> str:
    return _table(
        ("front end", "servers", "req/s", "p95, s", "against bare", "hits", "coalesced"),
        (
            (
                one.name,
                str(one.engines),
                f"{one.load:.3g}",
                f"{one.p95_median_s:.1f} ({one.p95_quartiles_s[0]:.1f}–{one.p95_quartiles_s[1]:.1f})",
                f"{one.against_bare:.2f} ({one.against_bare_interval[0]:.2f}–{one.against_bare_interval[1]:.2f})",
                f"{one.hit_percent.mean:.1f} %",
                f"{one.coalesced_percent.mean:.1f} %",
            )
            for one in study.sharing
        ),
    )
