"""replay, fit, validate, plan and benchmark as a user calls them: exit status, files, one line for what is wrong."""

import csv
import json
import shlex
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from simulation.__main__ import COMMANDS, main, parser
from simulation.cost_file import load_cost

DATA = Path(str(resources.files("simulation") / "data"))
RUN = DATA / "vllm_runs" / "rtxpro6000_llama31_8b_tp1.jsonl"
AZURE = DATA / "azure2023_conv.csv"
HEAD = "arrival_s,prompt_tokens,output_tokens\n"

# Scripts read these; keys may be added, never renamed.
STABLE = (
    "latency_mape",
    "latency_mean_err",
    "latency_p95_err",
    "ttft_mean_err",
    "tpot_mean_err",
    "prefix_hit_rate",
    "preemptions",
)


def short(folder: Path) -> Path:
    """The first 60 requests of the run."""
    path = folder / "run.jsonl"
    path.write_text("".join(RUN.read_text().splitlines(keepends=True)[:60]))
    return path


def written(path: Path) -> Any:
    return json.loads(path.read_text())


def test_validate_writes_the_stable_keys(tmp_path):
    out = tmp_path / "out.json"
    command = ["validate", str(RUN), "--meta", str(RUN.with_suffix(".meta.json")), "--cost", "rtxpro6000-llama3.1-8b"]
    assert main([*command, "--blocks", "20000", "--json", str(out)]) == 0
    found = written(out)
    assert all(isinstance(found[key], int | float) for key in STABLE)
    assert found["rows"] == "all"
    assert found["latency_mape"] == pytest.approx(0.015, abs=0.005)
    assert found["prefix_hit_rate"] == pytest.approx(0.076, abs=0.002)
    assert found["engine"]["blocks"] == 20000


def test_validate_reports_the_half_it_did_not_fit(tmp_path):
    out, cost = tmp_path / "out.json", tmp_path / "cost.json"
    command = ["validate", str(short(tmp_path)), "--cost", "rtxpro6000-llama3.1-8b", "--fit-overhead", "first-half"]
    assert main([*command, "--json", str(out), "--save-cost", str(cost)]) == 0
    found = written(out)
    assert found["rows"] == "second half"
    assert found["latency_mape"] == found["second_half"]["latency_mape"]
    assert found["requests"] == 30
    assert load_cost(str(cost)).overhead_step_s > 0


def test_validate_can_be_a_check(capsys):
    command = ["validate", str(RUN), "--cost", "reference"]
    assert main([*command, "--max-mape", "0.05"]) == 1
    assert "is above 5.00%" in capsys.readouterr().out


def test_validate_draws_a_page_that_opens_without_network(tmp_path):
    plot = tmp_path / "out.html"
    run = short(tmp_path).rename(tmp_path / "a<b>.jsonl")
    log = str(RUN.with_suffix(".timeseries.csv"))
    command = ["validate", str(run), "--cost", "rtxpro6000-llama3.1-8b", "--timeseries", log]
    assert main([*command, "--plot", str(plot)]) == 0
    page = plot.read_bytes()
    assert b"data:image/png;base64,iVBOR" in page
    assert b"http" not in page
    assert b"a&lt;b&gt;.jsonl" in page


def test_validate_tells_what_each_mechanism_is_worth(tmp_path, capsys):
    assert main(["validate", str(short(tmp_path)), "--cost", "rtxpro6000-llama3.1-8b", "--mechanisms"]) == 0
    assert "prefix caching" in capsys.readouterr().out


def test_validate_with_the_kv_limit_of_another_card(tmp_path):
    out = tmp_path / "out.json"
    assert main(["validate", str(RUN), "--cost", "RTX 4090 Llama-3.1-8B", "--blocks", "2587", "--json", str(out)]) == 0
    found = written(out)
    assert found["preemptions"] > 100
    assert found["prefix_hit_rate"] == pytest.approx(0.019, abs=0.002)


def test_json_alone_goes_to_the_terminal(capsys):
    assert main(["validate", str(RUN), "--cost", "rtxpro6000-llama3.1-8b", "--json", "-"]) == 0
    assert set(STABLE) <= set(json.loads(capsys.readouterr().out))


