"""A bench as files: JSON, PNGs, and one HTML page that holds them and opens without a network."""

import base64
import io
import json
from collections.abc import Iterable
from html import escape
from pathlib import Path

from bench import plots
from bench.summary import Figures, finite
from bench.tables import METRIC_NAMES, brief, head_lines, percent, plus_minus

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
table { border-collapse: collapse; font-size: 13px; margin: 1rem 0; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid #e4e4e4; white-space: nowrap; }
th:first-child, td:first-child, td.word { text-align: left; }
img { max-width: 100%; height: auto; display: block; margin: 1rem 0; }
.warn { color: #b22222; font-weight: 600; }
dt { float: left; clear: left; width: 6rem; color: #555; } dd { margin-left: 6.5rem; }
"""


def json_text(report: Figures) -> str:
    return json.dumps(finite(report), indent=1, ensure_ascii=False) + "\n"


def write(report: Figures, folder: Path, name: str) -> Path:
    """Writes folder/NAME.json, folder/NAME.html and folder/NAME/*.png; returns the page's path."""
    images = folder / name
    images.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json_text(report), encoding="utf-8")
    pictures: dict[str, bytes] = {}
    for title, figure in plots.figures(report).items():
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", metadata={"Software": None})
        pictures[title] = buffer.getvalue()
        (images / f"{title}.png").write_bytes(pictures[title])
    page = folder / f"{name}.html"
    page.write_text(html(report, pictures), encoding="utf-8")
    return page


def html(report: Figures, pictures: dict[str, bytes]) -> str:
    head = (line.partition(" ") for line in head_lines(report))
    body = ["<h1>askonce: load test</h1>", "<dl>"]
    body += [f"<dt>{escape(word)}</dt><dd>{escape(rest.strip())}</dd>" for word, _, rest in head]
    body.append("</dl>")
    body += [f'<p class="warn">{escape(text)}</p>' for text in report["warnings"]]
    for section in report["sections"]:
        streamed = ", streamed" if section["stream"] else ""
        body.append(f"<h2>{escape(section['title'])}: {escape(section['how'] + streamed)}</h2>")
        body.append(_targets(section))
        if "proxy_over_direct" in section:
            told = section["proxy_over_direct"]
            body.append(_table(("proxy over direct", *told), [("", *(plus_minus(value) for value in told.values()))]))
        body += [_picture(pictures, f"{plots.slug(section)}-{kind}") for kind in ("latency", "outcomes")]
        body.append(_latencies(section))
        body.append(_lengths(section))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>askonce: load test</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n" + "\n".join(body) + "\n</body>\n</html>\n"
    )


def _targets(section: Figures) -> str:
    header = ("", "answers", "errors", "generations", "hits", "hits + shared", "answers/s", "tokens/s", "within SLO/s")
    rows = [
        (
            name + (" (client-bound)" if target["client"]["client_bound"] else ""),
            f"{target['answers']:,}",
            f"{sum(target['errors'].values()):,}",
            f"{target['generations']:,}",
            percent(target["hit_rate"]),
            percent(target["spared_rate"]),
            plus_minus(target["throughput_per_s"]),
            plus_minus(target["output_tokens_per_s"]),
            plus_minus(target["goodput_per_s"]),
        )
        for name, target in section["targets"].items()
    ]
    return _table(header, rows)


def _latencies(section: Figures) -> str:
    keys = ("mean", "p50", "p90", "p95", "p99", "p999", "max")
    rows = [
        (
            f"{name}: {outcome}",
            METRIC_NAMES[metric],
            f"{spread['count']:,}",
            *(brief(spread[key]) for key in keys),
        )
        for name, target in section["targets"].items()
        for outcome, metrics in target["latencies"].items()
        for metric, spread in metrics.items()
    ]
    return _table(("milliseconds", "", "n", "mean", "p50", "p90", "p95", "p99", "p99.9", "max"), rows)


def _lengths(section: Figures) -> str:
    rows = [
        (f"{name}: {kind}", *(brief(spread[key]) for key in ("mean", "p50", "p90", "p99", "max")))
        for name, target in section["targets"].items()
        for kind in ("prompt_tokens", "output_tokens")
        if (spread := target[kind]) is not None
    ]
    return _table(("tokens, as the engine counted", "mean", "p50", "p90", "p99", "max"), rows) if rows else ""


def _picture(pictures: dict[str, bytes], name: str) -> str:
    if name not in pictures:
        return ""
    data = base64.b64encode(pictures[name]).decode("ascii")
    return f'<img alt="{name.replace("-", " ")}" src="data:image/png;base64,{data}">'


def _table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = ["<table>", "<tr>" + "".join(f"<th>{escape(cell.replace('_', ' '))}</th>" for cell in header) + "</tr>"]
    lines += ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows]
    return "\n".join([*lines, "</table>"])
