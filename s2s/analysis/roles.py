"""What each head does in one sentence, in numbers and in a word. Arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from s2s.analysis.alignment import Floats, Ints, entropies
from s2s.analysis.attention import KINDS, Attention, Weights

Bools = npt.NDArray[np.bool_]
SELF = ("encoder", "decoder")
HALF = 0.5  # of the rows, or of the weight
EVEN = 0.9  # of the largest entropy there can be
STRAIGHT = 0.7  # a correlation
NONE = "mixed"


@dataclass(frozen=True)
class Rows:
    """What the rules of roles look at: the rows that may look at more than one key, of every head of one kind."""

    weights: Weights  # (layers, heads, rows, keys)
    at: Ints  # (rows,) the place of each row among all rows
    most: Floats  # (rows,) the largest entropy that a row can have, nats
    n_rows: int  # with those that have no choice

    @property
    def peaks(self) -> Ints:
        """The key that each row looks at most, the first of equals: (layers, heads, rows)."""
        peaks: Ints = self.weights.argmax(-1)
        return peaks


class Role(NamedTuple):
    """One row: its name for people, the rule in a sentence, the rule itself -> (layers, heads), and which kinds can have it."""

    label: str
    rule: str
    applies: Callable[[Rows], Bools]
    kinds: tuple[str, ...]


@dataclass(frozen=True)
class Heads:
    """Of each head of one kind in one sentence, (layers, heads): means over rows, and a row of `ROLES`."""

    entropy: Floats  # nats
    peak: Floats  # the largest weight of a row
    distance: Floats  # tokens from a row's own place; see `distances`
    role: npt.NDArray[np.str_]


def heads(seen: Attention, kind: str) -> Heads:
    """Numbers and roles of all heads of one of `KINDS`."""
    weights = seen.view(kind).weights
    distance = distances(weights, is_self=kind in SELF).mean(-1)
    return Heads(
        entropies(weights).mean(-1),
        weights.max(-1).mean(-1, dtype=float),
        distance,
        roles(weights, kind),
    )


def distances(weights: Weights, *, is_self: bool) -> Floats:
    """How far a row looks from its own place, weighted, in tokens of the keys: (..., rows, keys) -> (..., rows).

    In self-attention a row's place is its number; else the straight way from the first key to the last is shared out evenly
    over the rows, so that 0 means that both sentences are walked through in step.
    """
    n_rows, n_keys = weights.shape[-2:]
    own = np.arange(n_rows, dtype=float) * (1.0 if is_self else (n_keys - 1) / max(1, n_rows - 1))
    away: Floats = (weights * np.abs(own[:, None] - np.arange(n_keys))).sum(-1)
    return away


def roles(weights: Weights, kind: str) -> npt.NDArray[np.str_]:
    """The first of `ROLES` whose rule each head keeps: (layers, heads, rows, keys) -> (layers, heads) slugs."""
    if kind not in KINDS:
        raise ValueError(f"there is no attention `{kind}`; there are {', '.join(KINDS)}")
    rows = _with_a_choice(weights, is_causal=kind == "decoder")
    found = np.full(weights.shape[:2], NONE, dtype=f"<U{max(map(len, ROLES))}")
    if len(rows.at):
        for slug, role in reversed([*ROLES.items()]):
            if kind in role.kinds:
                found[role.applies(rows)] = slug
    return found


def _with_a_choice(weights: Weights, *, is_causal: bool) -> Rows:
    n_rows, n_keys = weights.shape[-2:]
    allowed = np.minimum(np.arange(1, n_rows + 1), n_keys) if is_causal else np.full(n_rows, n_keys)
    at = np.flatnonzero(allowed > 1)
    return Rows(weights[:, :, at], at, np.log(allowed[at]), n_rows)


def _is_spread(rows: Rows) -> Bools:
    is_spread: Bools = (entropies(rows.weights) / rows.most).mean(-1) >= EVEN
    return is_spread


def _looks(rows: Rows, offset: int) -> Bools:
    """Whether at least half of the rows that have a key at that offset look there most."""
    has = (rows.at + offset >= 0) & (rows.at + offset < rows.n_rows)
    if not has.any():
        return np.zeros(rows.weights.shape[:2], bool)
    looks: Bools = (rows.peaks == rows.at + offset)[..., has].mean(-1) >= HALF
    return looks


def _rests_on(rows: Rows, key: int) -> Bools:
    rests: Bools = rows.weights[..., key].mean(-1, dtype=float) >= HALF
    return rests


def _is_aligned(rows: Rows) -> Bools:
    """A correlation of where rows stand and where they look; a head that stays on a few keys walks through nothing."""
    peaks = rows.peaks
    own = rows.at - rows.at.mean()
    where = peaks - peaks.mean(-1, keepdims=True)
    spread = np.sqrt((own**2).sum() * (where**2).sum(-1))
    straight = np.divide((own * where).sum(-1), spread, out=np.zeros_like(spread), where=spread > 0)
    visited = (np.diff(np.sort(peaks, -1), axis=-1) > 0).sum(-1) + 1
    is_aligned: Bools = (straight >= STRAIGHT) & (visited >= HALF * min(rows.weights.shape[-2:]))
    return is_aligned


# In this order: the first whose rule holds. The positional ones after Voita et al. 2019, section 5.1.
ROLES: Mapping[str, Role] = MappingProxyType(
    {
        "spread": Role(
            "spread out",
            "Entropy is on average at least 90 % of what it can be.",
            _is_spread,
            KINDS,
        ),
        "previous": Role(
            "previous token",
            "At least half of the rows look most one place back.",
            lambda rows: _looks(rows, -1),
            SELF,
        ),
        "next": Role(
            "next token",
            "At least half of the rows look most one place ahead.",
            lambda rows: _looks(rows, 1),
            ("encoder",),
        ),
        "same": Role(
            "same place",
            "At least half of the rows look most at their own place.",
            lambda rows: _looks(rows, 0),
            SELF,
        ),
        "first": Role(
            "first token",
            "At least half of all weight lies on the first key, <s> in the decoder.",
            lambda rows: _rests_on(rows, 0),
            KINDS,
        ),
        "end": Role(
            "end",
            "At least half of all weight lies on </s>.",
            lambda rows: _rests_on(rows, -1),
            ("cross", "encoder"),
        ),
        "aligned": Role(
            "in step",
            "Where rows look most goes through the source as they do: correlation at least 0.7, over at least half of its tokens.",
            _is_aligned,
            ("cross",),
        ),
        NONE: Role(
            "mixed",
            "None of these rules holds.",
            lambda rows: np.ones(rows.weights.shape[:2], bool),
            KINDS,
        ),
    }
)