def test_replay_writes_summary_requests_and_series(tmp_path):
    out, rows, series = tmp_path / "o.json", tmp_path / "rows.csv", tmp_path / "series.jsonl"
    command = ["replay", str(AZURE), "--cost", "rtxpro6000-llama3.1-8b", "--limit", "200", "--rate", "4"]
    assert main([*command, "--json", str(out), "--requests", str(rows), "--series", str(series)]) == 0
    found = written(out)
    assert found["label"] == "stable"
    assert found["rate_per_s"] == pytest.approx(4)
    assert found["ttft"]["p95"] > found["ttft"]["p50"] > 0
    with rows.open() as file:
        first = next(csv.DictReader(file))
    assert {"arrival_s", "scheduled_s", "first_token_s", "last_token_s", "preemptions", "cached_tokens", "path"} <= set(
        first
    )
    assert json.loads(series.read_text().splitlines()[5])["t"] == 5.0


def test_replay_step_by_step_says_the_same(tmp_path):
    outs = [tmp_path / "skip.json", tmp_path / "step.json"]
    command = [
        "replay",
        str(DATA / "mooncake_conversation.jsonl"),
        "--cost",
        "reference",
        "--limit",
        "30",
        "--engines",
        "2",
    ]
    assert main([*command, "--json", str(outs[0])]) == 0
    assert main([*command, "--step", "--json", str(outs[1])]) == 0
    skip, step = (written(out) for out in outs)
    assert skip["latency"]["mean"] == pytest.approx(step["latency"]["mean"], abs=1e-6)
    assert skip["steps"] == step["steps"]


def test_replay_draws_from_a_servegen_client(capsys):
    client = DATA / "servegen_deepseek-r1-1-trace.csv"
    assert main(["replay", str(client), "--cost", "rtxpro6000-llama3.1-8b", "--for-s", "900", "--seed", "2"]) == 0
    assert "requests" in capsys.readouterr().out


def test_replay_tells_of_extrapolation_in_one_line(capsys):
    command = ["replay", str(AZURE), "--cost", "cpu-gemma3-270m-q4", "--limit", "30"]
    assert main(command) == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("warning: cost cpu-gemma3-270m-q4: extrapolated beyond its measurements (sequences ")


def test_fit_makes_a_cost_model_that_replay_takes(tmp_path):
    steps, cost = tmp_path / "steps.csv", tmp_path / "mine.json"
    lines = [f"{n},{500 * n},{p},{p * p},{9 + 0.3 * n + 0.04 * p}" for n in (1, 8, 32) for p in (0, 256, 1024)]
    steps.write_text("sequences,kv_tokens,prompt_tokens,chunk_context,time_ms\n" + "\n".join(lines))
    assert main(["fit", str(steps), "--out", str(cost)]) == 0
    assert load_cost(str(cost)).step_s == pytest.approx(9e-3, rel=0.05)
    assert "rms all" in load_cost(str(cost)).provenance
    assert main(["replay", str(AZURE), "--cost", str(cost), "--limit", "20"]) == 0


def test_fit_overhead_on_a_run_or_carry_it_over(tmp_path):
    fitted, carried = tmp_path / "fitted.json", tmp_path / "carried.json"
    command = ["fit", "rtxpro6000-llama3.1-8b", "--run", str(short(tmp_path)), "--overhead", "step"]
    assert main([*command, "--out", str(fitted)]) == 0
    assert 0 < load_cost(str(fitted)).overhead_step_s < 0.02
    assert "overhead fitted on the first half" in load_cost(str(fitted)).provenance
    assert main(["fit", "rtx4090-llama3.1-8b", "--overhead-of", str(fitted), "--out", str(carried)]) == 0
    assert load_cost(str(carried)).overhead_step_s == load_cost(str(fitted)).overhead_step_s


def test_plan_says_how_many_engines_and_what_a_cache_changes(tmp_path):
    out = tmp_path / "out.json"
    command = ["plan", str(AZURE), "--cost", "rtx4090-llama3.1-8b", "--limit", "300", "--rate", "12"]
    status = main([*command, "--target", "p95 ttft < 1", "--repeats", "0.5", "--questions", "20", "--json", str(out)])
    assert status == 0
    bare, shared, cached = written(out)["needs"]
    assert bare["engines"] >= cached["engines"] >= 1
    assert cached["hit_share"] > 0.3
    assert shared["hit_share"] == bare["hit_share"] == 0


