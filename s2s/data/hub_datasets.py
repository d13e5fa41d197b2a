"""Pairs from a dataset on the Hub: two columns of the first rows of a split, downloading no more than needed."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from s2s import hub
from s2s.config import UserError, setting, shortened, unknown
from s2s.data.caps import Caps
from s2s.data.corpus import Corpus, Options, Splits, one_line
from s2s.data.formats import columns, delimited, objects, parquet, streams
from s2s.data.formats.columns import Column
from s2s.data.formats.streams import Content, ReadingBudget
from s2s.data.formats.table import HEAD, TURN, Table, TableRow
from s2s.data.pair import Pair

HUB_ROWS = 20_000  # per split, by default
N_SAMPLE_ROWS = 5
MAX_CHARACTERS = 1000  # of a text in a sample
SAMPLE_CAPS = Caps(bytes=32_000_000, seconds=4.0)  # a page waits for it
NO_LIMIT = sys.maxsize


@dataclass(frozen=True)
class HubOptions(Options):
    """The options after the `#` of `hub:OWNER/NAME` or `hub:OWNER/NAME:CONFIG`."""

    rows: int | None = setting(
        HUB_ROWS,
        1,
        help="Read this many rows of each split; null reads all, up to the reading limits.",
    )
    src: str = setting(
        "",
        help="Source column: a name such as `translation.en`, or a number from 1; empty to guess by name.",
    )
    tgt: str = setting("", help="Target column, as for src. The same column twice is plain text.")
    revision: str = setting("", help="Commit to read; empty for the newest.")


class HubSample(NamedTuple):
    """All columns and their first rows, shown before anything is loaded."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]


class Chosen(NamedTuple):
    """The indices of two columns, and the reason as part of a sentence."""

    src: int
    tgt: int
    reason: str


def opened(location: str, options: HubOptions) -> Splits:
    """The splits of a configuration, with one request; each is read when it is called, with the token of `hub.using`.

    Raises UserError for an invalid name and for the Hub's failures.
    """
    name, config = split_config(location)
    found = hub.look_up(name, options.revision)
    return {
        split: partial(_corpus, found, config, split, options) for split in found.splits(config)
    }


def pinned(spec: str, location: str, options: HubOptions) -> str:
    """The spec with the current revision. Raises UserError as `opened` does."""
    if options.revision:
        return spec
    return (
        f"{spec}{',' if '#' in spec else '#'}revision={hub.look_up(split_config(location)[0]).sha}"
    )


def split_config(location: str) -> tuple[str, str]:
    """`"owner/name:de-en"` -> `("owner/name", "de-en")`; an address has no configuration."""
    if "://" in location:
        return hub.check(location), ""
    name, _, config = location.partition(":")
    return hub.check(name), config


def sample(dataset: hub.Dataset, config: str, split: str, token: str = "") -> HubSample:
    """The columns and first five rows of a split, within five seconds. Raises UserError if there is no text."""
    part = dataset.split(config, split)
    download = hub.Budget(SAMPLE_CAPS.bytes, SAMPLE_CAPS.seconds)
    budget = _budget(SAMPLE_CAPS)
    table = _table(dataset, part.files[0], token, download, budget)
    _texts(dataset.id, table.columns)
    rows = itertools.islice(((row.fields or ()) for row in _body(table, table.head)), N_SAMPLE_ROWS)
    return HubSample(
        table.columns, tuple(tuple((field or "")[:MAX_CHARACTERS] for field in row) for row in rows)
    )


def _corpus(dataset: hub.Dataset, config: str, split: str, options: HubOptions) -> Corpus:
    caps = Caps()
    reading = _SplitReader(
        dataset, config, options, hub.Budget(caps.bytes, caps.seconds), _budget(caps)
    )
    part = dataset.split(config, split)
    pairs = []
    n_read = 0
    n_wanted = min(options.rows or caps.rows, caps.rows)
    for row in itertools.islice(reading.rows(part), n_wanted):
        n_read += 1
        src, tgt = row.fields or (None, None)
        if src and tgt and not src.isspace() and not tgt.isspace():
            pairs.append(
                Pair(one_line(reading.budget.truncate(src)), one_line(reading.budget.truncate(tgt)))
            )
    if not pairs:
        raise UserError(
            f"`{dataset.id}` has no row with text in both columns in the first {n_read:,}; choose other columns."
        )
    config_name = config or next(iter(dataset.configs))
    origin = f"Split {split} of {dataset.id}, configuration {config_name}, at revision {dataset.sha[:12]}."
    notes = (
        origin,
        *dataset.notes,
        *reading.column_notes,
        *_rows_note(part, n_read, n_wanted),
        *_dropped_note(n_read - len(pairs)),
        *reading.budget.all_notes(),
    )
    return Corpus(f"hub:{dataset.id}", split, tuple(pairs), notes, reading.is_plain)


@dataclass
class _SplitReader:
    """The state shared by the files of one split: limits, and the columns chosen from the first file."""

    dataset: hub.Dataset
    config: str
    options: HubOptions
    download: hub.Budget
    budget: ReadingBudget
    column_notes: tuple[str, ...] = ()
    is_plain: bool = False

    def rows(self, part: hub.Split) -> Iterator[TableRow]:
        """Source and target of each row, file after file."""
        for file in part.files:
            table = _table(self.dataset, file, hub.token(), self.download, self.budget)
            chosen = _chosen(self.dataset.id, table.columns, self.options, self.config)
            self.is_plain = chosen.src == chosen.tgt
            self.column_notes = self.column_notes or (_columns_note(table.columns, chosen),)
            has_several = not self.is_plain and table.columns[chosen.tgt].kind == "texts"
            for row in _body(table, table.rows([chosen.src, chosen.tgt])):
                yield _first_text(row) if has_several else row


