"""Exact binomial bounds (Clopper and Pearson 1934)."""

import math


def upper_bound(wrong: int, of: int, confidence: float = 0.95) -> float:
    """One-sided upper bound of a rate of which `wrong` in `of` trials were seen; 1.0 where nothing was tried.

    The rate at which seeing so few would have a chance of only `1 - confidence`.
    """
    if of == 0 or wrong >= of:
        return 1.0
    alpha = 1 - confidence
    low, high = wrong / of, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _at_most(wrong, of, middle) > alpha:
            low = middle
        else:
            high = middle
    return high


def lower_bound(right: int, of: int, confidence: float = 0.95) -> float:
    """One-sided lower bound of a rate of which `right` in `of` trials were seen; 0.0 where nothing was tried."""
    return 0.0 if of == 0 else 1.0 - upper_bound(of - right, of, confidence)


def trials_needed(rate: float, confidence: float = 0.95, wrong: int = 0) -> int:
    """Trials that prove a rate of at most `rate` when `wrong` of them go wrong."""
    trials = max(wrong + 1, math.ceil(math.log(1 - confidence) / math.log1p(-rate)))
    while upper_bound(wrong, trials, confidence) > rate:
        trials += 1
    return trials


def _at_most(successes: int, trials: int, rate: float) -> float:
    """P(X ≤ successes) of a binomial, summed in logarithms."""
    if rate >= 1.0:
        return 0.0
    log_rate, log_rest = math.log(rate) if rate > 0 else -math.inf, math.log1p(-rate)
    if rate <= 0:
        return 1.0
    logs = [
        math.lgamma(trials + 1)
        - math.lgamma(k + 1)
        - math.lgamma(trials - k + 1)
        + k * log_rate
        + (trials - k) * log_rest
        for k in range(successes + 1)
    ]
    top = max(logs)
    return math.exp(top) * sum(math.exp(value - top) for value in logs)
