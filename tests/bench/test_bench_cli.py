"""`python -m bench`: exit codes, one clear line for what is wrong, and reports from what was measured."""

import argparse
import json
from pathlib import Path

import pytest

from bench import page, session, summary, tables
from bench.__main__ import COMMANDS, main
from bench.ask import Ask
from bench.commands import load
from bench.load import Loop
from bench.session import DIRECT, PROXY, Case, Measured, Section
from bench.tally import Slo, Tally
from bench.workloads import Burst, Paraphrase, Recorded, Users
from tests.bench.test_tally import exchange


def options(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    load.configure(parser)
    return parser.parse_args(words)


def tally(
    outcomes: dict[str, int], *, e2e_s: float = 0.2, seconds: float = 2.0, cpu: float = 0.1, finish: str = "stop"
) -> Tally:
    found = Tally(began_s=1.0, ended_s=1.0 + seconds, cpu_shares=[cpu])
    for outcome, count in outcomes.items():
        for _ in range(count):
            found.record(Ask(b""), exchange(outcome, e2e_s=e2e_s, finish=finish), Slo(e2e_ms=100), "default")
    return found


def section(proxy: list[Tally], direct: list[Tally] | None = None, case: Case | None = None) -> Section:
    measured = {PROXY: Measured(PROXY, proxy)}
    if direct is not None:
        measured[DIRECT] = Measured(DIRECT, direct)
    return Section(case or Case(Users(), Loop(50, seconds=2)), measured)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as caught:
        main([command, "--help"])
    assert caught.value.code == 0
    shown = capsys.readouterr().out
    assert "python -m bench" in shown[shown.index("example") :]


def test_help_names_every_command_and_an_example(capsys: pytest.CaptureFixture[str]):
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(command in shown for command in COMMANDS)
    assert "python -m bench --stub" in shown


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("nonsense", "burst, users, zipf, stream, paraphrase, trace"),
        ("trace", "trace FILE"),
        ("trace missing.csv", "missing.csv"),
        ("--stub --base-url http://127.0.0.1:1", "leave out --base-url"),
        ("--direct", "--direct needs the engine's URL"),
        ("--base-url 127.0.0.1:8080", "http://HOST:PORT"),
        ("--users 0", "--users is 0"),
        ("--rate -1", "--rate is -1"),
        ("--repeat-share 2", "from 0 to 1"),
        ("--warmup -1", "--warmup is -1"),
        ("users:most", "users:0.3"),
        ("users:2", "from 0 to 1"),
        ("burst:0.5", "burst takes no share"),
        ("--stub --llamacpp model.gguf", "one of them"),
        ("--llamacpp missing.gguf", "missing.gguf"),
        ("--api-key-env NO_SUCH_VARIABLE_HERE", "NO_SUCH_VARIABLE_HERE is not set"),
        ("--policies x.yaml", "--stub"),
        ("--base-url http://127.0.0.1:9/", "is it running?"),
    ],
)
def test_bad_usage_is_exit_2_and_says_what_to_write(words: str, told: str, capsys: pytest.CaptureFixture[str]):
    assert main(words.split()) == 2
    shown = capsys.readouterr()
    assert told in shown.err
    assert shown.out == ""


