"""When an upstream is asked: decided from what its exchanges and its probes say."""

import math

import pytest

from proxy.upstream.health import DISTINCT_FAILURES, DOWN_S, WITHIN_S, Health, Verdict


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def health(clock: Clock) -> Health:
    return Health(clock)


def fail(health: Health, count: int) -> None:
    for number in range(count):
        health.failed(b"%d" % number, "status 500")


def test_one_poison_body_condemns_nobody(health):
    for _ in range(100):
        health.failed(b"poison", "status 500")
    assert health.verdict is Verdict.USABLE


def test_different_requests_that_fail_are_a_suspicion_with_a_reason(health):
    fail(health, DISTINCT_FAILURES - 1)
    assert health.verdict is Verdict.USABLE
    fail(health, DISTINCT_FAILURES)
    assert (health.verdict, health.reason) == (Verdict.SUSPECTED, "different requests failed: status 500")
    assert health.may_be_asked()


def test_a_success_between_clears_the_failures(health):
    fail(health, DISTINCT_FAILURES - 1)
    health.succeeded(math.inf)
    fail(health, DISTINCT_FAILURES - 1)
    assert health.verdict is Verdict.USABLE


def test_failures_are_forgotten_in_time(health, clock):
    fail(health, DISTINCT_FAILURES - 1)
    clock.now_s += WITHIN_S + 1
    health.failed(b"another", "status 500")
    assert health.verdict is Verdict.USABLE


def test_the_probe_that_a_suspicion_calls_for_does_not_lift_it_but_the_next_in_turn_does(health):
    fail(health, DISTINCT_FAILURES)
    assert not health.probed(None, in_turn=False)
    assert health.verdict is Verdict.SUSPECTED
    assert health.probed(None)
    assert (health.verdict, health.reason) == (Verdict.USABLE, None)


def test_a_refused_connection_is_down_at_once_and_calls_for_a_probe(health):
    doubts = []
    health.on_doubt = lambda: doubts.append(1)
    health.unreachable()
    health.unreachable()
    assert (health.verdict, health.may_be_asked(), doubts) == (Verdict.DOWN, False, [1])
    assert health.probed(None, in_turn=False)
    assert health.may_be_asked()


def test_without_a_probe_who_is_down_is_asked_again_after_a_while(health, clock):
    health.unreachable()
    clock.now_s += DOWN_S
    assert health.may_be_asked()


def test_a_probe_that_says_down_is_final_until_a_probe_says_otherwise(health, clock):
    assert health.probed("no connection", final=True)
    health.unreachable()
    clock.now_s += 10 * DOWN_S
    assert not health.may_be_asked()
    assert not health.probed("no connection", final=True)
    assert health.probed(None)


def test_one_probe_without_an_answer_is_a_doubt_and_two_are_a_verdict(health):
    assert not health.probed("no answer within 2 s")
    assert (health.in_doubt, health.verdict) == (True, Verdict.USABLE)
    assert health.probed("no answer within 2 s")
    assert (health.in_doubt, health.verdict, health.reason) == (False, Verdict.DOWN, "no answer within 2 s")


def test_silence_of_who_is_at_work_is_a_suspicion_that_the_next_answer_lifts(health):
    assert not health.probed("no answer within 2 s", at_work=True)
    assert health.probed("no answer within 2 s", at_work=True)
    assert (health.in_doubt, health.verdict, health.may_be_asked()) == (False, Verdict.SUSPECTED, True)
    assert health.probed(None)
    assert health.verdict is Verdict.USABLE


def test_silence_of_who_was_at_work_and_is_not_any_more_is_down(health):
    for _ in range(2):
        health.probed("no answer within 2 s", at_work=True)
    assert health.probed("no answer within 2 s")
    assert health.verdict is Verdict.DOWN


def test_a_refused_connection_is_down_whoever_is_at_work(health):
    assert health.probed("no connection", final=True, at_work=True)
    assert health.verdict is Verdict.DOWN


def test_who_takes_connections_and_answers_no_probe_well_is_down_and_may_be_asked(health):
    assert health.probed("/health says 500", connected=True, final=True)
    assert (health.verdict, health.may_be_asked()) == (Verdict.DOWN, True)
    assert not health.probed("no connection", final=True)
    assert not health.may_be_asked()


def test_once_a_request_sent_after_such_a_word_is_answered_these_words_count_no_more_until_a_probe_ends_well(health):
    def told(trouble: str | None, *, connected: bool = False) -> Verdict:
        health.probed(trouble, connected=connected, final=trouble is not None)
        verdict: Verdict = health.verdict
        return verdict

    told("/health says 500", connected=True)
    health.succeeded(100.0)
    assert (health.verdict, health.reason) == (Verdict.USABLE, None)
    assert told("/health says 500", connected=True) is Verdict.USABLE
    assert told("no connection") is Verdict.DOWN, "it is another thing to take no connection"
    told(None)
    assert told("/health says 500", connected=True) is Verdict.DOWN


def test_who_says_that_it_is_ill_and_finishes_what_it_has_stays_down(health):
    health.probed("/health says 503", connected=True, final=True)
    health.succeeded(99.0)
    assert health.verdict is Verdict.DOWN
