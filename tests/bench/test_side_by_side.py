"""`python -m bench side-by-side`: what a run's figures come to; the run itself is by command."""

import json
import math
from pathlib import Path

import pytest

from bench.__main__ import main
from bench.side_by_side.bodies import BODIES, body, flight_body
from bench.side_by_side.build import CannotBuild, Workshop, check, exact_only, free_ports
from bench.side_by_side.measure import METRICS, Figures, Run
from bench.side_by_side.targets import PROXY_COMMAND, targets
from bench.side_by_side.verdict import GOALS, Goal, ratios, reached, summary, unquiet
from policies.load import load_policies

WORKSHOP = Workshop(Path("/w"), dict.fromkeys(("stub", "proxy", "nginx", "nginx_cache"), 1))


def figures(rps: float, cpu_us: float = 20.0, p50: float = 100.0) -> Figures:
    return {"rps": rps, "cpu_us": cpu_us, "p50": p50, "p99": 2 * p50, "ttft50": p50}


def measured(results: dict[str, dict[str, list[Figures]]]) -> Run:
    run = Run(WORKSHOP, [], pin=False)
    run.results = results
    return run


@pytest.mark.parametrize("name", BODIES)
def test_bodies_are_json_of_their_size_and_can_be_told_apart(name: str):
    size = BODIES[name][0]
    written = body(*BODIES[name])
    assert len(written) == size
    assert written.count(b"@@@@@@@@") == 1
    assert json.loads(written)["temperature"] == 0
    assert ("stream" in json.loads(written)) is (BODIES[name][2] is not None)


def test_each_flight_asks_what_nobody_asked():
    assert flight_body("a") != flight_body("b")


def test_every_metric_has_its_body():
    assert {metric.body for metric in METRICS.values()} <= BODIES.keys()


def test_ratios_are_medians_over_rounds_of_one_rounds_ratio():
    results = {
        "pass32": {
            "proxy": [figures(10, cpu_us=80), figures(30, cpu_us=60), figures(20, cpu_us=100)],
            "nginx": [figures(100, cpu_us=20), figures(100, cpu_us=20), figures(50, cpu_us=20)],
            "direct": [figures(400)] * 3,
        }
    }
    found = ratios(measured(results))
    assert found["pass32 rps / nginx"] == 0.3
    assert found["pass32 CPU / nginx"] == 4.0
    assert math.isnan(found["hit32 rps / nginx cache"])


def test_added_latency_is_what_comes_on_top_of_the_engine_alone():
    results = {
        "pass1": {
            "proxy": [figures(1, p50=340)],
            "nginx": [figures(1, p50=180)],
            "direct": [figures(1, p50=100)],
        }
    }
    assert ratios(measured(results))["pass1 added p50 / nginx"] == 3.0


def test_added_latency_is_unknown_where_noise_leaves_nginx_nothing_to_add():
    results = {"pass1": {"proxy": [figures(1, p50=340)], "nginx": [figures(1, p50=90)], "direct": [figures(1)]}}
    assert math.isnan(ratios(measured(results))["pass1 added p50 / nginx"])


def test_every_goal_has_a_ratio():
    assert {goal.name for goal in GOALS} == ratios(measured({})).keys()


@pytest.mark.parametrize(
    ("value", "word"),
    [(0.9, "stretch"), (1.0, "stretch"), (1.5, "must"), (2.0, "must"), (2.1, "missed"), (math.nan, "-")],
)
def test_goal_where_less_is_better(value: float, word: str):
    assert reached(Goal("", must=2.0, stretch=1.0), value) == word


@pytest.mark.parametrize(("value", "word"), [(0.5, "missed"), (1.0, "must"), (2.0, "stretch")])
def test_goal_where_more_is_better(value: float, word: str):
    assert reached(Goal("", must=1.0, stretch=2.0, most=False), value) == word


def test_run_is_quiet_if_the_engine_alone_was_steady_and_nothing_else_ran():
    steady = measured({"pass32": {"direct": [figures(100), figures(105), figures(98)]}})
    assert unquiet(steady, 0.3) == []
    assert "load average" in unquiet(steady, 3.0)[0]
    (told,) = unquiet(measured({"pass32": {"direct": [figures(100), figures(50)]}}), 0.3)
    assert "between 50 and 100" in told


def test_failed_measurement_is_left_out_of_the_medians():
    results = {"hit32": {"proxy": [{"fail": "x"}, figures(10)], "nginx-cache": [figures(40), figures(20)]}}
    assert ratios(measured(results))["hit32 rps / nginx cache"] == 0.5
    assert summary(measured(results))["hit32"]["proxy"]["rps"] == 10


def test_proxy_is_started_with_its_defaults_and_a_log_in_a_file():
    found = {target.name: target for target in targets(WORKSHOP, [], PROXY_COMMAND, Path())}
    command = found["proxy"].command
    assert command[1:] == (
        *("-m", "proxy", "--port", "1", "--upstream", "http://127.0.0.1:1"),
        *("--access-log", "/w/access.log", "--policies", "/w/policies.yaml"),
    )
    assert found["nginx-cache"].same_process_as == "nginx"


def test_families_are_the_default_ones_without_the_embedder(tmp_path: Path):
    path = tmp_path / "policies.yaml"
    path.write_text(exact_only())
    ours, default = load_policies(path), load_policies(None)
    assert [family.name for family in ours.families] == [family.name for family in default.families]
    assert all(family.semantic.mode == "off" for family in (ours.defaults, *ours.families))
    assert [family.exact for family in ours.families] == [family.exact for family in default.families]


def test_ports_are_free_and_different():
    assert len(set(free_ports(10))) == 10


def test_unknown_peer_is_told_with_the_known_ones():
    with pytest.raises(CannotBuild, match=r"litellm, cachellm, vllm-router"):
        check(["haproxy"])


@pytest.mark.parametrize("words", ["--metrics pass99", "--rounds 0", "--peers nobody"])
def test_bad_usage_is_exit_2(words: str, capsys: pytest.CaptureFixture[str]):
    assert main(["side-by-side", *words.split()]) == 2
    assert "bench side-by-side:" in capsys.readouterr().err
