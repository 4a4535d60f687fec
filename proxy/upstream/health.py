"""Is an upstream usable? What its exchanges and its probes say, decided without I/O.

    usable     asked as long as nothing speaks against it
    suspected  requests failed that have nothing in common but the upstream, or no probe is answered while it works at
               some; asked only if nobody better is left
    down       a probe says so, or no connection could be made. Who takes no connections is not asked until a probe
               succeeds; who does, and answers no probe well, is asked if nobody else is left: perhaps it is only the
               probe's paths that it has no answer to

Failures count by *distinct* requests: one poison body that makes an engine answer 500 again and again is one failure,
and condemns nobody. Any success clears them. A suspicion is also lifted by the next probe in turn that ends well: not
by the one it calls for, since an engine may fail every request and still say that it is well. And where a request that
was sent after such a word is answered well, words of this kind count no more until a probe ends well.
"""

import math
from collections.abc import Callable
from enum import StrEnum

from cachetools import TTLCache

DISTINCT_FAILURES = 5
"""So many different requests must have failed, with no success between, for a suspicion."""

WITHIN_S = 30.0
"""A failure is forgotten after this."""

DOWN_S = 5.0
"""So long an upstream that could not be reached is left alone, unless a probe says more."""

PROBES_FAILED = 2
"""Probes in a row that got no answer, for a verdict; a refused connection needs one."""


class Verdict(StrEnum):
    """In order of preference."""

    USABLE = "usable"
    SUSPECTED = "suspected"
    DOWN = "down"


USABLE = Verdict.USABLE
"""For exchanges: to read it from the class is a call."""


class Health:
    """One upstream's health. Written by its exchanges and by the probe, on one loop."""

    def __init__(self, clock: Callable[[], float], on_doubt: Callable[[], None] = lambda: None) -> None:
        """`on_doubt` is called when an exchange makes it worse than usable, so that a probe need not wait its turn."""
        self.reason: str | None = None
        """Why it is not usable: a short phrase for `/readyz` and logs, without addresses."""
        self.verdict = USABLE
        self.on_doubt = on_doubt
        self._failures: TTLCache[bytes, bool] = TTLCache(DISTINCT_FAILURES * 4, WITHIN_S, timer=clock)
        self._failing = False
        """Something may be in `_failures`; asking them for their number costs more than all else of a success."""
        self._clock = clock
        self._probes_failed = 0
        self._down_until_s = math.inf
        self._told_s: float | None = None
        """When a probe of a server that takes connections made it down."""
        self._words_count = True

    @property
    def in_doubt(self) -> bool:
        """Whether a probe failed that another has to confirm."""
        return 0 < self._probes_failed < PROBES_FAILED and self.verdict is not Verdict.DOWN

    @property
    def is_ill(self) -> bool:
        """Whether it takes connections and answers probes badly or not at all, so that it is the last to be asked."""
        return self._told_s is not None and self.verdict is Verdict.DOWN

    def may_be_asked(self) -> bool:
        """Whether it is not down, or has been for long enough without a probe to say so."""
        return self.verdict is not Verdict.DOWN or self._clock() >= self._down_until_s

    def succeeded(self, asked_s: float) -> None:
        """An exchange that began at `asked_s` ended with an answer that is no failure of the engine."""
        if self._failing:
            self._forget_failures()
        if self.verdict is not USABLE:
            if self._told_s is not None:
                if asked_s < self._told_s:
                    return  # it may be on its way down, and only finish what it has
                self._words_count = False
            self._is_usable()

    def failed(self, request: bytes, why: str) -> None:
        """An exchange failed; `request` is the same bytes for the same request."""
        self._failing = True
        self._failures[request] = True
        if self.verdict is USABLE and len(self._failures) >= DISTINCT_FAILURES:
            self.verdict, self.reason = Verdict.SUSPECTED, f"different requests failed: {why}"
            self.on_doubt()

    def unreachable(self) -> None:
        """No connection could be made."""
        if self.verdict is not Verdict.DOWN:
            self.verdict, self.reason, self._told_s = Verdict.DOWN, "no connection", None
            self.on_doubt()
        if self._probes_failed == 0:
            self._down_until_s = self._clock() + DOWN_S

    def probed(
        self,
        failure: str | None,
        *,
        connected: bool = False,
        final: bool = False,
        in_turn: bool = True,
        at_work: bool = False,
    ) -> bool:
        """A probe ended. Whether that changed the verdict.

        Args:
            failure: what went wrong, or None if nothing did.
            connected: it took the connection, whatever then went wrong.
            final: a failure that needs no second one.
            in_turn: whether it was this probe's turn, rather than called for by a doubt.
            at_work: it has requests of ours. A server that does one thing after another answers no probe meanwhile.
        """
        before = self.verdict
        if failure is None:
            self._probes_failed = 0
            self._words_count = True
            if in_turn or self.verdict is Verdict.DOWN:
                self._forget_failures()
                self._is_usable()
        else:
            self._probes_failed += 1
            if (final or self._probes_failed >= PROBES_FAILED) and (self._words_count or not connected):
                now_s = self._clock()
                if not connected:
                    self._told_s = None
                elif self.verdict is not Verdict.DOWN:
                    self._told_s = now_s
                self.verdict, self.reason = Verdict.SUSPECTED if at_work and not final else Verdict.DOWN, failure
                self._down_until_s = now_s if connected else math.inf
        return self.verdict is not before

    def _is_usable(self) -> None:
        self.verdict, self.reason, self._told_s = USABLE, None, None

    def _forget_failures(self) -> None:
        self._failures.clear()
        self._failing = False
