"""From the weights of all heads to one picture. Arrays in, arrays out; each reduction says what it can and cannot tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from s2s.analysis.alignment import Floats
from s2s.analysis.attention import KINDS, Attention, View, Weights


class Which(NamedTuple):
    """What is looked at: a row of `KINDS`, a layer and a head, 0-based; None stands for all of them."""

    kind: str
    layer: int | None = None
    head: int | None = None


@dataclass(frozen=True)
class Picture:
    """(rows, keys) weights with their tokens, and what they are in words."""

    weights: Weights
    rows: tuple[str, ...]
    keys: tuple[str, ...]
    verb: str  # what a row does with its token: predicts or reads it
    name: str  # `layer 2 of 2 · mean of 4 heads`


class Reduction(NamedTuple):
    """One row: what makes a picture of a sentence's attention, for which kinds, and one honest sentence about it."""

    label: str
    make: Callable[[Attention, Which], Picture]
    kinds: tuple[str, ...]
    about: str
    source: str


def reduced(seen: Attention, which: Which, reduction: str = "mean") -> Picture:
    """By a row of `REDUCTIONS`. Raises ValueError for one that this kind of attention doesn't have."""
    row = REDUCTIONS[reduction]
    if which.kind not in row.kinds:
        raise ValueError(
            f"`{reduction}` means nothing for {which.kind} attention; it is for {', '.join(row.kinds)}"
        )
    return row.make(seen, which)


def mean(seen: Attention, which: Which) -> Picture:
    """Over the heads or layers of which none is chosen; rows sum to 1."""
    view = seen.view(which.kind)
    return Picture(
        view.reduced(which.layer, which.head),
        view.rows,
        view.keys,
        view.verb,
        place(view, which, "mean"),
    )


def largest(seen: Attention, which: Which) -> Picture:
    """Of the heads or layers of which none is chosen; rows may sum to more than 1."""
    view = seen.view(which.kind)
    return _pictured(
        view,
        view.weights[_only(which.layer), _only(which.head)].max((0, 1)),
        place(view, which, "max"),
    )


def rollout(seen: Attention, which: Which) -> Picture:
    """Weights multiplied through the layers, each with half a weight for the way around it; rows sum to 1.

    Self-attention: through the layers up to the chosen one, with the chosen head or the mean of them. Cross: what is chosen of
    it, over the whole encoder.
    """
    view = seen.view(which.kind)
    if which.kind == "cross":
        encoder = rolled(seen.encoder.mean(1))
        name = f"{place(view, which, 'mean')} · over the encoder's rollout ({_layers(len(seen.encoder))})"
        return _pictured(view, view.reduced(which.layer, which.head) @ encoder, name)
    n_layers, n_heads = view.weights.shape[:2]
    last = n_layers if which.layer is None else which.layer + 1
    heads = view.weights.mean(1) if which.head is None else view.weights[:, which.head]
    head = (
        f"mean of {n_heads} heads" if which.head is None else f"head {which.head + 1} of {n_heads}"
    )
    return _pictured(view, rolled(heads[:last]), f"rollout, {_layers(last)} of {n_layers} · {head}")


def rolled(layers: Weights) -> Floats:
    """Abnar & Zuidema 2020, eq. 1 with residuals, A = (W + I) / 2: (layers, len, len), the first layer first -> (len, len)."""
    reached = np.eye(layers.shape[-1])
    for weights in layers:
        reached = (weights + np.eye(len(weights))) / 2 @ reached
    return reached


def norms(seen: Attention, which: Which) -> Picture:
    """How long the vector is that each key adds, ||sum over heads of weight * f(key)|| (Kobayashi et al. 2020, eq. 3); rows sum to 1.

    Each layer's rows are scaled before layers are averaged. Raises ValueError where the attention came without its `grams`.
    """
    if which.kind not in seen.grams:
        raise ValueError(
            "only the weights were kept of this attention, and norms need what they multiply, too"
        )
    view = seen.view(which.kind)
    layers = _only(which.layer)
    heads = _only(which.head)
    weights = view.weights[layers, heads].astype(float)
    grams = seen.grams[which.kind][layers, :, heads, heads].astype(float)
    squares = np.einsum("lhrk,lkhg,lgrk->lrk", weights, grams, weights, optimize=True)
    lengths = np.sqrt(squares.clip(0))  # (layers, rows, keys)
    sums = lengths.sum(-1, keepdims=True)
    rows = np.divide(lengths, sums, out=np.zeros_like(lengths), where=sums > 0)
    name = (
        place(view, which, "mean")
        if which.head is not None
        else place(view, which, "mean").replace("· mean of", "· all")
    )
    return _pictured(view, rows.mean(0), f"norms, {name}")


def shifted(seen: Attention, which: Which) -> Picture:
    """The row in which a target word is read, one below the one that predicts it; rows sum to 1, and `</s>` has none."""
    weights = seen.view(which.kind).reduced(which.layer, which.head)
    name = f"{place(seen.view(which.kind), which, 'mean')} · while the word is read"
    return Picture(weights[1:], seen.tgt_inputs[1:], seen.src_tokens, "reads", name)


def _only(index: int | None) -> slice:
    """One place of an axis, which stays, or all of it."""
    return slice(None) if index is None else slice(index, index + 1)


def _pictured(view: View, weights: Weights | Floats, name: str) -> Picture:
    return Picture(weights.astype(np.float32), view.rows, view.keys, view.verb, name)


def _layers(last: int) -> str:
    return "layer 1" if last == 1 else f"layers 1 to {last}"


def place(view: View, which: Which, how: str) -> str:
    """`layer 2 of 2 · mean of 4 heads`."""
    n_layers, n_heads = view.weights.shape[:2]
    layer = (
        f"{how} of {n_layers} layers"
        if which.layer is None
        else f"layer {which.layer + 1} of {n_layers}"
    )
    head = (
        f"{how} of {n_heads} heads" if which.head is None else f"head {which.head + 1} of {n_heads}"
    )
    return f"{layer} · {head}"


# A slug stands in links, as `reduce`: a rename keeps the old one working.
REDUCTIONS: Mapping[str, Reduction] = MappingProxyType(
    {
        "mean": Reduction(
            "Weights",
            mean,
            KINDS,
            "The weights themselves, averaged over what is not chosen. An average of heads hides that they do different things.",
            "Vaswani et al. 2017, eq. 1",
        ),
        "max": Reduction(
            "Largest weight",
            largest,
            KINDS,
            "The most that any head or layer which is not chosen looks there: no look is averaged away, but rows no longer sum to 1, and"
            " cells of one row may come from several heads.",
            "Vaswani et al. 2017, eq. 1",
        ),
        "rollout": Reduction(
            "Rollout",
            rollout,
            KINDS,
            "Multiplied through the layers, half of each going round the attention, so that columns are the words that were put in. It"
            " follows weights alone: what values and feed-forward layers make of them is left out, and heads are averaged.",
            "Abnar & Zuidema 2020",
        ),
        "norm": Reduction(
            "Norm-weighted",
            norms,
            KINDS,
            "How long the vector is that each word adds, each row scaled to sum to 1: a large weight on a short vector, as often on </s>,"
            " counts little. It says how much is added, not what it does further up.",
            "Kobayashi et al. 2020",
        ),
        "shift": Reduction(
            "Shifted by one",
            shifted,
            ("cross",),
            "The weights one step later, while the word that was written is being read. In some models these are closer to which words"
            " translate each other, in the shipped demos farther off. They say nothing of how the word was chosen: it stood there already.",
            "Chen et al. 2020",
        ),
    }
)
