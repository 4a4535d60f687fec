"""Cost models: the formula, tables, files and presets."""

import json
import math
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulation.cost import PRESETS, CostError, CostModel, ExtrapolationWarning, Seen, interpolate
from simulation.cost_file import format_cost, load_cost, parse_cost, preset_names

# simulation.md section 3, microseconds.
PUBLISHED = {
    "reference": (6000, 250, 0, 50, 0),
    "h100x8-llama2-70b": (29570, 184, 0.22, 64, 0.0036),
    "a100x8-llama2-70b": (43740, 162, 0.40, 153, 0.0014),
}

counts = st.integers(0, 300)


def microseconds(cost: CostModel) -> tuple[float, ...]:
    return tuple(
        round(seconds * 1e6, 6)
        for seconds in (
            cost.step_s,
            cost.sequence_s,
            cost.kv_token_s,
            cost.prompt_token_s,
            cost.chunk_context_s,
        )
    )


@pytest.mark.parametrize(("name", "numbers"), PUBLISHED.items())
def test_presets_are_the_published_numbers_with_their_source(name: str, numbers: tuple[float, ...]):
    preset = load_cost(name)
    assert microseconds(preset) == numbers
    assert preset.provenance


def test_a_step_is_the_sum_of_its_terms():
    cost = CostModel("x", "", 1.0, 0.1, 0.01, 0.001, 0.0001)
    assert cost.step(2, 30, 1, 40, 500) == pytest.approx(1.0 + 0.2 + 0.3 + 0.04 + 0.05)


def test_overhead_counts_steps_scheduled_sequences_and_prompt_tokens():
    cost = PRESETS["reference"]
    more = cost.with_overhead(1.0, 0.1, 0.01)
    assert more.step(2, 0, 3, 40) - cost.step(2, 0, 3, 40) == pytest.approx(1.0 + 0.5 + 0.4)
    assert more.step(2, 0) - cost.step(2, 0) == pytest.approx(1.0 + 0.2)


@settings(max_examples=30, deadline=None)
@given(decoding=counts, prompt=counts)
def test_below_the_knee_tokens_cost_nothing(decoding: int, prompt: int):
    cost = CostModel("x", "", 1.0, prompt_token_s=0.5, knee_tokens=128)
    chunks = 1 if prompt else 0
    assert cost.step(decoding, 0, chunks, prompt) == pytest.approx(1.0 + 0.5 * max(0, decoding + prompt - 128))


def test_the_prefill_floor_is_the_least_a_prompt_takes():
    cost = load_cost("h100x8-llama2-70b")
    decode = cost.step(0, 0)
    assert cost.step(0, 0, 1, 10, 100) == pytest.approx(decode + 0.026)
    assert cost.step(0, 0, 1, 2048, 2048**2) == pytest.approx(decode + 2048 * 64e-6 + 2048**2 * 0.0036e-6)


def test_steps_that_also_prefill_read_the_cache_more_slowly():
    cost = CostModel("x", "", 1.0, kv_token_s=0.1, mixed_kv_token_s=0.2)
    assert cost.step(1, 10) == pytest.approx(2.0)
    assert cost.step(1, 10, 1, 5) == pytest.approx(4.0)


def test_a_cpu_engine_is_a_table_by_streams():
    """Not a line: the second stream costs more than twice the first."""
    cost = load_cost("cpu-gemma3-270m-q4")
    assert [round(cost.decode_s(streams) * 1e3, 1) for streams in (1, 2, 3, 4)] == [18.0, 44.5, 53.0, 61.0]
    assert cost.decode_s(0) == 0


@settings(max_examples=30, deadline=None)
@given(decoding=counts, prompt=st.integers(1, 300))
def test_a_token_table_counts_all_tokens_of_the_step_once(decoding: int, prompt: int):
    cost = CostModel("x", "", 0.0, token_table=((0.0, 1.0), (100.0, 2.0), (200.0, 12.0)))
    assert cost.step(decoding, 0, 1, prompt) == pytest.approx(interpolate(cost.token_table, decoding + prompt))


def test_beyond_a_table_its_last_slope_goes_on():
    assert interpolate([(1, 10.0), (2, 12.0), (4, 20.0)], 5) == 24
    assert interpolate([(1, 10.0), (2, 12.0)], 0) == 10
    assert interpolate([(1, 10.0)], 7) == 10


