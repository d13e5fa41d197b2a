"""One step of gradient descent on one sentence. Arrays out; knows nothing of text or screens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from s2s.analysis.experiments import first_predicted, trainable_copy
from s2s.analysis.forward_trace import Array
from s2s.model import Transformer


class WeightUpdate(NamedTuple):
    """What one update of all weights does: to the output vectors of the target's tokens, and to their losses.

    A first token that the model is given is left out.
    """

    before: Array  # (tgt_len, d_model): the vector that gives each token its logit
    gradient: Array  # (tgt_len, d_model): of the mean loss with respect to `before`
    after: Array  # (tgt_len, d_model): before - rate * gradient
    losses_before: Array  # (tgt_len,) in nats
    losses_after: Array  # (tgt_len,) in nats

    def steepest(self, width: int) -> tuple[int, int]:
        """Row and column, from 0, of the weight with the largest gradient, of the first `width` of each vector."""
        sizes = np.abs(self.gradient[:, :width])
        row, column = divmod(int(sizes.argmax()), sizes.shape[1])
        return row, column


def weight_update(
    model: Transformer, src: Sequence[int], tgt: Sequence[int], *, rate: float
) -> WeightUpdate:
    """Update every weight of a copy of the model once, on the mean -log p of each token of `tgt` that it predicts."""
    learner = trainable_copy(model)
    src_ids, tgt_ids = (torch.tensor([[*ids]], device=model.device) for ids in (src, tgt))
    table = learner.projection.weight  # (vocab, d_model)
    labels = tgt_ids[0, first_predicted(model) :]  # (tgt_len,)
    before = _array(table[labels])
    with torch.enable_grad():
        losses = _losses(learner, src_ids, tgt_ids)
        losses.mean().backward()  # type: ignore[no-untyped-call]
    gradient = _array(_gradient(table)[labels])
    with torch.no_grad():
        for weight in learner.parameters():
            if weight.grad is not None:  # some models have weights that they do not use
                weight.sub_(rate * weight.grad)
        losses_after = _losses(learner, src_ids, tgt_ids)
    return WeightUpdate(
        before, gradient, _array(table[labels]), _array(losses), _array(losses_after)
    )


def _losses(model: Transformer, src: Tensor, tgt: Tensor) -> Tensor:
    first = first_predicted(model)
    logits = model(src, tgt[:, :-1])  # (1, inputs, vocab)
    return F.cross_entropy(logits[0, first - 1 :].float(), tgt[0, first:], reduction="none")


def _gradient(weight: Tensor) -> Tensor:
    return torch.zeros_like(weight) if weight.grad is None else weight.grad


def _array(tensor: Tensor) -> Array:
    return tensor.detach().float().cpu().numpy().copy()
