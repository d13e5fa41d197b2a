"""Simplify an attention map: leave out columns, merge tokens into words, keep only the strongest cells."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

import numpy as np

from s2s.analysis.alignment import (
    NO_WORD,
    Ints,
    is_mark,
    merge_to_words,
    word_indices,
    word_texts,
)
from s2s.analysis.attention import Weights
from s2s.analysis.reduce import AttentionMap
from s2s.tokenizers import EOS, SPACE, SPECIALS

ROUNDING = 1e-6  # of float32, in a sum of weights


class Remaining(NamedTuple):
    """A map without some columns, its rows scaled back to 1."""

    picture: AttentionMap
    share: float  # of all weight, in the columns left out: 0 to 1
    n_empty: int  # rows with no weight outside those columns
    least: float  # the lowest share of its weight that a row kept, empty rows aside


class Cell(NamedTuple):
    """One weight of a map, with its row and column."""

    row: int
    key: int
    weight: float


def is_sink(token: str) -> bool:
    """Whether a token often collects weight without meaning: `<s>`, `</s>`, `<pad>`, a language, punctuation.

    Clark et al. 2019, section 3.2.

    >>> [token for token in ("▁a", "▁,", "l'", "…", "</s>", "▁") if is_sink(token)]
    ['▁,', '…', '</s>']
    """
    letters = token.strip(SPACE)
    is_punctuation = all(unicodedata.category(letter).startswith("P") for letter in letters)
    return is_mark(token) or (bool(letters) and is_punctuation)


def without(picture: AttentionMap, keys: Sequence[int]) -> Remaining:
    """The map without these columns, each row scaled to 1; a row with no other weight becomes zeros."""
    kept = [key for key in range(len(picture.keys)) if key not in keys]
    kept_keys = tuple(picture.keys[key] for key in kept)
    smaller = replace(picture, weights=picture.weights[:, kept], keys=kept_keys)
    share = _share(picture.weights, keys)
    before = picture.weights.sum(1)  # (rows,)
    return _scaled(smaller, share, before)


def without_sinks(picture: AttentionMap) -> Remaining:
    """The map without every column that `is_sink`."""
    sinks = [key for key, token in enumerate(picture.keys) if is_sink(token)]
    return without(picture, sinks)


def merge_words(picture: AttentionMap, *, rows_whole: bool, keys_whole: bool) -> AttentionMap:
    """The map between words: tokens merged as `merge_to_words` does; every token belongs to a word, so row sums stay.

    `rows_whole`, `keys_whole`: each token of that side is a word.
    """
    rows = display_words(picture.rows, is_whole=rows_whole)
    keys = display_words(picture.keys, is_whole=keys_whole)
    return _merged(picture, rows, keys)


def alignable_words(picture: AttentionMap, *, rows_whole: bool, keys_whole: bool) -> AttentionMap:
    """The map that alignment is measured on: words of `word_indices`, without `<s>` and `</s>`, not scaled."""
    rows = _unmarked(picture.rows)
    keys = _unmarked(picture.keys)
    unmarked = replace(
        picture,
        weights=picture.weights[np.ix_(rows, keys)],
        rows=tuple(picture.rows[row] for row in rows),
        keys=tuple(picture.keys[key] for key in keys),
    )
    row_words = _word_indices(unmarked.rows, is_whole=rows_whole)
    key_words = _word_indices(unmarked.keys, is_whole=keys_whole)
    return _merged(unmarked, row_words, key_words)


def _unmarked(tokens: Sequence[str]) -> list[int]:
    return [index for index, token in enumerate(tokens) if not is_mark(token)]


def _merged(picture: AttentionMap, rows: Ints, keys: Ints) -> AttentionMap:
    return replace(
        picture,
        weights=merge_to_words(picture.weights, rows, keys),
        rows=word_texts(picture.rows, rows),
        keys=word_texts(picture.keys, keys),
    )


def display_words(tokens: Sequence[str], *, is_whole: bool) -> Ints:
    """The word that each token belongs to for display, as by `word_indices`: every token belongs to a word.

    `<s>` and `</s>` are words wherever they are. A space on its own belongs to the word after it, or if there is none,
    to the word before it.

    >>> display_words(("<s>", "▁le", "▁chat", "s", "▁", ".", "</s>"), is_whole=False)
    array([0, 1, 2, 2, 3, 3, 4])
    """
    indices = list[int]()
    for are_marks, group in groupby(tokens, is_mark):
        members = [*group]
        first = max(indices, default=NO_WORD) + 1
        if are_marks:
            words = np.arange(len(members))
        else:
            words = _word_indices(members, is_whole=is_whole)
        last = max(0, words.max())  # where there are only spaces, they are a word
        filled = np.where(words == NO_WORD, last, words)
        following = np.minimum.accumulate(filled[::-1])[::-1]
        indices += (first + following).tolist()
    return np.array(indices, np.int64)


def strongest_cells(weights: Weights, share: float = 0.75) -> list[Cell]:
    """The cells of the largest weights of each row, until they hold `share` (0 to 1) of it: by row, largest first,
    equals in order.

    A row of zeros has none.
    """
    values = weights.astype(float)
    order = np.argsort(-values, axis=1, kind="stable")
    largest_first = np.take_along_axis(values, order, axis=1)
    before = np.cumsum(largest_first, axis=1) - largest_first  # the sum of the larger ones
    wanted = share * values.sum(1, keepdims=True)  # (rows, 1)
    is_needed = before < wanted - ROUNDING
    is_positive = largest_first > 0
    rows, ranks = np.nonzero(is_needed & is_positive)
    keys = order[rows, ranks]
    chosen = weights[rows, keys]
    return list(map(Cell, rows.tolist(), keys.tolist(), chosen.tolist()))


def _scaled(picture: AttentionMap, share: float, before: Weights) -> Remaining:
    weights = picture.weights.astype(float)
    sums = weights.sum(1)
    is_full = sums > 0
    scaled = np.zeros_like(weights)
    np.divide(weights, sums[:, None], out=scaled, where=is_full[:, None])
    kept_shares = sums[is_full] / before[is_full]
    return Remaining(
        picture=replace(picture, weights=scaled.astype(np.float32)),
        share=share,
        n_empty=int((~is_full).sum()),
        least=float(kept_shares.min(initial=1.0)),
    )


def _share(weights: Weights, keys: Sequence[int]) -> float:
    total = float(weights.sum(dtype=float))
    chosen = float(weights[:, [*keys]].sum(dtype=float))
    return chosen / total if total else 0.0


def _word_indices(tokens: Sequence[str], *, is_whole: bool) -> Ints:
    ended = (*tokens, SPECIALS[EOS])
    return word_indices(ended, is_whole=is_whole)[:-1]
