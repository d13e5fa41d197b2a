"""What all sources share: the options after the `#` of a SPEC, the rows they draw, and the limits of reading."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
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


def choose_indices(total: int, n: int, generator: random.Random) -> Iterator[int]:
    """`n` of the numbers below `total`, ascending, each set equally probable (Knuth, algorithm 3.4.2 S)."""
    needed = min(n, total)
    for at in range(total):
        if not needed:
            return
        if generator.random() * (total - at) < needed:
            needed -= 1
            yield at


def chosen_rows(total: int, n: int, seed: int | None) -> Sequence[int]:
    """The first `n` of the numbers below `total`, or with a seed a random `n` of them, ascending."""
    if seed is None:
        return range(min(n, total))
    return list(choose_indices(total, n, random.Random(seed)))


@dataclass(frozen=True)
class Caps(Config):
    """Limits of one reading.

    More rows or longer texts are truncated with a note; anything else beyond a limit is refused.
    """

    rows: int = setting(2_000_000, 1, help="Rows.")
    bytes: int = setting(500_000_000, 1, help="Bytes read from a file, or downloaded from the Hub.")
    unpacked: int = setting(
        1_000_000_000, 1, help="Bytes after decompressing .gz and .zip, and of parquet columns."
    )
    line: int = setting(1_000_000, 1, help="Bytes of one line.")
    columns: int = setting(1000, 2, help="Columns of a table.")
    cell: int = setting(100_000, 1, help="Characters of one text.")
    seconds: float = setting(300.0, 0.1, help="Seconds for the whole reading.")
