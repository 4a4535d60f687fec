"""The result as files: PNGs, and one HTML page that holds them and opens without a network."""

import base64
import io
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from evaluation import plots
from evaluation.intervals import trials_needed, upper_bound
from evaluation.published import PUBLISHED

Result = Mapping[str, Any]

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; } h3 { font-size: 1rem; margin-bottom: 0; }
div.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; margin: 1rem 0; }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid #e4e4e4; vertical-align: top; }
td { white-space: pre; line-height: 1.35; } td.text { white-space: normal; }
th:first-child, td:first-child, td.text, th.text { text-align: left; }
img { max-width: 100%; height: auto; display: block; margin: 1rem 0; }
.no { color: #b22222; font-weight: 600; } p.note { color: #555; font-size: 13px; }
"""


def write(result: Result) -> tuple[dict[str, bytes], str]:
    """PNGs by name, and the page."""
    figures = {
        "hits-against-false-hits": plots.curves(result),
        "similarity": plots.histograms(result),
        "families": plots.families(result),
    }
    pictures = {name: _png(figure) for name, figure in figures.items()}
    return pictures, _page(result, pictures)


def save(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    # Without the library's version in it, the same result gives the same bytes.
    figure.savefig(buffer, format="png", dpi=110, metadata={"Software": None})
    return buffer.getvalue()


def _page(result: Result, pictures: Mapping[str, bytes]) -> str:
    body = [
        "<h1>How often would the cache be wrong?</h1>",
        "<p>Labelled prompts, looked up through the proxy's own code. A <em>hit</em> is a lookup that should be served "
        "and is, by the right entry; a <em>wrong</em> answer is a lookup that should miss and is served, or one that "
        "another entry serves. The <em>false-hit rate</em> is false hits ÷ lookups that should miss. These sets are "
        "made of traps: their rates are not those of traffic, in which most questions have no such neighbour.</p>",
        f'<p class="note">{escape(result["embedder"])}, {escape(result["cpu"])}, '
        f"<code>{escape(result['command'])}</code></p>",
        "<h2>Hits against wrong answers</h2>",
        _picture(pictures, "hits-against-false-hits"),
        f"<p>Each line runs from a threshold of 1 down to 0.3. Without a guard, thresholds only buy hits with wrong "
        f"answers. A set of 156 lookups that should miss, none of them served, proves a false-hit rate of at most "
        f"{upper_bound(0, 156):.1%}; {trials_needed(0.01)} would be needed to prove 1 %.</p>",
        *(_set(result, name) for name in result["sets"]),
        '<p class="note">Cells: hits, then wrong answers, with the 95 % upper bound of the false-hit rate. '
        "<em>One threshold</em> and <em>by family</em>: the best without a wrong answer, chosen on these very lookups. "
        "<em>Carried</em>: chosen on one half of the stored prompts and scored on the other, both ways. "
        "<em>Promised</em>: one threshold whose false-hit rate is proven to be at most 1 % on one half, scored on the "
        "other; 0 where a half holds too few labels. <em>Half of hits</em>: wrong answers when the threshold is "
        "lowered until half of the paraphrases hit.</p>",
        "<h2>Families</h2>",
        "<p>The shipped five, MiniLM and typed guard, each at its own threshold; bars with one-sided 95 % bounds.</p>",
        _picture(pictures, "families"),
        "<h2>Similarity can't tell</h2>",
        _picture(pictures, "similarity"),
        _swapped(result),
        "<h2>Beside the published table</h2>",
        _published(result),
        "<h2>The wrong answers</h2>",
        "<p>What MiniLM with the typed guard serves wrongly at 0.80, the most similar first.</p>",
        *(_wrong(name, found) for name, found in result["wrong"].items()),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>askonce: evaluation</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n" + "\n".join(body) + "\n</body>\n</html>\n"
    )


def _picture(pictures: Mapping[str, bytes], name: str) -> str:
    data = base64.b64encode(pictures[name]).decode("ascii")
    return f'<img alt="{name.replace("-", " ")}" src="data:image/png;base64,{data}">'


def _table(header: Iterable[str], rows: Iterable[Iterable[str]], text: frozenset[int] = frozenset()) -> str:
    """Cells are text; one that begins with '!' is marked. `text`: columns of prose."""

    def cell(number: int, content: str, tag: str = "td") -> str:
        kind = " ".join([*(["text"] if number in text else []), *(["no"] if content.startswith("!") else [])])
        return f"<{tag}{f' class={chr(34)}{kind}{chr(34)}' if kind else ''}>{escape(content.removeprefix('!'))}</{tag}>"

    lines = [
        '<div class="wide"><table>',
        "<tr>" + "".join(cell(n, one, "th") for n, one in enumerate(header)) + "</tr>",
    ]
    lines += ["<tr>" + "".join(cell(n, one) for n, one in enumerate(row)) + "</tr>" for row in rows]
    return "\n".join([*lines, "</table></div>"])


def _set(result: Result, name: str) -> str:
    sizes = next(iter(result["rows"].values()))[name]
    rows = []
    for row, cells in result["rows"].items():
        cell = cells[name]
        half = cell["half"]
        rows.append(
            (
                row,
                _counts(cell, cell["at_096"]),
                _counts(cell, cell["at_default"]),
                f"{_hits(cell, cell['single'])}\n{_at(cell['single']['threshold'])}",
                _hits(cell, cell["families"]),
                _counts(cell, cell["transferred_single"]),
                _counts(cell, cell["transferred_families"]),
                _counts(cell, cell["transferred_promise"]),
                "never" if half is None else f"{half['wrong']:,}",
            )
        )
    return (
        f"<h3>{escape(name)}</h3><p class=note>{sizes['n_hit']:,} should hit, {sizes['n_miss']:,} should miss</p>"
        + _table(
            (
                "",
                "at 0.96",
                "at 0.80",
                "one threshold",
                "by family",
                "carried, one",
                "carried, by family",
                "promised ≤ 1 %",
                "half of hits",
            ),
            rows,
        )
    )


def _at(threshold: float | None) -> str:
    return "exact only" if threshold is None else f"from {threshold:.3f}"


def _hits(cell: Mapping[str, Any], counts: Mapping[str, Any]) -> str:
    return f"{counts['hits'] / cell['n_hit']:.1%}" if cell["n_hit"] else "-"


def _counts(cell: Mapping[str, Any], counts: Mapping[str, Any]) -> str:
    bound = upper_bound(counts["false_hits"], cell["n_miss"])
    return f"{_hits(cell, counts)}\n{counts['wrong']:,} (≤ {bound:.1%})"


def _swapped(result: Result) -> str:
    rows = []
    for one in result["swapped"]:
        for which, text in enumerate((one["paraphrase"], one["trap"])):
            similarities = (values[which] for values in one["similarity"].values())
            rows.append(
                (
                    one["question"] if which == 0 else "",
                    text,
                    "same" if which == 0 else "different",
                    *("-" if value is None else f"{value:.3f}" for value in similarities),
                    one["guard"][which],
                )
            )
    return _table(
        ("question", "beside it", "", "unigrams", "uni+bigrams", "MiniLM", "typed guard"), rows, frozenset({1, 2})
    )


def _published(result: Result) -> str:
    rows = []
    for one in PUBLISHED:
        cell = result["rows"][one.row]["seed_shaped"]
        rows.append(
            (
                one.row,
                f"{one.hit_at_096:.1%} / {cell['at_096']['hits'] / cell['n_hit']:.1%}",
                f"{one.wrong_at_096} / {cell['at_096']['wrong']}",
                f"{'none' if one.single is None else f'{one.single:.1%}'} / {_hits(cell, cell['single'])}",
                f"{one.families:.1%} / {_hits(cell, cell['families'])}",
                one.why,
            )
        )
    return _table(
        ("published / ours", "hit at 0.96", "wrong at 0.96", "one threshold", "by family", "why they differ"),
        rows,
        frozenset({5}),
    )


def _wrong(name: str, found: Iterable[Mapping[str, Any]]) -> str:
    rows = [(f"{one['similarity']:.3f}", one["asked"], one["served_from"], one["kind"] or "") for one in found]
    if not rows:
        return f"<h3>{escape(name)}</h3><p>None.</p>"
    shown = _table(("similarity", "asked", "served the answer to", "kind"), rows, frozenset({1, 2, 3}))
    return f"<h3>{escape(name)}</h3>{shown}"
