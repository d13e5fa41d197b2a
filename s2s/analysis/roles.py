"""What each head does in one sentence: a few numbers and a role. Arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from s2s.analysis.alignment import Floats, Ints, row_entropies
from s2s.analysis.attention import KINDS, Attention, Weights

Bools = npt.NDArray[np.bool_]
SELF = ("encoder", "decoder")
HALF = 0.5  # of the rows, of the weight, or of the keys
NO_ROLE = "mixed"


@dataclass(frozen=True)
class Rows:
    """Rows of all heads of one kind over a padded batch of sentences. What padding holds in `weights` is not read."""

    weights: Weights  # (batch, layers, heads, rows, keys)
    allowed: Bools  # (batch, rows, keys): the keys that each row may attend to; none for padding
    # (batch, rows, keys) by name: keys that some roles are about
    key_sets: Mapping[str, Bools] = field(default_factory=dict)

    @cached_property
    def n_allowed(self) -> Ints:
        """How many keys each row may attend to: (batch, rows)."""
        n_allowed: Ints = self.allowed.sum(-1)
        return n_allowed

    @cached_property
    def is_free(self) -> Bools:
        """The rows that have a choice, of at least two keys: (batch, rows)."""
        return self.n_allowed > 1

    @cached_property
    def peaks(self) -> Ints:
        """The index of the key of most weight in each row, the first of equals: (batch, layers, heads, rows)."""
        peaks: Ints = self.weights.argmax(-1)
        return peaks

    def total(self, values: npt.NDArray[Any], counted: Bools) -> Tally:
        """Sum over the counted rows: values (batch, layers, heads, rows), counted (batch, rows)."""
        total = np.where(counted[:, None, None], values, 0.0).sum((0, -1), dtype=float)
        return Tally(total, int(counted.sum()))


@dataclass(frozen=True)
class Tally:
    """A sum over rows or sentences, (layers, heads), and how many these are; tallies of batches are added."""

    total: Floats
    n: int

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.total + other.total, self.n + other.n)

    @property
    def mean(self) -> Floats:
        mean: Floats = self.total / max(1, self.n)
        return mean


class Role(NamedTuple):
    """A role that a head may have, and the rule by which it is recognized: a strength of at least `threshold`."""

    label: str
    rule: str
    strength: Callable[[Rows], Tally]  # a mean from 0 to 1
    threshold: float
    kinds: tuple[str, ...]  # of attention that can have this role


@dataclass(frozen=True)
class HeadSummary:
    """The role of each head of one kind in one sentence, (layers, heads): means over rows, and a slug of `ROLES`."""

    entropy: Floats  # nats
    peak: Floats  # the largest weight of a row
    distance: Floats  # in tokens, see `distances`
    role: npt.NDArray[np.str_]


def summarize_heads(attention: Attention, kind: str) -> HeadSummary:
    """Numbers and roles of all heads of one of `KINDS`."""
    weights = attention.view(kind).weights
    return HeadSummary(
        entropy=row_entropies(weights).mean(-1),
        peak=weights.max(-1).mean(-1, dtype=float),
        distance=distances(weights, is_self=kind in SELF).mean(-1),
        role=roles(weights, kind),
    )


def distances(weights: Weights, *, is_self: bool) -> Floats:
    """Mean distance, weighted, between a row's position and the keys it attends to: (..., rows, keys) -> (..., rows).

    In self-attention a row's position is its index; in cross-attention it lies on the diagonal from the first key to
    the last, so that 0 means a perfectly monotonic alignment. In tokens of the keys.
    """
    n_rows, n_keys = weights.shape[-2:]
    step = 1.0 if is_self else (n_keys - 1) / max(1, n_rows - 1)
    positions = np.arange(n_rows, dtype=float) * step  # (rows,)
    away: Floats = (weights * np.abs(positions[:, None] - np.arange(n_keys))).sum(-1)
    return away


def roles(weights: Weights, kind: str) -> npt.NDArray[np.str_]:
    """The first of `ROLES` whose rule each head satisfies: (layers, heads, rows, keys) -> (layers, heads) slugs."""
    if kind not in KINDS:
        raise ValueError(f"there is no attention `{kind}`; there are {', '.join(KINDS)}")
    allowed = np.ones((1, *weights.shape[-2:]), bool)
    rows = Rows(weights[None], np.tril(allowed) if kind == "decoder" else allowed)
    return first_roles(ROLES, {slug: role.strength(rows) for slug, role in of_kind(ROLES, kind)})


def of_kind(known: Mapping[str, Role], kind: str) -> list[tuple[str, Role]]:
    """The roles that a kind of attention can have, in order."""
    return [(slug, role) for slug, role in known.items() if kind in role.kinds]


def first_roles(known: Mapping[str, Role], tallies: Mapping[str, Tally]) -> npt.NDArray[np.str_]:
    """The first role whose rule each head satisfies, (layers, heads) slugs, given the strengths of all of them."""
    slugs = np.full(tallies[NO_ROLE].total.shape, NO_ROLE, dtype=f"<U{max(map(len, known))}")
    for slug in reversed([*tallies]):
        if tallies[slug].n:
            slugs[tallies[slug].mean >= known[slug].threshold] = slug
    return slugs


def _evenness(rows: Rows) -> Tally:
    highest = np.log(np.maximum(rows.n_allowed, 2))[:, None, None]  # (batch, 1, 1, rows)
    return rows.total(row_entropies(rows.weights) / highest, rows.is_free)


def _peaks_at(rows: Rows, offset: int) -> Tally:
    _, n_rows, n_keys = rows.allowed.shape
    target = np.arange(n_rows) + offset
    exists = (target >= 0) & (target < n_keys)
    reachable = rows.allowed[:, np.arange(n_rows), np.where(exists, target, 0)] & exists
    return rows.total(rows.peaks == target, rows.is_free & reachable)


def _weight_on_first(rows: Rows) -> Tally:
    return rows.total(rows.weights[..., 0], rows.is_free)


def _weight_on_last(rows: Rows) -> Tally:
    last = np.maximum(rows.n_allowed.max(-1), 1) - 1  # (batch,)
    index = last[:, None, None, None, None]
    on_last = np.take_along_axis(rows.weights, index, -1)[..., 0]  # (batch, layers, heads, rows)
    return rows.total(on_last, rows.is_free)


def weight_on(rows: Rows, name: str) -> Tally:
    """Each head's weight on the keys of a set, summed over rows."""
    keys = rows.key_sets[name][:, None, None] & rows.allowed[:, None, None]
    return rows.total(np.where(keys, rows.weights, 0.0).sum(-1, dtype=float), rows.is_free)


