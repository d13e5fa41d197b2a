"""The limits on reading an untrusted file or dataset."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.config import Config, setting


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