@pytest.mark.parametrize("words", ["--users many", "--slo fast", "--slo p99=3", "--arrivals random", "--unknown"])
def test_option_nobody_understands_is_exit_2(words: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as caught:
        main(words.split())
    assert caught.value.code == 2
    assert "--help" in capsys.readouterr().err


def test_without_workloads_it_is_a_burst_and_users():
    burst, users = load.cases_of(options("--stub"))
    assert burst == Case(Burst(), Loop(16, requests=80))
    assert users == Case(Users(1.0), Loop(50, seconds=5.0))


def test_options_reach_their_workload(tmp_path: Path):
    trace = tmp_path / "t.csv"
    trace.write_text("arrival_s,prompt_tokens,output_tokens\n0,5,5\n")
    cases = load.cases_of(options("users", "trace", str(trace), "stream", "--repeat-share", "0.3", "--rate", "9"))
    assert [type(case.workload) for case in cases] == [Users, Recorded, Users]
    assert cases[0].workload == Users(0.3)
    assert cases[0].loop.rate_per_s == 9
    assert [case.stream for case in cases] == [False, False, True]


def test_workload_may_carry_its_share():
    cases = load.cases_of(options("users:1", "users:0.3", "stream"))
    assert [case.workload.title for case in cases] == [
        "users, 100% repeated",
        "users, 30% repeated",
        "stream, 30% repeated",
    ]


def test_slo_is_in_milliseconds():
    assert load.slo("ttft=200, e2e=2000") == Slo(ttft_ms=200, e2e_ms=2000)


def test_burst_that_cost_what_it_should_breaks_no_promise():
    one = section([tally({"hit": 60, "shared": 17, "miss": 3})], case=Case(Burst(), Loop(16, requests=80)))
    one.measured[PROXY].generations = [3]
    assert session.broken_promises([one]) == []


@pytest.mark.parametrize(
    ("outcomes", "cost"),
    [({"hit": 60, "shared": 17, "miss": 3}, 4), ({"hit": 60, "shared": 16, "miss": 4}, 3), ({"hit": 77, "miss": 3}, 2)],
)
def test_burst_that_cost_anything_else_breaks_it(outcomes: dict[str, int], cost: int):
    one = section([tally(outcomes)], case=Case(Burst(), Loop(16, requests=80)))
    one.measured[PROXY].generations = [cost]
    assert session.broken_promises([one])


def test_figures_are_those_of_the_tallies():
    figures = summary.section_figures(
        section([tally({"hit": 6, "shared": 2, "miss": 2}), tally({"hit": 10}, e2e_s=0.05)])
    )
    proxy = figures["targets"][PROXY]
    assert (proxy["answers"], proxy["generations"]) == (20, 2)
    assert (proxy["hit_rate"], proxy["spared_rate"]) == (0.8, 0.9)
    assert proxy["throughput_per_s"]["values"] == [5.0, 5.0]
    assert proxy["goodput_per_s"]["values"] == [0.0, 5.0]
    assert proxy["latencies"]["miss"]["e2e"]["count"] == 2
    assert proxy["latencies"]["miss"]["e2e"]["p50"] == pytest.approx(200, rel=2e-3)
    assert proxy["prompt_tokens"]["p50"] == 5


def test_ratios_are_taken_repeat_by_repeat():
    proxy = [tally({"hit": 10}, e2e_s=0.1), tally({"hit": 10}, e2e_s=0.3)]
    direct = [tally({"uncached": 5}, e2e_s=0.2), tally({"uncached": 5}, e2e_s=0.2)]
    told = summary.section_figures(section(proxy, direct))["proxy_over_direct"]
    assert told["throughput"]["values"] == [2.0, 2.0]
    assert told["e2e_p50"]["values"] == pytest.approx([0.5, 1.5], rel=3e-3)
    assert told["e2e_p50"]["half"] > 0


def test_single_repeat_has_no_interval():
    assert summary.interval([3.0]) == {"mean": 3.0, "half": None, "values": [3.0]}


@pytest.mark.parametrize(
    ("one", "told"),
    [
        (section([tally({"hit": 1}, cpu=0.71)]), "client-bound"),
        (section([tally({"miss": 1}, finish="length")]), "finish_reasons"),
        (section([tally({"bypass": 1})]), "passed the cache by"),
        (section([tally({"miss": 1})], case=Case(Paraphrase(), Loop(8, seconds=1))), "semantic"),
    ],
)
def test_what_a_reader_must_know_is_a_warning(one: Section, told: str):
    (text,) = summary.warnings([summary.section_figures(one)])
    assert told in text


def test_share_at_the_limit_is_not_client_bound():
    assert summary.warnings([summary.section_figures(section([tally({"hit": 1}, cpu=0.7)]))]) == []


def test_busy_machine_is_told():
    (told,) = summary.warnings([], load_average=1.5, cores=2)
    assert "load average 1.5 on 2 cores" in told
    assert summary.warnings([], load_average=1.0, cores=2) == []


@pytest.fixture
def report() -> summary.Figures:
    sections = [section([tally({"hit": 6, "miss": 2})], [tally({"uncached": 4})])]
    return {
        "started": "2026-01-01T00:00:00+00:00",
        "note": "<b>quiet</b>",
        "engine": {"server": "stub"},
        "model": "stub",
        "machine": {"cpu": "c", "cores": 2, "system": "s", "python": "3"},
        "load_average": {"before": 1.0, "after": 2.0},
        "warmup": 16,
        "repeats": 1,
        "slo": {"e2e_ms": 100},
        "client": {"processes": 1, "floor_us": 30.0},
        "families": ["default"],
        "sections": [summary.section_figures(one) for one in sections],
        "warnings": [],
    }


def test_report_is_json_pictures_and_one_page_that_needs_no_network(report: summary.Figures, tmp_path: Path):
    shown = page.write(report, tmp_path, "bench").read_text()
    assert json.loads((tmp_path / "bench.json").read_text())["model"] == "stub"
    assert {path.name for path in (tmp_path / "bench").iterdir()} == {
        "users-100-repeated-latency.png",
        "users-100-repeated-outcomes.png",
    }
    assert shown.count("data:image/png;base64,") == 2
    assert "http://" not in shown
    assert "<b>quiet</b>" not in shown  # escaped
    assert "proxy over direct" in shown


def test_tables_open_with_what_makes_them_comparable(report: summary.Figures):
    head = "\n".join(tables.head_lines(report))
    for told in ("stub", "2 cores", "16 requests", "average 1.0 before, 2.0 after", "default", "floor 30 us"):
        assert told in head
    assert [table.title for table in tables.tables(report)] == ["users, 100% repeated: 50 users", "milliseconds"]
