"""Says the cure of a bypass, so that nobody has to wonder why a cache never hits: one log line a minute at most."""

import logging
from collections import Counter
from collections.abc import Callable

EVERY_S = 60.0

GREEDY = "they send no temperature; if this family's answers may be reused, write `when_temperature_missing: greedy`"
CURES = {
    "temperature-missing": GREEDY,
    "temperature-null": GREEDY,
    "temperature": "they ask for samples; send `temperature: 0`, or share those under way by `coalesce: always`",
    "family-off": "this family stores nothing; write `exact: {enabled: true}`",
}
"""By reason; what a client itself asked for needs none."""

logger = logging.getLogger("askonce.bypass")


class BypassHint:
    """Counts by family and reason, and names the most frequent when the next line is due."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._counts: Counter[tuple[str, str]] = Counter()
        self._due_s = 0.0

    def note(self, family: str, reason: str) -> None:
        """A request of `family` passed the cache by."""
        if reason not in CURES:
            return
        self._counts[family, reason] += 1
        now_s = self._clock()
        if now_s >= self._due_s:
            self._due_s = now_s + EVERY_S
            (family, reason), count = self._counts.most_common(1)[0]
            self._counts.clear()
            logger.info(
                "family %s bypasses the cache (%s, %d since the last such line): %s",
                family,
                reason,
                count,
                CURES[reason],
            )
