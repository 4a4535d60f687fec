"""What is asked: exact counts, the same for the same seed, and shared out without a remainder."""

import itertools
from collections import Counter
from pathlib import Path

import orjson
import pytest

from bench.load import Loop, asks
from bench.workloads import COUNTRIES, Burst, Paraphrase, Prompt, Recorded, Users, Wire, Workload, Zipf, arrivals

WIRE = Wire("m", "salt")
ALL: list[Workload] = [Burst(), Users(0.3), Zipf(50), Paraphrase()]


def first(workload: Workload, count: int, seed: int = 0) -> list[Prompt]:
    return list(itertools.islice(workload.prompts(seed), count))


def test_burst_of_80_asks_three_things_and_repeats_the_first_twice_as_often():
    counts = Counter(prompt.text for prompt in first(Burst(), 80))
    assert sorted(counts.values()) == [20, 20, 40]
    assert len(counts) == Burst.DISTINCT
    texts = [prompt.text for prompt in first(Burst(), 4)]
    assert texts[3] == texts[0]


def test_users_whose_prompts_are_all_cached_ask_only_what_was_primed():
    workload = Users(1.0, distinct=5)
    primed = {prompt.text for prompt in workload.primed()}
    assert len(primed) == 5
    assert {prompt.text for prompt in first(workload, 200)} == primed


def test_users_repeat_their_share_and_everything_else_is_new():
    workload = Users(0.3)
    primed = {prompt.text for prompt in workload.primed()}
    asked = [prompt.text for prompt in first(workload, 4000)]
    new = [text for text in asked if text not in primed]
    assert len(set(new)) == len(new)
    assert 1 - len(new) / len(asked) == pytest.approx(0.3, abs=0.03)


def test_users_who_repeat_nothing_prime_nothing():
    assert Users(0.0).primed() == []


def test_zipf_asks_the_first_rank_twice_as_often_as_the_second():
    counts = Counter(prompt.text for prompt in first(Zipf(20, exponent=1.0), 10_000))
    ranked = [count for _, count in counts.most_common()]
    assert ranked[0] / ranked[1] == pytest.approx(2, rel=0.15)
    assert len(counts) == 20


def test_paraphrases_are_about_what_was_answered_in_words_that_were_not_used():
    primed = {prompt.text for prompt in Paraphrase().primed()}
    assert len(primed) == len(COUNTRIES)
    for prompt in first(Paraphrase(), 100):
        assert prompt.text not in primed
        assert any(country in prompt.text for country in COUNTRIES)


@pytest.mark.parametrize("workload", ALL, ids=lambda workload: workload.name)
def test_same_seed_asks_the_same(workload: Workload):
    assert first(workload, 100, seed=3) == first(workload, 100, seed=3)


@pytest.mark.parametrize("workload", ALL, ids=lambda workload: workload.name)
@pytest.mark.parametrize("rate", [None, 100.0])
def test_workers_share_a_run_out_without_a_remainder(workload: Workload, rate: float | None):
    loop = Loop(rate_per_s=rate, requests=101)
    alone = list(asks(workload, WIRE, loop, 1, 0, 1))
    shared = [list(asks(workload, WIRE, loop, 1, worker, 2)) for worker in (0, 1)]
    assert len(alone) == 101
    assert [len(share) for share in shared] == [51, 50]
    woven = [ask for pair in itertools.zip_longest(*shared) for ask in pair if ask is not None]
    assert woven == alone


def test_loop_without_an_end_is_refused():
    with pytest.raises(ValueError, match="number of requests"):
        Loop(users=1)


def test_arrivals_are_evenly_spaced_or_poisson_at_the_same_rate():
    fixed = list(itertools.islice(arrivals(50.0, 0, fixed=True), 101))
    assert fixed[100] == pytest.approx(2.0)
    poisson = list(itertools.islice(arrivals(50.0, 0, fixed=False), 20_001))
    gaps = [later - earlier for earlier, later in itertools.pairwise(poisson)]
    assert poisson[-1] / 20_000 == pytest.approx(1 / 50, rel=0.03)
    mean = sum(gaps) / len(gaps)
    spread = (sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) ** 0.5
    assert spread == pytest.approx(mean, rel=0.05)  # of an exponential distribution


def test_request_is_greedy_salted_and_streamed_with_usage_if_at_all():
    plain, streamed = (orjson.loads(Wire("m", "s1", stream, 9).ask(Prompt("hi")).body) for stream in (False, True))
    assert (plain["model"], plain["temperature"], plain["max_tokens"]) == ("m", 0, 9)
    assert "s1" in plain["messages"][0]["content"]
    assert plain["messages"][1] == {"role": "user", "content": "hi"}
    assert "stream" not in plain
    assert streamed["stream_options"] == {"include_usage": True}


def test_azure_trace_is_played_at_its_own_times_and_lengths(tmp_path: Path):
    trace = tmp_path / "azure.csv"
    trace.write_text(
        "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:00:00,40,10\n2023-11-16 18:00:02,30,2000\n"
    )
    prompts = list(Recorded(trace, speed=2.0, output_limit=100).prompts(0))
    assert [prompt.at_s for prompt in prompts] == [0.0, 1.0]
    assert [prompt.max_tokens for prompt in prompts] == [10, 100]
    assert [len(prompt.text.split()) for prompt in prompts] == pytest.approx([40, 30], abs=2)
    assert prompts[0].text != prompts[1].text


def test_mooncake_rows_with_the_same_blocks_ask_the_same(tmp_path: Path):
    trace = tmp_path / "mooncake.jsonl"
    rows = [(0, [1, 2]), (500, [1, 3]), (900, [1, 2])]
    trace.write_text(
        "".join(
            f'{{"timestamp": {at}, "input_length": 600, "output_length": 5, "hash_ids": {ids}}}\n' for at, ids in rows
        )
    )
    one, two, three = Recorded(trace).prompts(0)
    assert one.text == three.text
    assert one.text != two.text
    assert one.text.split()[:500] == two.text.split()[:500]  # the shared prefix


def test_longest_prompt_of_a_trace_is_limited(tmp_path: Path):
    trace = tmp_path / "own.csv"
    trace.write_text("arrival_s,prompt_tokens,output_tokens\n0,100000,5\n")
    (prompt,) = Recorded(trace, limit=64).prompts(0)
    assert len(prompt.text.split()) == pytest.approx(64, abs=2)
