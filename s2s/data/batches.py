"""Pairs to padded arrays of ids, packed by length to a token budget. Knows nothing of torch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from s2s.config import UserError
from s2s.data.pair import Pair
from s2s.tokenizers import BOS, EOS, PAD, Tokenizer

Ids = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Encoded:
    """Pairs as ids: each source ends in `</s>`, each target starts with `<s>` and ends in `</s>`."""

    src: tuple[Ids, ...]
    tgt: tuple[Ids, ...]
    n_dropped: int = 0

    def __len__(self) -> int:
        return len(self.src)

    @property
    def n_slots(self) -> int:
        """The size of one batch with all pairs, padding included."""
        return len(self) * max(len(row) for row in (*self.src, *self.tgt))


@dataclass(frozen=True)
class Batch:
    """Ids padded at the end: src (rows, src_len), tgt (rows, 1 + tgt_len) from `<s>` to `</s>`."""

    src: Ids
    tgt: Ids

    @property
    def n_tokens(self) -> int:
        """Real source tokens plus real target tokens to predict."""
        return int((self.src != PAD).sum() + (self.tgt[:, 1:] != PAD).sum())


def encode(
    pairs: Sequence[Pair],
    src_tokenizer: Tokenizer,
    tgt_tokenizer: Tokenizer,
    *,
    max_length: int,
    start_id: int = BOS,
) -> Encoded:
    """Ids of the pairs with at most `max_length` tokens per side, `</s>` included; the others are only counted."""
    sources = src_tokenizer.encode_many([pair.src for pair in pairs])
    targets = tgt_tokenizer.encode_many([pair.tgt for pair in pairs])
    kept = [
        (np.array([*src, EOS]), np.array([start_id, *tgt, EOS]))
        for src, tgt in zip(sources, targets, strict=True)
        if max(len(src), len(tgt)) < max_length
    ]
    if not kept:
        shortest = min(
            (max(len(src), len(tgt)) + 1 for src, tgt in zip(sources, targets, strict=True)),
            default=0,
        )
        raise UserError(
            f"None of the {len(pairs):,} pairs fits into `data.max_length` {max_length} tokens (the shortest needs"
            f" {shortest}); raise `data.max_length`, or split the texts."
        )
    return Encoded(
        tuple(src for src, _ in kept), tuple(tgt for _, tgt in kept), len(pairs) - len(kept)
    )


def pad(rows: Sequence[Ids]) -> Ids:
    """Rows of different lengths -> (rows, longest), padded at the end."""
    padded = np.full((len(rows), max(len(row) for row in rows)), PAD, dtype=np.int64)
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
    sizes = [(len(data.src[i]), len(data.tgt[i])) for i in shuffled]
    by_length = shuffled[sorted(range(len(shuffled)), key=sizes.__getitem__)]
    batches_ = pack(data, by_length, batch_tokens)
    return [batches_[i] for i in random.permutation(len(batches_))]


def in_order(data: Encoded, batch_tokens: int) -> Iterator[Batch]:
    """Every pair once, shortest first: for validation and scoring."""
    by_length = np.array(
        sorted(range(len(data)), key=lambda i: (len(data.src[i]), len(data.tgt[i])))
    )
    for rows in pack(data, by_length, batch_tokens):
        yield build(data, rows)


def build(data: Encoded, rows: Ids) -> Batch:
    """The batch of these rows."""
    return Batch(pad([data.src[i] for i in rows]), pad([data.tgt[i] for i in rows]))
