"""The engine: against a plain one, its invariants, and what users of other simulators stumbled on."""

import math
import random
from dataclasses import replace
from importlib import resources

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulation.cost import CostModel, ExtrapolationWarning
from simulation.cost_file import load_cost
from simulation.engine import Engine, simulate
from simulation.request import Request, WorkloadError
from simulation.settings import EngineSettings
from simulation.traces import block_hit_rate, read_trace
from tests.simulation import naive_engine

# No two terms in proportion, so that no two different schedules take the same time.
COST = CostModel("test", "", 0.0093, 0.00071, 0.0000131, 0.00037, 0.0000017, 0.0000021, overhead_sequence_s=0.00011)
# A step takes one second, whatever is in it.
SECOND = CostModel("second", "", 1.0)
PLAIN = EngineSettings(plan_ahead=False)
RUNS = resources.files("simulation") / "data" / "vllm_runs"


def requests_of(name: str) -> tuple[Request, ...]:
    with resources.as_file(RUNS / name) as path:
        return read_trace(path).requests


LLAMA = requests_of("rtxpro6000_llama31_8b_tp1.jsonl")


@st.composite
def workloads(draw: st.DrawFn, block_tokens: int) -> list[Request]:
    """Bursts and gaps, three families of shared prefixes, some prompts without hashes."""
    found: list[Request] = []
    clock = 0.0
    for index in range(draw(st.integers(1, 12))):
        clock += draw(st.sampled_from([0.0, 0.0, 0.011, 0.2, 1.7]))
        prompt, output = draw(st.integers(1, 60)), draw(st.integers(1, 40))
        family, shared = draw(st.integers(0, 2)), draw(st.integers(0, 15))
        ids = tuple(
            family * 1000 + block if block < shared else 10**6 * (index + 1) + block
            for block in range(prompt // block_tokens)
        )
        found.append(Request(clock, prompt, output, ids if draw(st.booleans()) else ()))
    return found


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Request], EngineSettings]:
    block_tokens = draw(st.sampled_from([1, 2, 4, 16]))
    work = draw(workloads(block_tokens))
    need = max((one.prompt_tokens + one.output_tokens - 2) // block_tokens + 1 for one in work)
    seqs = draw(st.integers(1, 6))
    return work, EngineSettings(
        max_num_seqs=seqs,
        max_num_batched_tokens=draw(st.sampled_from([max(seqs, 8), 32, 200])),
        block_tokens=block_tokens,
        blocks=need + 1 + draw(st.sampled_from([0, 1, 3, need, 50 * need])),
        prefix_caching=draw(st.booleans()),
        long_prefill_tokens=draw(st.sampled_from([0, 3, 9])),
        reserve_prompt=draw(st.booleans()),
        plan_ahead=draw(st.booleans()),
        noted_at_boundary=draw(st.booleans()),
    )


def run(work: list[Request], given_: EngineSettings, *, step: bool = False, cost: CostModel = COST) -> Engine:
    return simulate(work, cost, given_, step=step, hash_tokens=given_.block_tokens)


def poisson(rate: float, count: int, seed: int = 0) -> list[Request]:
    rng = random.Random(seed)
    clock = 0.0
    work = []
    for _ in range(count):
        clock += rng.expovariate(rate)
        work.append(Request(clock, rng.randint(1, 800), rng.randint(1, 300)))
    return work


@settings(max_examples=50, deadline=None)
@given(case=cases(), step=st.booleans())
def test_every_request_is_scheduled_as_by_a_plain_engine(case: tuple[list[Request], EngineSettings], step: bool):
    """Blocks, hits and preemptions included; step by step and with skipping."""
    work, given_ = case
    plain, engine = naive_engine.run(work, COST, given_), run(work, given_, step=step)
    for index in range(len(work)):
        assert engine.scheduled_s[index] == pytest.approx(plain.scheduled[index], abs=1e-7)
        assert engine.first_token_s[index] == pytest.approx(plain.first[index], abs=1e-7)
        assert engine.last_token_s[index] == pytest.approx(plain.last[index], abs=1e-7)
        assert engine.cached_tokens[index] == plain.cached[index]
        assert engine.preemptions[index] == plain.preemptions[index]
    assert engine.steps == plain.steps


@settings(max_examples=25, deadline=None)
@given(case=cases())
def test_no_block_leaks_and_preemption_ends(case: tuple[list[Request], EngineSettings]):
    work, given_ = case
    engine = run(work, given_)
    assert engine.pool.used == 0
    assert not any(math.isnan(last) for last in engine.last_token_s)
    assert engine.outstanding == 0


@settings(max_examples=25, deadline=None)
@given(case=cases())
def test_metrics_are_counted_once_whatever_is_repeated(case: tuple[list[Request], EngineSettings]):
    """BLIS #1095: a preempted request has one first token, one prefix lookup, one end."""
    work, given_ = case
    engine = run(work, given_)
    for index, request in enumerate(work):
        assert (
            request.arrival_s <= engine.scheduled_s[index] < engine.first_token_s[index] <= engine.last_token_s[index]
        )
        assert 0 <= engine.cached_tokens[index] < request.prompt_tokens
    assert len(engine.last_token_s) == len(work)


@settings(max_examples=25, deadline=None)
@given(case=cases())
def test_hits_are_never_more_than_an_endless_cache_would_have(case: tuple[list[Request], EngineSettings]):
    work, given_ = case
    hit_blocks = sum(run(work, given_).cached_tokens) // given_.block_tokens
    blocks = sum(len(request.hash_ids) for request in work)
    assert hit_blocks <= round(block_hit_rate(work) * blocks)


@settings(max_examples=25, deadline=None)
@given(case=cases())
def test_work_is_conserved(case: tuple[list[Request], EngineSettings]):
    """The engine never rests while a request is in it: between steps lies nothing but the step."""
    work, given_ = case
    engine = Engine(SECOND, given_, step=True, hash_tokens=given_.block_tokens)
    engine.series = []
    for request in work:
        engine.submit(request)
    engine.finish()
    before = 0.0
    for clock in sorted({noted[0] for noted in engine.series}):
        idle = clock - 1.0 - before
        assert idle == pytest.approx(0.0, abs=1e-9) or any(
            request.arrival_s == pytest.approx(clock - 1.0, abs=1e-9) for request in work
        )
        before = clock


@pytest.mark.parametrize("blocks", [None, 2587])
@pytest.mark.parametrize("plan_ahead", [True, False])
def test_skipping_is_stepping(blocks: int | None, plan_ahead: bool):
    given_ = EngineSettings(blocks=blocks, plan_ahead=plan_ahead)
    cost = load_cost("rtxpro6000-llama3.1-8b")
    skipping, stepping = (simulate(LLAMA[:150], cost, given_, step=step) for step in (False, True))
    assert skipping.last_token_s == pytest.approx(stepping.last_token_s, abs=1e-6)
    assert skipping.first_token_s == pytest.approx(stepping.first_token_s, abs=1e-6)
    assert skipping.preemptions == stepping.preemptions
    assert skipping.steps == stepping.steps
    assert bool(sum(skipping.preemptions)) == (blocks is not None)


def test_one_at_a_time_is_sequential():
    work = poisson(0.4, 60)
    engine = simulate(work, COST, replace(PLAIN, max_num_seqs=1, max_num_batched_tokens=10**6))
    clock = 0.0
    for index, request in enumerate(work):
        clock = max(clock, request.arrival_s)
        prompt = request.prompt_tokens
        clock += COST.step(0, 0, 1, prompt, prompt**2)
        assert engine.first_token_s[index] == pytest.approx(clock)
        for token in range(1, request.output_tokens):
            clock += COST.step(1, prompt + token)
        assert engine.last_token_s[index] == pytest.approx(clock)


def test_waits_agree_with_queueing_theory():
    """BLIS #330: one slot and equal requests are an M/D/1 queue (Pollaczek-Khinchine)."""
    rng = random.Random(3)
    clock, work = 0.0, []
    for _ in range(6_000):
        clock += rng.expovariate(0.07)
        work.append(Request(clock, 1, 10))
    engine = simulate(work, SECOND, replace(PLAIN, max_num_seqs=1))
    waits = [began - came for began, came in zip(engine.scheduled_s, engine.arrival_s, strict=True)]
    # An arrival cannot interrupt a step, but an idle engine starts at once: no rounding to steps.
    assert sum(waits) / len(waits) == pytest.approx(0.7 * 10 / (2 * 0.3), rel=0.05)


def test_littles_law():
    engine = Engine(COST, PLAIN)
    work = poisson(3, 60)
    inside, last = 0.0, 0.0
    for request in work:
        engine.submit(request)
    tick = 0.02
    while engine.outstanding:
        engine.run_until(last + tick)
        last += tick
        arrived = sum(request.arrival_s <= last for request in work)
        ended = sum(not math.isnan(end) and end <= last for end in engine.last_token_s)
        inside += (arrived - ended) * tick
    latency = sum(end - came for end, came in zip(engine.last_token_s, engine.arrival_s, strict=True))
    assert inside == pytest.approx(latency, rel=0.02)


def test_the_shared_runs_prefix_hit_rate():
    """7.6 % with an ample cache and 1.9 % with 2,587 blocks, as the engine and LLMServingSim report."""
    cost = load_cost("rtxpro6000-llama3.1-8b")
    tokens = sum(request.prompt_tokens for request in LLAMA)
    ample = simulate(LLAMA, cost, EngineSettings())
    scarce = simulate(LLAMA, cost, EngineSettings(blocks=2587))
    assert sum(ample.cached_tokens) / tokens == pytest.approx(0.076, abs=0.002)
    assert sum(scarce.cached_tokens) / tokens == pytest.approx(0.019, abs=0.002)
    assert sum(scarce.preemptions) > 100


def test_a_step_is_planned_while_the_one_before_it_runs():
    """vLLM's asynchronous scheduling: whoever comes during a step waits for the one planned at its start as well."""
    work = [Request(0.0, 10, 10), Request(0.5, 10, 1)]
    assert simulate(work, SECOND, EngineSettings()).scheduled_s == [0.0, 2.0]
    assert simulate(work, SECOND, PLAIN).scheduled_s == [0.0, 1.0]
    # An idle engine plans at once.
    late = [Request(0.0, 10, 2), Request(7.3, 10, 1)]
    assert simulate(late, SECOND, EngineSettings()).scheduled_s == [0.0, 7.3]


def test_an_engines_own_record_notes_arrivals_just_before_a_plan():
    """Half a step to either side is as near as a simulated clock comes to it."""
    given_ = EngineSettings(noted_at_boundary=True)
    early = [Request(0.0, 10, 10), Request(3.4, 10, 1)]
    late = [Request(0.0, 10, 10), Request(3.6, 10, 1)]
    for step in (True, False):
        assert simulate(early, SECOND, given_, step=step).scheduled_s[1] == 4.0
        assert simulate(late, SECOND, given_, step=step).scheduled_s[1] == 5.0


def test_a_place_is_free_one_step_later_when_planning_ahead():
    work = [Request(0.0, 10, 3), Request(0.0, 10, 1)]
    one = EngineSettings(max_num_seqs=1)
    assert simulate(work, SECOND, replace(one, plan_ahead=False)).scheduled_s[1] == 3.0
    # Nothing was planned for the step in between, so it does not take place.
    assert simulate(work, SECOND, one).scheduled_s[1] == 3.0
    two = EngineSettings(max_num_seqs=2)
    three = [Request(0.0, 10, 9), Request(0.0, 10, 3), Request(0.0, 10, 1)]
    assert simulate(three, SECOND, two).scheduled_s[2] == 4.0
    assert simulate(three, SECOND, replace(two, plan_ahead=False)).scheduled_s[2] == 3.0


def test_the_first_token_comes_with_the_last_chunk():
    work = [Request(0.0, 25, 2)]
    engine = simulate(work, SECOND, EngineSettings(max_num_seqs=1, max_num_batched_tokens=10))
    assert (engine.first_token_s, engine.last_token_s) == ([3.0], [4.0])
    assert engine.prefilled_tokens == 25


def test_nobody_is_admitted_in_a_step_that_preempted():
    """Two that grow past six blocks, and one that would fit where the second was."""
    work = [Request(0.0, 4, 20), Request(0.0, 12, 20), Request(0.0, 1, 1)]
    given_ = EngineSettings(max_num_seqs=2, block_tokens=4, blocks=9, plan_ahead=False, prefix_caching=False)
    engine = simulate(work, SECOND, given_)
    plain = naive_engine.run(work, SECOND, given_)
    assert engine.preemptions[1] == 1
    assert engine.last_token_s == [plain.last[index] for index in range(3)]


@pytest.mark.parametrize("prompt", [48, 49])
def test_the_last_token_of_a_known_prompt_is_computed_again(prompt: int):
    """vLLM needs its output; with whole blocks, that is a whole block."""
    ids = tuple(range(prompt // 16))
    engine = simulate([Request(0.0, prompt, 5, ids), Request(9.0, prompt, 5, ids)], SECOND, PLAIN)
    assert engine.cached_tokens == [0, 32 if prompt == 48 else 48]


def test_hits_are_counted_once_per_request_not_per_chunk():
    """LLMServingSim #49 counted one per chunk, Dynamo #13188 saw only the first chunk."""
    ids = tuple(range(40))
    first, again = Request(0.0, 640, 2, ids), Request(90.0, 700, 2, ids)
    engine = simulate([first, again], SECOND, EngineSettings(max_num_seqs=4, max_num_batched_tokens=16))
    assert engine.cached_tokens == [0, 640]
    assert engine.prefilled_tokens == 640 + 60
    assert engine.first_token_s[1] - 90 == math.ceil(60 / 16)


def test_prompts_in_one_step_share_what_the_first_of_them_computes():
    """A full block can be found from the moment it is scheduled."""
    ids = tuple(range(4))
    engine = simulate([Request(0.0, 64, 1, ids), Request(0.0, 70, 1, ids)], SECOND, PLAIN)
    assert engine.cached_tokens == [0, 64]
    assert engine.steps == 1


def test_preempted_work_is_done_again():
    """BLIS #1121: hits that survived a preemption gave 125,000 tokens/s."""
    cost = load_cost("rtxpro6000-llama3.1-8b")
    engine = simulate(LLAMA[:150], cost, EngineSettings(blocks=1500, prefix_caching=False))
    assert sum(engine.preemptions) > 20
    assert engine.prefilled_tokens > sum(request.prompt_tokens for request in LLAMA[:150])
    decoded = sum(request.output_tokens - 1 for request in LLAMA[:150])
    assert engine.clock > decoded / 128 * cost.decode_s(128)


def test_a_preempted_request_finds_its_own_blocks_if_nobody_took_them():
    """The second gives way to the first; what the first left of its blocks, answer included, need not be redone."""
    work = [Request(0.0, 8, 30), Request(0.0, 9, 20)]
    given_ = EngineSettings(max_num_seqs=2, block_tokens=4, blocks=14, plan_ahead=False)
    kept = simulate(work, SECOND, given_)
    anew = simulate(work, SECOND, replace(given_, prefix_caching=False))
    assert kept.preemptions == anew.preemptions == [0, 1]
    assert (kept.prefilled_tokens, anew.prefilled_tokens) == (31, 43)
    # Its own blocks are no hits: the prompt was not found anywhere when it came.
    assert kept.cached_tokens == [0, 0]


def test_a_cache_too_small_for_two_ends_all_the_same():
    """BLIS #297 and #1057: preemption for ever."""
    work = [Request(0.0, 60, 60), Request(0.0, 60, 60), Request(0.0, 60, 60)]
    for plan_ahead in (True, False):
        engine = simulate(work, COST, EngineSettings(block_tokens=4, blocks=31, plan_ahead=plan_ahead))
        assert engine.pool.used == 0
        assert engine.outstanding == 0


def test_a_request_larger_than_the_cache_fails_loudly():
    """119 computed tokens are 30 blocks of 4; a cache of 30 reported blocks keeps one for itself."""
    work = [Request(0.0, 1, 1), Request(0.0, 60, 60)]
    simulate(work, COST, EngineSettings(block_tokens=4, blocks=31))
    with pytest.raises(WorkloadError, match=r"request 1: 60 prompt and 60 output tokens need 30 blocks .* has 29"):
        simulate(work, COST, EngineSettings(block_tokens=4, blocks=30))


def test_the_number_of_blocks_matters_as_much_as_the_engine_says():
    """LLMServingSim #59: a capacity computed by formula, 12.5 % off, moved latency by as much."""
    cost = load_cost("rtxpro6000-llama3.1-8b")

    def mean_latency(blocks: int) -> float:
        engine = simulate(LLAMA, cost, EngineSettings(blocks=blocks))
        return sum(engine.last_token_s) / len(LLAMA) - sum(engine.arrival_s) / len(LLAMA)

    assert mean_latency(int(2587 * 0.875)) > 1.05 * mean_latency(2587)


def test_a_cache_may_start_warm():
    """BLIS #1273: the real engine had served requests before the recording began."""
    earlier = Request(0.0, 320, 1, tuple(range(20)))
    engine = Engine(SECOND, PLAIN)
    engine.warm([earlier])
    engine.submit(Request(0.0, 330, 1, tuple(range(20))))
    engine.finish()
    assert engine.cached_tokens == [320]
    assert engine.prefilled_tokens == 10


def test_warming_a_small_cache_keeps_the_last_prompts():
    engine = Engine(SECOND, EngineSettings(blocks=21))
    engine.warm([Request(0.0, 320, 1, tuple(range(start, start + 20))) for start in (0, 100)])
    assert engine.pool.used == 0
    assert engine.pool.hits(range(100, 120), 20) == 20


def test_overhead_between_steps_is_part_of_the_first_token():
    """BLIS #482: without it TTFT was 17 to 56 % too short."""
    more = COST.with_overhead(0.005, 0.0)
    bare = COST.with_overhead(0.0, 0.0)
    work = [Request(0.0, 100, 5)]
    given_ = EngineSettings(max_num_seqs=4, max_num_batched_tokens=30)
    slow, fast = simulate(work, more, given_), simulate(work, bare, given_)
    assert slow.first_token_s[0] - fast.first_token_s[0] == pytest.approx(4 * 0.005)
    assert slow.last_token_s[0] - fast.last_token_s[0] == pytest.approx(8 * 0.005)


def test_near_saturation_a_small_error_of_speed_is_a_large_one_of_waiting():
    """BLIS #480: 22 % too much capacity made TTFT 2,000 times too short."""
    work = [Request(index * 2.0, 1, 21) for index in range(400)]
    slow = CostModel("slow", "", 0.1)
    given_ = replace(PLAIN, max_num_seqs=1)

    def ttft(cost: CostModel) -> float:
        engine = simulate(work, cost, given_)
        return sum(engine.first_token_s) / 400 - sum(engine.arrival_s) / 400

    assert ttft(slow) > 100 * ttft(replace(slow, step_s=0.1 / 1.22))


def test_a_conversations_later_turns_find_the_earlier_ones():
    turns = [Request(100.0 * turn, 160 * (turn + 1), 20, tuple(range(10 * (turn + 1)))) for turn in range(4)]
    engine = simulate(turns, COST, EngineSettings())
    assert engine.cached_tokens == [0, 160, 320, 480]


def test_requests_may_come_while_the_engine_runs():
    """Submitting at arrival is the same as submitting everything at the start."""
    work = poisson(4, 200)
    at_once = simulate(work, COST, EngineSettings())
    engine = Engine(COST)
    for request in work:
        engine.run_until(request.arrival_s)
        engine.submit(request)
    engine.finish()
    assert engine.last_token_s == pytest.approx(at_once.last_token_s, abs=1e-9)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (Request(1.0, 0, 5), "request 1: 0 prompt and 5 output tokens; both must be 1 or more"),
        (Request(1.0, 5, -2), "request 1: 5 prompt and -2 output tokens"),
        (Request(-1.0, 5, 5), "request 1: arrives at -1 s, before the one ahead of it"),
        (Request(math.nan, 5, 5), "request 1: arrives at nan s"),
        (Request(math.inf, 5, 5), "request 1: arrives at inf s"),
    ],
)
def test_what_no_engine_could_run_is_refused(bad: Request, said: str):
    with pytest.raises(WorkloadError) as caught:
        simulate([Request(0.0, 1, 1), bad], COST)
    assert said in str(caught.value)
    assert caught.value.index == 1


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        (EngineSettings(max_num_seqs=0), "max_num_seqs is 0"),
        (EngineSettings(max_num_batched_tokens=64), "must be at least max_num_seqs"),
        (EngineSettings(blocks=1), "blocks is 1; it must be 2 or more"),
        (EngineSettings(long_prefill_tokens=-1), "long_prefill_tokens is -1"),
    ],
)
def test_settings_no_engine_accepts_are_refused(given_: EngineSettings, said: str):
    with pytest.raises(ValueError, match=said):
        Engine(COST, given_)


def test_unchunked_prompts_must_fit_the_budget():
    given_ = EngineSettings(max_num_seqs=4, max_num_batched_tokens=100, chunked_prefill=False)
    engine = simulate([Request(0.0, 60, 5), Request(0.0, 60, 5)], SECOND, replace(given_, plan_ahead=False))
    assert engine.scheduled_s == [0.0, 1.0]
    with pytest.raises(WorkloadError, match="without chunked prefill"):
        simulate([Request(0.0, 101, 1)], SECOND, given_)


def test_hashes_of_another_block_size_must_be_a_multiple():
    with pytest.raises(WorkloadError, match="hashes 24 tokens at a time"):
        simulate([Request(0.0, 48, 1, (1, 2))], COST, hash_tokens=24)


def test_steps_beyond_what_was_measured_are_told():
    with pytest.warns(ExtrapolationWarning, match="prompt tokens 4,000 > 2,048"):
        simulate([Request(0.0, 4000, 1)], load_cost("rtx4090-llama3.1-8b"), EngineSettings(max_num_batched_tokens=8192))
