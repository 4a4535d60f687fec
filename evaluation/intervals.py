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
    low = math.ceil(wrong / rate)  # too few: as many are to be expected
    high = low + 1
    while _at_most(wrong, high, rate) > 1 - confidence:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if _at_most(wrong, middle, rate) > 1 - confidence:
            low = middle
        else:
            high = middle
    return high


def _at_most(successes: int, trials: int, rate: float) -> float:
    """P(X ≤ successes) of a binomial whose rate is above successes ÷ trials: from there down its terms only fall."""
    if rate >= 1.0:
        return 0.0
    log_rate, log_rest = math.log(rate), math.log1p(-rate)
    top = math.lgamma(trials + 1) - math.lgamma(successes + 1) - math.lgamma(trials - successes + 1)
    term = math.exp(top + successes * log_rate + (trials - successes) * log_rest)
    total = term
    for k in range(successes, 0, -1):
        term *= k / (trials - k + 1) * (1 - rate) / rate
        total += term
        if term < 1e-17 * total:
            break
    return total
