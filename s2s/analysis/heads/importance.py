"""How much every head matters: the change of the loss when it alone is ablated (Michel et al. 2019, section 3)."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from s2s.analysis.attention import KINDS
from s2s.analysis.heads.batches import Batch, Floats, n_tokens
from s2s.analysis.heads.resume import RememberedPass
from s2s.analysis.intervene import NO_MEANS, Head, Means, ablate, all_heads
from s2s.model import Transformer, inference
from s2s.scores import SAMPLES, SEED, TAIL, draws


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
    """The loss without any change, and each head's change of it, in nats per token."""

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
    """Sums over sentences (heads, sentences), divided by the number of their tokens (sentences,).

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
