"""A verified per-entry cache, in the manner of vCache, to compare with.

Schroeder, Luo, Huang, Zhu, Liu, Mirhoseini, Cuadron, Zaharia, Gonzalez and Stoica 2025, "vCache: Verified Semantic
Prompt Caching". Every stored prompt learns online how likely its answer is right at a similarity: a logistic curve with
a threshold and a slope. It asks upstream (explores) just so often that, whatever curve within the confidence region of
its observations is true, the chance of a wrong answer stays below δ. Departs from the paper in fitting on a grid of
curves, and in taking the region by likelihood ratio, since most prompts have fewer than five observations.
"""

import math
import random
from collections.abc import Sequence

from evaluation.thresholds import Probe, Tally

_THRESHOLDS = tuple(step / 40 for step in range(41))
_SLOPES = (5.0, 10.0, 20.0, 40.0, 80.0, 160.0)
_CURVES = tuple((threshold, slope) for threshold in _THRESHOLDS for slope in _SLOPES)
_RISKS = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4)
"""Chances that the true curve is outside the region; the best for a decision is taken."""


class PerEntry:
    """What one stored prompt has learnt."""

    def __init__(self, delta: float) -> None:
        self._delta = delta
        self._fits = [0.0] * len(_CURVES)
        """Log-likelihood of the observations under each curve."""

    def observe(self, similarity: float, right: bool) -> None:
        for place, (threshold, slope) in enumerate(_CURVES):
            p = _right(similarity, threshold, slope)
            self._fits[place] += math.log(p if right else 1 - p)

    def explore(self, similarity: float) -> float:
        """With what probability upstream must be asked."""
        best = max(self._fits)
        least = 1.0
        for risk in _RISKS:
            within = best + math.log(risk)
            lowest = min(
                _right(similarity, threshold, slope)
                for (threshold, slope), fit in zip(_CURVES, self._fits, strict=True)
                if fit >= within
            )
            sure = (1 - risk) * lowest
            least = min(least, max(0.0, (1 - self._delta - sure) / (1 - sure)))
        return least


def _right(similarity: float, threshold: float, slope: float) -> float:
    p = 1 / (1 + math.exp(-slope * (similarity - threshold)))
    return min(1 - 1e-6, max(1e-6, p))


def per_entry(probes: Sequence[Probe], delta: float, seed: int = 0) -> Tally:
    """The probes asked once each, in a random order fixed by `seed`; what is explored is labelled and learnt from."""
    order = list(probes)
    random.Random(seed).shuffle(order)
    chance = random.Random(seed + 1)
    learnt: dict[object, PerEntry] = {}
    counts = {"n_hit": 0, "hits": 0, "n_miss": 0, "false_hits": 0, "wrong_entry": 0}
    for probe in order:
        counts["n_hit" if probe.should_hit else "n_miss"] += 1
        if probe.reach == -math.inf:
            continue
        entry = learnt.setdefault(probe.group, PerEntry(delta))
        similarity = min(1.0, probe.reach)
        if probe.reach < math.inf and chance.random() < entry.explore(similarity):
            entry.observe(similarity, probe.right)
        elif probe.right:
            counts["hits"] += 1
        else:
            counts["wrong_entry" if probe.should_hit else "false_hits"] += 1
    return Tally(**counts)
