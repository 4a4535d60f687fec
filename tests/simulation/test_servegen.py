"""Drawing from a ServeGen client."""

import csv
import json
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from simulation.servegen import draw_client
from simulation.traces import TraceError

DATA = Path(str(resources.files("simulation") / "data"))
CLIENT = DATA / "servegen_deepseek-r1-1-trace.csv"


def test_the_rate_is_the_clients():
    with CLIENT.open() as file:
        rates = [float(row[1]) for row in csv.reader(file)]
    drawn = [len(draw_client(CLIENT, seed, 0.0, 43_200.0).requests) for seed in range(4)]
    assert sum(drawn) / 4 == pytest.approx(600 * sum(rates), rel=0.03)


def test_lengths_are_the_windows_histograms():
    text = json.loads((DATA / "servegen_deepseek-r1-1-dataset.json").read_text())["0"]["input_tokens"]
    shares = {int(length): float(share) for length, share in (pair.split(": ") for pair in text[1:-1].split(", "))}
    mean = sum(length * share for length, share in shares.items()) / sum(shares.values())
    trace = draw_client(CLIENT, 1, 0.0, 21_600.0)
    drawn = np.array([request.prompt_tokens for request in trace.requests])
    assert drawn.mean() == pytest.approx(mean, rel=0.05)
    assert set(drawn.tolist()) <= set(shares)


def test_the_same_seed_draws_the_same_and_the_clock_starts_at_0():
    first, again, other = (draw_client(CLIENT, seed, 600.0, 1200.0) for seed in (3, 3, 4))
    assert first == again != other
    assert first.requests[0].arrival_s == 0
    assert all(a.arrival_s <= b.arrival_s for a, b in zip(first.requests, first.requests[1:], strict=False))
    assert set(first.rows) == {2, 3}


def client(tmp_path: Path, rates: str, lengths: object) -> Path:
    path = tmp_path / "c-trace.csv"
    path.write_text(rates)
    (tmp_path / "c-dataset.json").write_text(json.dumps(lengths))
    return path


WINDOW = {"input_tokens": "{5: 1.0}", "output_tokens": "{0: 0.5, 7: 0.5}"}


def test_windows_without_lengths_use_those_before_them(tmp_path):
    path = client(
        tmp_path,
        "0,1,1,Gamma,1,1\n600,1,1,Weibull,0.5,1\n",
        {"0": WINDOW, "600": {"input_tokens": "{}", "output_tokens": "{}"}},
    )
    trace = draw_client(path, 0, 600.0, 600.0)
    assert {request.prompt_tokens for request in trace.requests} == {5}
    # An answer has one token at least.
    assert {request.output_tokens for request in trace.requests} == {1, 7}


def test_a_byte_order_mark_empty_lines_and_spaces_do_not_matter(tmp_path):
    plain = draw_client(client(tmp_path, "0,1,1,Gamma,1,1\n600,2,1,Weibull,0.5,1\n", {"0": WINDOW}), 0)
    spread = draw_client(
        client(tmp_path, "\ufeff0,1,1,Gamma,1,1\r\n\r\n600, 2, 1, Weibull, 0.5, 1\r\n \r\n", {"0": WINDOW}), 0
    )
    assert spread.requests == plain.requests


@pytest.mark.parametrize(
    ("rates", "lengths", "said"),
    [
        ("0,1,1,Gamma,1\n", {"0": WINDOW}, "row 1: must be start_s"),
        ("0,1,1,Gamma,1,1\n600,fast,1,Gamma,1,1\n", {"0": WINDOW}, "row 2: must be start_s"),
        ("0,1,1,Normal,1,1\n", {"0": WINDOW}, "row 1: a rate below 0, or no Gamma or Weibull"),
        ("0,-1,1,Gamma,1,1\n", {"0": WINDOW}, "row 1: a rate below 0"),
        ("600,1,1,Gamma,1,1\n0,1,1,Gamma,1,1\n", {"0": WINDOW}, "row 2: starts at 0 s"),
        ("0,nan,1,Gamma,1,1\n", {"0": WINDOW}, "row 1: must be start_s"),
        ("0,1e9,1,Gamma,1,1\n", {"0": WINDOW}, "row 1: 1e+09 requests per second"),
        ("0,1,1,Gamma,1,1\n", [], "must be an object"),
        ("0,0,0,,0,0\n", {"0": WINDOW}, "no requests between"),
        ("", {"0": WINDOW}, "no windows in it"),
        ("0,1,1,Gamma,1,1\n", {"0": {"input_tokens": "{}"}}, "window 0: must hold histograms"),
        ("0,1,1,Gamma,1,1\n", {}, "no lengths in it"),
    ],
)
def test_a_bad_client_is_one_line_with_file_and_row(tmp_path, rates: str, lengths: object, said: str):
    with pytest.raises(TraceError) as caught:
        draw_client(client(tmp_path, rates, lengths), 0)
    assert str(tmp_path) in str(caught.value)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
