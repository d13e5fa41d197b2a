"""Random subsets that are the same on every computer and in every version of Python."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence


def choose_indices(total: int, n: int, generator: random.Random) -> Iterator[int]:
    """`n` of the numbers below `total`, ascending, each set equally probable (Knuth, algorithm 3.4.2 S)."""
    needed = min(n, total)
    for at in range(total):
        if not needed:
            return
        if generator.random() * (total - at) < needed:
            needed -= 1
            yield at


def chosen_rows(total: int, n: int, seed: int | None) -> Sequence[int]:
    """The first `n` of the numbers below `total`, or with a seed a random `n` of them, ascending."""
    if seed is None:
        return range(min(n, total))
    return list(choose_indices(total, n, random.Random(seed)))
