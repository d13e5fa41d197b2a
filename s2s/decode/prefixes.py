"""What has been written so far, row for row, and how a search begins."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from s2s.decode.rules import Rulebook
from s2s.decode.stepper import Hypothesis, Kept, Stepper

BLOCK = 64  # columns that are looked through together
FEW = 4  # rows for which the plain way is faster
CACHED = 2**17  # numbers that stay in a core's cache


@dataclass(frozen=True)
class Prefixes:
    """Of each row its tokens, the start id first (rows, 1 + length), and the model's own log-probability of each (rows, length)."""

    ids: Tensor
    log_probs: Tensor

    @property
    def last(self) -> Tensor:
        """(rows,), what the stepper is given next."""
        return self.ids[:, -1]

    @property
    def length(self) -> int:
        """Tokens written, without the start id."""
        return self.log_probs.shape[1]

    def take(self, rows: Tensor) -> Prefixes:
        """These rows, in this order."""
        return Prefixes(self.ids[rows], self.log_probs[rows])

    def grow(self, tokens: Tensor, log_probs: Tensor) -> Prefixes:
        """One more token each, (rows,) and (rows,)."""
        return Prefixes(
            torch.cat([self.ids, tokens[:, None]], 1),
            torch.cat([self.log_probs, log_probs[:, None]], 1),
        )

    def hypothesis(self, row: int, score: float | None = None) -> Hypothesis:
        """One row; without a score, its log-probability."""
        values = tuple(self.log_probs[row].tolist())
        return Hypothesis(
            tuple(self.ids[row, 1:].tolist()), values, sum(values) if score is None else score
        )


def begin(stepper: Stepper, book: Rulebook) -> Prefixes:
    """The start id and the forced prefix, fed but for the last token."""
    n_rows = stepper.n_rows
    prefixes = Prefixes(torch.full((n_rows, 1), stepper.start_id), torch.zeros(n_rows, 0))
    for token in book.prefix:
        logits = stepper.step(prefixes.last)
        tokens = torch.full((n_rows,), token)
        prefixes = prefixes.grow(tokens, own_log_probs(logits, tokens[:, None])[:, 0])
    return prefixes


def forced(prefixes: Prefixes, row: int) -> tuple[tuple[Kept, ...], ...]:
    """The steps of a forced prefix."""
    tokens = prefixes.ids[row, 1:].tolist()
    totals = prefixes.log_probs[row].cumsum(0).tolist()
    return tuple(
        (Kept(0, token, total, False),) for token, total in zip(tokens, totals, strict=True)
    )


def normaliser(logits: Tensor) -> Tensor:
    """(rows, vocab) -> (rows, 1): the logarithm of the sum of exponentials.

    The exponentials are taken of a few rows at a time, which stay in the cache, and without taking the maximum away first: where
    that was not safe in float32, the sum shows it.
    """
    n = max(1, CACHED // logits.shape[1])
    if len(logits) <= n:
        sums = logits.exp().sum(1, keepdim=True)
    else:
        room = logits.new_empty(min(n, len(logits)), logits.shape[1])
        parts = [
            logits.narrow(0, start, min(n, len(logits) - start))
            for start in range(0, len(logits), n)
        ]
        sums = torch.cat(
            [torch.exp(few, out=room.narrow(0, 0, len(few))).sum(1, keepdim=True) for few in parts]
        )
    found = sums.flatten().tolist()
    if min(found) > 1e-30 and max(found) < 1e30:
        return sums.log()
    return logits.amax(1, keepdim=True) - logits.log_softmax(1).amax(1, keepdim=True)


def own_log_probs(logits: Tensor, tokens: Tensor) -> Tensor:
    """The model's log-probabilities of some tokens of each row: (rows, n) both."""
    return logits.gather(1, tokens) - normaliser(logits)


def highest(scores: Tensor) -> tuple[Tensor, Tensor]:
    """The highest of each row and its column, the lowest where several are equal: (rows,) both."""
    rows, columns = scores.shape
    if rows < FEW or columns < BLOCK:
        values, places = scores.max(1)
        return values, places
    whole = columns // BLOCK * BLOCK
    blocks = scores[:, :whole].view(rows, -1, BLOCK)
    block = blocks.amax(2).argmax(1, keepdim=True)
    inner = blocks.gather(1, block[:, :, None].expand(-1, -1, BLOCK))[:, 0]
    values, places = torch.cat([inner, scores[:, whole:]], 1).max(1)
    return values, torch.where(places < BLOCK, block[:, 0] * BLOCK + places, whole + places - BLOCK)


def best(scores: Tensor, n: int) -> tuple[Tensor, Tensor]:
    """The `n` highest of each row, best first, and their columns: (rows, n) both; fewer where there are fewer.

    Only blocks whose own maximum is among the n highest of all blocks can hold one of them: a tenth of a plain topk's time.
    """
    rows, columns = scores.shape
    n = min(n, columns)
    n_blocks = columns // BLOCK
    if n_blocks <= 2 * n:
        values, places = scores.topk(n, 1)
        return values, places
    whole = n_blocks * BLOCK
    blocks = scores[:, :whole].view(rows, n_blocks, BLOCK)
    held = blocks.amax(2).topk(n, 1).indices  # (rows, n)
    few = blocks.gather(1, held[:, :, None].expand(-1, -1, BLOCK)).flatten(1)  # (rows, n * BLOCK)
    where = (held[:, :, None] * BLOCK + torch.arange(BLOCK, device=held.device)).flatten(1)
    if whole < columns:
        few = torch.cat([few, scores[:, whole:]], 1)
        where = torch.cat(
            [where, torch.arange(whole, columns, device=held.device).expand(rows, -1)], 1
        )
    values, places = few.topk(n, 1)
    return values, where.gather(1, places)
