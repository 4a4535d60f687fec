"""Replies that have gone out, until they are counted and written down: some at a time, not each by itself.

Counting and writing one is little work, but by code that the processor has to fetch anew after every request; for many
in a row it fetches it once.
"""

import time
from collections.abc import Callable

from proxy.access_log import AccessLog
from proxy.tally import Count

MAX_NOTED = 64
"""Replies that wait at most; of a process that is killed, those are lost as lines that were not flushed are."""


class Journal:
    """Settles when `MAX_NOTED` replies wait, when its owner says so, and before metrics are read."""

    def __init__(self, log: AccessLog, clock: Callable[[], float]) -> None:
        self._log = log
        self._clock = clock
        self._noted: list[tuple[Count | None, bytes, str, bytes | None, int, float, float, float]] = []

    def note(
        self,
        count: Count | None,
        template: bytes,
        request_id: str,
        key: bytes | None,
        sent_bytes: int,
        now_s: float,
        first_s: float,
        elapsed_s: float,
    ) -> None:
        """A reply is over; `template`: see `account._format`. None does not count, or has no key."""
        noted = self._noted
        noted.append((count, template, request_id, key, sent_bytes, now_s, first_s, elapsed_s))
        if len(noted) >= MAX_NOTED:
            self.settle()

    def write(self, line: dict[str, object]) -> None:
        """A line of its own, behind those of the replies before it."""
        if self._log.on:
            self.settle()
            self._log.write(line)

    def settle(self) -> None:
        """Count what was noted, and give its lines to the log."""
        noted, self._noted = self._noted, []
        log = self._log if self._log.on else None
        wall_s = time.time() - self._clock()
        for count, template, request_id, key, sent_bytes, now_s, first_s, elapsed_s in noted:
            if count is not None:
                count(first_s, elapsed_s)
            if log is not None:
                named = request_id.encode("ascii"), b"null" if key is None else b'"%b"' % key[:6].hex().encode("ascii")
                log.add(template % (wall_s + now_s, *named, sent_bytes, first_s * 1000, elapsed_s * 1000))
