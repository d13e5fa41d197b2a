"""The pairs of one split of a dataset, with notes; and how they are written to files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from s2s.config import shortened
from s2s.data import interop
from s2s.data.formats.table import one_line
from s2s.data.pair import Gold, Pair
from s2s.files import write_text

if TYPE_CHECKING:
    import datasets


@dataclass(frozen=True)
class Corpus:
    """The pairs of one split. `notes` are sentences for people, such as "3 empty lines dropped.".

    Plain text has no targets: each pair has the same text on both sides. `dropped` counts the pairs that a recipe left
    out, as (why, how many). Where a limit ended the reading, the pairs are not the whole split, but its first ones.
    Passages may overlap: each then shares text with the `n_overlapping` after it.
    """

    spec: str
    split: str
    pairs: tuple[Pair, ...]
    notes: tuple[str, ...] = ()
    is_plain: bool = False
    dropped: tuple[tuple[str, int], ...] = ()
    is_whole: bool = True
    n_overlapping: int = 0
    task: str = ""  # that made these pairs

    def __repr__(self) -> str:
        """The corpus in two lines at most, without its pairs."""
        spec, split = shortened(repr(self.spec), 100), shortened(repr(self.split), 30)
        plain = ", plain text" if self.is_plain else ""
        return f"Corpus({spec}, {split}: {len(self):,} pairs{plain}, {len(self.notes)} notes)"

    def __len__(self) -> int:
        return len(self.pairs)

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the texts in order, 64 hex digits; independent of name, notes and gold."""
        digest = hashlib.sha256()
        for pair in self.pairs:
            # JSON, so that different pairs never give the same bytes.
            digest.update(json.dumps([pair.src, pair.tgt]).encode() + b"\n")
        return digest.hexdigest()

    def to_datasets(self) -> datasets.Dataset:
        """A dataset with the columns `src` and `tgt`; spec, split and notes are in its description."""
        description = "\n".join([f"{self.spec}, split {self.split}", *self.notes])
        return interop.write_columns(((pair.src, pair.tgt) for pair in self.pairs), description)

    @classmethod
    def from_datasets(
        cls,
        dataset: datasets.Dataset,
        src: str = "",
        tgt: str = "",
        lists: str = "auto",
        *,
        advice: str = 'src="{0}", tgt="{1}"',
    ) -> Corpus:
        """Two columns of a dataset, nested ones as `translation.en`; without names they are guessed.

        The same column twice, or the only text column, is plain text. A list of texts is joined as `lists` says:
        `space`, `turn`, `line` (a pair per text) or `auto`. Rows without text on both sides are dropped. Columns such
        as `ref2`, and the rest of a list of references, are further references. Notes say with `advice` how
        other columns are chosen. Raises UserError for an unknown column,
        if there is no pair, and for several splits or a stream instead of a dataset.
        """
        found = interop.read_pairs(dataset, src, tgt, lists, of="Dataset", advice=advice)
        split = str(dataset.split or "train")
        pairs, notes = tuple(found.pairs), tuple(found.notes)
        return cls("datasets", split, pairs, notes, is_plain=found.is_plain)


# What a source returns: a function per split, which reads the pairs when it is called.
Splits = Mapping[str, Callable[[], Corpus]]


def write_split(corpus: Corpus, folder: str | Path) -> tuple[Path, ...]:
    """Writes `S.src` and `S.tgt` (S: the split) and, with gold, `S.align`: 0-based word links `i-j` per pair.

    Words are split on spaces. Each file is written atomically; an old `S.align` is removed. Returns the paths.
    Raises UserError if the files cannot be written.
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
