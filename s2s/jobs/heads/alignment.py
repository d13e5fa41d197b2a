"""The experiment `alignment`: how well the links of each head match gold links, or, without gold, each other's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2s.analysis import GoldLinks, Ints, heads
from s2s.config import Config, Recipe, UserError
from s2s.data import Pair, has_words
from s2s.runs import EncodedPair, Run, encoded_pairs

DIGITS = 4
LONGEST = (
    256  # tokens of a side: weights, and the cells that links are chosen from, grow with its square
)
MOST_PAIRED = 24  # heads; of more, the result has each one's mean agreement with all others
PASSES = 3.0  # the weights of all heads are recorded, then merged into words
SECONDS_PER_MAP = 2.5e-4  # links of one head under one reduction, by all methods; accurate within a factor of three
# Why a sentence is not scored.
TOO_LONG = f"longer than {LONGEST} tokens or the model's positions, or without tokens"
OTHER_WORDS = "whose tokens make other words than the spaces of the text"
NO_GOLD = "without gold links"


@dataclass(frozen=True)
class AlignmentSettings(Config):
    """The settings of `alignment`: nothing to choose, all reductions and link methods are measured."""


def seconds(recipe: Recipe) -> float:
    """What linking words takes per sentence."""
    stack = recipe.model.decoder
    return SECONDS_PER_MAP * stack.n_layers * stack.n_heads * len(heads.HEAD_REDUCTIONS)


def measure(
    run: Run, pairs: Sequence[Pair], settings: AlignmentSettings
) -> Generator[float, None, dict[str, Any]]:
    """Scores by reduction, link method, layer and head where any pair has gold links, else agreement between heads.

    Raises UserError where no pair can be scored.
    """
    encoded = [
        one
        for one in encoded_pairs(run, [(pair.src, pair.tgt) for pair in pairs])
        if max(len(one.src), len(one.tgt)) <= LONGEST
    ]
    left_out = Counter({TOO_LONG: len(pairs) - len(encoded)})
    if not any(pair.gold and pair.gold.links for pair in pairs):
        return (yield from _agreement(run, _not_empty(encoded, left_out), left_out))
    scored = list[EncodedPair]()
    for one in encoded:
        gold = pairs[one.number].gold
        if not gold or not gold.links:
            left_out[NO_GOLD] += 1
        elif not _has_words_of(one, pairs[one.number]):
            left_out[OTHER_WORDS] += 1
        else:
            scored.append(one)
    gold_links = [_gold_links(pairs[one.number]) for one in _not_empty(scored, left_out)]
    grid = yield from heads.measure_alignment(run.model, scored, gold_links)
    low, high = grid.intervals()
    return {
        "gold": True,
        "n": len(scored),
        "left_out": _reasons(left_out),
        "n_sure": sum(len(gold.sure) for gold in gold_links),
        "n_possible": sum(len(gold.possible) for gold in gold_links),
        "reductions": grid.reductions,
        "methods": grid.methods,
        "error": _written(grid.scores.error),
        "low": _written(low),
        "high": _written(high),
        "precision": _written(grid.scores.precision),
        "recall": _written(grid.scores.recall),
    }


def _agreement(
    run: Run, encoded: Sequence[EncodedPair], left_out: Counter[str]
) -> Generator[float, None, dict[str, Any]]:
    found = yield from heads.measure_agreement(run.model, encoded)
    stack = run.recipe.model.decoder
    shape = (len(found.reductions), len(found.methods), stack.n_layers, stack.n_heads)
    n_heads = stack.n_layers * stack.n_heads
    return {
        "gold": False,
        "n": len(encoded),
        "left_out": _reasons(left_out),
        "reductions": found.reductions,
        "methods": found.methods,
        "with_others": _written(found.with_others.reshape(shape)),
        "f1": _written(found.f1) if n_heads <= MOST_PAIRED else None,
    }


def _has_words_of(one: EncodedPair, pair: Pair) -> bool:
    return has_words(pair.src, _n_words(one.src_words)) and has_words(
        pair.tgt, _n_words(one.tgt_words)
    )


def _n_words(words: Ints) -> int:
    return int(words.max(initial=-1)) + 1


def _gold_links(pair: Pair) -> GoldLinks:
    if pair.gold is None:
        raise ValueError("the pair has no gold annotation")
    return GoldLinks(frozenset(pair.gold.links), frozenset(pair.gold.possible))


def _not_empty(scored: list[EncodedPair], left_out: Counter[str]) -> list[EncodedPair]:
    if not scored:
        why = "; ".join(f"{n:,} {reason}" for reason, n in _reasons(left_out).items())
        raise UserError(f"None of these sentences can be aligned ({why}); choose others.")
    return scored


def _reasons(left_out: Counter[str]) -> dict[str, int]:
    return {reason: n for reason, n in left_out.items() if n}


def _written(scores: np.typing.NDArray[np.float64]) -> list[Any]:
    rounded = scores.round(DIGITS).astype(object)
    rounded[np.isnan(scores)] = None
    found: list[Any] = rounded.tolist()
    return found
