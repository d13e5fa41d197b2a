"""The settings of the pictures on Positions. Their names and values stand in links."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.config import Config, Positions, UserError, setting


@dataclass(frozen=True)
class PositionSettings(Config):
    """Each picture uses some of them."""

    length: int = setting(128, 2, 2048, label="Positions", help="How many positions are drawn.")
    d_model: int = setting(
        128, 2, 1024, label="Model dimension", help="Columns of a position vector."
    )
    d_head: int = setting(
        32,
        2,
        256,
        label="Head dimension",
        help="Columns of one head's queries and keys, which are rotated in pairs.",
    )
    base: float = setting(
        10_000.0,
        1.1,
        1e6,
        label="Frequency base",
        help="The slowest wave has a period of nearly 2 pi times this many positions.",
    )
    layout: str = setting(
        "halves",
        label="Sine and cosine layout",
        help="All sines before all cosines, or each sine next to its cosine.",
        choices=("interleaved", "halves"),
    )
    heads: int = setting(
        8, 1, 64, label="Attention heads", help="Heads of one layer: each has its own slope."
    )
    buckets: int = setting(
        32,
        4,
        256,
        label="Distance buckets",
        help="How many scores are learned; distances share them.",
    )
    max_distance: int = setting(
        128,
        2,
        4096,
        label="Maximum distance",
        help="From this distance on, all distances share the last bucket.",
    )
    pair: int = setting(
        4,
        1,
        512,
        label="Pair of columns",
        help="Which sine and its cosine, counted from the fastest.",
    )
    offset: int = setting(5, 0, 2047, help="How many positions apart.")
    measure: str = setting(
        "cosine",
        label="Similarity measure",
        help="Dot products grow with the vectors' lengths, cosines do not.",
        choices=("cosine", "dot"),
    )
    vectors: str = setting(
        "alike",
        label="Query and key",
        help="The same random vector, two independent random vectors, or both all ones.",
        choices=("alike", "unlike", "ones"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.d_head % 2:
            raise UserError(
                f"`d_head` {self.d_head} is odd and rotary positions rotate pairs of columns; try {self.d_head + 1}."
            )
        self.positions("relative")

    def positions(self, kind: str) -> Positions:
        """The config of a model's positions. Raises UserError for buckets and a distance that do not fit together."""
        return Positions(
            kind,
            layout=self.layout,
            base=self.base,
            buckets=self.buckets,
            max_distance=self.max_distance,
        )
