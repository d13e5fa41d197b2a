"""Pairs from two columns of a table of any format. Knows nothing of folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from types import MappingProxyType
from typing import NamedTuple

from s2s.config import UserError, nearest, setting, shortened
from s2s.data.formats import cells, lists, tables
from s2s.data.formats.columns import (
    Column,
    beside_numbers,
    further_references,
    is_language,
    only_text,
)
from s2s.data.formats.delimited import DELIMITERS, is_quoted_note, tsv
from s2s.data.formats.headers import is_header
from s2s.data.formats.streams import Content, ReadingBudget
from s2s.data.formats.table import Table, TableRow, broken_note, check_once, one_line, suffix
from s2s.data.options import ENCODING, Options
from s2s.data.pair import Pair

HEADER = ("auto", "yes", "no")
N_SAMPLE_ROWS = 5
MAX_SAMPLE_CHARACTERS = 200  # characters of a field in a sample


@dataclass(frozen=True)
class FileOptions(Options):
    """The options after the `#` of a file."""

    src: str = setting("", help="Source column: a name from the first row, or a number from 1.")
    tgt: str = setting("", help="Target column: a name from the first row, or a number from 1.")
    prefix: str = setting(
        "",
        help="Column with a prefix for the source, `summarize: ...`: several tasks in one file.",
    )
    header: str = setting(
        "auto",
        help="Does row 1 hold the column names? auto looks for common names.",
        choices=HEADER,
    )
    encoding: str = setting("", help=ENCODING)
    lists: str = setting("auto", help=lists.HELP, choices=lists.WAYS)
    quotes: str = setting(
        "keep",
        help="Quotation marks around the fields of a .tsv: keep them as text, or remove them as in .csv.",
        choices=("keep", "remove"),
    )


class Columns(NamedTuple):
    """The indices of the columns to read, whether row 1 is a header, and the reason for the choice."""

    src: int
    tgt: int
    has_header: bool
    reason: str
    held: Mapping[int, str] = MappingProxyType({})  # what columns hold that were passed over


@dataclass(frozen=True)
class ColumnOffer:
    """What can be read from some files, judging by their first rows.

    `kind` is `table`, `aligned` (two texts), `splits` (several of either) or `plain`, a text without a partner for
    `text:FILE`. Column names, `src` and `tgt` are as in FileOptions: a name, or a number from 1 if the name is missing
    or ambiguous. `labels` are for display: `column 2 (the house)`. `reason` is part of a sentence.
    """

    kind: str
    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    src: str = ""
    tgt: str = ""
    reason: str = ""
    has_header: bool = False
    is_named: bool = True  # by the format itself, so that row 1 is no header
    delimiter: str = ""
    encoding: str = ""
    likely: str = ""  # the codec that the text is probably in, which nobody has chosen yet
    samples: tuple[tuple[str, ...], ...] = ()  # a field per column, of a few rows
    splits: tuple[str, ...] = ("train",)
    is_quoted: bool = False  # whether quotation marks stand around fields of a .tsv
    repeated: tuple[str, ...] = ()  # names of several columns each
    likelier: str = ""  # a column with many more different texts than the target


class ReadPairs(NamedTuple):
    """The pairs of a table, notes on them, and whether they are all: a limit may have ended the reading."""

    pairs: list[Pair]
    notes: list[str]
    is_whole: bool = True
    is_plain: bool = False  # pairs of the same text


def check_no_table(options: FileOptions, name: str) -> None:
    """Raises UserError for options of tables, given for texts that are aligned line by line."""
    general = FileOptions(options.rows, options.sample, options.split, encoding=options.encoding)
    if options != general:
        raise UserError(
            f"`src`, `tgt`, `header`, `lists` and `quotes` are for tables, and `{name}` is not one; leave them out"
            " after the `#`."
        )


def opened(content: Content, options: FileOptions, budget: ReadingBudget) -> Table:
    if options.quotes == "keep":
        return tables.opened(content, budget)
    if suffix(content.file) != ".tsv":
        raise UserError(f"`quotes` is for .tsv, and `{content.name}` is none; leave it out.")
    return tsv(content, budget, unquote=True)


def offered(content: Content, options: FileOptions, budget: ReadingBudget) -> ColumnOffer:
    """What `read` would read, judging by the first rows."""
    table = opened(content, options, budget)
    at = None if options.src or options.tgt else only_text(table.columns)
    if at is not None:
        only = Columns(at, at, _has_header(table, options), "the only column of text")
        return _offer(table, only, budget, "plain")
    return _offer(table, resolve_columns(content.name, table, options), budget, "table")


def texts(content: Content, column: str, budget: ReadingBudget, way: str = "auto") -> Iterator[str]:
    """One column of a table, by its name or number; by default the only text column. `way` joins lists in it."""
    options = FileOptions(src=column)
    table = opened(content, options, budget)
    known = [at for at, one in enumerate(table.columns) if one.kind != "other"]
    if not column and len(known) != 1:
        names = ", ".join(f"`{table.columns[at].name[:40]}`" for at in known[:5])
        raise UserError(
            f"`{content.name}` has {len(known)} text columns ({names}); choose one with #column=NAME."
        )
    at = column_index(content.name, table, column, options) if column else known[0]
    n_malformed = 0
    how = lists.way(table.columns[at], way)
    budget.notes += lists.note([table.columns[at]], [how], choose="")
    rows = table.body(table.rows([at]), has_header=_has_header(table, options))
    for row in rows:
        if row.fields is None:
            n_malformed += 1
        elif row.fields[0]:
            yield budget.truncate(lists.joined(row.fields[0], how))
    if n_malformed:
        budget.notes.append(f"{n_malformed:,} row{'s' * (n_malformed > 1)} {table.fault} dropped.")


def paired(
    rows: Iterable[TableRow],
    budget: ReadingBudget,
    fault: str,
    *,
    what: str = "row",
    unit: str = "line",
    n_own: int | None = None,
) -> ReadPairs:
    """Makes pairs of rows, each text on one line, a third field as prefix; drops malformed and empty rows.

    After the first `n_own` fields, if given, stand further references; the first one replaces a target that is empty.
    """
    pairs: list[Pair] = []
    first_malformed = 0
    n_malformed = 0
    n_empty = 0
    n_broken = 0
    truncated: list[str] = []
    for at, (number, given) in enumerate(rows):
        if at == budget.caps.rows:
            truncated = [f"Only the first {at:,} rows were read, the limit (`rows`)."]
            break
        fields, more = _apart(given, n_own) if n_own and given else (given, [])
        if fields is None or fields[0] is None or fields[1] is None:
            first_malformed = first_malformed or number
            n_malformed += 1
            continue
        src, tgt = one_line(fields[0]), one_line(fields[1])
        n_broken += src is not fields[0] or tgt is not fields[1]
        src, tgt = budget.truncate(src), budget.truncate(tgt)
        if not src.strip() or not tgt.strip():
            n_empty += 1
            continue
        prefix = budget.truncate(one_line(fields[2] or "").strip()) if len(fields) > 2 else ""
        prefixed = f"{prefix.removesuffix(':')}: {src}" if prefix else src
        references = tuple(budget.truncate(one_line(text)) for text in more)
        pairs.append(Pair(prefixed, tgt, line=number, more=references))
    dropped = []
    if n_malformed:
        n_rows = f"{n_malformed:,} {what if n_malformed == 1 else f'{what}s'}"
        dropped = [f"{n_rows} {fault} dropped (the first at {unit} {first_malformed:,})."]
    notes = [*broken_note(n_broken), *dropped, *_empty_note(n_empty), *truncated]
    return ReadPairs(pairs, notes, not truncated)


def _apart(fields: Sequence[str | None], n_own: int) -> tuple[list[str | None], list[str]]:
    texts = [text for text in (fields[1], *fields[n_own:]) if text and text.strip()]
    tgt = texts[0] if texts else fields[1]
    return [fields[0], tgt, *fields[2:n_own]], texts[1:]


def _empty_note(n: int) -> list[str]:
    return [f"{n:,} {'pair' if n == 1 else 'pairs'} with an empty side dropped."] if n else []


def columns_note(table: Table, chosen: Columns, read: Sequence[int]) -> str:
    """A note on which columns were read, and how they were found."""
    src, tgt = (table.columns[at].name for at in (chosen.src, chosen.tgt))
    has_names = table.is_named or chosen.has_header
    names = [
        f"`{one.name}`" if has_names else f"column {at}" for at, one in enumerate(table.columns, 1)
    ]
    unread = cells.unread_note(table.columns, (*read, *chosen.held)) if has_names else ""
    passed = f"{cells.held_note(names, chosen.held)}{unread}"
    if table.is_named:
        return f"`{src}` is the source, `{tgt}` the target.{passed}"
    if chosen.has_header:
        header = f"Row 1 is a header: `{src}` is the source, `{tgt}` the target."
    else:
        columns = f"column {chosen.src + 1} is the source, column {chosen.tgt + 1} the target"
        # Without names, a wrong delimiter is recognized by what it leaves over.
        n_unread = len(table.columns) - len({*read})
        is_or_are = "is" if n_unread == 1 else "are"
        more = f", and {n_unread:,} more {is_or_are} not read" if n_unread else ""
        header = f"Row 1 is data, not a header: {columns}{more}."
    return f"{header}{passed}{_delimiter_note(table)}"


def _delimiter_note(table: Table) -> str:
    """What separates the fields, unless nobody would expect anything else."""
    if table.delimiter not in (";", "|") and not table.alternatives:
        return ""
    others = " or ".join(DELIMITERS[delimiter] for delimiter in table.alternatives)
    doubt = f"; {others} would fit, too" if others else ""
    return f" Fields are separated by {DELIMITERS[table.delimiter]}{doubt}."


def _offer(table: Table, chosen: Columns, budget: ReadingBudget, kind: str) -> ColumnOffer:
    given = [column.name.strip() for column in table.columns]
    counts = Counter(given)
    is_usable = [
        bool(chosen.has_header and cell and not cell.isdecimal() and counts[cell] == 1)
        for cell in given
    ]
    names = [
        cell if named else str(at)
        for at, (cell, named) in enumerate(zip(given, is_usable, strict=True), start=1)
    ]
    columns = tuple(
        Column(name, column.kind) for name, column in zip(names, table.columns, strict=True)
    )
    labels = tuple(_label(*item) for item in zip(names, given, is_usable, strict=True))
    first = list(table.body(table.head, has_header=chosen.has_header))
    samples = tuple(
        tuple((field or "")[:MAX_SAMPLE_CHARACTERS] for field in row.fields)
        for row in cells.non_ascii_first(first, budget.seen()["likely"])[:N_SAMPLE_ROWS]
        if row.fields is not None
    )
    at = None if kind == "plain" else likelier(table, chosen)
    return ColumnOffer(
        *(
            kind,
            columns,
            labels,
            names[chosen.src],
            names[chosen.tgt],
            chosen.reason,
            chosen.has_header,
        ),
        is_named=table.is_named,
        delimiter=table.delimiter,
        **budget.seen(),
        samples=samples,
        is_quoted=table.delimiter == "\t" and any(map(is_quoted_note, budget.notes)),
        repeated=tuple(n for n in counts if n and counts[n] > 1 and chosen.has_header),
        likelier="" if at is None else names[at],
    )


def _label(column: str, cell: str, is_name: bool) -> str:
    if is_name:
        return cell
    return f"column {column} ({cell[:40]})" if cell else f"column {column}"


def resolve_columns(of: str, table: Table, options: FileOptions) -> Columns:
    """The requested columns, else those guessed by name, else the first two text columns."""
    if len(table.columns) < 2:
        raise UserError(table.too_narrow)
    has_header = _has_header(table, options)
    requested = [
        column_index(of, table, name, options) if name else None
        for name in (options.src, options.tgt)
    ]
    rows = table.first_fields(has_header=has_header)
    held = cells.no_texts(table.columns, rows)
    texts = cells.only_texts(table.columns, held)
    name = table.order or PurePath(of).stem
    by_name = [one for one in cells.guesses(table.columns, name) if one.score >= cells.NAMED]
    for one in [*by_name, *cells.guesses(texts, name)] if has_header else []:
        names = [column.name.strip() for column in table.columns]
        src, tgt = names.index(one.src), names.index(one.tgt)
        if requested in ([None, None], [src, None], [None, tgt], [src, tgt]):
            return Columns(src, tgt, has_header, one.reason, _passed_over(held, src, tgt))
    if requested == [None, None] and (two := beside_numbers(texts)):
        return Columns(*two, has_header, "the only two columns", _passed_over(held, *two))
    src, tgt = cells.first_free(texts, requested, has_header, rows, of)
    if src == tgt:
        same = f"`#src={shortened(options.src, 90)},tgt={shortened(options.tgt, 90)}` is the same column twice"
        raise UserError(f"{same}; choose two of the {len(table.columns)} in `{of}`.")
    return Columns(
        src,
        tgt,
        has_header,
        "the requested columns" if any(requested) else "the first two columns of text",
        _passed_over(held, src, tgt),
    )


def _passed_over(held: Mapping[int, str], *chosen: int) -> dict[int, str]:
    """Those of the columns without text (`held`) that stand before a chosen one: they would have been chosen."""
    return {at: what for at, what in held.items() if at not in chosen and at < max(chosen)}


def likelier(table: Table, chosen: Columns) -> int | None:
    """The index of a column of text that may be the target rather than the chosen one; None if there is none."""
    rows = table.first_fields(has_header=chosen.has_header)
    taken = [chosen.src, *chosen.held, *further_references(table.columns, chosen.src, chosen.tgt)]
    return cells.likelier_target(table.columns, rows, (chosen.src, chosen.tgt), taken)


def _has_header(table: Table, options: FileOptions) -> bool:
    if table.is_named or options.header != "auto":
        return table.is_named or options.header == "yes"
    requested = {
        name.casefold()
        for name in (options.src, options.tgt, options.prefix)
        if name and not name.isdecimal()
    }
    is_named = requested & {column.name.casefold() for column in table.columns}
    return bool(is_named) or is_header(table.columns, table.first_fields())


def column_index(name: str, table: Table, column: str, options: FileOptions) -> int:
    """The index of a column given by name or by number (from 1).

    A number is never a name; `en` also finds `translation.en`.
    """
    names = [one.name.strip() for one in table.columns]
    if (
        column.isdecimal() and len(column) < 10 and 1 <= int(column) <= len(names)
    ):  # int() refuses thousands of digits
        return int(column) - 1
    folded = [cell.casefold() for cell in names]
    folded_column = column.casefold()
    if not column.isdecimal() and (options.header != "no" or table.is_named):
        if folded_column in folded:
            found = column if column in names else names[folded.index(folded_column)]
            check_once(names, found, f"`{name}`")
            return names.index(found)
        inner = [cell.rpartition(".")[2] for cell in folded]
        if table.is_named and folded_column in inner:
            return inner.index(folded_column)
        codes = [cell.replace("_", "-") for cell in (folded_column, *folded)]
        if is_language(column) and codes[0] in codes[1:]:  # en_US is en-US
            return codes.index(codes[0], 1) - 1
    close = ", ".join(f"`{cell[:40]}`" for cell in nearest(shortened(column), names) or names[:3])
    raise UserError(
        f"There is no column `{shortened(column)}` in `{name}`; the nearest are {close}, or give"
        f" a number from 1 to {len(names)}."
    )
