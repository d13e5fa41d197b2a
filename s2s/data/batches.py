"""Pairs to padded arrays of ids, packed by length to a token budget. Knows nothing of torch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from s2s.config import SpecialIds, UserError
from s2s.data.pair import Pair
from s2s.tokenizers import PAD, Tokenizer

Ids = npt.NDArray[np.int64]
OURS = SpecialIds()
BUCKET = 4  # adjacent source lengths among which pairs are sorted by the length of their target


@dataclass(frozen=True)
class Encoded:
    """Pairs as ids: each source ends in `</s>`, each target starts with `<s>` and ends in `</s>`."""

    src: tuple[Ids, ...]
    tgt: tuple[Ids, ...]
    n_dropped: int = 0
    pad_id: int = PAD

    def __len__(self) -> int:
        return len(self.src)

    @property
    def longest(self) -> int:
        """Tokens of the longest side."""
        return max(len(row) for row in (*self.src, *self.tgt))

    @property
    def n_slots(self) -> int:
        """The number of ids on one side of a batch with all pairs, padding included."""
        return len(self) * self.longest


@dataclass(frozen=True)
class Batch:
    """Ids padded at the end: src (rows, src_len), tgt (rows, 1 + tgt_len) from `<s>` to `</s>`."""

    src: Ids
    tgt: Ids
    pad_id: int = PAD

    @property
    def n_labels(self) -> int:
        """Real target tokens to predict."""
        return int((self.tgt[:, 1:] != self.pad_id).sum())

    @property
    def n_tokens(self) -> int:
        """Real source tokens plus real target tokens to predict."""
        return int((self.src != self.pad_id).sum()) + self.n_labels


def encode(
    pairs: Sequence[Pair],
    src_tokenizer: Tokenizer,
    tgt_tokenizer: Tokenizer,
    *,
    max_length: int,
    ids: SpecialIds = OURS,
) -> Encoded:
    """Ids of the pairs with at most `max_length` tokens per side, special ones included; others are only counted."""
    sources = map(ids.source, src_tokenizer.encode_many([pair.src for pair in pairs]))
    targets = map(ids.target, tgt_tokenizer.encode_many([pair.tgt for pair in pairs]))
    rows = list(zip(sources, targets, strict=True))
    lengths = [max(len(src), len(tgt)) for src, tgt in rows]
    kept = [
        (np.array(src), np.array([ids.start, *tgt]))
        for (src, tgt), length in zip(rows, lengths, strict=True)
        if length <= max_length
    ]
    if not kept:
        raise UserError(
            f"None of the {len(pairs):,} pairs fits into `data.max_length` {max_length} tokens (the shortest needs"
            f" {min(lengths, default=0)}); raise `data.max_length`, or split the texts."
        )
    n_dropped = len(pairs) - len(kept)
    src_rows, tgt_rows = zip(*kept, strict=True)
    return Encoded(src_rows, tgt_rows, n_dropped, ids.pad)


def pad(rows: Sequence[Ids], pad_id: int = PAD) -> Ids:
    """Rows of different lengths -> (rows, longest), padded at the end."""
    padded = np.full((len(rows), max(len(row) for row in rows)), pad_id, dtype=np.int64)
    for target, row in zip(padded, rows, strict=True):
        target[: len(row)] = row
    return padded


def pack(data: Encoded, order: Ids, batch_tokens: int) -> list[Ids]:
    """Splits `order` into batches whose rows times longest side stay within the budget; one row always fits."""
    lengths = np.array(
        [max(len(src), len(tgt) - 1) for src, tgt in zip(data.src, data.tgt, strict=True)]
    )
    batches_ = []
    start = 0
    longest = 0
    for end, length in enumerate(lengths[order]):
        longest = max(longest, int(length))
        if end > start and longest * (end + 1 - start) > batch_tokens:
            batches_.append(order[start:end])
            start = end
            longest = int(length)
    return [*batches_, order[start:]]


def epoch(data: Encoded, batch_tokens: int, *, seed: int, number: int) -> list[Ids]:
    """The batches of one epoch as indices into `data`, determined by seed and epoch number.

    Pairs of similar length share a batch; the pairs in a batch and the order of batches change every epoch.
    """
    random = np.random.default_rng((seed, number))
    shuffled = random.permutation(len(data))
    batches_ = pack(data, _by_length(data, shuffled), batch_tokens)
    return [batches_[i] for i in random.permutation(len(batches_))]


def in_order(data: Encoded, batch_tokens: int) -> Iterator[Batch]:
    """Every pair once, short sources first: for validation and scoring."""
    for rows in pack(data, _by_length(data, np.arange(len(data))), batch_tokens):
        yield build(data, rows)


def _by_length(data: Encoded, rows: Ids) -> Ids:
    """The rows reordered so that both sides of adjacent ones are of similar length, which leaves little to pad.

    Buckets of similar sources follow one another, from short to long; within one the targets lengthen, within the next
    they shorten, so that no batch holds the longest of one bucket and the shortest of the next.
    """
    src = np.array([len(data.src[i]) for i in rows])
    tgt = np.array([len(data.tgt[i]) for i in rows])
    bucket = src // BUCKET
    up_or_down = np.where(bucket % 2, -tgt, tgt)
    return rows[np.lexsort((src, up_or_down, bucket))]


def build(data: Encoded, rows: Ids) -> Batch:
    pad_id = data.pad_id
    src = pad([data.src[i] for i in rows], pad_id)
    return Batch(src, pad([data.tgt[i] for i in rows], pad_id), pad_id)
