"""Pairs from a data set of the hub: two columns of the first rows of a split, read as far as they are wanted and no further."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from s2s import hub
from s2s.config import UserError, setting, unknown
from s2s.data.caps import Caps
from s2s.data.corpus import Corpus, Options, Splits, one_line
from s2s.data.formats import columns, delimited, objects, parquet, streams
from s2s.data.formats.columns import Column
from s2s.data.formats.streams import Content, Meter
from s2s.data.formats.table import HEAD, TURN, Row, Sheet
from s2s.data.pair import Pair

HUB_ROWS = 20_000  # of a split, where nobody says more
SHOWN = 5  # rows of a sample
LONGEST = 1000  # characters of its texts
SAMPLE = Caps(bytes=32_000_000, seconds=4.0)  # a page waits for it
NO_LIMIT = sys.maxsize


@dataclass(frozen=True)
class HubOptions(Options):
    """What may follow the `#` of `hub:OWNER/NAME` or `hub:OWNER/NAME:CONFIG`."""

    rows: int | None = setting(
        HUB_ROWS,
        1,
        help="Read the first so many rows of each split; null reads all, up to the limits of a reading.",
    )
    src: str = setting(
        "",
        help="Source column: a name, `translation.en` inside another, or a number from 1; empty goes by the names.",
    )
    tgt: str = setting(
        "", help="Target column, in the same way. The same column twice is plain text."
    )
    revision: str = setting("", help="Read this commit; empty reads the newest.")


class HubSample(NamedTuple):
    """What a page shows before anything is loaded: all columns, and the first rows of them."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]


class Chosen(NamedTuple):
    """Two columns, from 0, and why these, as a part of a sentence."""

    src: int
    tgt: int
    reason: str


def opened(place: str, options: HubOptions) -> Splits:
    """The splits of a configuration. One request; rows are read when a split is asked for, with the token of `hub.using`.

    Raises UserError for whatever the hub or the name gets wrong.
    """
    name, config = cut(place)
    found = hub.look_up(name, options.revision)
    return {
        split: partial(_corpus, found, config, split, options) for split in found.splits(config)
    }


def pinned(spec: str, place: str, options: HubOptions) -> str:
    """The spec with the revision that is read now. Raises UserError as `opened` does."""
    if options.revision:
        return spec
    return f"{spec}{',' if '#' in spec else '#'}revision={hub.look_up(cut(place)[0]).sha}"


def cut(place: str) -> tuple[str, str]:
    """`"owner/name:de-en"` -> `("owner/name", "de-en")`; an address has no configuration behind it."""
    if "://" in place:
        return hub.check(place), ""
    name, _, config = place.partition(":")
    return hub.check(name), config


def sample(dataset: hub.Dataset, config: str, split: str, token: str = "") -> HubSample:
    """The columns and first five rows of a split, within five seconds. Raises UserError where there is no text."""
    part = dataset.split(config, split)
    budget = hub.Budget(SAMPLE.bytes, SAMPLE.seconds)
    meter = _meter(SAMPLE)
    sheet = _sheet(dataset, part.files[0], token, budget, meter)
    _texts(dataset.id, sheet.columns)
    rows = itertools.islice(((row.fields or ()) for row in _body(sheet, sheet.head)), SHOWN)
    return HubSample(
        sheet.columns, tuple(tuple((field or "")[:LONGEST] for field in row) for row in rows)
    )


def _corpus(dataset: hub.Dataset, config: str, split: str, options: HubOptions) -> Corpus:
    caps = Caps()
    reading = _Reading(dataset, config, options, hub.Budget(caps.bytes, caps.seconds), _meter(caps))
    part = dataset.split(config, split)
    pairs = []
    n_read = 0
    most = min(options.rows or caps.rows, caps.rows)
    for row in itertools.islice(reading.rows(part), most):
        n_read += 1
        src, tgt = row.fields or (None, None)
        if src and tgt and not src.isspace() and not tgt.isspace():
            pairs.append(Pair(one_line(reading.meter.cell(src)), one_line(reading.meter.cell(tgt))))
    if not pairs:
        raise UserError(
            f"`{dataset.id}` has no row with text in both columns among the first {n_read:,}; choose other columns."
        )
    named = f"Split {split} of {dataset.id}, configuration {config or next(iter(dataset.configs))}, at revision {dataset.sha[:12]}."
    notes = (
        named,
        *dataset.notes,
        *reading.said,
        *_taken(part, n_read, most),
        *_lost(n_read - len(pairs)),
        *reading.meter.said(),
    )
    return Corpus(f"hub:{dataset.id}", split, tuple(pairs), notes, reading.is_plain)


