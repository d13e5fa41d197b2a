"""Attention entropy, word-level attention, and its agreement with a gold word alignment. Arrays in, arrays out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from s2s.analysis.attention import Weights
from s2s.tokenizers import BOS, EOS, PAD, SPACE, SPECIALS, is_language_token

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
BYTES = re.compile("(?:<0x[0-9A-F]{2}>)+")  # as the byte tokenizer writes what is not ASCII
NO_WORD = -1  # the word index of a token that belongs to no word
MARKS = frozenset(SPECIALS[index] for index in (PAD, BOS, EOS))


def is_mark(token: str) -> bool:
    """Whether a token stands around a text, such as `<s>` or a language."""
    return token in MARKS or is_language_token(token)


def row_entropies(weights: Weights) -> Floats:
    """Entropy of each row in nats, from 0 (one key has all weight) to log(keys): (..., rows, keys) -> (..., rows)."""
    exact = weights.astype(np.float64)
    logs = np.log(exact, out=np.zeros_like(exact), where=exact > 0)  # 0 log 0 = 0
    entropies: Floats = -(exact * logs).sum(-1)
    return entropies


def mean_entropy(pairs: Sequence[Weights]) -> Floats:
    """The mean entropy of each head over all rows of all pairs, in nats: each (layers, heads, rows, keys), without
    padding -> (layers, heads).
    """
    total: Floats = np.zeros(())
    n_rows = 0
    for weights in pairs:
        total = total + row_entropies(weights).sum(-1)  # (layers, heads)
        n_rows += weights.shape[-2]
    return total / n_rows


def word_indices(tokens: Sequence[str], *, is_whole: bool) -> Ints:
    """The word that each token belongs to, from 0. Words are separated by spaces.

    A token that begins with `▁` begins a word, any other continues the word before it; with `is_whole`, each token is a
    word. A space on its own, a mark such as `<s>`, and the last token, `</s>` or a language, belong to no word.

    >>> word_indices(("▁le", "▁chat", "s", "</s>"), is_whole=False)
    array([ 0,  1,  1, -1])
    """
    indices = []
    word = NO_WORD
    is_open = False
    for token in tokens[:-1]:
        if not is_whole and is_mark(token):
            is_open = False
            indices.append(NO_WORD)
            continue
        letters = token if is_whole else token.lstrip(SPACE)
        is_open = is_open and not is_whole and letters == token
        if letters and not is_open:
            word = word + 1
            is_open = True
        indices.append(word if letters else NO_WORD)
    return np.array([*indices, NO_WORD], np.int64)


def word_texts(tokens: Sequence[str], indices: Ints) -> tuple[str, ...]:
    """The words that tokens belong to by `word_indices`, without the marks of spaces.

    >>> word_texts(("▁le", "▁chat", "s", "</s>"), np.array([0, 1, 1, -1]))
    ('le', 'chats')
    >>> word_texts(("▁", "c", "<0xC3>", "<0xA9>"), np.array([0, 0, 0, 0]))
    ('cé',)
    """
    words = [""] * (int(indices.max(initial=NO_WORD)) + 1)
    for token, word in zip(tokens, indices, strict=True):
        if word != NO_WORD:
            words[word] += token
    stripped = (text.strip(SPACE) or text for text in words)
    return tuple(BYTES.sub(_decode_bytes, text) for text in stripped)


def _decode_bytes(match: re.Match[str]) -> str:
    """Byte tokens as text: `<0xC3><0xA9>` -> `é`."""
    digits = match[0].replace("<0x", "").replace(">", "")
    return bytes.fromhex(digits).decode(errors="replace")


def merge_to_words(weights: Weights, tgt_words: Ints, src_words: Ints) -> Weights:
    """Attention between words, from that between tokens: (..., tgt_len, src_len) -> (..., tgt_words, src_words).

    Weights on the tokens of a source word are summed, rows of the tokens of a target word averaged (Clark et al. 2019,
    section 4.1). Tokens of no word are left out, so rows need not sum to 1.
    """
    rows = _membership(tgt_words)  # (tgt_words, tgt_len)
    keys = _membership(src_words)  # (src_words, src_len)
    mean_rows = rows / rows.sum(1, keepdims=True)
    merged: Weights = mean_rows @ weights @ keys.T
    return merged


def _membership(indices: Ints) -> Weights:
    """Which tokens belong to which word: (len,) -> (words, len), 1 where a token belongs to a word."""
    words = np.arange(indices.max(initial=NO_WORD) + 1)
    membership: Weights = (words[:, None] == indices).astype(np.float32)
    return membership


def best_sources(weights: Weights) -> Ints:
    """Each target word's source word of most weight, the first of equals: (..., tgt, src) -> (..., tgt)."""
    keys: Ints = weights.argmax(-1)
    return keys


def alignment_error_rate(
    guesses: Sequence[Ints], gold: Sequence[Iterable[tuple[int, int]]]
) -> Floats:
    """The alignment error rate, 0 (all links found and no others) to 1: per pair (..., tgt_words) and its (src, tgt)
    links -> (...).

    1 - 2 |A & S| / (|A| + |S|) over all pairs, every gold link being sure and possible (Och & Ney 2003, eq. 18). Raises
    ValueError where there is no link at all.
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
