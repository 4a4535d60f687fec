"""Replies are counted and written down once each, in order, at the latest when somebody looks."""

import time
from pathlib import Path

import orjson

from proxy.access_log import AccessLog
from proxy.context import Outcome
from proxy.journal import MAX_NOTED, Journal
from proxy.metrics import Metrics

TEMPLATE = b'{"time":%.3f,"request_id":"%b","key":%b,"bytes":%d,"ttft_ms":%.2f,"e2e_ms":%.2f}\n'


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def lines(path: Path) -> list[dict[str, object]]:
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


def test_a_reply_is_counted_and_written_once_in_order_whoever_settles(tmp_path, monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 1_700_000_100.0)
    clock, log, counted = Clock(), AccessLog(str(tmp_path / "log")), []
    journal = Journal(log, clock)
    for number in range(MAX_NOTED + 3):
        key = None if number % 2 else bytes([number]) * 32
        journal.note(lambda *times: counted.append(times), TEMPLATE, f"id-{number}", key, number, 99.5, 0.25, 0.5)
    assert len(counted) == MAX_NOTED, "so many wait at most"
    journal.note(None, TEMPLATE, "refused", None, 0, 99.5, 0.25, 0.5)
    journal.settle()
    journal.settle()
    log.close()
    assert counted == [(0.25, 0.5)] * (MAX_NOTED + 3), "what is refused is counted elsewhere"
    written = lines(tmp_path / "log")
    assert [line["request_id"] for line in written] == [*(f"id-{n}" for n in range(MAX_NOTED + 3)), "refused"]
    assert written[1] == {
        "time": 1_700_000_099.5,  # when it was over, not when it was settled
        "request_id": "id-1",
        "key": None,
        "bytes": 1,
        "ttft_ms": 250.0,
        "e2e_ms": 500.0,
    }
    assert written[2]["key"] == "02" * 6


def test_a_line_of_its_own_stands_behind_the_replies_before_it(tmp_path):
    log = AccessLog(str(tmp_path / "log"))
    journal = Journal(log, Clock())
    journal.note(None, TEMPLATE, "first", None, 0, 99.5, 0.25, 0.5)
    journal.write({"request_id": "second"})
    log.close()
    assert [line["request_id"] for line in lines(tmp_path / "log")] == ["first", "second"]


def test_whoever_reads_a_metric_reads_all_that_was_noted():
    metrics = Metrics()
    journal = Journal(AccessLog(None), Clock())
    metrics.before_reading(journal.settle)
    count = metrics.answers(200, Outcome.MISS, "f", "m", None)
    for _ in range(3):
        journal.note(count, TEMPLATE, "id", None, 0, 99.5, 0.25, 0.5)
    assert b'askonce_requests_total{family="f",model="m",outcome="miss"} 3.0' in metrics.render()
    journal.note(count, TEMPLATE, "id", None, 0, 99.5, 0.25, 0.5)
    assert metrics.registry.get_sample_value("askonce_ttft_seconds_count", {"outcome": "miss"}) == 4