@dataclass
class _Reading:
    """What the files of one split share: a budget, a meter, and the choice of columns that the first of them decides."""

    dataset: hub.Dataset
    config: str
    options: HubOptions
    budget: hub.Budget
    meter: Meter
    said: tuple[str, ...] = ()
    is_plain: bool = False

    def rows(self, part: hub.Split) -> Iterator[Row]:
        """Source and target of each row, file after file."""
        for file in part.files:
            sheet = _sheet(self.dataset, file, hub.token(), self.budget, self.meter)
            chosen = _chosen(self.dataset.id, sheet.columns, self.options, self.config)
            self.is_plain = chosen.src == chosen.tgt
            self.said = self.said or (_said(sheet.columns, chosen),)
            has_several = not self.is_plain and sheet.columns[chosen.tgt].kind == "texts"
            for row in _body(sheet, sheet.rows([chosen.src, chosen.tgt])):
                yield _first_text(row) if has_several else row


def _taken(part: hub.Split, n_read: int, most: int) -> list[str]:
    """How much of the split that was, if it was not all."""
    if n_read < most or part.rows == n_read:
        return []
    return [
        f"The first {n_read:,} of {part.rows:,} rows are used."
        if part.rows
        else f"The first {n_read:,} rows are used."
    ]


def _lost(n: int) -> list[str]:
    return (
        [f"{n:,} {'row' if n == 1 else 'rows'} without text in both columns dropped."] if n else []
    )


def _said(names: Sequence[Column], chosen: Chosen) -> str:
    src, tgt, reason = chosen
    if src == tgt:
        return f"`{names[src].name}` is read as plain text ({reason}): choose a task that needs no target."
    several = "; of several targets the first is taken" if names[tgt].kind == "texts" else ""
    return f"`{names[src].name}` is the source, `{names[tgt].name}` the target ({reason}){several}."


def _first_text(row: Row) -> Row:
    """Of several targets, such as references by several people, the first."""
    src, tgt = row.fields or (None, None)
    return Row(row.number, [src, tgt.partition(f" {TURN} ")[0] if tgt else None])


def _chosen(name: str, found: Sequence[Column], options: HubOptions, config: str) -> Chosen:
    texts = _texts(name, found)
    names = [column.name for column in found]
    src, tgt = (
        names[_asked(name, found, given)] if given else "" for given in (options.src, options.tgt)
    )
    if likely := columns.choose_columns(found, config, src=src, tgt=tgt):
        return Chosen(names.index(likely.src), names.index(likely.tgt), likely.reason)
    offered = ", ".join(f"`{names[at][:40]}`" for at in texts[:8])
    raise UserError(
        f"Which columns of `{name}` are source and target can't be told; its texts are {offered}: give two as #src=...,tgt=...."
    )


def _texts(name: str, found: Sequence[Column]) -> list[int]:
    """The columns of text, from 0. Raises UserError where there is none."""
    texts = [at for at, column in enumerate(found) if column.kind != "other"]
    if not texts:
        listed = ", ".join(f"`{column.name[:40]}`" for column in found[:8])
        raise UserError(
            f"`{name}` has no column of text here, only {listed}; choose another configuration or data set."
        )
    return texts


def _asked(name: str, found: Sequence[Column], given: str) -> int:
    """A column by its name, or by its number from 1 where no column is called so."""
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
        raise UserError(f"The column `{given}` of `{name}` holds no text; choose one of text.")
    return at


def _meter(caps: Caps) -> Meter:
    """Of a large file the beginning may be read: what is fetched is the budget's concern."""
    return Meter(replace(caps, bytes=NO_LIMIT))


def _sheet(
    dataset: hub.Dataset, file: hub.File, token: str, budget: hub.Budget, meter: Meter
) -> Sheet:
    content = Content(
        f"{dataset.id}/{file.path}",
        file.path.rpartition("/")[2],
        partial(hub.open_file, dataset, file.path, token=token, budget=budget),
    )
    return READERS[hub.kind(file.path)](content, meter)


def _body(sheet: Sheet, rows: Iterator[Row] | Sequence[Row]) -> Iterator[Row]:
    """Row 1 of a .csv or .tsv of the hub holds the names, as `datasets` takes it."""
    return itertools.islice(iter(rows), 0 if sheet.is_named else 1, None)


def _lines(content: Content, meter: Meter) -> Sheet:
    """Plain text: one column, a row for each line that is not empty."""
    lines = (
        Row(number, [line])
        for number, line in enumerate(streams.lines(content, meter), start=1)
        if line and not line.isspace()
    )
    head = tuple(itertools.islice(lines, HEAD))
    if not head:
        raise UserError(f"`{content.name}` is empty; choose another split.")
    text = (Column("text", "text"),)

    def rows(chosen: Sequence[int]) -> Iterator[Row]:
        return (
            Row(row.number, [(row.fields or [None])[at] for at in chosen])
            for row in itertools.chain(head, lines)
        )

    return Sheet(text, head, rows, is_named=True, fault="without a text", narrow="")


READERS: Mapping[str, Callable[[Content, Meter], Sheet]] = MappingProxyType(
    {
        "parquet": parquet.parquet,
        "jsonl": objects.jsonl,
        "json": objects.json_,
        "csv": delimited.csv_,
        "tsv": delimited.tsv,
        "txt": _lines,
    }
)
