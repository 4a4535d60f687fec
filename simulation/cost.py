"""How long one step of an engine takes.

    a + b * sequences + c * KV tokens + d * prompt tokens + e * sum(chunk * context)

sequences are those that decode in the step, KV tokens what they attend to, prompt tokens the sum of the prefill chunks,
context the tokens a chunk attends to, itself included. Tables by sequences or by tokens may stand beside the formula,
for engines whose cost is not a line (CPUs, small batches, mixtures of experts).
"""

import itertools
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

Points = tuple[tuple[float, float], ...]


class CostError(ValueError):
    """A cost model that cannot be read. The message is one line and says what to write instead."""


class ExtrapolationWarning(UserWarning):
    """A simulated step was larger than anything the cost model was measured on."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The largest step the cost model was measured on; outside it the numbers are a guess."""

    sequences: float = math.inf
    kv_tokens: float = math.inf
    prompt_tokens: float = math.inf


@dataclass(frozen=True, slots=True)
class CostModel:
    """Seconds per step. Every field is in seconds or counts, whatever unit a preset or a file is written in.

    mixed_kv_token_s is added to the KV term in steps that also prefill: kernels for mixed batches read the KV cache
    more slowly. knee_tokens, where set, makes d count only the tokens (prompt and decode together) of a step beyond it:
    below the knee the weights have to be read anyway. prefill_floor_s is the least that the prompt part of a step
    takes. Tables hold (count, seconds) points in rising order, are read by straight lines between them and are added to
    the formula: sequence_table by decoding sequences (nothing for none), token_table by all tokens of the step.
    The overhead is what the kernels do not show (the engine's own work, communication): per step, per scheduled
    sequence and per prompt token.
    """

    name: str
    provenance: str = ""
    step_s: float = 0.0
    sequence_s: float = 0.0
    kv_token_s: float = 0.0
    prompt_token_s: float = 0.0
    chunk_context_s: float = 0.0
    mixed_kv_token_s: float = 0.0
    knee_tokens: int = 0
    prefill_floor_s: float = 0.0
    sequence_table: Points = ()
    token_table: Points = ()
    overhead_step_s: float = 0.0
    overhead_sequence_s: float = 0.0
    overhead_prompt_token_s: float = 0.0
    seen: Seen = Seen()

    def decode_s(self, sequences: int) -> float:
        """A step in which this many sequences decode and none prefills, without the KV term."""
        seconds = self.step_s + self.overhead_step_s + (self.sequence_s + self.overhead_sequence_s) * sequences
        if self.knee_tokens and sequences > self.knee_tokens:
            seconds += self.prompt_token_s * (sequences - self.knee_tokens)
        if self.sequence_table and sequences:
            seconds += interpolate(self.sequence_table, sequences)
        if self.token_table:
            seconds += interpolate(self.token_table, sequences)
        return seconds

    def prefill_s(self, sequences: int, prompts: int, prompt_tokens: int, chunk_context: float) -> float:
        """What prompt chunks add to a step in which `sequences` decode: `prompts` chunks of prompt_tokens in all."""
        if not prompts:
            return 0.0
        tokens = prompt_tokens
        if self.knee_tokens:
            tokens = max(0, sequences + prompt_tokens - self.knee_tokens) - max(0, sequences - self.knee_tokens)
        seconds = self.prompt_token_s * tokens + self.chunk_context_s * chunk_context
        if self.token_table:
            seconds += interpolate(self.token_table, sequences + prompt_tokens)
            seconds -= interpolate(self.token_table, sequences)
        overhead = self.overhead_sequence_s * prompts + self.overhead_prompt_token_s * prompt_tokens
        return max(seconds, self.prefill_floor_s) + overhead

    def step(
        self, sequences: int, kv_tokens: float, prompts: int = 0, prompt_tokens: int = 0, chunk_context: float = 0.0
    ) -> float:
        """The whole step."""
        return (
            self.decode_s(sequences)
            + (self.kv_token_s + (self.mixed_kv_token_s if prompts else 0.0)) * kv_tokens
            + self.prefill_s(sequences, prompts, prompt_tokens, chunk_context)
        )

    def with_overhead(self, step_s: float, sequence_s: float, prompt_token_s: float = 0.0) -> "CostModel":
        return replace(
            self, overhead_step_s=step_s, overhead_sequence_s=sequence_s, overhead_prompt_token_s=prompt_token_s
        )

    def warn_beyond(self, largest: Seen) -> None:
        """Warn once, naming each measure in which a run's largest step exceeds what the model was measured on."""
        beyond = [
            f"{word} {ran:,.0f} > {measured:,.0f}"
            for word, ran, measured in (
                ("sequences", largest.sequences, self.seen.sequences),
                ("KV tokens", largest.kv_tokens, self.seen.kv_tokens),
                ("prompt tokens", largest.prompt_tokens, self.seen.prompt_tokens),
            )
            if ran > measured
        ]
        if beyond:
            warnings.warn(
                f"cost {self.name}: extrapolated beyond its measurements ({', '.join(beyond)} in one step)",
                ExtrapolationWarning,
                stacklevel=2,
            )


def interpolate(points: Sequence[tuple[float, float]], at: float) -> float:
    """The straight line between neighbouring points; the first value below them, the last slope beyond them."""
    if at <= points[0][0]:
        return points[0][1]
    for (left, low), (right, high) in itertools.pairwise(points):
        if at <= right:
            return low + (high - low) * (at - left) / (right - left)
    if len(points) == 1:
        return points[0][1]
    (left, low), (right, high) = points[-2:]
    return high + (high - low) * (at - right) / (right - left)


def _preset(
    name: str,
    provenance: str,
    abcde: tuple[float, float, float, float, float],
    *,
    floor_us: float = 0.0,
    sequence_table_us: Points = (),
    seen: Seen = Seen(),
) -> CostModel:
    """Presets are written in microseconds, as published."""
    a, b, c, d, e = (value * 1e-6 for value in abcde)
    return CostModel(
        name=name,
        provenance=provenance,
        step_s=a,
        sequence_s=b,
        kv_token_s=c,
        prompt_token_s=d,
        chunk_context_s=e,
        prefill_floor_s=floor_us * 1e-6,
        sequence_table=tuple((count, value * 1e-6) for count, value in sequence_table_us),
        seen=seen,
    )


_SPLITWISE = Seen(sequences=64, kv_tokens=64 * 1024, prompt_tokens=512 * 64)

PRESETS: dict[str, CostModel] = {
    cost.name: cost
    for cost in (
        _preset("reference", "the published batching table; illustrative", (6000, 250, 0, 50, 0)),
        _preset(
            "h100x8-llama2-70b",
            "step table of SplitwiseSim, rms 2.2 % decode, 24 % prefill",
            (29570, 184, 0.22, 64, 0.0036),
            floor_us=26000,
            seen=_SPLITWISE,
        ),
        _preset(
            "a100x8-llama2-70b",
            "step table of SplitwiseSim, rms 2.4 % decode, 22 % prefill",
            (43740, 162, 0.40, 153, 0.0014),
            floor_us=26000,
            seen=_SPLITWISE,
        ),
        _preset(
            "cpu-gemma3-270m-q4",
            "measured with llama.cpp, one thread of the machine this was built on; c lay between 0.5 and 14",
            (0, 0, 7, 2700, 0),
            sequence_table_us=((1, 18000), (2, 44500), (3, 53000), (4, 61000)),
            seen=Seen(sequences=4, kv_tokens=4 * 512, prompt_tokens=512),
        ),
    )
}
