"""The arguments of a simulated engine."""

from dataclasses import dataclass

from simulation.blocks import UNLIMITED

# An engine keeps the cost of each number of sequences.
MOST_SEQUENCES = 1_000_000


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """The engine's own arguments, under vLLM's names where it has them.

    blocks is the number the engine reports at start (num_gpu_blocks); one of them it keeps for itself. None: no limit.
    long_prefill_tokens: the largest chunk of one prompt in a step, 0 for no limit but the budget.
    reserve_prompt: admit a request only if all its tokens so far fit, not just its first chunk (vLLM's default since
    0.19, scheduler_reserve_full_isl). plan_ahead: asynchronous scheduling.
    noted_at_boundary: arrivals are those an engine that plans ahead wrote down itself, when it saw them.
    """

    max_num_seqs: int = 128
    max_num_batched_tokens: int = 2048
    block_tokens: int = 16
    blocks: int | None = None
    prefix_caching: bool = True
    chunked_prefill: bool = True
    long_prefill_tokens: int = 0
    reserve_prompt: bool = True
    plan_ahead: bool = True
    noted_at_boundary: bool = False

    def check(self) -> None:
        """Raises ValueError, one line, for settings that no engine accepts."""
        for name in ("max_num_seqs", "max_num_batched_tokens", "block_tokens"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be 1 or more")
        if self.max_num_seqs > MOST_SEQUENCES:
            raise ValueError(f"max_num_seqs is {self.max_num_seqs}; it must be {MOST_SEQUENCES:,} at most")
        if self.max_num_batched_tokens < self.max_num_seqs:
            raise ValueError(
                f"max_num_batched_tokens ({self.max_num_batched_tokens}) must be at least max_num_seqs "
                f"({self.max_num_seqs}): every running sequence needs a token of each step"
            )
        if self.blocks is not None and self.blocks < 2:
            raise ValueError(f"blocks is {self.blocks}; it must be 2 or more (the engine keeps one for itself)")
        if self.long_prefill_tokens < 0:
            raise ValueError(f"long_prefill_tokens is {self.long_prefill_tokens}; it must be 0 (no limit) or more")

    @property
    def usable_blocks(self) -> int:
        return UNLIMITED if self.blocks is None else self.blocks - 1