def test_plan_that_cannot_be_kept_exits_1():
    command = ["plan", str(AZURE), "--cost", "rtx4090-llama3.1-8b", "--limit", "40"]
    assert main([*command, "--target", "p95 ttft < 0.001", "--max-engines", "2"]) == 1


@pytest.mark.parametrize(
    ("rows", "more", "said"),
    [
        ("0,5,5\n1,x,5\n", [], "row 3: prompt_tokens is 'x'"),
        ("0,5,5\n1,-5,5\n", [], "row 3: prompt_tokens is -5"),
        ("3,5,5\n1,5,5\n", [], "row 3: arrives at 1 s, before the one ahead of it (3 s)"),
        ("0,5,5\n1,900,5\n", ["--blocks", "20"], "row 3: 900 prompt and 5 output tokens need 57 blocks"),
        ("0,5,5\n1,900,5\n", ["--blocks", "20", "--engines", "2"], "row 3: 900 prompt and 5 output tokens"),
        ("0,5,5\n", ["--max-num-seqs", "0"], "max_num_seqs is 0"),
        ("0,5,5\n", ["--limit", "0"], "the number of requests is 0"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(tmp_path, capsys, rows: str, more: list[str], said: str):
    path = tmp_path / "trace.csv"
    path.write_text(HEAD + rows)
    assert main(["replay", str(path), "--cost", "reference", *more]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert said in captured.err
    if said.startswith("row"):
        assert str(path) in captured.err


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["validate", "none.jsonl", "--cost", "reference"], "none.jsonl: No such file"),
        (["validate", str(RUN), "--cost", "reference", "--meta", "none.json"], "none.json: No such file"),
        (["validate", str(RUN), "--cost", "none"], "none: no such file and no preset; presets are"),
        (["validate", str(RUN), "--cost", "reference", "--plot", "out.gif"], "plots are .png or .html"),
        (["fit", str(RUN), "--out", "x.json"], "row 1: no time"),
        (["fit", "none", "--layers", "3"], "none_dense.csv: no such file"),
        (
            ["fit", "reference", "--run", str(RUN), "--overhead", "luck"],
            "--overhead luck: write some of step, sequence",
        ),
        (
            ["plan", str(AZURE), "--cost", "reference", "--target", "p95 ttft < 1", "--max-engines", "0"],
            "--max-engines is 0",
        ),
        (["validate", str(RUN), "--cost", "reference", "--overhead", "luck"], "--overhead luck: write some of"),
        (["validate", str(RUN), "--cost", "reference", "--engines", "0"], "0 engines; use 1 to"),
        (["replay", str(AZURE), "--cost", "reference", "--engines", "1000000"], "use 1 to 10,000"),
        (
            ["plan", str(AZURE), "--cost", "reference", "--target", "p95 ttft < 1", "--repeats", "1", "--seed", "-1"],
            "seed is -1",
        ),
        (["benchmark", "--rates", "2", "nan"], "--rates above 0"),
        (["validate", str(RUN), "--cost", "reference", "--max-mape", "nan"], "--max-mape is nan"),
        (
            [
                "replay",
                str(AZURE),
                "--cost",
                "reference",
                "--max-num-seqs",
                "9000000",
            ],
            "max_num_seqs is 9000000; it must be 1,000,000 at most",
        ),
        (["frontend", "--slots", "9000000"], "a server of 9000000 slots; use 1 to 1,000,000"),
    ],
)
def test_what_is_missing_or_wrong_is_told_and_exits_2(capsys, command: list[str], said: str):
    assert main(command) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (["--json", "none/out.json"], "there is no directory none"),
        (["--json", "."], "is a directory"),
        (["--requests", "out.txt"], "tables are .csv or .jsonl"),
    ],
)
def test_a_result_that_cannot_be_written_is_told_before_the_work(capsys, option: list[str], said: str):
    with pytest.raises(SystemExit) as caught:
        main(["replay", "not looked at", "--cost", "reference", *option])
    assert caught.value.code == 2
    captured = capsys.readouterr().err
    assert said in captured
    assert captured.count("\n") == 1


