"""A split of a dataset as a Corpus: its pairs, and notes on which rows they are."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from s2s import hub
from s2s.config import UserError, setting, shortened
from s2s.data.corpus import Corpus
from s2s.data.formats import lists
from s2s.data.formats.streams import ReadingBudget
from s2s.data.formats.table import TableRow, broken_note, one_line
from s2s.data.options import ENCODING, Caps, Options
from s2s.data.pair import Pair
from s2s.data.repository import sampling
from s2s.data.repository.origins import Origin
from s2s.data.repository.reading import SplitReader

NO_LIMIT = sys.maxsize


@dataclass(frozen=True)
class RowOptions(Options):
    """The options of a source whose splits are tables."""

    src: str = setting(
        "",
        help="Source column: a name such as `translation.en`, or a number from 1; empty to guess by name.",
    )
    tgt: str = setting("", help="Target column, as for src. The same column twice is plain text.")
    encoding: str = setting("", help=ENCODING)
    lists: str = setting("auto", help=lists.HELP, choices=lists.WAYS)


def read_corpus(
    origin: Origin,
    part: hub.Split,
    options: RowOptions,
    *,
    split: str,
    config: str = "",
    notes: Sequence[str] = (),
    caps: Caps,
) -> Corpus:
    """The pairs of a split: its first rows, or with `options.sample` random ones. Raises UserError without any."""
    with budget(caps, options.encoding) as limits:
        reader = SplitReader(origin, limits, options.src, options.tgt, config, options.lists)
        rows, rows_notes = _rows(reader, part, options, caps)
    pairs = []
    for row in rows:
        texts = [one_line(reader.budget.truncate(text or "")) for text in row.fields or ()]
        src, tgt, *more = [*texts, "", ""][: max(2, len(texts))]
        if src.strip() and tgt.strip():
            pairs.append(Pair(src, tgt, more=tuple(filter(str.strip, more))))
    if reader.empty and not rows:
        raise reader.empty[0]
    if not pairs:
        which = "the drawn" if options.sample is not None else "the first"
        raise UserError(
            f"`{shortened(origin.name)}` has no row with text in both columns in {which} {len(rows):,}; choose other"
            " columns."
        )
    all_notes = (
        *notes,
        *part.notes,
        *reader.column_notes,
        *rows_notes,
        *_empty_note(len(reader.empty)),
        *broken_note("".join(text or "" for text in row.fields or ()) for row in rows),
        *_dropped_note(len(rows) - len(pairs)),
        *reader.budget.all_notes(),
    )
    return Corpus(origin.name, split, tuple(pairs), all_notes, reader.is_plain)


def budget(caps: Caps, encoding: str = "") -> ReadingBudget:
    """Limits without the size of a file, because only parts of it may be read; a download has its own limit."""
    return ReadingBudget(replace(caps, bytes=NO_LIMIT), encoding=encoding)


def _rows(
    reader: SplitReader, part: hub.Split, options: RowOptions, caps: Caps
) -> tuple[list[TableRow], tuple[str, ...]]:
    n_wanted = min(options.rows or caps.rows, caps.rows)
    if options.sample is None:
        rows = list(itertools.islice(reader.rows(part.files), n_wanted))
        return rows, _first_note(part, len(rows), n_wanted)
    sample = sampling.draw(reader, part.files, n_wanted, options.sample)
    return sample.rows, _sample_note(part, sample, options.sample)


def _first_note(part: hub.Split, n_read: int, n_wanted: int) -> tuple[str, ...]:
    if n_read < n_wanted or part.rows == n_read:
        return ()
    of_all = f" of {part.rows:,}" if part.rows else ""
    return (f"The first {n_read:,}{of_all} rows are used.",)


def _sample_note(part: hub.Split, sample: sampling.Sample, seed: int) -> tuple[str, ...]:
    n = sample.n_drawn
    if n >= sample.n_seen and not sample.parts:
        return ()
    drawn = f"rows, drawn at random with seed {seed}"
    if not sample.parts:
        return (f"{n:,} of {sample.n_seen:,} {drawn}.",)
    total = part.rows or sample.total
    of_all = f" of about {total:,}" if total else ""
    return (f"{n:,}{of_all} {drawn} from {sample.n_seen:,} rows in {sample.parts}.",)


def _empty_note(n: int) -> tuple[str, ...]:
    return (
        (f"{n:,} {'file without rows was' if n == 1 else 'files without rows were'} left out.",)
        if n
        else ()
    )


def _dropped_note(n: int) -> tuple[str, ...]:
    if n <= 0:
        return ()
    return (f"{n:,} {'row' if n == 1 else 'rows'} without text in both columns dropped.",)
