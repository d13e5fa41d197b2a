"""How much of a stranger's file or data set is read at most."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.config import Config, setting


@dataclass(frozen=True)
class Caps(Config):
    """Limits of one reading; what goes beyond is refused in a sentence, but for rows and cells, which are cut and said."""

    rows: int = setting(2_000_000, 1, help="Rows.")
    bytes: int = setting(500_000_000, 1, help="Bytes read from a file, or fetched from the hub.")
    unpacked: int = setting(
        1_000_000_000, 1, help="Bytes after unpacking .gz and .zip, and of parquet columns."
    )
    line: int = setting(1_000_000, 1, help="Bytes of one line.")
    cell: int = setting(100_000, 1, help="Characters of one text.")
    seconds: float = setting(300.0, 0.1, help="Time of the whole reading.")