def test_extrapolation_is_told_with_each_measure_that_went_too_far():
    cost = CostModel("mine", "", 1.0, seen=Seen(sequences=8, kv_tokens=100))
    with pytest.warns(ExtrapolationWarning, match=r"mine.*sequences 9 > 8, KV tokens 200 > 100"):
        cost.warn_beyond(Seen(9, 200, 5000))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cost.warn_beyond(Seen(8, 100, 5000))


@pytest.mark.parametrize(
    "name",
    [
        "RTX 4090 Llama-3.1-8B",
        "rtx4090_llama3.1_8b",
        "rtx4090-llama31-8b",
        "RTX4090_Llama-3.1-8B_tp1",
        "meta-llama/Llama-3.1-8B on NVIDIA GeForce RTX 4090",
    ],
)
def test_presets_are_found_however_they_are_written(name: str):
    assert load_cost(name).name == "rtx4090-llama3.1-8b"


@pytest.mark.parametrize("name", ["2x RTX PRO 6000, Qwen3-32B", "RTXPRO6000_Qwen3-32B_tp2"])
def test_the_number_of_gpus_belongs_to_the_name(name: str):
    assert load_cost(name).name == "rtxpro6000x2-qwen3-32b"
    with pytest.raises(CostError, match="no preset"):
        load_cost("RTXPRO6000_Qwen3-32B_tp1")


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_survives_being_written_and_read(name: str):
    cost = load_cost(name)
    again = parse_cost(format_cost(cost), "x.json")
    assert again.provenance == cost.provenance
    for arguments in ((1, 100), (100, 50_000), (3, 900, 2, 512, 200_000)):
        assert again.step(*arguments) == pytest.approx(cost.step(*arguments), rel=1e-4)


def test_the_4090_preset_carries_the_other_cards_overhead():
    """Nothing is fitted on the card's own run."""
    for ending in ("", "-tables"):
        ours, other = load_cost(f"rtx4090-llama3.1-8b{ending}"), load_cost(f"rtxpro6000-llama3.1-8b{ending}")
        assert (ours.overhead_step_s, ours.overhead_sequence_s, ours.overhead_prompt_token_s) == (
            other.overhead_step_s,
            other.overhead_sequence_s,
            other.overhead_prompt_token_s,
        )
        assert "carried over" in ours.provenance


def test_a_users_file_is_in_microseconds(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text('\ufeff{"a": 6000, "b": 250, "d": 50, "overhead": {"step": 100}}')
    cost = load_cost(str(path))
    assert cost.name == "mine"
    assert cost.step(4, 1000, 1, 100) == pytest.approx((6000 + 4 * 250 + 100 * 50 + 100) * 1e-6)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "line 1: not JSON"),
        ("[1]", "must be an object"),
        ('{"a": 1, "overheads": {}}', "unknown key 'overheads'; write overhead"),
        ('{"a": 1, "overhead": {"steps": 1}}', "unknown key 'steps'; write step"),
        ('{"a": 1, "overhead": 7}', "overhead must be an object"),
        ('{"a": "fast"}', "a is 'fast'; it must be a number"),
        ('{"a": NaN}', "a is nan; it must be a number"),
        ('{"a": true}', "a is True; it must be a number"),
        ('{"a": 1, "c": -0.1}', "c is -0.1; it must be 0 or more"),
        ('{"a": 1, "token_table": [[2, 5], [1, 6]]}', "token_table must be a list of"),
        ('{"a": 1, "token_table": [[2, true]]}', "token_table must be a list of"),
        ('{"a": 1, "sequence_table": 3}', "sequence_table must be a list of"),
        ('{"a": 1' + 400 * "0" + "}", "a is 1000"),
        ('{"a": 1, "token_table": [[1, NaN], [2, 5]]}', "token_table must be a list of"),
        ("[" * 100_000, "not JSON"),
        ("{}", "a step of one token takes no time"),
        ('{"a": 1000, "b": -100}', "a step of 16 tokens takes no time"),
    ],
)
def test_a_bad_file_says_in_one_line_what_to_write(text: str, said: str):
    with pytest.raises(CostError) as caught:
        parse_cost(text, "bad.json")
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("bad.json")
    assert said in str(caught.value)


def test_an_unknown_name_is_answered_with_the_nearest_one():
    with pytest.raises(CostError, match="did you mean reference"):
        load_cost("refrence")


def test_only_what_was_measured_is_written_as_seen():
    assert "seen" not in json.loads(format_cost(PRESETS["reference"]))
    assert PRESETS["reference"].seen.sequences == math.inf
