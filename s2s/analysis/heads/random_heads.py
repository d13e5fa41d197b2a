"""What heads reach that attend at random: the exact distribution of their hits, given the chance at every question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from s2s.analysis.alignment import Floats

TAIL = 0.025  # on either side of a 95 % interval


class Range(NamedTuple):
    """Shares of hits, 0 to 1."""

    low: float
    high: float


def random_range(chances: Sequence[float], *, best_of: int = 1) -> Range:
    """The middle 95 % of the share of hits of a random head, or of the best of several independent ones.

    `chances` are the probabilities of a hit, one per question. The best of n heads has at most k hits with the nth
    power of the probability that one head has.
    """
    cumulative = hit_distribution(chances).cumsum() ** best_of
    low, high = np.searchsorted(cumulative, [TAIL, 1 - TAIL])
    n = len(chances)
    return Range(int(low) / n, min(int(high), n) / n)


def hit_distribution(chances: Sequence[float]) -> Floats:
    """The probability of 0, 1, ... hits, (len(chances) + 1,): a Poisson binomial distribution.

    Questions of equal chance make a binomial distribution; these are convolved.
    """
    total: Floats = np.ones(1)
    for chance, n in sorted(Counter(chances).items()):
        total = np.convolve(total, _binomial(chance, n))
    return total


def _binomial(chance: float, n: int) -> Floats:
    if chance in (0.0, 1.0):
        certain: Floats = np.zeros(n + 1)
        certain[round(n * chance)] = 1.0
        return certain
    successes = np.arange(n + 1)
    log_factorials = np.concatenate([[0.0], np.log(np.arange(1, n + 1)).cumsum()])
    logs = log_factorials[n] - log_factorials - log_factorials[::-1]
    logs += successes * np.log(chance) + (n - successes) * np.log1p(-chance)
    probabilities: Floats = np.exp(logs)
    return probabilities