def peaks_in(rows: Rows, name: str) -> Tally:
    """How many rows have their largest weight in a set, of those for which some allowed keys are in it, others not."""
    keys = rows.key_sets[name] & rows.allowed
    n_in_set = keys.sum(-1)  # (batch, rows)
    has_choice = (n_in_set > 0) & (n_in_set < rows.n_allowed)
    is_in = np.take_along_axis(keys[:, None, None], rows.peaks[..., None], -1)[..., 0]
    return rows.total(is_in, has_choice)


def _monotony(rows: Rows) -> Tally:
    is_free = rows.is_free[:, None, None]  # (batch, 1, 1, rows)
    n = np.maximum(rows.is_free.sum(-1), 1)[:, None, None]  # (batch, 1, 1)
    x = _centered(np.arange(is_free.shape[-1], dtype=float), is_free, n)
    y = _centered(rows.peaks, is_free, n)
    scale = np.sqrt((x**2).sum(-1) * (y**2).sum(-1))  # (batch, layers, heads)
    correlation = np.divide((x * y).sum(-1), scale, out=np.zeros_like(scale), where=scale > 0)
    n_keys = rows.n_allowed.max(-1)[:, None, None]
    is_wide = _n_keys_used(rows) >= HALF * np.minimum(n, n_keys)
    has_rows = rows.is_free.sum(-1) > 0  # (batch,)
    monotony = np.where(is_wide & has_rows[:, None, None], correlation, 0.0).clip(0, 1)
    return Tally(monotony.sum(0), int(has_rows.sum()))


def _centered(values: npt.NDArray[Any], counted: Bools, n: Ints) -> Floats:
    means = np.where(counted, values, 0.0).sum(-1) / n
    centered: Floats = np.where(counted, values - means[..., None], 0.0)
    return centered


def _n_keys_used(rows: Rows) -> Ints:
    """How many keys are the peak of a row: (batch, layers, heads)."""
    *shape, n_keys = rows.weights.shape
    is_used = np.zeros((*shape[:-1], n_keys + 1), bool)
    peaks = np.where(rows.is_free[:, None, None], rows.peaks, n_keys)  # those of no row: beyond
    np.put_along_axis(is_used, peaks, True, -1)
    n_used: Ints = is_used[..., :n_keys].sum(-1)
    return n_used


def _any_head(rows: Rows) -> Tally:
    return Tally(np.ones(rows.weights.shape[1:3]), 1)


# In this order: the first whose rule holds. The positional ones after Voita et al. 2019, section 5.1.
ROLES: Mapping[str, Role] = MappingProxyType(
    {
        "spread": Role(
            "spread out",
            "Entropy is on average at least 90 % of its maximum.",
            _evenness,
            0.9,
            KINDS,
        ),
        "previous": Role(
            "previous token",
            "At least half of the rows have their largest weight one position back.",
            lambda rows: _peaks_at(rows, -1),
            HALF,
            SELF,
        ),
        "next": Role(
            "next token",
            "At least half of the rows have their largest weight one position ahead.",
            lambda rows: _peaks_at(rows, 1),
            HALF,
            ("encoder",),
        ),
        "same": Role(
            "current input token",
            "At least half of the rows have their largest weight on their own input token; in the decoder this is the"
            " previous output word.",
            lambda rows: _peaks_at(rows, 0),
            HALF,
            SELF,
        ),
        "first": Role(
            "first token",
            "At least half of all weight is on the first key, in the decoder the start token: an attention sink.",
            _weight_on_first,
            HALF,
            KINDS,
        ),
        "end": Role(
            "end",
            "At least half of all weight is on the last source token, which is </s> in most models: an attention sink.",
            _weight_on_last,
            HALF,
            ("cross", "encoder"),
        ),
        "aligned": Role(
            "monotonic",
            "The largest weight moves through the source with the rows, mostly along the diagonal; neighbors may cross:"
            " correlation at least 0.7, over at least half of the source tokens.",
            _monotony,
            0.7,
            ("cross",),
        ),
        NO_ROLE: Role(
            "mixed",
            "None of these rules holds.",
            _any_head,
            1.0,
            KINDS,
        ),
    }
)
