"""How sharply heads look, and how far where they look agrees with gold word alignment. Arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from s2s.analysis.attention import Weights
from s2s.tokenizers import SPACE

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
NOWHERE = -1  # the place of a token that belongs to no word


def entropies(weights: Weights) -> Floats:
    """Of each row in nats, from 0 (one key has it all) to log of the number of keys: (..., rows, keys) -> (..., rows)."""
    exact = weights.astype(np.float64)
    logs = np.log(exact, out=np.zeros_like(exact), where=exact > 0)  # 0 log 0 = 0
    rows: Floats = -(exact * logs).sum(-1)
    return rows


def entropy(pairs: Sequence[Weights]) -> Floats:
    """Mean over all rows of all pairs, nats: each (layers, heads, rows, keys), without padding -> (layers, heads)."""
    n_rows = sum(weights.shape[-2] for weights in pairs)
    total: Floats = sum((entropies(weights).sum(-1) for weights in pairs), start=np.zeros(()))
    mean: Floats = total / n_rows
    return mean


def places(tokens: Sequence[str], *, is_whole: bool) -> Ints:
    """The word that each token belongs to, counted from 0; words are what stands between blanks.

    A piece that begins with `▁` begins a word, any other goes on with the word before it; where tokens are whole words
    (`is_whole`), each is one. A blank on its own, and the last token, which is `</s>`, belong to none.

    >>> places(("▁le", "▁chat", "s", "</s>"), is_whole=False)
    array([ 0,  1,  1, -1])
    """
    found = []
    word = NOWHERE
    is_open = False
    for token in tokens[:-1]:
        letters = token if is_whole else token.lstrip(SPACE)
        is_open = is_open and not is_whole and letters == token
        if letters and not is_open:
            word = word + 1
            is_open = True
        found.append(word if letters else NOWHERE)
    return np.array([*found, NOWHERE], np.int64)


def by_words(weights: Weights, tgt_places: Ints, src_places: Ints) -> Weights:
    """From tokens to words, (..., tgt_len, src_len) -> (..., tgt_words, src_words): weights on the pieces of a source word are
    added up, the rows that predict the pieces of a target word averaged (Clark et al., 2019, section 4.1). What belongs to no
    word is left out, so rows need not sum to 1.
    """
    rows = _belongs(tgt_places)
    merged: Weights = (rows / rows.sum(1, keepdims=True)) @ weights @ _belongs(src_places).T
    return merged


def _belongs(where: Ints) -> Weights:
    """(words, tokens): 1 where a token is part of a word."""
    belongs: Weights = (np.arange(where.max(initial=NOWHERE) + 1)[:, None] == where).astype(
        np.float32
    )
    return belongs


def aligned(weights: Weights) -> Ints:
    """The source word that each target word looks at most, the first of equals: (..., tgt_words, src_words) -> (..., tgt_words)."""
    keys: Ints = weights.argmax(-1)
    return keys


def error_rate(guesses: Sequence[Ints], gold: Sequence[Iterable[tuple[int, int]]]) -> Floats:
    """Alignment error rate, 0 (all links found, none besides) to 1: per pair (..., tgt_words) and its (src, tgt) links -> (...).

    1 - 2 |A & S| / (|A| + |S|) over all pairs together, every gold link being sure and possible (Och & Ney, 2003, eq. 18).
    Raises ValueError where there is no link at all.
    """
    n_links = 0
    hits = np.zeros(())
    for guess, links in zip(guesses, gold, strict=True):
        known = set(links)
        n_links += len(known) + guess.shape[-1]
        src, tgt = np.array([*known], np.int64).reshape(-1, 2).T
        hits = hits + (guess[..., tgt] == src).sum(-1)
    if not n_links:
        raise ValueError("there are no links to compare")
    rate: Floats = 1 - 2 * hits / n_links
    return rate
