"""Plain references: one sentence at a time, without padding, hooks or batches."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import torch
from torch import Tensor

from s2s.analysis import Head
from s2s.analysis.trace import attentions
from s2s.model import Transformer, inference


@dataclass(frozen=True)
class Pair:
    src: tuple[int, ...]
    tgt: tuple[int, ...]


PAIRS = (
    Pair((5, 9, 4, 12, 7, 8, 2), (1, 7, 8, 15, 4, 2)),
    Pair((6, 5, 2), (1, 5, 2)),
    Pair((20, 11, 4, 4, 2), (1, 22, 9, 2)),
    Pair((13, 2), (1, 14, 3, 6, 2)),
)
N_TOKENS = (5, 2, 3, 4)


def loss(model: Transformer, pair: Pair) -> float:
    """Sum of the losses of one sentence, nats."""
    with inference(model):
        logits = model(torch.tensor([pair.src]), torch.tensor([pair.tgt[:-1]]))[0]
    rows = logits.log_softmax(-1)
    return -sum(float(rows[i, token]) for i, token in enumerate(pair.tgt[1:]))


def scaled(
    model: Transformer, head: Head, by: float, constant: Tensor | None = None
) -> Transformer:
    """A copy whose head outputs `by` times what it did, plus a constant (d_head,)."""
    other = copy.copy(model)
    other.fused = None  # a lock cannot be copied, modules can
    other._modules = copy.deepcopy(model._modules)
    attention = attentions(other, head.kind)[head.layer]
    rows = slice(head.head * attention.d_head, (head.head + 1) * attention.d_head)
    with torch.no_grad():
        attention.value.weight[rows] *= by
        attention.value.bias[rows] *= by
        if constant is not None:  # the weights of a row sum to 1
            attention.value.bias[rows] += constant
    return other
