"""Cost models from measured kernel times, and from measured steps.

A *profile* is the time of each kernel of one layer over a grid of shapes, as vLLM profilers write it: three files with
a common beginning, NAME_dense.csv (layer, tokens, time_us), NAME_attention.csv (prefill_chunk, kv_prefill, n_decode,
kv_decode, time_us; kv_decode is per sequence) and NAME_per_sequence.csv (layer, sequences, time_us). Further
NAME_….csv with the columns of the first (experts, communication) count as dense. Measured *steps* are one file: what a
step held and how long it took.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulation.cost import CostError, CostModel, Points, Seen
from simulation.traces import TraceError, count, number, records

Floats = NDArray[np.float64]

# Once per step, not per layer; and the one kernel that runs twice in a layer.
_ONCE = frozenset({"embedding", "final_layernorm", "lm_head", "sampler"})
_TWICE = "layernorm"
# Shapes beyond these hardly occur in serving, and would pull the straight lines away from those that do.
_MAX_KV_TOKENS = 250_000
_MAX_CONTEXT = 4096
_MIN_CONTEXT = 64
_TOKEN_POINTS = (1, 8, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 1024)
_SEQUENCE_POINTS = (1, 2, 4, 8, 16, 32, 64, 96, 128, 256, 512)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A cost model, and the rms of its relative errors on what it was fitted to, by kind of step."""

    cost: CostModel
    rms: dict[str, float]
    samples: int


@dataclass(frozen=True, slots=True)
class Steps:
    """Arrays of shape (samples,): what each measured step held, and its time."""

    sequences: Floats
    kv_tokens: Floats
    prompt_tokens: Floats
    chunk_context: Floats
    seconds: Floats


@dataclass(frozen=True, slots=True)
class Profile:
    """Kernel times of a whole step in seconds: dense by tokens, heads by sequences, attention by shape.

    attention has the rows (prefill chunk, context before it, decoding sequences, context of each, seconds).
    """

    tokens: Floats
    dense_s: Floats
    sequences: Floats
    heads_s: Floats
    attention: Floats


def read_profile(beginning: str, layers: int) -> Profile:
    """Read NAME_dense.csv and the others by their common beginning.

    Raises:
        CostError: a file is missing or has a bad row.
    """
    if layers < 1:
        raise CostError(f"layers is {layers}; it must be 1 or more")
    name = Path(beginning)
    attention = Path(f"{name}_attention.csv")
    heads = Path(f"{name}_per_sequence.csv")
    dense = [
        path for path in sorted(name.parent.glob(f"{name.name}_*.csv")) if path.name not in (attention.name, heads.name)
    ]
    if not dense:
        raise CostError(f"{name}_dense.csv: no such file; give the common beginning of the profile's files")
    try:
        tokens, dense_s = _layers(dense, "tokens", layers)
        sequences, heads_s = _layers([heads], "sequences", layers)
        shapes = [
            [
                *(count(row, key) for key in ("prefill_chunk", "kv_prefill", "n_decode", "kv_decode")),
                layers * number(row, "time_us") * 1e-6,
            ]
            for _, row in _rows(attention)
        ]
    except TraceError as error:
        raise CostError(str(error)) from None
    return Profile(tokens, dense_s, sequences, heads_s, np.array(shapes, dtype=np.float64))


def from_profile(profile: Profile, name: str, *, tables: bool = True, knee_tokens: int = 0) -> Fitted:
    """Tables for what is not attention and straight lines for attention; or the five numbers for all of it.

    With the formula, decoding is fitted on the steps that only decode, prefill on the rest after it: so the many
    shapes of a profile's mixed grid do not outweigh what an engine does most.
    """
    chunk, before, sequences, context, attention_s = profile.attention.T
    kept = (
        (chunk + sequences <= profile.tokens[-1])
        & (sequences * context <= _MAX_KV_TOKENS)
        & (np.maximum(before, context) <= _MAX_CONTEXT)
        & ((context >= _MIN_CONTEXT) | (sequences == 0))
    )
    if not kept.any():
        raise CostError(f"{name}: none of the attention shapes is one that an engine meets; profile more of them")
    chunk, before, sequences, context, attention_s = profile.attention[kept].T
    kv_tokens = sequences * context
    rest = np.interp(chunk + sequences, profile.tokens, profile.dense_s)
    rest += np.interp(sequences + (chunk > 0), profile.sequences, profile.heads_s)
    whole = rest + attention_s
    mixed = (chunk > 0) & (sequences > 0)
    kinds = {"decode": chunk == 0, "prefill": sequences == 0, "mixed": mixed}
    terms = np.stack([np.ones_like(chunk), sequences, kv_tokens, chunk, chunk * (before + chunk), mixed * kv_tokens], 1)
    # Each kind of step counts the same, however many shapes of it were measured.
    weight = sum(kind / np.sqrt(max(1, kind.sum())) for kind in kinds.values()) / whole
    seen = Seen(float(sequences.max()), float(kv_tokens.max()), float(profile.tokens[-1]))
    if tables:
        found = _least_squares(terms, attention_s, weight, at_least_zero=(2, 4, 5))
        cost = _cost(name, found, seen)
        cost = replace(
            cost,
            token_table=_points(profile.tokens, profile.dense_s, (*_TOKEN_POINTS, *range(1280, 10**5, 256))),
            sequence_table=_points(profile.sequences, profile.heads_s, _SEQUENCE_POINTS),
        )
        modelled = terms @ found + rest
    else:
        if knee_tokens:
            terms[:, 3] = np.maximum(0, chunk + sequences - knee_tokens) - np.maximum(0, sequences - knee_tokens)
        decode = kinds["decode"]
        found = np.zeros(6)
        found[:3] = _least_squares(terms[decode, :3], whole[decode], weight[decode], at_least_zero=(0, 1, 2))
        left = whole - terms[:, :3] @ found[:3]
        found[3:] = _least_squares(terms[~decode, 3:], left[~decode], weight[~decode], at_least_zero=(0, 1, 2))
        cost = replace(_cost(name, found, seen), knee_tokens=knee_tokens)
        modelled = terms @ found
    error = modelled / whole - 1
    rms = {kind: float(np.sqrt((error[rows] ** 2).mean())) for kind, rows in kinds.items() if rows.any()}
    return Fitted(cost, rms, len(whole))


