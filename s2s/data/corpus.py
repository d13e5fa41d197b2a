"""A parallel text with a name: the pairs of one split, what is to be said about them, and how they are written to files."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from s2s.config import Config, setting
from s2s.data.pair import Gold, Pair
from s2s.files import write_text


@dataclass(frozen=True)
class Options(Config):
    """What may follow the `#` of any SPEC."""

    rows: int | None = setting(
        None, 1, help="Keep the first so many pairs of each split; empty keeps all."
    )
    split: str = setting("", help="Take this split alone; empty offers all that the source has.")


@dataclass(frozen=True)
class Corpus:
    """The pairs of one split of a source. `notes` are sentences for people, e.g. "3 empty lines dropped.".

    Plain text has no targets: each pair holds one text on both sides.
    """

    spec: str
    split: str
    pairs: tuple[Pair, ...]
    notes: tuple[str, ...] = ()
    is_plain: bool = False

    def __len__(self) -> int:
        return len(self.pairs)

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the texts in order, 64 hex digits; name, notes and gold play no part."""
        digest = hashlib.sha256()
        for pair in self.pairs:
            digest.update(
                json.dumps([pair.src, pair.tgt]).encode() + b"\n"
            )  # JSON, so that no two lists of pairs look alike
        return digest.hexdigest()


# What a source gives: a function a split, called when the pairs are wanted.
Splits = Mapping[str, Callable[[], Corpus]]


def one_line(text: str) -> str:
    r"""A text fit for a file of lines: each run of line breaks (`\n`, `\r`) becomes one blank."""
    return re.sub(r"[\r\n]+", " ", text) if "\n" in text or "\r" in text else text


def write_split(corpus: Corpus, folder: str | Path) -> tuple[Path, ...]:
    """Writes `S.src` and `S.tgt` (S: the split) and, with gold, `S.align`: per pair its links as 0-based `i-j`, words split on blanks.

    Each file is written whole; an `S.align` left from other pairs is removed. Returns the files.
    Raises UserError where they cannot be written.
    """
    folder = Path(folder)
    pairs = corpus.pairs
    src, tgt, align = (folder / f"{corpus.split}.{suffix}" for suffix in ("src", "tgt", "align"))
    _write_lines(src, (one_line(pair.src) for pair in pairs))
    _write_lines(tgt, (one_line(pair.tgt) for pair in pairs))
    if all(pair.gold is None for pair in pairs):
        align.unlink(missing_ok=True)
        return src, tgt
    _write_lines(align, (_links(pair.gold) for pair in pairs))
    return src, tgt, align


def _links(gold: Gold | None) -> str:
    return " ".join(f"{link.src}-{link.tgt}" for link in gold.links) if gold else ""


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    write_text(path, "".join(f"{line}\n" for line in lines))
