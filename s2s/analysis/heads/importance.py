"""How much every head matters: the change of the loss when it alone is ablated (Michel et al. 2019, section 3).

Also by the gradient of its gate, one pass for all heads (eq. 2), and what is left when the least important heads are
switched off, one after another (section 4). Mean ablation replaces a head by its mean output (Wang et al. 2022).
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from s2s.analysis.attention import KINDS
from s2s.analysis.correlation import Correlation, correlation
from s2s.analysis.heads.batches import Batch, Floats, forced_log_probs, n_tokens
from s2s.analysis.heads.resume import RememberedPass
from s2s.analysis.intervene import NO_MEANS, Head, Means, ablate, all_heads
from s2s.analysis.trace import attentions
from s2s.model import Attention, Transformer, inference
from s2s.scores import SAMPLES, SEED, TAIL, draws

MOST_POINTS = (
    25  # of a curve: a model of more heads is measured at evenly spread numbers of pruned heads
)


@dataclass(frozen=True, eq=False)
class PerHead:
    """One number per head, by kind: (layers, heads), with its 95 % bootstrap interval over sentences."""

    value: Mapping[str, Floats]
    low: Mapping[str, Floats]
    high: Mapping[str, Floats]

    def by_head(self) -> dict[Head, float]:
        """The values by head, in the order of `all_heads`."""
        return {
            Head(kind, layer, head): float(self.value[kind][layer, head])
            for kind in self.value
            for layer, head in np.ndindex(self.value[kind].shape)
        }


@dataclass(frozen=True, eq=False)
class Importance:
    """The loss without any change, and how much it changes without each head, in nats per token."""

    loss: float
    change: PerHead
    n_sentences: int
    n_tokens: int


def measure_importance(
    model: Transformer, sample: Sequence[Batch], how: str = "off", means: Means = NO_MEANS
) -> Generator[float, None, Importance]:
    """Ablate each head alone, by a row of `INTERVENTIONS`, and measure the loss under teacher forcing.

    The change is paired: the same sentences, with and without the head. Yields the share done after each head of a
    batch.
    """
    heads = all_heads(model)
    tokens = n_tokens(model, sample)
    before = np.zeros(len(tokens))
    after = np.zeros((len(heads), len(tokens)))
    for number, batch in enumerate(sample):
        with inference(model):
            remembered = RememberedPass(model, batch)
            before[batch.rows] = remembered.losses().cpu().numpy()
        for index, head in enumerate(heads):
            with ablate(model, {head: how}, means):
                after[index, batch.rows] = remembered.losses_from(head).cpu().numpy()
            yield (number + (index + 1) / len(heads)) / len(sample)
    change = per_head(model, heads, after - before, tokens)
    loss = float(before.sum() / tokens.sum())
    return Importance(loss, change, len(tokens), int(tokens.sum()))


def per_head(model: Transformer, heads: Sequence[Head], sums: Floats, tokens: Floats) -> PerHead:
    """Means per token with intervals: sums over sentences (heads, sentences), divided by the number of their tokens
    (sentences,).

    Each bootstrap resample draws sentences, for all heads the same, with their sums and their tokens.
    """
    value = sums.sum(1) / tokens.sum()
    low, high = intervals(sums, tokens)
    return PerHead(*(_by_kind(model, heads, found) for found in (value, low, high)))


def intervals(sums: Floats, tokens: Floats) -> tuple[Floats, Floats]:
    """95 % percentile intervals of `sums.sum(1) / tokens.sum()` over sentences (Koehn 2004): both (heads,)."""
    drawn = np.concatenate(
        [
            counts @ sums.T / (counts @ tokens)[:, None]
            for counts in draws(len(tokens), SAMPLES, SEED)
        ]
    )  # (samples, heads)
    drawn.sort(axis=0)
    tail = SAMPLES // TAIL
    return drawn[tail], drawn[-1 - tail]


def _by_kind(model: Transformer, heads: Sequence[Head], values: Floats) -> dict[str, Floats]:
    return {
        kind: np.array(
            [value for head, value in zip(heads, values, strict=True) if head.kind == kind]
        ).reshape(1 + max(head.layer for head in heads if head.kind == kind), -1)
        for kind in KINDS
    }


def measure_gradient_importance(
    model: Transformer, sample: Sequence[Batch]
) -> Generator[float, None, PerHead]:
    """Importance by gradient: the mean over sentences x of |d L(x) / d gate|, where a gate of 1 multiplies the head's
    output.

    L(x) is the sum of the sentence's losses; the mean is divided by the mean length, so that it is in nats per token as
    measured importance is. (Michel et al. then scale each layer to length 1; these values are not scaled.)
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
    """Correlation of both importances over the heads of each kind, and of `all`; None for fewer than three heads."""
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


