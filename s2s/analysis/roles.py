"""What each head does in one sentence: a few numbers and a role. Arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from s2s.analysis.alignment import Floats, Ints, row_entropies
from s2s.analysis.attention import KINDS, Attention, Weights

Bools = npt.NDArray[np.bool_]
SELF = ("encoder", "decoder")
HALF = 0.5  # of the rows, or of the weight
SPREAD = 0.9  # of the highest possible entropy
MONOTONIC = 0.7  # a correlation
NO_ROLE = "mixed"


@dataclass(frozen=True)
class FreeRows:
    """The rows that may look at more than one key, of every head of one kind."""

    weights: Weights  # (layers, heads, rows, keys)
    positions: Ints  # (rows,) of each row among all rows
    max_entropy: Floats  # (rows,) nats
    n_rows: int  # all rows, those with a single key included

    @property
    def peaks(self) -> Ints:
        """The key of most weight in each row, the first of equals: (layers, heads, rows)."""
        peaks: Ints = self.weights.argmax(-1)
        return peaks


class Role(NamedTuple):
    """What a head may do, and the rule by which it is recognized."""

    label: str
    rule: str
    applies: Callable[[FreeRows], Bools]  # -> (layers, heads)
    kinds: tuple[str, ...]  # of attention that can have this role


@dataclass(frozen=True)
class HeadSummary:
    """Each head of one kind in one sentence, (layers, heads): means over rows, and a slug of `ROLES`."""

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
    rows = _free_rows(weights, is_causal=kind == "decoder")
    slugs = np.full(weights.shape[:2], NO_ROLE, dtype=f"<U{max(map(len, ROLES))}")
    if len(rows.positions):
        for slug, role in reversed([*ROLES.items()]):
            if kind in role.kinds:
                slugs[role.applies(rows)] = slug
    return slugs


def _free_rows(weights: Weights, *, is_causal: bool) -> FreeRows:
    n_rows, n_keys = weights.shape[-2:]
    allowed = np.minimum(np.arange(1, n_rows + 1), n_keys) if is_causal else np.full(n_rows, n_keys)
    positions = np.flatnonzero(allowed > 1)
    return FreeRows(weights[:, :, positions], positions, np.log(allowed[positions]), n_rows)


def _is_spread(rows: FreeRows) -> Bools:
    is_spread: Bools = (row_entropies(rows.weights) / rows.max_entropy).mean(-1) >= SPREAD
    return is_spread


def _peaks_at(rows: FreeRows, offset: int) -> Bools:
    """Whether at least half of the rows that have a key at that offset have their largest weight there."""
    target = rows.positions + offset
    has_key = (target >= 0) & (target < rows.n_rows)
    if not has_key.any():
        return np.zeros(rows.weights.shape[:2], bool)
    peaks_at: Bools = (rows.peaks == target)[..., has_key].mean(-1) >= HALF
    return peaks_at


def _rests_on(rows: FreeRows, key: int) -> Bools:
    rests_on: Bools = rows.weights[..., key].mean(-1, dtype=float) >= HALF
    return rests_on


def _is_monotonic(rows: FreeRows) -> Bools:
    """Positions and peaks correlate, and the peaks are spread over at least half of the keys."""
    peaks = rows.peaks
    x = rows.positions - rows.positions.mean()
    y = peaks - peaks.mean(-1, keepdims=True)
    scale = np.sqrt((x**2).sum() * (y**2).sum(-1))
    correlation = np.divide((x * y).sum(-1), scale, out=np.zeros_like(scale), where=scale > 0)
    n_keys_used = (np.diff(np.sort(peaks, -1), axis=-1) > 0).sum(-1) + 1
    is_wide = n_keys_used >= HALF * min(rows.weights.shape[-2:])
    is_monotonic: Bools = (correlation >= MONOTONIC) & is_wide
    return is_monotonic


# In this order: the first whose rule holds. The positional ones after Voita et al. 2019, section 5.1.
ROLES: Mapping[str, Role] = MappingProxyType(
    {
        "spread": Role(
            "spread out",
            "Entropy is on average at least 90 % of its maximum.",
            _is_spread,
            KINDS,
        ),
        "previous": Role(
            "previous token",
            "At least half of the rows have their largest weight one position back.",
            lambda rows: _peaks_at(rows, -1),
            SELF,
        ),
        "next": Role(
            "next token",
            "At least half of the rows have their largest weight one position ahead.",
            lambda rows: _peaks_at(rows, 1),
            ("encoder",),
        ),
        "same": Role(
            "current input token",
            "At least half of the rows have their largest weight on their own input token; in the decoder this is the"
            " previous output word.",
            lambda rows: _peaks_at(rows, 0),
            SELF,
        ),
        "first": Role(
            "first token",
            "At least half of all weight is on the first key, <s> in the decoder.",
            lambda rows: _rests_on(rows, 0),
            KINDS,
        ),
        "end": Role(
            "end",
            "At least half of all weight is on </s>.",
            lambda rows: _rests_on(rows, -1),
            ("cross", "encoder"),
        ),
        "aligned": Role(
            "monotonic",
            "The largest weight moves through the source with the rows: correlation at least 0.7, over at least half"
            " of the source tokens.",
            _is_monotonic,
            ("cross",),
        ),
        NO_ROLE: Role(
            "mixed",
            "None of these rules holds.",
            lambda rows: np.ones(rows.weights.shape[:2], bool),
            KINDS,
        ),
    }
)