def _rows_note(part: hub.Split, n_read: int, n_wanted: int) -> list[str]:
    """A note on how much of the split was read, if not all."""
    if n_read < n_wanted or part.rows == n_read:
        return []
    return [
        f"The first {n_read:,} of {part.rows:,} rows are used."
        if part.rows
        else f"The first {n_read:,} rows are used."
    ]


def _dropped_note(n: int) -> list[str]:
    return (
        [f"{n:,} {'row' if n == 1 else 'rows'} without text in both columns dropped."] if n else []
    )


def _columns_note(names: Sequence[Column], chosen: Chosen) -> str:
    src, tgt, reason = chosen
    if src == tgt:
        return (
            f"`{names[src].name}` is read as plain text ({reason}): choose a task without targets."
        )
    several = "; of several targets, the first is used" if names[tgt].kind == "texts" else ""
    return f"`{names[src].name}` is the source, `{names[tgt].name}` the target ({reason}){several}."


def _first_text(row: TableRow) -> TableRow:
    """The row with the first of several targets, such as references by different annotators."""
    src, tgt = row.fields or (None, None)
    return TableRow(row.number, [src, tgt.partition(f" {TURN} ")[0] if tgt else None])


def _chosen(name: str, found: Sequence[Column], options: HubOptions, config: str) -> Chosen:
    texts = _texts(name, found)
    names = [column.name for column in found]
    src, tgt = (
        names[_column_index(name, found, given)] if given else ""
        for given in (options.src, options.tgt)
    )
    if likely := columns.choose_columns(found, config, src=src, tgt=tgt):
        return Chosen(names.index(likely.src), names.index(likely.tgt), likely.reason)
    offered = ", ".join(f"`{names[at][:40]}`" for at in texts[:8])
    raise UserError(
        f"The source and target columns of `{name}` are ambiguous; its text columns are {offered}: give"
        " two as #src=...,tgt=...."
    )


def _texts(name: str, found: Sequence[Column]) -> list[int]:
    """The indices of the text columns. Raises UserError if there are none."""
    texts = [at for at, column in enumerate(found) if column.kind != "other"]
    if not texts:
        listed = ", ".join(f"`{column.name[:40]}`" for column in found[:8])
        raise UserError(
            f"`{name}` has no text column here, only {listed}; choose another configuration or dataset."
        )
    return texts


def _column_index(name: str, found: Sequence[Column], given: str) -> int:
    """The index of a column given by name, or by number (from 1) if no column has that name."""
    names = [column.name for column in found]
    if (
        given not in names
        and given.isdecimal()
        and len(given) < 10
        and 1 <= int(given) <= len(names)
    ):
        at = int(given) - 1
    elif given in names:
        at = names.index(given)
    else:
        raise unknown(f"column of `{name}`", given, names)
    if found[at].kind == "other":
        raise UserError(
            f"The column `{shortened(given)}` of `{name}` has no text; choose a text column."
        )
    return at


def _budget(caps: Caps) -> ReadingBudget:
    """Limits without the size of a file, because only its beginning is read; the download has its own limit."""
    return ReadingBudget(replace(caps, bytes=NO_LIMIT))


def _table(
    dataset: hub.Dataset, file: hub.File, token: str, download: hub.Budget, budget: ReadingBudget
) -> Table:
    content = Content(
        f"{dataset.id}/{file.path}",
        file.path.rpartition("/")[2],
        partial(hub.open_file, dataset, file.path, token=token, budget=download),
    )
    return READERS[hub.kind(file.path)](content, budget)


def _body(table: Table, rows: Iterator[TableRow] | Sequence[TableRow]) -> Iterator[TableRow]:
    """The rows without the header: row 1 of a .csv or .tsv on the Hub, as in `datasets`."""
    return itertools.islice(iter(rows), 0 if table.is_named else 1, None)


def _lines(content: Content, budget: ReadingBudget) -> Table:
    """Plain text: one column, and a row per non-empty line."""
    lines = (
        TableRow(number, [line])
        for number, line in enumerate(streams.lines(content, budget), start=1)
        if line and not line.isspace()
    )
    head = tuple(itertools.islice(lines, HEAD))
    if not head:
        raise UserError(f"`{content.name}` is empty; choose another split.")
    text = (Column("text", "text"),)

    def rows(chosen: Sequence[int]) -> Iterator[TableRow]:
        return (
            TableRow(row.number, [(row.fields or [None])[at] for at in chosen])
            for row in itertools.chain(head, lines)
        )

    return Table(text, head, rows, is_named=True, fault="without a text", too_narrow="")


READERS: Mapping[str, Callable[[Content, ReadingBudget], Table]] = MappingProxyType(
    {
        "parquet": parquet.parquet,
        "jsonl": objects.jsonl,
        "json": objects.json_,
        "csv": delimited.csv_,
        "tsv": delimited.tsv,
        "txt": _lines,
    }
)
