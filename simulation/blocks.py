"""The KV cache of one engine: a fixed number of blocks, those free kept in the order in which they are taken again.

A free block may still hold a prefix. What a sequence gives back joins the end of the order, its last block first, so
that the start of a prefix outlives its end; whoever needs a block takes from the front and destroys what it held.

Two kinds of blocks make this cheap and exact. A *keyed* block holds a full block of a prompt whose hash others may ask
for; each is an entry of its own. All other blocks (prompts without hashes, generated tokens, the block being filled)
can be found only by the sequence that filled them, and only after it was preempted: they are counted, in runs.
"""

from collections import OrderedDict
from collections.abc import Sequence

UNLIMITED = 1 << 50


class BlockPool:
    """`total` blocks, all free. Nothing here knows about time or sequences; callers never take more than `free`."""

    __slots__ = ("_blank", "_cached", "_copies", "_key", "_last_run", "_next", "_queue", "_refs", "free", "total")

    def __init__(self, total: int = UNLIMITED) -> None:
        self.total = total
        self.free = total
        # The order of free blocks: _blank ones that hold nothing anyone can find, then the entries of the queue. An
        # entry is a keyed block (count 1) or a run of other blocks.
        self._blank = total
        self._queue: OrderedDict[int, int] = OrderedDict()
        self._last_run = 0  # the blank run at the end of the queue, if it is still there
        self._cached: dict[int, int] = {}  # key -> block
        self._copies: dict[int, list[int]] = {}  # key -> further blocks with the same content, oldest first
        self._key: dict[int, int] = {}  # block -> key
        self._refs: dict[int, int] = {}  # block -> sequences that hold it
        self._next = 1

    @property
    def used(self) -> int:
        return self.total - self.free

    def hits(self, keys: Sequence[int], limit: int) -> int:
        """How many of the first `limit` keys are cached, up to the first that is not."""
        cached = self._cached
        count = 0
        for key in keys[:limit]:
            if key not in cached:
                break
            count += 1
        return count

    def idle(self, keys: Sequence[int], count: int) -> int:
        """How many of the first `count` keys, all cached, lie in free blocks: holding them makes these unavailable."""
        return sum(not self._refs[self._cached[key]] for key in keys[:count])

    def hold(self, keys: Sequence[int], count: int) -> list[int]:
        """Share the cached blocks of the first `count` keys; returns the table of blocks to give back later."""
        table = []
        for key in keys[:count]:
            block = self._cached[key]
            if not self._refs[block]:
                del self._queue[block]
                self.free -= 1
            self._refs[block] += 1
            table.append(block)
        return table

    def take(self, count: int) -> None:
        """Take blocks from the front of the order; what they held is gone."""
        self.free -= count
        if count <= self._blank:
            self._blank -= count
            return
        count -= self._blank
        self._blank = 0
        queue = self._queue
        while count:
            entry, size = queue.popitem(last=False)
            key = self._key.pop(entry, None)
            if key is not None:
                del self._refs[entry]
                self._forget(key, entry)
            elif size > count:
                if entry == self._last_run:
                    self._blank = size - count
                else:
                    queue[entry] = size - count
                    queue.move_to_end(entry, last=False)
                return
            count -= size

    def enter(self, key: int) -> int:
        """One block already taken now holds the full block named by key; returns it."""
        block = self._next
        self._next += 1
        self._key[block] = key
        self._refs[block] = 1
        if key in self._cached:
            self._copies.setdefault(key, []).append(block)
        else:
            self._cached[key] = block
        return block

    def give_back(self, table: Sequence[int], others: int) -> None:
        """A finished sequence returns its keyed blocks (in prompt order) and the `others` behind them."""
        self.free += others
        if others:
            if not self._queue:
                self._blank += others
            elif self._last_run in self._queue:
                self._queue[self._last_run] += others
            else:
                self._last_run = self._append(others)
        self._release(table)

    def give_back_findable(self, table: Sequence[int], full: int, others: int) -> int:
        """A preempted sequence returns its blocks; the `full` ones behind its keyed blocks can be found again.

        `others` (the one being filled) can not. Returns the name of the run of full blocks, 0 if there is none.
        """
        self.give_back((), others)
        run = 0
        if full:
            self.free += full
            run = self._append(full)
            self._last_run = 0
        self._release(table)
        return run

    def left_of(self, run: int) -> int:
        """How many blocks, from its start, a preempted sequence's run still has."""
        return self._queue.get(run, 0)

    def hold_run(self, run: int, count: int) -> None:
        """Take back the first `count` blocks of a run with what they hold."""
        self.free -= count
        left = self._queue[run] - count
        if left:
            self._queue[run] = left
        else:
            del self._queue[run]

    def _release(self, table: Sequence[int]) -> None:
        refs = self._refs
        for block in reversed(table):
            refs[block] -= 1
            if not refs[block]:
                self._queue[block] = 1
                self.free += 1
                self._last_run = 0

    def _append(self, count: int) -> int:
        run = self._next
        self._next += 1
        self._queue[run] = count
        return run

    def _forget(self, key: int, block: int) -> None:
        copies = self._copies.get(key)
        if self._cached[key] == block:
            if copies:
                self._cached[key] = copies.pop(0)
            else:
                del self._cached[key]
        elif copies:
            copies.remove(block)
        if copies is not None and not copies:
            del self._copies[key]
