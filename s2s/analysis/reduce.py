"""From the weights of all heads to one picture. Arrays in, arrays out; each reduction says what it can and cannot tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

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
        raise ValueError(f"`{reduction}` means nothing for {which.kind} attention; it is for {', '.join(row.kinds)}")
    return row.make(seen, which)


def mean(seen: Attention, which: Which) -> Picture:
    """Over the heads or layers of which none is chosen; rows sum to 1."""
    view = seen.view(which.kind)
    return Picture(view.reduced(which.layer, which.head), view.rows, view.keys, view.verb, place(view, which, "mean"))


def place(view: View, which: Which, how: str) -> str:
    """`layer 2 of 2 · mean of 4 heads`."""
    n_layers, n_heads = view.weights.shape[:2]
    layer = f"{how} of {n_layers} layers" if which.layer is None else f"layer {which.layer + 1} of {n_layers}"
    head = f"{how} of {n_heads} heads" if which.head is None else f"head {which.head + 1} of {n_heads}"
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
    }
)