def measure_means(
    model: Transformer, sample: Sequence[Batch]
) -> Generator[float, None, dict[Head, Tensor]]:
    """Each head's weighted sum of values, (d_head,), averaged over all tokens of the sample that query it.

    Padding does not count. Every token counts the same, whichever its position and sentence.
    """
    sums: dict[tuple[str, int], Tensor] = {}
    counts = dict.fromkeys(KINDS, 0)
    pad_id = model.config.ids.pad
    for done, batch in enumerate(sample, 1):
        tgt_in = batch.tgt[:, :-1]
        is_real = {"encoder": batch.src.ne(pad_id)}
        # The input after the last real token is padding; the row that reads `</s>` predicts nothing.
        is_real["decoder"] = is_real["cross"] = batch.tgt[:, 1:].ne(pad_id)
        with _joined_heads(model) as joined:
            model(batch.src, tgt_in)
        for (kind, layer), heads in joined.items():
            total = heads[is_real[kind]].double().sum(0)  # (heads * d_head,)
            before = sums.get((kind, layer))
            sums[kind, layer] = total if before is None else before + total
        for kind in KINDS:
            counts[kind] += int(is_real[kind].sum())
        yield done / len(sample)
    dtype = model.output.weight.dtype
    means = {}
    for kind, layer, head in all_heads(model):
        by_head = sums[kind, layer].view(attentions(model, kind)[layer].n_heads, -1)
        means[Head(kind, layer, head)] = (by_head[head] / counts[kind]).to(dtype)
    return means


@contextlib.contextmanager
def _joined_heads(model: Transformer) -> Iterator[dict[tuple[str, int], Tensor]]:
    """What enters each output projection, (batch, query_len, heads * d_head), by kind and layer."""
    found: dict[tuple[str, int], Tensor] = {}

    def record(key: tuple[str, int], module: nn.Module, args: tuple[Any, ...]) -> None:
        found[key] = args[0]

    with inference(model), contextlib.ExitStack() as hooks:
        for kind in KINDS:
            for layer, attention in enumerate(attentions(model, kind)):
                hook = partial(record, (kind, layer))
                hooks.callback(attention.output.register_forward_pre_hook(hook).remove)
        yield found


@dataclass(frozen=True, eq=False)
class PruneCurve:
    """The loss in nats per token, with its 95 % interval, when the first `n_pruned` heads of `order` are off."""

    order: tuple[Head, ...]
    n_pruned: tuple[int, ...]
    loss: Floats
    low: Floats
    high: Floats


def least_first(importance: Mapping[Head, float]) -> tuple[Head, ...]:
    """All heads, the least important first; equal ones keep their order."""
    return tuple(sorted(importance, key=importance.__getitem__))


def random_orders(heads: Sequence[Head], n: int, seed: int) -> list[tuple[Head, ...]]:
    """Random orders of heads, as a baseline: n orders drawn from a seed."""
    rng = np.random.default_rng(seed)
    return [tuple(heads[i] for i in rng.permutation(len(heads))) for _ in range(n)]


def numbers_pruned(n_heads: int, most: int = MOST_POINTS) -> tuple[int, ...]:
    """The numbers of heads to prune, from none to all, at most `most` numbers: `(5, 3)` -> `(0, 2, 5)`."""
    points = np.linspace(0, n_heads, min(most, n_heads + 1))
    return tuple(int(point) for point in points)


def prune_curve(
    model: Transformer,
    sample: Sequence[Batch],
    order: Sequence[Head],
    n_pruned: Sequence[int] | None = None,
) -> Generator[float, None, PruneCurve]:
    """The loss at each of these numbers of pruned heads; by default those of `numbers_pruned`."""
    numbers = numbers_pruned(len(order)) if n_pruned is None else tuple(n_pruned)
    tokens = n_tokens(model, sample)
    sums = np.zeros((len(numbers), len(tokens)))
    steps = len(numbers) * len(sample)
    for row, number in enumerate(numbers):
        for column, batch in enumerate(sample):
            with ablate(model, dict.fromkeys(order[:number], "off")):
                total = forced_log_probs(model, batch).double().sum(1)  # (batch,)
                sums[row, batch.rows] = -total.cpu().numpy()
            yield (row * len(sample) + column + 1) / steps
    low, high = intervals(sums, tokens)
    return PruneCurve(tuple(order), numbers, sums.sum(1) / tokens.sum(), low, high)
