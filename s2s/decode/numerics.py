"""Sums and maxima over the vocabulary, faster on a CPU than torch's own. Logits are (rows, vocab)."""

from __future__ import annotations

import torch
from torch import Tensor

NEG_INF = float("-inf")
BLOCK = 64  # columns whose maximum stands for all of them
FEW_ROWS = 4  # below, torch's own maximum is faster
CACHED = 2**17  # numbers that fit into one core's cache


def logsumexp(logits: Tensor) -> Tensor:
    """(rows, vocab) -> (rows, 1), which subtracted from logits gives log-probabilities.

    By torch's log_softmax, whose exponentials are faster than those of its logsumexp; a few rows at a time, which stay
    in the cache.
    """
    if logits.device.type != "cpu":
        return logits.logsumexp(1, keepdim=True)
    n = max(1, CACHED // logits.shape[1])
    if logits.shape[0] > n:
        return torch.cat([logsumexp(few) for few in torch.split(logits, n)])
    highest = logits.amax(1, keepdim=True)  # (rows, 1)
    return highest - logits.log_softmax(1).amax(1, keepdim=True)


def token_log_probs(logits: Tensor, tokens: Tensor) -> Tensor:
    """The log-probabilities of some tokens of each row: (rows, vocab), (rows, n) -> (rows, n)."""
    return logits.gather(1, tokens) - logsumexp(logits)


def flat_rows(parents: Tensor, width: int) -> Tensor:
    """Which of its source's `width` rows each one is -> which of all rows: (sources, n) both."""
    first_rows = torch.arange(len(parents))[:, None] * width  # (sources, 1)
    return parents + first_rows


def row_max(scores: Tensor) -> tuple[Tensor, Tensor]:
    """The maximum of each row and its column, the lowest of equal ones: (rows,) both."""
    rows, columns = scores.shape
    if rows < FEW_ROWS or columns < BLOCK:
        values, indices = scores.max(1)
        return values, indices
    n_blocked = columns // BLOCK * BLOCK
    # (rows, n_blocked) -> (rows, blocks, BLOCK)
    blocks = scores[:, :n_blocked].view(rows, -1, BLOCK)
    block = blocks.amax(2).argmax(1, keepdim=True)  # (rows, 1)
    where = block[:, :, None].expand(-1, -1, BLOCK)  # (rows, 1, BLOCK)
    inner = blocks.gather(1, where)[:, 0]  # (rows, BLOCK)
    rest = scores[:, n_blocked:]  # after the last whole block
    values, indices = torch.cat([inner, rest], 1).max(1)  # (rows,) both
    in_block = block[:, 0] * BLOCK + indices
    in_rest = n_blocked + indices - BLOCK
    return values, torch.where(indices < BLOCK, in_block, in_rest)


def topk(scores: Tensor, n: int) -> tuple[Tensor, Tensor]:
    """The n highest of each row, best first, and their columns: (rows, n) both; all of them where there are fewer.

    Only blocks whose own maximum is among the n highest maxima can hold one of them: a tenth of the time of torch's
    topk.
    """
    rows, columns = scores.shape
    n = min(n, columns)
    n_blocks = columns // BLOCK
    if n_blocks <= 2 * n:
        values, indices = scores.topk(n, 1)
        return values, indices
    n_blocked = n_blocks * BLOCK
    # (rows, n_blocked) -> (rows, blocks, BLOCK)
    blocks = scores[:, :n_blocked].view(rows, n_blocks, BLOCK)
    best = blocks.amax(2).topk(n, 1).indices  # (rows, n)
    in_block = torch.arange(BLOCK, device=best.device)
    where = best[:, :, None] * BLOCK + in_block  # (rows, n, BLOCK)
    where = where.flatten(1)  # -> (rows, n * BLOCK)
    if n_blocked < columns:
        rest = torch.arange(n_blocked, columns, device=best.device).expand(rows, -1)
        where = torch.cat([where, rest], 1)  # -> (rows, n * BLOCK + rest)
    values, indices = scores.gather(1, where).topk(n, 1)  # (rows, n) both
    return values, where.gather(1, indices)
