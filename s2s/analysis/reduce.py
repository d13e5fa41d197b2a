"""Reductions: from the weights of all heads to one matrix.

Arrays in, arrays out; each says what it can and cannot show.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from s2s.analysis.alignment import Floats
from s2s.analysis.attention import KINDS, Attention, LabeledWeights, Weights, shown_tokens


class HeadSelection(NamedTuple):
    """Which heads a map is of: a row of `KINDS`, a layer and a head, 0-based; None stands for all of them."""

    kind: str
    layer: int | None = None
    head: int | None = None


@dataclass(frozen=True)
class AttentionMap:
    """One (rows, keys) matrix with its tokens and a name."""

    weights: Weights
    rows: tuple[str, ...]
    keys: tuple[str, ...]
    verb: str  # what a row does with its token: predicts or reads it
    name: str  # `layer 2 of 2 · mean of 4 heads`

    def __repr__(self) -> str:
        rows, keys = shown_tokens(self.rows), shown_tokens(self.keys)
        return f"AttentionMap(rows {rows}, keys {keys}: {self.name})"


class Reduction(NamedTuple):
    """A way to reduce a sentence's attention to one map, and the kinds of attention it is defined for."""

    label: str
    reduce: Callable[[Attention, HeadSelection], AttentionMap]
    kinds: tuple[str, ...]
    about: str
    source: str
    # Stands in for `about` where a single head is selected, if it then says something else.
    of_one_head: str = ""

    def description(self, which: HeadSelection, n_layers: int, n_heads: int) -> str:
        """What the reduction shows, in a sentence or two, for a stack with so many layers and heads in each."""
        is_one_layer = which.layer is not None or n_layers == 1
        is_one_head = is_one_layer and (which.head is not None or n_heads == 1)
        return self.of_one_head if is_one_head and self.of_one_head else self.about


ONE_HEAD = "The attention weights of this head."


def reduced(attention: Attention, which: HeadSelection, reduction: str = "mean") -> AttentionMap:
    """The map by a row of `REDUCTIONS`. Raises ValueError for one that this kind of attention doesn't have."""
    row = REDUCTIONS[reduction]
    if which.kind not in row.kinds:
        raise ValueError(
            f"`{reduction}` is not defined for {which.kind} attention, only for {', '.join(row.kinds)}"
        )
    return row.reduce(attention, which)


def mean(attention: Attention, which: HeadSelection) -> AttentionMap:
    """Average over the layers and heads that are not selected; rows sum to 1."""
    view = attention.view(which.kind)
    weights = view.reduced(which.layer, which.head)
    return _map(view, weights, selection_name(view, which, "mean"))


def largest(attention: Attention, which: HeadSelection) -> AttentionMap:
    """Maximum over the layers and heads that are not selected; rows may sum to more than 1."""
    view = attention.view(which.kind)
    selected = view.weights[_slice(which.layer), _slice(which.head)]
    return _map(view, selected.max((0, 1)), selection_name(view, which, "max"))


def rollout(attention: Attention, which: HeadSelection) -> AttentionMap:
    """Multiply the weights of successive layers, half of each replaced by the residual connection; rows sum to 1.

    Self-attention: through the layers up to the selected one, with the selected head or the mean of all.
    Cross-attention: the selected weights times the rollout of the whole encoder.
    """
    view = attention.view(which.kind)
    if which.kind == "cross":
        encoder = rolled(attention.encoder.mean(1))  # (src_len, src_len)
        weights = view.reduced(which.layer, which.head) @ encoder
        name = selection_name(view, which, "mean")
        return _map(
            view,
            weights,
            f"{name} · over the encoder's rollout ({_layers(len(attention.encoder))})",
        )
    n_layers = len(view.weights)
    last = n_layers if which.layer is None else which.layer + 1
    heads = view.weights.mean(1) if which.head is None else view.weights[:, which.head]
    name = f"rollout, {_layers(last)} of {n_layers} · {_head_name(view, which, 'mean')}"
    return _map(view, rolled(heads[:last]), name)


def rolled(layers: Weights) -> Floats:
    """The rollout of Abnar & Zuidema 2020, eq. 1 with residuals, A = (W + I) / 2: (layers, len, len) -> (len, len)."""
    product = np.eye(layers.shape[-1])
    for weights in layers:
        product = (weights + np.eye(len(weights))) / 2 @ product
    return product


