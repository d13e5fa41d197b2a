"""Batches of encoded sentence pairs under teacher forcing, and their loss. Knows nothing of tokenizers or runs."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from torch import Tensor

from s2s.config import UserError
from s2s.model import Transformer

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
T = TypeVar("T")
MOST_TOKENS = (
    4096  # of one side of a batch, padding included: larger batches are not faster on a CPU
)
MOST_LOGITS = 2**25  # of a batch: 128 MB in float32


class Pair(Protocol):
    """A pair's ids, as the model reads them: the source, and the target from the start id to the last `</s>`."""

    @property
    def src(self) -> Sequence[int]: ...

    @property
    def tgt(self) -> Sequence[int]: ...


@dataclass(frozen=True, eq=False)
class Batch:
    """A batch of sentences of similar lengths: `rows` of the sample, src (batch, src_len), tgt (batch, tgt_len + 1)."""

    rows: Ints
    src: Tensor
    tgt: Tensor


def batched(
    model: Transformer, pairs: Sequence[Pair], most_tokens: int = MOST_TOKENS
) -> list[Batch]:
    """All pairs in batches, sorted by length. Raises UserError for an empty sample."""
    if not pairs:
        raise UserError("The sample has no sentences; choose a corpus with at least one.")
    vocab_size = model.output.weight.shape[0]
    most = max(1, min(most_tokens, MOST_LOGITS // vocab_size))
    order = sorted(range(len(pairs)), key=lambda i: (len(pairs[i].tgt), len(pairs[i].src)))
    return [_batch(model, pairs, rows) for rows in _groups(pairs, order, most)]


def _groups(pairs: Sequence[Pair], order: Sequence[int], most: int) -> Iterator[list[int]]:
    group: list[int] = []
    longest = 0
    for i in order:
        length = max(len(pairs[i].src), len(pairs[i].tgt))
        if group and (len(group) + 1) * max(longest, length) > most:
            yield group
            group = []
            longest = 0
        group.append(i)
        longest = max(longest, length)
    yield group


def _batch(model: Transformer, pairs: Sequence[Pair], rows: list[int]) -> Batch:
    return Batch(
        np.array(rows, np.int64),
        _padded(model, [pairs[i].src for i in rows]),
        _padded(model, [pairs[i].tgt for i in rows]),
    )


def _padded(model: Transformer, rows: Sequence[Sequence[int]]) -> Tensor:
    longest = max(map(len, rows))
    pad_id = model.config.ids.pad
    return torch.tensor(
        [[*row, *[pad_id] * (longest - len(row))] for row in rows], device=model.device
    )


def is_predicted(model: Transformer, batch: Batch) -> Tensor:
    """Which tokens after the start id the model predicts, (batch, tgt_len) bool: no padding, no first id that is given
    to it.
    """
    found = batch.tgt[:, 1:].ne(model.config.ids.pad)
    if model.config.ids.forced_first is not None:
        found[:, 0] = False
    return found


def log_probs(model: Transformer, batch: Batch, states: Tensor) -> Tensor:
    """The log-probability of each token after the start id, nats, from the decoder's states (batch, tgt_len, d_model):
    (batch, tgt_len), 0 where nothing is predicted.
    """
    logits = model.project(states)  # (batch, tgt_len, vocab)
    by_vocab = logits.transpose(1, 2)  # (batch, vocab, tgt_len)
    of_labels = -F.cross_entropy(by_vocab, batch.tgt[:, 1:], reduction="none")
    return of_labels * is_predicted(model, batch)


def forced_log_probs(model: Transformer, batch: Batch) -> Tensor:
    """The `log_probs` of a whole forward pass, in whatever way the model is hooked now."""
    states = model.decode(batch.tgt[:, :-1], model.encode(batch.src), batch.src)
    return log_probs(model, batch, states)


def losses(model: Transformer, batch: Batch, states: Tensor) -> Tensor:
    """The sum of each sentence's losses in nats, from the decoder's states (batch, tgt_len, d_model): (batch,)."""
    return -log_probs(model, batch, states).double().sum(1)


def n_tokens(model: Transformer, sample: Sequence[Batch]) -> Floats:
    """How many tokens of each sentence are predicted: (sentences,)."""
    found = np.zeros(sum(len(batch.rows) for batch in sample))
    for batch in sample:
        found[batch.rows] = is_predicted(model, batch).sum(1).cpu().numpy()
    return found


def finish(steps: Generator[float, None, T]) -> T:
    """Run a generator to its end and return its result; the shares it yields are dropped."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            result: T = stop.value
            return result