def test_json_has_null_where_there_is_no_number(tmp_path):
    path, out = tmp_path / "trace.csv", tmp_path / "out.json"
    path.write_text("\ufeff" + HEAD + "0,5,5\n")
    assert main(["replay", str(path), "--cost", "reference", "--json", str(out)]) == 0
    assert json.loads(out.read_text(), parse_constant=pytest.fail)["rate_per_s"] is None


def test_a_bad_target_is_bad_usage(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["plan", str(AZURE), "--cost", "reference", "--target", "fast"])
    assert caught.value.code == 2
    assert "write a target like 'p95 ttft < 1'" in capsys.readouterr().err


EXAMPLES = [words for command in COMMANDS for words in command.EXAMPLES]


@pytest.mark.parametrize("words", EXAMPLES)
def test_an_example_is_shown_and_names_files_that_are_there(capsys, words: str):
    parsed = shlex.split(words.replace("\\\n", " "))
    parser().parse_args(parsed)
    assert all((DATA.parents[1] / word).exists() for word in parsed if word.startswith("simulation/data"))
    with pytest.raises(SystemExit) as caught:
        main([parsed[0], "--help"])
    assert caught.value.code == 0
    assert f"  python -m simulation {words}\n" in capsys.readouterr().out


@pytest.mark.parametrize("words", [words for words in EXAMPLES if words.startswith(("replay", "fit", "validate"))])
def test_an_example_runs_as_printed(tmp_path, monkeypatch, words: str):
    (tmp_path / "simulation").symlink_to(DATA.parent)
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(words.replace("\\\n", " "))) == 0


def test_the_benchmark_counts_requests_per_cpu_second(tmp_path, capsys):
    out = tmp_path / "speed.json"
    command = ["benchmark", "--rates", "2", "--requests", "200", "--passes", "1", "--must", "1e12", "--json", str(out)]
    assert main(command) == 1
    found = written(out)
    (speed,) = found["engine"]
    assert speed["skipping"] > 0 < speed["stepping"]
    assert speed["steps_per_request"] > 1
    assert {one["discipline"] for one in found["reference"]} == {"sequential", "static", "continuous"}
    said = capsys.readouterr().out
    assert "full engine, requests per CPU second" in said
    assert "reference model, static at 1/s" in said


@pytest.mark.parametrize("command", ["validate", "plan", "benchmark"])
def test_whatever_else_is_said_standard_output_is_json_alone(tmp_path, capsys, command: str):
    lines = short(tmp_path).read_text().splitlines(keepends=True)
    run = tmp_path / "swapped.jsonl"
    run.write_text("".join([*lines[:4], lines[5], lines[4], *lines[6:]]))
    cost = ["--cost", "rtxpro6000-llama3.1-8b"]
    more = {
        "validate": [str(run), *cost, "--max-mape", "0"],
        "plan": [str(run), *cost, "--target", "p50 ttft < 0.0001", "--max-engines", "1"],
        "benchmark": ["--rates", "2", "--requests", "50", "--passes", "1", "--must", "1e12"],
    }[command]
    assert main([command, *more, "--json", "-"]) == 1
    said = capsys.readouterr()
    assert said.out.startswith("{")
    json.loads(said.out)
    assert command == "plan" or said.err


def test_warm_requests_must_be_hashed_as_the_trace_is(tmp_path, capsys):
    mooncake = str(DATA / "mooncake_conversation.jsonl")
    assert main(["replay", str(RUN), "--cost", "reference", "--warm", mooncake]) == 2
    assert "hash ids of 512 tokens, those of" in capsys.readouterr().err
    # Without hashes there is nothing to find, whatever the blocks.
    path = tmp_path / "trace.csv"
    path.write_text(HEAD + "0,50,5\n")
    assert main(["replay", str(path), "--cost", "reference", "--block-tokens", "24", "--warm", mooncake]) == 0


def test_a_recorded_run_may_leave_out_when_requests_were_scheduled(tmp_path, capsys):
    path = tmp_path / "run.csv"
    path.write_text("arrival_s,prompt_tokens,output_tokens,scheduled_s,first_token_s,last_token_s\n0,5,5,,0.1,0.2\n")
    assert main(["validate", str(path), "--cost", "reference"]) == 0
