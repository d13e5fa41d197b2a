"""The options after the `#` of a SPEC that all sources share."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.config import Config, setting

ENCODING = "Encoding of a text that is not UTF-8, such as cp1251; empty to detect it."


@dataclass(frozen=True)
class Options(Config):
    """The options after the `#` of any SPEC."""

    rows: int | None = setting(
        None,
        1,
        help="Keep this many pairs of each split, the first or a `sample`; empty keeps all.",
    )
    sample: int | None = setting(
        None,
        0,
        help="Seed with which the rows are drawn at random from the split; empty takes the first ones.",
    )
    split: str = setting("", help="Use only this split; empty for all splits of the source.")
