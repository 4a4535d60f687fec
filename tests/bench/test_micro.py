"""Costs of single steps: what is measured is what the name says, and two records are told apart from noise."""

import json
from pathlib import Path

import pytest

from bench.__main__ import main
from bench.commands.micro import read
from bench.in_process import InProcess, outcome_of
from bench.micro import compare, cost, measure
from bench.micro_cases import CASES, DERIVED, body_of
from bench.reading import read_outcome

QUICK = [case for case in CASES if not case.name.startswith("semantic")]


@pytest.mark.anyio
@pytest.mark.real_loop
async def test_every_case_runs_and_costs_something():
    costs = await measure(QUICK, rounds=1, round_s=1e-4)
    assert costs.keys() == {case.name for case in QUICK} | DERIVED.keys()
    assert all(found.median_us > 0 for name, found in costs.items() if name not in DERIVED)


@pytest.mark.anyio
@pytest.mark.real_loop
@pytest.mark.parametrize("stream", [False, True])
async def test_app_in_process_misses_once_and_then_hits(stream: bool):
    proxy = InProcess()
    body = body_of(1024, stream=stream)
    assert read_outcome(outcome_of(await proxy.ask(body))) == "miss"
    assert read_outcome(outcome_of(await proxy.ask(body))) == "hit"
    assert proxy.engine.calls == 1
    await proxy.app.aclose()


@pytest.mark.parametrize("size", [1024, 32_768])
def test_bodies_have_the_size_they_are_named_after(size: int):
    assert len(body_of(size)) == size


def test_case_whose_quartiles_do_not_overlap_has_changed():
    before = {"a": cost("", [1.0, 1.1, 1.2]), "b": cost("", [1.0, 1.5, 2.0]), "gone": cost("", [1.0])}
    after = {"a": cost("", [2.0, 2.1, 2.2]), "b": cost("", [1.1, 1.6, 2.1]), "new": cost("", [1.0])}
    changes = {change.name: change for change in compare(before, after)}
    assert changes.keys() == {"a", "b"}
    assert changes["a"].distinct
    assert changes["a"].ratio == pytest.approx(2.1 / 1.1)
    assert not changes["b"].distinct


def test_record_is_read_back_and_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    record = tmp_path / "before.json"
    words = ["micro", "--only", "permit", "--rounds", "3"]
    assert main([*words, "--json", str(record)]) == 0
    assert read(record)["permit"].median_us > 0
    told = json.loads(record.read_text())
    told["costs"]["permit"] |= {"median_us": 1e-6, "low_us": 1e-6, "high_us": 1e-6}
    record.write_text(json.dumps(told))
    assert main([*words, "--compare", str(record), "--limit", "1.1"]) == 1
    assert "FAILED: permit" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    ["--only nothing", "--rounds 0", "--limit 1.1", "--compare missing.json", "--only permit --compare /dev/null"],
)
def test_bad_usage_is_exit_2(words: str, capsys: pytest.CaptureFixture[str]):
    assert main(["micro", *words.split()]) == 2
    assert "bench micro:" in capsys.readouterr().err
