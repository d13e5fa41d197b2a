"""The pairs of one split of a dataset, with notes; and how they are written to files."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from s2s.config import Config, UserError, setting, shortened
from s2s.data import interop
from s2s.data.formats.columns import further_note
from s2s.data.pair import Gold, Pair
from s2s.files import write_text

if TYPE_CHECKING:
    import datasets

WHOLE = re.compile(r"[-+]?\d+\.0", re.ASCII)
MOST_JUDGED = 100_000  # pairs whose different texts are counted


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


ENCODING = "Encoding of a text that is not UTF-8, such as cp1251; empty to detect it."


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
        """In two lines at most: without its pairs."""
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
        cls, dataset: datasets.Dataset, src: str = "", tgt: str = "", lists: str = "auto"
    ) -> Corpus:
        """Two columns of a dataset, nested ones as `translation.en`; without names they are guessed.

        The same column twice, or the only text column, is plain text. A list of texts is joined as `lists` says:
        `space`, `turn`, `line` (a pair per text) or `auto`. Rows without text on both sides are dropped. Columns such
        as `ref2`, and the rest of a list of references, are further references. Raises UserError for an unknown column,
        if there is no pair, and for several splits or a stream instead of a dataset.
        """
        return of_dataset(dataset, src, tgt, lists)


def of_dataset(
    dataset: datasets.Dataset,
    src: str = "",
    tgt: str = "",
    lists: str = "auto",
    option: str = 'tgt="{1}"',
) -> Corpus:
    """`Corpus.from_datasets`, whose notes call the choice of the columns {0} and {1} as `option` does."""
    found = interop.read_columns(dataset, src, tgt, lists)
    pairs: Sequence[Pair] = tuple(
        Pair(one_line(one), one_line(other), more=tuple(map(one_line, filter(str.strip, more))))
        for one, other, *more in found.rows
        if one.strip() and other.strip()
    )
    if not pairs:
        raise UserError(
            f"No row has text in both `{shortened(found.src, 90)}` and `{shortened(found.tgt, 90)}`; choose other"
            " columns."
        )
    pairs, whole = whole_numbers(pairs)
    two = f"`{found.src}` is the source, `{found.tgt}` the target."
    plain = f"`{found.src}` is read as plain text: choose a task without targets, or two columns."
    is_plain = found.src == found.tgt
    notes = [f"{plain if is_plain else two}{found.passed_over}", *further_note(found.more)]
    if found.likelier:
        chosen = option.format(found.src, found.likelier)
        notes.append(few_targets_note(pairs, f"`{found.likelier}`", chosen))
    notes += [*whole, *found.notes, *broken_note(map("".join, found.rows))]
    if n_lost := len(found.rows) - len(pairs):
        rows = "row" if n_lost == 1 else "rows"
        notes.append(f"{n_lost:,} {rows} without text in both columns dropped.")
    split = str(dataset.split or "train")
    return Corpus("datasets", split, tuple(pairs), tuple(notes), is_plain=is_plain)


def whole_numbers(pairs: Sequence[Pair]) -> tuple[Sequence[Pair], list[str]]:
    """The pairs, with 3 for 3.0 where a side has whole numbers only, which a column with gaps is written as."""
    found = [
        side
        for side in ("src", "tgt")
        if pairs and all(WHOLE.fullmatch(getattr(pair, side)) for pair in pairs)
    ]
    if not found:
        return pairs, []
    first = str(getattr(pairs[0], found[0]))
    read = [
        replace(pair, **{side: getattr(pair, side).removesuffix(".0") for side in found})
        for pair in pairs
    ]
    return read, [
        f"Whole numbers are read without `.0`: `{first}` is `{first.removesuffix('.0')}`."
    ]


def few_targets_note(pairs: Sequence[Pair], column: str, option: str) -> str:
    """How many different texts each side has, and which other column may be the target, chosen by `option`."""
    judged = pairs[:MOST_JUDGED]
    n_src, n_tgt = len({pair.src for pair in judged}), len({pair.tgt for pair in judged})
    of = f"Of the first {MOST_JUDGED:,} pairs, " if len(pairs) > MOST_JUDGED else ""
    return f"{of}{n_src:,} sources have {n_tgt:,} targets; another column may be the target: {column}, with `{option}`."


# What a source returns: a function per split, which reads the pairs when it is called.
Splits = Mapping[str, Callable[[], Corpus]]


def one_line(text: str) -> str:
    r"""The text on one line: each line break, with the white space around it, becomes one space."""
    if "\n" not in text and "\r" not in text:
        return text
    return " ".join(filter(None, map(str.strip, re.split("[\r\n]+", text))))


def broken_note(rows: int | Iterable[str]) -> list[str]:
    """What was made of line breaks in texts, if any, given the number of their rows or the text of all rows."""
    n = rows if isinstance(rows, int) else sum("\n" in row or "\r" in row for row in rows)
    said = "each became one space, with the white space around it"
    return [f"Line breaks in {n:,} {'row' if n == 1 else 'rows'}: {said}."] if n else []


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