def read_steps(path: Path) -> Steps:
    """A .csv or .jsonl with sequences, kv_tokens, prompt_tokens, chunk_context (0 if left out) and time_us, _ms or _s.

    Raises:
        CostError: the file or one of its rows; the message names it.
    """
    units = {"time_us": 1e-6, "time_ms": 1e-3, "time_s": 1.0}
    rows: list[list[float]] = []
    try:
        for row, fields in records(path):
            try:
                unit = next((unit for unit in units if unit in fields), None)
                if unit is None:
                    raise ValueError("no time; needed is one of time_us, time_ms and time_s")
                held = [
                    number(fields, key) if key in fields else 0.0
                    for key in ("sequences", "kv_tokens", "prompt_tokens", "chunk_context")
                ]
                seconds = number(fields, unit) * units[unit]
                if min(held) < 0 or seconds <= 0:
                    raise ValueError("counts must be 0 or more, and the time above 0")
            except ValueError as error:
                raise CostError(f"{path}, row {row}: {error}") from None
            rows.append([*held, seconds])
    except TraceError as error:
        raise CostError(str(error)) from None
    if len(rows) < 3:
        raise CostError(f"{path}: {len(rows)} measured steps; a fit needs 3 or more")
    return Steps(*np.array(rows).T)


def from_steps(steps: Steps, name: str, knee_tokens: int = 0) -> Fitted:
    """The five numbers by least squares of relative errors, each at 0 or above; what never occurred gets 0."""
    prompt = steps.prompt_tokens
    if knee_tokens:
        prompt = np.maximum(0, steps.prompt_tokens + steps.sequences - knee_tokens)
    terms = np.stack([np.ones_like(prompt), steps.sequences, steps.kv_tokens, prompt, steps.chunk_context], axis=1)
    found = _least_squares(terms, steps.seconds, 1 / steps.seconds, at_least_zero=(0, 1, 2, 3, 4))
    seen = Seen(float(steps.sequences.max()), float(steps.kv_tokens.max()), float(steps.prompt_tokens.max()))
    cost = replace(_cost(name, np.append(found, 0.0), seen), knee_tokens=knee_tokens)
    error = terms @ found / steps.seconds - 1
    return Fitted(cost, {"all": float(np.sqrt((error**2).mean()))}, len(prompt))


def _cost(name: str, found: Floats, seen: Seen) -> CostModel:
    a, b, c, d, e, mixed = (float(value) for value in found)
    return CostModel(name, "", a, b, c, d, e, mixed, seen=seen)


def _least_squares(terms: Floats, values: Floats, weight: Floats, at_least_zero: Sequence[int]) -> Floats:
    """Weighted; of the columns in at_least_zero those that would come out below 0 are left out, the worst first."""
    columns = [column for column in range(terms.shape[1]) if np.any(terms[:, column])]
    while True:
        scaled = terms[:, columns] * weight[:, None]
        size = np.linalg.norm(scaled, axis=0)
        part, *_ = np.linalg.lstsq(scaled / size, values * weight, rcond=None)
        below = [(value, column) for value, column in zip(part, columns, strict=True) if column in at_least_zero]
        worst = min(below, default=(0.0, -1))
        if worst[0] >= 0:
            found = np.zeros(terms.shape[1])
            found[columns] = part / size
            return found
        columns.remove(worst[1])


def _rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    found: list[tuple[int, dict[str, str]]] = []
    for row, fields in records(path):
        try:
            if number(fields, "time_us") < 0:
                raise ValueError(f"time_us is {fields['time_us']}; it must be 0 or more")
            for key in fields:
                if key not in ("layer", "time_us"):
                    count(fields, key)
        except ValueError as error:
            raise TraceError(f"{path}, row {row}: {error}") from None
        found.append((row, dict(fields)))
    if not found:
        raise TraceError(f"{path}: no rows in it")
    return found


def _layers(paths: Sequence[Path], by: str, layers: int) -> tuple[Floats, Floats]:
    """Seconds of all these kernels in a step, at the counts at which the first of them was measured."""
    times: dict[str, dict[int, float]] = {}
    for path in paths:
        for row, fields in _rows(path):
            if by not in fields or "layer" not in fields:
                raise TraceError(f"{path}, row {row}: needs the columns layer, {by} and time_us")
            runs = 1 if fields["layer"] in _ONCE else layers * (2 if fields["layer"] == _TWICE else 1)
            times.setdefault(fields["layer"], {})[count(fields, by)] = runs * number(fields, "time_us") * 1e-6
    at = np.array(sorted(next(iter(times.values()))), dtype=np.float64)
    total = np.zeros(len(at))
    for measured in times.values():
        points = sorted(measured)
        total += np.interp(at, points, [measured[point] for point in points])
    return at, total


def _points(at: Floats, seconds: Floats, wanted: Sequence[int]) -> Points:
    inside = [point for point in wanted if at[0] <= point <= at[-1]]
    return tuple((float(point), float(np.interp(point, at, seconds))) for point in inside)
