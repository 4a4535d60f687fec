"""A request inside the engine."""

from collections.abc import Sequence as Keys


class Sequence:
    """What the engine keeps of one request between its arrival and its last token.

    While it prefills, `computed` counts the tokens whose keys and values are in the cache. While it decodes, nothing is
    counted step by step: it entered decoding before step `entered` with `computed` tokens, so before step s it has
    `computed + s - entered`, and it emits its last token in step `end`. `end` is -1 whenever it does not decode.
    """

    __slots__ = (
        "computed",
        "end",
        "entered",
        "generated",
        "index",
        "keys",
        "output_tokens",
        "prompt_tokens",
        "run",
        "run_after",
        "table",
        "ticket",
    )

    def __init__(self, index: int, prompt_tokens: int, output_tokens: int, keys: Keys[int]) -> None:
        self.index = index
        self.prompt_tokens = prompt_tokens
        self.output_tokens = output_tokens
        self.keys = keys  # of the full prompt blocks
        self.computed = 0
        self.generated = 0  # tokens emitted before step `entered`
        self.entered = 0
        self.end = -1
        self.ticket = 0  # place among the running, in order of admission
        self.table: list[int] = []  # keyed blocks held
        self.run = 0  # after a preemption: its other full blocks, and how many keyed blocks stood before them
        self.run_after = 0


def block_keys(hash_ids: Keys[int], hash_tokens: int, block_tokens: int, prompt_tokens: int) -> Keys[int]:
    """Name the full prompt blocks of an engine from a trace's hashes of another block size.

    Hashes are chained, so the last of several small blocks names them all, and a large block's hash with a position
    inside it names a small one.

    Raises:
        ValueError: neither size is a multiple of the other.
    """
    full = prompt_tokens // block_tokens
    if hash_tokens == block_tokens:
        return hash_ids if len(hash_ids) <= full else hash_ids[:full]
    if block_tokens % hash_tokens == 0:
        per_block = block_tokens // hash_tokens
        return hash_ids[per_block - 1 :: per_block][:full]
    if hash_tokens % block_tokens == 0:
        parts = hash_tokens // block_tokens
        return [
            name * parts + part
            for at, name in enumerate(hash_ids[: -(-full // parts)])
            for part in range(min(parts, full - at * parts))
        ]
    raise ValueError(
        f"the trace hashes {hash_tokens} tokens at a time and the engine's blocks hold {block_tokens}; "
        "one must be a multiple of the other"
    )