def norms(attention: Attention, which: HeadSelection) -> AttentionMap:
    """A map of the norm of the vector that each key adds, ||sum over heads of weight * f(key)|| (Kobayashi et al. 2020,
    eq. 3).

    Each layer's rows are scaled to sum to 1 before layers are averaged. Raises ValueError for attention without
    `grams`.
    """
    if which.kind not in attention.grams:
        raise ValueError("norms need `grams`, and only the weights of this attention were recorded")
    view = attention.view(which.kind)
    layers = _slice(which.layer)
    heads = _slice(which.head)
    weights = view.weights[layers, heads].astype(float)
    grams = attention.grams[which.kind][layers, :, heads, heads].astype(float)
    squares = np.einsum("lhrk,lkhg,lgrk->lrk", weights, grams, weights, optimize=True)
    lengths = np.sqrt(squares.clip(0))  # (layers, rows, keys)
    sums = lengths.sum(-1, keepdims=True)
    shares = np.divide(lengths, sums, out=np.zeros_like(lengths), where=sums > 0)
    name = selection_name(view, which, "mean")
    if which.head is None:  # heads are added, not averaged
        name = name.replace("· mean of", "· all")
    return _map(view, shares.mean(0), f"norms, {name}")


def shifted(attention: Attention, which: HeadSelection) -> AttentionMap:
    """A map whose rows read a target word, each one after the row that predicts it; rows sum to 1, `</s>` has none."""
    view = attention.view(which.kind)
    weights = view.reduced(which.layer, which.head)[1:]
    name = f"{selection_name(view, which, 'mean')} · while the word is read"
    return AttentionMap(weights, attention.tgt_inputs[1:], attention.src_tokens, "reads", name)


def _slice(index: int | None) -> slice:
    return slice(None) if index is None else slice(index, index + 1)


def _map(view: LabeledWeights, weights: Weights | Floats, name: str) -> AttentionMap:
    return AttentionMap(weights.astype(np.float32), view.rows, view.keys, view.verb, name)


def _layers(last: int) -> str:
    return "layer 1" if last == 1 else f"layers 1 to {last}"


def selection_name(view: LabeledWeights, which: HeadSelection, how: str) -> str:
    """A map's name: `layer 2 of 2 · mean of 4 heads`; `how`: mean or max."""
    n_layers = len(view.weights)
    all_layers = f"{how} of {n_layers} layers" if n_layers > 1 else "layer 1 of 1"
    layer = all_layers if which.layer is None else f"layer {which.layer + 1} of {n_layers}"
    return f"{layer} · {_head_name(view, which, how)}"


def _head_name(view: LabeledWeights, which: HeadSelection, how: str) -> str:
    n_heads = view.weights.shape[1]
    if which.head is None and n_heads > 1:
        return f"{how} of {n_heads} heads"
    return f"head {(which.head or 0) + 1} of {n_heads}"


# A slug is stored in links, as `reduce`: if you rename one, keep reading the old one.
REDUCTIONS: Mapping[str, Reduction] = MappingProxyType(
    {
        "mean": Reduction(
            "Weights",
            mean,
            KINDS,
            "Average over the layers and heads you did not select. This hides differences between them.",
            "Vaswani et al. 2017, eq. 1",
            ONE_HEAD,
        ),
        "max": Reduction(
            "Largest weight",
            largest,
            KINDS,
            "The largest weight over the layers and heads you did not select. Nothing is averaged away, but rows no"
            " longer sum to 1, and cells of one row may come from different heads.",
            "Vaswani et al. 2017, eq. 1",
            ONE_HEAD,
        ),
        "rollout": Reduction(
            "Rollout",
            rollout,
            KINDS,
            "Weights multiplied through the layers, half of each replaced by the residual connection, so that columns"
            " are the input words. It ignores values and feed-forward layers.",
            "Abnar & Zuidema 2020",
        ),
        "norm": Reduction(
            "Norm-weighted",
            norms,
            KINDS,
            "The norm of the vector that each word adds, each row scaled to sum to 1: a large weight on a short"
            " vector, common for </s>, counts little. It shows how much is added, not what later layers do with it.",
            "Kobayashi et al. 2020",
        ),
        "shift": Reduction(
            "Shifted by one",
            shifted,
            ("cross",),
            "The weights one step later, when the written word is read. In some models these match word alignment"
            " better, in the demo runs worse. They cannot explain why the word was chosen: it was already written.",
            "Chen et al. 2020",
        ),
    }
)
