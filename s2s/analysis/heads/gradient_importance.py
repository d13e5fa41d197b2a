"""How much every head matters by the gradient of its gate (Michel et al. 2019, eq. 2). One pass for all heads."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator, Sequence
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn

from s2s.analysis.attention import KINDS
from s2s.analysis.correlation import Correlation, correlation
from s2s.analysis.heads.batches import Batch, forced_log_probs, n_tokens
from s2s.analysis.heads.importance import PerHead, per_head
from s2s.analysis.intervene import all_heads
from s2s.analysis.trace import attentions
from s2s.model import Attention, Transformer


def measure_gradient_importance(
    model: Transformer, sample: Sequence[Batch]
) -> Generator[float, None, PerHead]:
    """The mean over sentences x of |d L(x) / d gate|, where a gate of 1 multiplies the head's output.

    L(x) is the sum of the sentence's losses; the mean is divided by the mean length, so that it is in nats per token
    as measured importance is. (Michel et al. then scale each layer to length 1; these values are not scaled.)
    """
    heads = all_heads(model)
    tokens = n_tokens(model, sample)
    sizes = np.zeros((len(heads), len(tokens)))
    for done, batch in enumerate(sample, 1):
        with _gated(model, len(batch.rows)) as gates:
            total = -forced_log_probs(model, batch).sum()
            gradients = torch.autograd.grad(total, gates)  # one per attention, (batch, heads)
        by_head = torch.cat(gradients, 1).abs()  # (batch, all heads)
        sizes[:, batch.rows] = by_head.double().T.cpu().numpy()
        yield done / len(sample)
    return per_head(model, heads, sizes, tokens)


def agreement(measured: PerHead, by_gradient: PerHead) -> dict[str, Correlation | None]:
    """Correlation over the heads of each kind, and of `all`; None for fewer than three heads."""
    pairs = {kind: (measured.value[kind], by_gradient.value[kind]) for kind in measured.value}
    found = {
        kind: correlation(x.ravel().tolist(), y.ravel().tolist()) for kind, (x, y) in pairs.items()
    }
    x, y = (list(one.by_head().values()) for one in (measured, by_gradient))
    return {**found, "all": correlation(x, y)}


@contextlib.contextmanager
def _gated(model: Transformer, n_sentences: int) -> Iterator[list[Tensor]]:
    """Multiply every head's output by a gate of 1 per sentence: one (batch, heads) per attention, in order of `KINDS`.

    Holds the model's lock, without dropout; weights get no gradients.
    """
    gates: list[Tensor] = []

    def gate(
        attention: Attention, ones: Tensor, module: nn.Module, args: tuple[Tensor, ...]
    ) -> Tensor:
        joined = args[0]  # (batch, query_len, heads * d_head)
        gates_of_columns = ones.repeat_interleave(attention.d_head, 1)
        return joined * gates_of_columns[:, None]

    with model.lock, contextlib.ExitStack() as stack:
        stack.enter_context(_without_dropout(model))
        stack.enter_context(torch.enable_grad())
        for kind in KINDS:
            for attention in attentions(model, kind):
                weight = model.output.weight
                ones = torch.ones(
                    n_sentences, attention.n_heads, dtype=weight.dtype, device=weight.device
                ).requires_grad_()
                gates.append(ones)
                hook = partial(gate, attention, ones)
                stack.callback(attention.output.register_forward_pre_hook(hook).remove)
        yield gates


@contextlib.contextmanager
def _without_dropout(model: Transformer) -> Iterator[None]:
    was_training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(was_training)
