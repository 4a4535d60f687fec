"""`python -m simulation`: exit codes, one clear line for what is wrong, and what a script reads."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from simulation.__main__ import COMMANDS, main
from simulation.commands import check, study
from simulation.commands.check import differences
from simulation.frontend import serve
from simulation.study import Parameters, Study, run_study

QUICK = [
    *("--requests", "200", "--longest-requests", "200", "--runs", "2", "--replicates", "2", "--short-runs", "2"),
    *("--sharing-requests", "100", "--sharing-runs", "2", "--loads", "1", "4", "--jobs", "1"),
]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    main([*QUICK, "--no-report", "--results", str(folder)])
    return folder


def test_every_command_has_one_form_and_an_example(capsys: pytest.CaptureFixture[str]):
    names = [command.NAME for command in COMMANDS]
    assert len(set(names)) == len(names)
    assert {"study", "check", "frontend", "replay", "fit", "validate", "plan"} <= set(names)
    for name in names:
        with pytest.raises(SystemExit) as caught:
            main([name, "--help"])
        assert caught.value.code == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert shown.index("python -m simulation", shown.index("example")) > 0


@pytest.mark.parametrize(
    "argv",
    [
        "--slots 0",
        "--loads 0",
        "--jobs 0",
        "--requests ten",
        "--nonsense",
        "nonsense",
        "study --slo -1",
        "check --against missing.json",
        "frontend --rate -3",
        "frontend --share 2",
        "frontend --engines 0",
        "frontend --route nowhere",
        "frontend --trace missing.csv",
        "frontend --semantic missing.json",
        "frontend --cost nothing-of-this-name",
        "frontend --cost rtxpro6000-llama3.1-8b",
        "frontend --blocks 10",
        "frontend --engine full --blocks 1",
        "frontend --engine full --blocks 20 --requests 100",
        "frontend --users 0",
        "frontend --ttl-s 0",
        "frontend --seed -1",
    ],
)
def test_a_bad_argument_exits_2_with_one_line(argv: str, capsys: pytest.CaptureFixture[str]):
    try:
        status: Any = main(argv.split())
    except SystemExit as stopped:
        status = stopped.code
    written = capsys.readouterr()
    assert status == 2
    assert written.out == ""
    assert len(written.err.strip().splitlines()) == 1
    assert "Traceback" not in written.err


def test_the_study_writes_its_numbers_and_shows_them_in_80_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    status = main([*QUICK, "--no-report", "--results", str(tmp_path)])
    shown = capsys.readouterr().out
    found = json.loads((tmp_path / "simulation.json").read_bytes())
    assert status == (0 if all(one["within"] for one in found["published"]) else 1)
    assert found["whole"] is True
    assert {one["discipline"] for one in found["points"]} == {"sequential", "static", "continuous"}
    assert "Highest load with p95 under 10 s" in shown
    assert "…" not in shown
    assert max(len(line.rstrip()) for line in shown.splitlines()) <= 80


def test_json_on_standard_output_is_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    main([*QUICK, "--no-report", "--slots", "8", "--results", str(tmp_path), "--json", "-"])
    found = json.loads(capsys.readouterr().out)
    assert found["parameters"]["slots"] == 8
    assert found["published"] == [], "the published table is about 32 slots"


def test_check_agrees_with_what_was_just_written(results: Path, capsys: pytest.CaptureFixture[str]):
    file = results / "simulation.json"
    recorded = json.loads(file.read_bytes())
    reproduced = all(one["within"] for one in recorded["published"])
    assert main(["check", "--against", str(file), "--jobs", "1"]) == (0 if reproduced else 1)
    assert "recorded" not in capsys.readouterr().out


def test_check_names_every_number_that_moved(results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    recorded = json.loads((results / "simulation.json").read_bytes())
    recorded["points"][2]["p95_s"]["mean"] *= 1.001
    recorded["heat"][0]["p95_s"][1] += 0.5
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(recorded))
    assert main(["check", "--against", str(changed), "--jobs", "1"]) == 1
    shown = capsys.readouterr().out
    assert "points[2].p95_s.mean: recorded" in shown
    assert "heat[0].p95_s[1]: recorded" in shown


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"parameters": {"loads": [1], "colour": 3}}'])
def test_check_refuses_what_is_not_a_study(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "other.json"
    file.write_text(text)
    assert main(["check", "--against", str(file)]) == 2
    assert "python -m simulation" in capsys.readouterr().err


def test_differences_are_of_places_kinds_and_lengths():
    assert list(differences({"a": [1, 2.0]}, {"a": [1, 2.0000000001]}, "")) == []
    assert list(differences({"a": [1, 2]}, {"a": [1]}, "")) == ["a: 2 recorded, 1 computed"]
    assert list(differences({"a": 1, "b": 1}, {"a": "1"}, "")) == [
        "a: recorded 1, computed '1'",
        "b: only in what was recorded",
    ]
    assert list(differences({"a": True}, {"a": False}, "")) == ["a: recorded True, computed False"]


def test_an_interrupted_study_writes_what_is_done_beside_the_recorded_one(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def interrupted(parameters: Parameters, jobs: int) -> Study:
        def stop(done: int, total: int) -> None:
            if done == total - 1:
                raise KeyboardInterrupt

        return run_study(parameters, jobs, stop)

    monkeypatch.setattr(study, "with_progress", interrupted)
    monkeypatch.setattr(check, "with_progress", interrupted)
    assert main([*QUICK, "--results", str(tmp_path)]) == 130
    written = json.loads((tmp_path / "simulation.partial.json").read_bytes())
    assert written["whole"] is False
    assert written["points"]
    assert not (tmp_path / "simulation.json").exists()
    assert "simulation.partial.json" in capsys.readouterr().err
    assert main(["check", "--against", str(results / "simulation.json")]) == 130


def test_frontend_tells_paths_and_latencies(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    evaluation = tmp_path / "evaluation.json"
    evaluation.write_text('{"n_hit": 10, "hits": 8, "n_miss": 100, "wrong": 1}')
    rows = tmp_path / "requests.jsonl"
    argv = (
        f"frontend --requests 400 --rate 8 --share 0.8 --entries 10 --wordings 3 --engines 2 --semantic {evaluation} "
        f"--requests-out {rows} --json -"
    )
    assert main(argv.split()) == 0
    found = json.loads(capsys.readouterr().out)
    names = [one["name"] for one in found["front_ends"]]
    assert names == ["bare", "single flight", "cache", "cache and single flight", "and semantic"]
    for one in found["front_ends"]:
        shares = [one[f"{path}_share"] for path in ("hit", "semantic", "coalesced", "generated")]
        assert sum(shares) == pytest.approx(1.0)
        assert sum(one["per_engine"]) == round(one["generated_share"] * 400)
    assert found["front_ends"][-1]["semantic_share"] > 0
    written = [json.loads(line) for line in rows.read_text().splitlines()]
    assert len(written) == 400
    assert {row["path"] for row in written} == {"hit", "semantic", "coalesced", "generated"}


def test_frontend_reads_a_trace_over_the_full_engine(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    trace = tmp_path / "trace.csv"
    lines = ["arrival_s,prompt_tokens,output_tokens,identity"]
    lines += [f"{row * 0.2},{100 + row},20,{row % 3}" for row in range(30)]
    trace.write_text("\n".join(lines) + "\n")
    argv = f"frontend --trace {trace} --engine full --cost rtxpro6000-llama3.1-8b --engines 2 --route prefix-affinity"
    assert main(argv.split()) == 0
    assert "cache and single flight 90.0" in capsys.readouterr().out


def test_a_bad_row_of_a_trace_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    trace = tmp_path / "trace.csv"
    trace.write_text("arrival_s,prompt_tokens,output_tokens\n0,10,5\n1,-4,5\n")
    assert main(["frontend", "--trace", str(trace)]) == 2
    assert "trace.csv, row 3" in capsys.readouterr().err
    trace.write_text("arrival_s,prompt_tokens,output_tokens\n0,10,5\n1,4000,5\n")
    argv = f"frontend --trace {trace} --engine full --cost reference --slots 8 --blocks 40"
    assert main(argv.split()) == 2
    assert "trace.csv, row 3" in capsys.readouterr().err


def test_an_interrupted_comparison_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    calls = iter(range(9))

    def interrupted(*args: Any, **more: Any) -> Any:
        if next(calls) == 2:
            raise KeyboardInterrupt
        return serve(*args, **more)

    monkeypatch.setattr("simulation.commands.frontend.serve", interrupted)
    rows = tmp_path / "rows.csv"
    assert main(f"frontend --requests 100 --json - --requests-out {rows}".split()) == 130
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert found["whole"] is False
    assert [one["name"] for one in found["front_ends"]] == ["bare", "single flight"]
    assert said.err == "simulation frontend: interrupted; not run: cache, cache and single flight\n"
    assert not rows.exists()


def test_a_full_disk_behind_standard_output_is_one_line(tmp_path: Path):
    trace = tmp_path / "trace.csv"
    trace.write_text("arrival_s,prompt_tokens,output_tokens\n0,5,5\n")
    for more in ([], ["--json", "-"]):
        command = [sys.executable, "-m", "simulation", "replay", str(trace), "--cost", "reference", *more]
        with open("/dev/full", "w") as full:
            ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert ran.returncode == 2
        assert ran.stderr == "simulation replay: the result cannot be written (No space left on device)\n"
