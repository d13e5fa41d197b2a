"""A picture of attention made easier to read: columns left out, pieces put together into words, the strongest cells only."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

import numpy as np

from s2s.analysis.alignment import NOWHERE, Ints, by_words, places
from s2s.analysis.attention import Weights
from s2s.analysis.reduce import Picture
from s2s.tokenizers import BOS, EOS, PAD, SPACE, SPECIALS

MARKS = frozenset(SPECIALS[index] for index in (PAD, BOS, EOS))
BYTES = re.compile("(?:<0x[0-9A-F]{2}>)+")  # as the byte tokenizer names what is no ASCII
ROUNDING = 1e-6  # of float32, in a sum of weights


class Left(NamedTuple):
    """A picture without some columns, what share of all its weight they held (0 to 1), and how many rows had nothing else."""

    picture: Picture
    share: float
    n_empty: int
    least: float  # the share of its weight that stayed in the row that lost most, of those that are not empty


class Link(NamedTuple):
    """A cell worth a line."""

    row: int
    key: int
    weight: float


def is_sink(token: str) -> bool:
    """Whether weight on it seldom means anything: `<s>`, `</s>`, `<pad>`, and what is punctuation alone (Clark et al. 2019, section 3.2).

    >>> [token for token in ("▁a", "▁,", "l'", "…", "</s>", "▁") if is_sink(token)]
    ['▁,', '…', '</s>']
    """
    letters = token.strip(SPACE)
    return token in MARKS or (
        bool(letters) and all(unicodedata.category(sign).startswith("P") for sign in letters)
    )


def without(picture: Picture, keys: Sequence[int]) -> Left:
    """Leave these columns out and scale what is left of each row to 1; a row of which nothing is left is zeros."""
    kept = [key for key in range(len(picture.keys)) if key not in keys]
    left = replace(
        picture, weights=picture.weights[:, kept], keys=tuple(picture.keys[key] for key in kept)
    )
    return _scaled(left, _share(picture.weights, keys), picture.weights.sum(1))


def without_sinks(picture: Picture) -> Left:
    """Leave out every column that `is_sink`."""
    return without(picture, [key for key, token in enumerate(picture.keys) if is_sink(token)])


def in_words(picture: Picture, *, rows_whole: bool, keys_whole: bool) -> Picture:
    """From pieces to the words between blanks, weights put together as in `alignment.by_words`: as every token is a piece of some
    word, rows sum to what they did. `rows_whole` and `keys_whole` say of which side tokens are whole words.
    """
    rows = belonging(picture.rows, is_whole=rows_whole)
    keys = belonging(picture.keys, is_whole=keys_whole)
    weights = by_words(picture.weights, rows, keys)
    return replace(
        picture, weights=weights, rows=spelled(picture.rows, rows), keys=spelled(picture.keys, keys)
    )


def between_words(picture: Picture, *, rows_whole: bool, keys_whole: bool) -> Picture:
    """The cells that alignment is measured on: words by words as `alignment.places` has them, which leaves out blanks on their own,
    and without `<s>` and `</s>`; nothing scaled.
    """
    rows, keys = (
        [place for place, token in enumerate(tokens) if token not in MARKS]
        for tokens in (picture.rows, picture.keys)
    )
    row_tokens = [picture.rows[place] for place in rows]
    key_tokens = [picture.keys[place] for place in keys]
    row_words = _between(row_tokens, is_whole=rows_whole)
    key_words = _between(key_tokens, is_whole=keys_whole)
    weights = by_words(picture.weights[np.ix_(rows, keys)], row_words, key_words)
    return replace(
        picture,
        weights=weights,
        rows=spelled(row_tokens, row_words),
        keys=spelled(key_tokens, key_words),
    )


def belonging(tokens: Sequence[str], *, is_whole: bool) -> Ints:
    """The word that each token is a piece of, as `alignment.places`; but `<s>` and `</s>` are words as well, wherever they stand, and a
    blank on its own is a piece of the word that it begins, or where none follows, of the one before.

    >>> belonging(("<s>", "▁le", "▁chat", "s", "▁", ".", "</s>"), is_whole=False)
    array([0, 1, 2, 2, 3, 3, 4])
    """
    found = list[int]()
    for is_mark, stretch in groupby(tokens, MARKS.__contains__):
        pieces = [*stretch]
        first = max(found, default=NOWHERE) + 1
        words = np.arange(len(pieces)) if is_mark else _between(pieces, is_whole=is_whole)
        last = max(0, words.max())  # blanks alone are a word
        following = np.minimum.accumulate(np.where(words == NOWHERE, last, words)[::-1])[::-1]
        found += (first + following).tolist()
    return np.array(found, np.int64)


def spelled(tokens: Sequence[str], where: Ints) -> tuple[str, ...]:
    """The words that tokens make, by the word of each."""
    pieces = [
        "".join(token for token, word in zip(tokens, where.tolist(), strict=True) if word == each)
        for each in range(_n_words(where))
    ]
    return tuple(
        BYTES.sub(lambda found: _text(found[0]), word.strip(SPACE) or word) for word in pieces
    )


def links(picture: Picture, share: float = 0.75) -> list[Link]:
    """The cells of a picture worth a line, as `strongest`."""
    return strongest(picture.weights, share)


def strongest(weights: Weights, share: float) -> list[Link]:
    """Of each row the largest weights, until they hold so large a share of it (0 to 1): by row, largest first; equals as they stand.

    A row of zeros has none.
    """
    found = list[Link]()
    for row, cells in enumerate(weights.astype(float)):
        order = np.argsort(-cells, kind="stable")
        before = np.cumsum(cells[order]) - cells[order]
        n_needed = int((before < share * cells.sum() - ROUNDING).sum())
        found += [
            Link(row, int(key), float(weights[row, key]))
            for key in order[:n_needed]
            if cells[key] > 0
        ]
    return found


def _scaled(picture: Picture, share: float, before: Weights) -> Left:
    """Rows scaled to 1; `before` is what they summed to."""
    weights = picture.weights.astype(float)
    sums = weights.sum(1)
    is_full = sums > 0
    scaled = np.divide(weights, sums[:, None], out=np.zeros_like(weights), where=is_full[:, None])
    least = float((sums[is_full] / before[is_full]).min(initial=1.0))
    return Left(
        replace(picture, weights=scaled.astype(np.float32)), share, int((~is_full).sum()), least
    )


def _share(weights: Weights, keys: Sequence[int]) -> float:
    """Of all the weight, what lies in these columns."""
    whole = float(weights.sum(dtype=float))
    return float(weights[:, [*keys]].sum(dtype=float)) / whole if whole else 0.0


def _between(tokens: Sequence[str], *, is_whole: bool) -> Ints:
    """`alignment.places` of tokens that do not end in `</s>`."""
    return places((*tokens, SPECIALS[EOS]), is_whole=is_whole)[:-1]


def _n_words(where: Ints) -> int:
    return int(where.max(initial=NOWHERE)) + 1


def _text(named: str) -> str:
    return bytes.fromhex(named.replace("<0x", "").replace(">", "")).decode(errors="replace")
