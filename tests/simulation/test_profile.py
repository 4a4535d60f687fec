"""Fitting cost models: from kernel profiles, from measured steps, and overhead from a run's latencies."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simulation.cost import CostError, CostModel
from simulation.cost_file import load_cost
from simulation.engine import simulate
from simulation.overhead import Workbench, fit_overhead
from simulation.profile import from_profile, from_steps, read_profile, read_steps
from simulation.request import Request
from simulation.settings import EngineSettings

LAYERS = 4
TOKENS = (1, 16, 64, 128, 256, 512, 1024, 2048)
SEQUENCES = (1, 8, 64, 128)


def profile(folder: Path, *, dense: str = "", attention: str = "", heads: str = "") -> str:
    """A made-up card: 100 us of dense kernels a layer and 1 us a token, attention as in the five numbers."""
    name = folder / "card"
    lines = ["layer,tokens,time_us"]
    for tokens in TOKENS:
        lines += [f"qkv_proj,{tokens},{90 + tokens}", f"layernorm,{tokens},5", f"embedding,{tokens},7"]
    Path(f"{name}_dense.csv").write_text("\n".join(lines) + "\n" + dense)
    lines = ["prefill_chunk,kv_prefill,n_decode,kv_decode,time_us"]
    for chunk in (0, 64, 512, 1024):
        for before in (0, 1024) if chunk else (0,):
            for sequences in (0, 1, 16, 128):
                for context in (128, 1024) if sequences else (0,):
                    kv = sequences * context
                    mixed = 0.002 if chunk and sequences else 0.0
                    time = 3 + 0.1 * sequences + (0.004 + mixed) * kv + 0.00005 * chunk * (before + chunk)
                    if chunk or sequences:
                        lines.append(f"{chunk},{before},{sequences},{context},{time}")
    Path(f"{name}_attention.csv").write_text("\n".join(lines) + "\n" + attention)
    lines = ["layer,sequences,time_us", *(f"lm_head,{count},{200 + 2 * count}" for count in SEQUENCES)]
    Path(f"{name}_per_sequence.csv").write_text("\n".join(lines) + "\n" + heads)
    return str(name)


def test_tables_return_the_profiles_own_times(tmp_path):
    fitted = from_profile(read_profile(profile(tmp_path), LAYERS), "card")
    assert max(fitted.rms.values()) < 1e-6
    decode = LAYERS * (90 + 16 + 2 * 5) + 7 + LAYERS * (3 + 0.1 * 16 + 0.004 * 16 * 1000)
    heads = np.interp(16, SEQUENCES, [200 + 2 * count for count in SEQUENCES])
    assert fitted.cost.step(16, 16 * 1000) == pytest.approx((decode + heads) * 1e-6)
    assert fitted.cost.mixed_kv_token_s == pytest.approx(LAYERS * 0.002e-6)


def test_five_numbers_fit_a_card_that_is_a_line(tmp_path):
    fitted = from_profile(read_profile(profile(tmp_path), LAYERS), "card", tables=False)
    assert fitted.cost.kv_token_s == pytest.approx(LAYERS * 0.004e-6)
    assert fitted.cost.prompt_token_s == pytest.approx(LAYERS * 1e-6, rel=0.05)
    assert max(fitted.rms.values()) < 0.03
    assert not fitted.cost.token_table


def test_a_mixture_of_experts_files_count_as_dense(tmp_path):
    name = profile(tmp_path)
    bare = from_profile(read_profile(name, LAYERS), "card").cost
    Path(f"{name}_moe.csv").write_text(
        "layer,tokens,time_us\n" + "".join(f"experts,{tokens},50\n" for tokens in TOKENS)
    )
    more = from_profile(read_profile(name, LAYERS), "card").cost
    assert more.step(4, 400) - bare.step(4, 400) == pytest.approx(LAYERS * 50e-6)


@pytest.mark.parametrize(
    ("spoiled", "said"),
    [
        ({"dense": "qkv_proj,4096\n"}, "_dense.csv, row 26: not 3 fields"),
        ({"attention": "1,2,3,4,-5\n"}, "time_us is -5; it must be 0 or more"),
        ({"attention": "1,2,3,4,soon\n"}, "time_us is 'soon'; it must be a number"),
        ({"heads": "lm_head,-1,5\n"}, "sequences is -1; it must be a whole number"),
    ],
)
def test_a_bad_row_of_a_profile_is_one_line(tmp_path, spoiled: dict[str, str], said: str):
    name = profile(tmp_path, **spoiled)
    with pytest.raises(CostError) as caught:
        read_profile(name, LAYERS)
    assert said in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_a_missing_profile_and_no_layers_are_told(tmp_path):
    with pytest.raises(CostError, match=r"none_dense\.csv: no such file"):
        read_profile(str(tmp_path / "none"), 32)
    with pytest.raises(CostError, match="layers is 0"):
        read_profile(profile(tmp_path), 0)


def test_measured_steps_give_back_the_five_numbers(tmp_path):
    rng = np.random.default_rng(1)
    truth = CostModel("true", "", 17e-3, 37e-6, 0.14e-6, 81e-6, 0.004e-6)
    lines = ["sequences,kv_tokens,prompt_tokens,chunk_context,time_ms"]
    for _ in range(60):
        n, kv, p = int(rng.integers(0, 128)), int(rng.integers(0, 10**5)), int(rng.integers(0, 2048))
        lines.append(f"{n},{kv},{p},{p * p},{truth.step(n, kv, 1, p, p * p) * 1e3 * rng.normal(1, 0.003)}")
    path = tmp_path / "steps.csv"
    path.write_text("\n".join(lines))
    fitted = from_steps(read_steps(path), "mine")
    assert fitted.rms["all"] < 0.006
    for field in ("step_s", "sequence_s", "kv_token_s", "prompt_token_s", "chunk_context_s"):
        assert getattr(fitted.cost, field) == pytest.approx(getattr(truth, field), rel=0.15)
    assert fitted.cost.seen.sequences < 128


def test_what_never_occurred_costs_nothing_and_nothing_is_negative(tmp_path):
    path = tmp_path / "steps.jsonl"
    path.write_text("".join(f'{{"sequences": {n}, "time_s": {2 - 0.01 * n}}}\n' for n in (1, 2, 3, 4)))
    cost = from_steps(read_steps(path), "falling").cost
    assert (cost.sequence_s, cost.kv_token_s, cost.prompt_token_s) == (0, 0, 0)
    assert cost.step_s == pytest.approx(1.975, rel=0.01)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sequences,time_us\n1,5\n", "1 measured steps; a fit needs 3 or more"),
        ("sequences\n1\n", "row 2: no time"),
        ("sequences,time_us\n1,5\n2,0\n", "row 3: counts must be 0 or more, and the time above 0"),
        ("sequences,time_us\n-1,5\n", "row 2: counts must be 0 or more"),
    ],
)
def test_bad_measurements_are_one_line(tmp_path, text: str, said: str):
    path = tmp_path / "steps.csv"
    path.write_text(text)
    with pytest.raises(CostError) as caught:
        read_steps(path)
    assert str(caught.value).startswith(str(path))
    assert said in str(caught.value)


def bench(cost: CostModel) -> Workbench:
    work = [Request(index * 0.12, 200 + 37 * (index % 9), 20 + 13 * (index % 7)) for index in range(60)]
    settings = EngineSettings(max_num_seqs=16)
    engine = simulate(work, cost, settings)
    return Workbench(work, np.array(engine.first_token_s), np.array(engine.last_token_s), settings)


@pytest.mark.parametrize("truth", [(0.004, 0.0, 2e-5), (0.002, 1e-4, 0.0), (0.0, 0.0, 0.0)])
def test_overhead_fitted_on_half_of_a_run_gives_back_all_of_it(truth: tuple[float, float, float]):
    """To a step or so: the numbers can stand in for each other, and steps are coarse against such short answers."""
    base = replace(load_cost("rtx4090-llama3.1-8b"), overhead_step_s=9.0)  # whatever was there does not count
    run = bench(base.with_overhead(*truth))
    found = fit_overhead(run, base, slice(0, 30), ("step", "sequence", "prompt"))
    arrival = np.array([request.arrival_s for request in run.requests])
    again = np.array(simulate(run.requests, found, run.settings).last_token_s)
    assert np.abs((again - run.last_token_s) / (run.last_token_s - arrival)).mean() < 0.015


def test_overhead_is_never_negative():
    """A run faster than its kernels: the best that can be said is no overhead."""
    base = load_cost("rtx4090-llama3.1-8b").with_overhead(0, 0)
    found = fit_overhead(bench(replace(base, step_s=base.step_s * 0.8)), base, slice(0, 30))
    assert found.overhead_step_s == 0
    assert 0 <= found.overhead_prompt_token_s < 1e-7


def test_a_profile_of_nothing_that_an_engine_meets_is_refused(tmp_path):
    name = profile(tmp_path)
    path = Path(f"{name}_attention.csv")
    path.write_text("prefill_chunk,kv_prefill,n_decode,kv_decode,time_us\n0,0,8,16,5\n")
    with pytest.raises(CostError, match="none of the attention shapes"):
        from_profile(read_profile(name, 2), "made")
