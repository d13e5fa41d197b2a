"""The position encodings, a row each: all that the rest of the program knows of them. Standard library only.

One more encoding is a module in `s2s/model/positions/` and a row here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class PositionKind(NamedTuple):
    """A position encoding. `code` is module and class below `s2s.model.positions`, imported when a model is built."""

    label: str
    summary: str
    source: str
    code: str
    acts_on: str  # what it changes: "vectors", "queries and keys", "scores", or nothing
    table: tuple[str, ...] = ()  # the axes of its trained table, if it has one
    even: str = ""  # the width whose columns it takes in pairs
    settings: tuple[str, ...] = ()  # of `Positions` that it reads, beside `kind` and `offset`

    @property
    def is_bounded(self) -> bool:
        """Whether a sequence longer than `positions.max_length` cannot be read."""
        return "positions" in self.table


_ROWS = {
    "sinusoidal": PositionKind(
        "Sinusoidal",
        "Fixed sine and cosine waves are added to the token vectors.",
        "Vaswani et al. 2017, section 3.5",
        "absolute:Sinusoidal",
        acts_on="vectors",
        even="d_model",
        settings=("base", "layout"),
    ),
    "learned": PositionKind(
        "Learned",
        "One trained vector per position is added to the token's.",
        "Gehring et al. 2017",
        "absolute:Learned",
        acts_on="vectors",
        table=("positions", "d_model"),
    ),
    "rotary": PositionKind(
        "Rotary",
        "Queries and keys are rotated by an angle that grows with their position.",
        "Su et al. 2021",
        "rotary:Rotary",
        acts_on="queries and keys",
        even="d_head",
        settings=("base", "layout"),
    ),
    "alibi": PositionKind(
        "ALiBi",
        "Attention scores fall linearly with distance.",
        "Press et al. 2022",
        "alibi:Alibi",
        acts_on="scores",
    ),
    "relative": PositionKind(
        "T5's relative buckets",
        "A learned number for each range of distances is added to the attention scores.",
        "Raffel et al. 2020",
        "relative:Relative",
        acts_on="scores",
        table=("buckets", "heads"),
        settings=("buckets", "max_distance"),
    ),
    "none": PositionKind(
        "None", "No positions: only the causal mask tells order.", "", "base:Position", acts_on=""
    ),
}
POSITION_KINDS: Mapping[str, PositionKind] = MappingProxyType(_ROWS)
