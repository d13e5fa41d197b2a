"""Whether what was drawn fits a known distribution."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import product

import torch
from torch import Tensor

from s2s.decode import SearchResult
from tests.decode.table import EOS, START, VOCAB, Table, every_target

Ids = tuple[int, ...]
UNLIKELY = (
    1e-3  # below it, the draws do not fit; seeds are fixed, so a test that passes always does
)


def p_value(drawn: Iterable[Hashable], probs: Mapping[Hashable, float]) -> float:
    """Pearson's chi-square test; what is expected fewer than 5 times counts together."""
    counts = Counter(drawn)
    assert set(counts) <= {what for what, prob in probs.items() if prob > 0}, (
        "drawn, and impossible"
    )
    n = counts.total()
    often = [what for what, prob in probs.items() if prob * n >= 5]
    observed = [counts[what] for what in often] + [n - sum(counts[what] for what in often)]
    expected = [probs[what] * n for what in often] + [n - sum(probs[what] * n for what in often)]
    cells = [(one, other) for one, other in zip(observed, expected, strict=True) if other > 1e-6]
    statistic = sum((one - other) ** 2 / other for one, other in cells)
    halves = torch.tensor([(len(cells) - 1) / 2, statistic / 2], dtype=torch.float64)
    return float(torch.special.gammaincc(*halves)) if len(cells) > 1 else 1.0


def one_table(n_sources: int, max_length: int, seed: int = 0) -> Table:
    """Many sources that share their probabilities: each draws for itself."""
    table = Table(n_sources, seed, max_length)
    table.log_probs[:] = Table(1, seed).log_probs
    return table


def every_leaf(longest: int) -> list[Ids]:
    """All that ends within this many tokens, and all that the limit truncates."""
    return [
        *every_target(longest),
        *product([token for token in range(VOCAB) if token != EOS], repeat=longest),
    ]


def leaf_probs(
    table: Table, longest: int, change: Callable[[Tensor], Tensor] = lambda logits: logits
) -> dict[Ids, float]:
    """The probability of each, where `change` makes logits (rows, vocab) of the table's own."""
    changed = change(table.log_probs[0].flatten(0, 1)).softmax(1).double().view(VOCAB, VOCAB, VOCAB)
    found = {}
    for ids in every_leaf(longest):
        prob = 1.0
        before = START
        last = START
        for token in ids:
            prob = prob * float(changed[before, last, token])
            before = last
            last = token
        found[ids] = prob
    return found


def spelled(found: SearchResult) -> list[Ids]:
    """The targets that the steps lead to: what is finished, and what stands in the last step."""
    running: list[Ids] = [()]
    ended = []
    for step in found.steps:
        grown = [(*running[kept.parent], kept.token) for kept in step]
        ended += [ids for ids, kept in zip(grown, step, strict=True) if kept.is_finished]
        running = [ids for ids, kept in zip(grown, step, strict=True) if not kept.is_finished]
    return ended + running
