"""Cross-entropy with label smoothing (Szegedy et al. 2016, section 7)."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Loss(NamedTuple):
    """Means over the real target tokens, in nats."""

    smoothed: Tensor  # what is minimised
    plain: Tensor  # -log p(token), detached


def cross_entropy(logits: Tensor, labels: Tensor, *, smoothing: float, pad_id: int) -> Loss:
    """Logits (batch, tgt_len, vocab) against labels (batch, tgt_len); padding does not count.

    -(1 - smoothing) log p(label) - smoothing * mean over the vocabulary of log p, written over log-sum-exp so that
    no second array of the logits' size is kept.
    """
    norm = logits.logsumexp(-1)  # (batch, tgt_len)
    right = logits.gather(-1, labels[..., None]).squeeze(-1)
    weights = labels.ne(pad_id).to(logits.dtype)
    weights = weights / weights.sum()
    plain = ((norm - right) * weights).sum()
    if not smoothing:
        return Loss(plain, plain.detach())
    spread = ((norm - logits.mean(-1)) * weights).sum()
    return Loss((1 - smoothing) * plain + smoothing * spread, plain.detach())


def right_tokens(logits: Tensor, labels: Tensor, *, pad_id: int) -> Tensor:
    """How many real tokens are ranked first: a whole number."""
    return (logits.argmax(-1).eq(labels) & labels.ne(pad_id)).sum()


def total_nats(logits: Tensor, labels: Tensor, *, pad_id: int) -> Tensor:
    """-log p of each row's real tokens: (batch,)."""
    right = torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=pad_id, reduction="none")
    return right.view_as(labels).sum(-1)
