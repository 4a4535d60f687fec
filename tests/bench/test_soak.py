"""The soak's promises: what is a leak, and what an error that was asked for. The soak itself is by command."""

import os
import socket
from collections import Counter
from itertools import islice

import orjson
import pytest

from bench.__main__ import main
from bench.ask import Ask, Expected
from bench.leaks import Held, held, slope_mb_per_min
from bench.soak import Soaked
from bench.stub_script import read_script
from bench.tally import Slo, Tally
from bench.workloads import Soak, Wire
from tests.bench.test_tally import exchange


def look(at_s: float, rss_mb: float = 100.0, sockets: int = 1) -> Held:
    return Held(at_s, rss_mb, 20, {"established": sockets})


def soaked(growth_mb_per_min: float = 0.0, *, after: Held | None = None, in_flight: int = 0) -> Soaked:
    samples = [look(10.0 * step, 100 + growth_mb_per_min * step / 6) for step in range(61)]
    return Soaked(0.0, 100.0, Tally(), look(0.0), after or look(600.0), samples, {"in_flight": in_flight})


def test_connections_of_a_process_are_counted_by_state_and_gone_once_closed():
    with socket.create_server(("127.0.0.1", 0)) as server:
        before = held(os.getpid(), 0.0)
        with socket.create_connection(server.getsockname()):
            accepted, _ = server.accept()
            both = held(os.getpid(), 0.0)
            assert both.connections.get("established", 0) == before.connections.get("established", 0) + 2
        half = held(os.getpid(), 0.0)
        assert half.connections.get("close-wait", 0) == before.connections.get("close-wait", 0) + 1
        accepted.close()
        assert held(os.getpid(), 0.0).sockets == before.sockets
        assert both.files > before.files > 0
        assert before.rss_mb > 1


def test_slope_is_that_of_the_line_through_the_samples():
    assert slope_mb_per_min([look(60.0 * minute, 50 + 2.5 * minute) for minute in range(5)]) == pytest.approx(2.5)
    assert slope_mb_per_min([look(0.0), look(1.0)]) == 0.0


def test_kept_promises_break_nothing():
    assert soaked().broken() == []


def test_growth_in_the_warm_up_is_no_leak():
    found = soaked()
    found.samples[:18] = [look(10.0 * step, 30 + 4.0 * step) for step in range(18)]
    assert found.broken() == []


def test_growth_after_it_is_one():
    assert "memory grows" in soaked(growth_mb_per_min=2.0).broken()[0]
    assert soaked(growth_mb_per_min=0.3).broken() == []


def test_error_nobody_asked_for_breaks_a_promise():
    found = soaked()
    found.tally.record(Ask(b"", expected=Expected.ERROR), exchange(error="error event"), Slo())
    assert found.broken() == []
    found.tally.record(Ask(b""), exchange(error="status 502"), Slo())
    assert found.broken() == ["1 errors that were not asked for: status 502"]


def test_connection_left_breaks_a_promise():
    assert "2 connections left" in soaked(after=look(600.0, sockets=3)).broken()[0]


def test_engine_that_works_for_nobody_breaks_a_promise():
    assert "still works on 4" in soaked(in_flight=4).broken()[0]


def test_one_in_a_hundred_leaves_and_one_is_reset_by_the_engine():
    prompts = list(islice(Soak().prompts(1), 10_000))
    shares = {kind: count / len(prompts) for kind, count in Counter(prompt.expected for prompt in prompts).items()}
    assert shares[Expected.LEFT] == pytest.approx(0.01, abs=0.003)
    assert shares[Expected.ERROR] == pytest.approx(0.01, abs=0.003)
    known = {prompt.text for prompt in Soak().primed()}
    assert sum(prompt.text in known for prompt in prompts) / len(prompts) == pytest.approx(0.3, abs=0.02)
    assert sum(prompt.stream is True for prompt in prompts) / len(prompts) == pytest.approx(0.5, abs=0.03)


def test_what_is_to_fail_is_streamed_and_the_stub_is_told_how():
    for prompt in islice(Soak(leave_share=0.5, reset_share=0.5).prompts(1), 20):
        ask = Wire("m", "s").ask(prompt)
        script = read_script(orjson.loads(ask.body)["messages"][1]["content"])
        assert ask.stream
        assert ask.expected is prompt.expected
        assert ("reset-after" in script) is (ask.expected is Expected.ERROR)


@pytest.mark.parametrize("words", ["--minutes 0", "--rate -3"])
def test_bad_usage_is_exit_2(words: str, capsys: pytest.CaptureFixture[str]):
    assert main(["soak", *words.split()]) == 2
    assert "bench soak:" in capsys.readouterr().err
