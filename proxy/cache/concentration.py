"""An alarm for one answer that answers too much.

A popular question has many askers; an embedder, or a threshold, gone wrong gives one answer to many *different*
questions. Nothing is refused on this ground: it raises a counter for operators.
"""

from collections import Counter, deque

WINDOW_HITS = 256
MAX_TEXTS = 32
"""Different texts in the window that one entry may have answered without an alarm."""
MAX_SHARE = 0.5
"""Share of the window that one entry may have, if its texts are that many."""


class HitConcentration:
    """Remembers the last semantic hits as pairs of numbers: entry, and hash of the text asked."""

    def __init__(self) -> None:
        self._last: deque[tuple[int, int]] = deque()
        self._of_entry: Counter[int] = Counter()
        self._of_pair: Counter[tuple[int, int]] = Counter()
        self._texts: Counter[int] = Counter()
        self._alarmed: set[int] = set()
        self.alarms = 0

    def served(self, id: int, text: str) -> bool:
        """Note a hit. True if it raises the alarm, which an entry does once until it has calmed down."""
        if len(self._last) == WINDOW_HITS:
            self._forget(self._last.popleft())
        pair = (id, hash(text))
        self._last.append(pair)
        self._of_entry[id] += 1
        self._of_pair[pair] += 1
        self._texts[id] += self._of_pair[pair] == 1
        if not self._concentrated(id):
            self._alarmed.discard(id)
            return False
        if id in self._alarmed:
            return False
        self._alarmed.add(id)
        self.alarms += 1
        return True

    def _concentrated(self, id: int) -> bool:
        return self._texts[id] > MAX_TEXTS and self._of_entry[id] > MAX_SHARE * len(self._last)

    def _forget(self, pair: tuple[int, int]) -> None:
        id = pair[0]
        self._of_pair[pair] -= 1
        if not self._of_pair[pair]:
            del self._of_pair[pair]
            self._texts[id] -= 1
        self._of_entry[id] -= 1
        if not self._of_entry[id]:
            del self._of_entry[id], self._texts[id]
            self._alarmed.discard(id)
