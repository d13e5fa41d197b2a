"""A table whose sources have several references: columns `ref1`, `ref2`, ..., or a list in one column.

Knows nothing of scores.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from s2s.config import UserError, shortened
from s2s.data.formats import lists, pairing, streams
from s2s.data.formats.columns import (
    Column,
    further_note,
    further_references,
    holds_numbers,
    is_listed,
)
from s2s.data.formats.pairing import Columns, FileOptions, ReadPairs
from s2s.data.formats.streams import Content, ReadingBudget
from s2s.data.formats.table import TURN, Table, check_once, one_line
from s2s.data.options import Caps
from s2s.data.pair import Pair

ANY_COLUMNS = FileOptions()
WHOLE = re.compile(r"[-+]?\d+\.0", re.ASCII)
MOST_JUDGED = 100_000  # pairs whose different texts are counted
OF_A_LIST = (
    "Of several targets, the first is used, the others are further references, for Evaluate."
)
Row = tuple[str, tuple[str, ...]]  # a source and its references, none of them empty


class ReferenceTable(NamedTuple):
    """The rows of a table, and notes on them."""

    rows: list[Row]
    notes: list[str]


def read_pairs(content: Content, options: FileOptions, budget: ReadingBudget) -> ReadPairs:
    """The pairs of a table, each with its further references. Raises UserError."""
    return pairs_of(pairing.opened(content, options, budget), content.name, options, budget)


def pairs_of(
    table: Table, name: str, options: FileOptions, budget: ReadingBudget, advice: str = ""
) -> ReadPairs:
    """The pairs of an opened table, each with its further references; errors call it `name`. Raises UserError.

    `advice` is how a program chooses a source {0} and a target {1}, where no SPEC is read.
    """
    chosen = pairing.resolve_columns(name, table, options)
    _check_names(name, table, chosen, options)
    references = _reference_columns(table, chosen)
    more = [index for index in references if index != chosen.tgt]
    at = [chosen.src, chosen.tgt]
    if options.prefix:
        at.append(pairing.column_index(name, table, options.prefix, options))
    rows = table.body(table.rows([*at, *more]), has_header=chosen.has_header)
    read = [table.columns[index] for index in (*at, *more)]
    if not chosen.has_header:  # whose names are a row
        read = [Column(f"column {1 + index}", table.columns[index].kind) for index in at]
    ways = lists.ways(read, options.lists)
    are_listed = [is_listed(table.columns[index]) for index in (chosen.tgt, *more)]
    rows = lists.separated(lists.read(rows, ways), len(at), are_listed)
    n_own = len(at) if more or any(are_listed) else None
    fault = f"{table.fault} or with lists of different lengths" if "line" in ways else table.fault
    found = pairing.paired(rows, budget, fault, unit=table.unit, n_own=n_own)
    notes = found.notes
    columns = pairing.columns_note(table, chosen, (*at, *more))
    names = [table.columns[index].name for index in more]
    if are_listed[0]:
        notes = [OF_A_LIST, *notes]
    notes += lists.note(read, ways, choose="" if advice else "#")
    if (at_likelier := pairing.likelier(table, chosen)) is not None:
        notes = [_few_targets(found.pairs, table, chosen, at_likelier, advice), *notes]
    pairs, whole = _whole_numbers(found.pairs)
    said = [columns, *further_note(names), *whole, *notes, *budget.all_notes()]
    return found._replace(pairs=pairs, notes=said)


def _whole_numbers(pairs: list[Pair]) -> tuple[list[Pair], list[str]]:
    sides = [
        side
        for side in ("src", "tgt")
        if pairs and all(WHOLE.fullmatch(getattr(pair, side)) for pair in pairs)
    ]
    if not sides:
        return pairs, []
    first = str(getattr(pairs[0], sides[0]))
    note = f"Whole numbers are read without `.0`: `{first}` is `{first.removesuffix('.0')}`."
    return [
        replace(pair, **{side: getattr(pair, side).removesuffix(".0") for side in sides})
        for pair in pairs
    ], [note]


def _few_targets(
    pairs: Sequence[Pair], table: Table, chosen: Columns, likelier: int, advice: str
) -> str:
    judged = pairs[:MOST_JUDGED]
    n_src, n_tgt = len({pair.src for pair in judged}), len({pair.tgt for pair in judged})
    of = f"Of the first {MOST_JUDGED:,} pairs, " if len(pairs) > MOST_JUDGED else ""
    found = f"{of}{n_src:,} {'source has' if n_src == 1 else 'sources have'} {n_tgt:,} targets"
    if likelier == chosen.src:
        src, src_option = _shown(table, chosen, chosen.tgt)
        tgt, tgt_option = _shown(table, chosen, likelier)
        option = (advice or "#src={0},tgt={1}").format(src_option, tgt_option)
        return f"{found}; the other way round may be meant: {src} -> {tgt}, with `{option}`."
    src, (shown, tgt) = _shown(table, chosen, chosen.src)[1], _shown(table, chosen, likelier)
    option = (advice or "#tgt={1}").format(src, tgt)
    return f"{found}; another column may be the target: {shown}, with `{option}`."


def _shown(table: Table, chosen: Columns, at: int) -> tuple[str, str]:
    name = table.columns[at].name.strip() if table.is_named or chosen.has_header else ""
    is_usable = name and not set(name) & set(",#=") and not name.isdecimal()
    return f"`{name}`" if name else f"column {at + 1}", name if is_usable else str(at + 1)


def read_references(
    name: str, content: bytes, options: FileOptions = ANY_COLUMNS
) -> ReferenceTable:
    """The rows of a table; those without a source or without any reference are dropped.

    Raises UserError for what is no table, or has no such row.
    """
    given = streams.in_memory(name, content)._replace(name=shortened(name))
    with ReadingBudget(Caps()) as budget:
        return references_of(pairing.opened(given, options, budget), given.name, options, budget)


def references_of(
    table: Table, name: str, options: FileOptions, budget: ReadingBudget
) -> ReferenceTable:
    """The rows of an opened table that have a source and a reference; errors call it `name`. Raises UserError."""
    chosen = pairing.resolve_columns(name, table, options)
    _check_names(name, table, chosen, options)
    at = _reference_columns(table, chosen)
    rows = list[Row]()
    n_dropped = 0
    how = lists.way(table.columns[chosen.src], options.lists)
    notes = [_note(table, chosen, at), *lists.note([table.columns[chosen.src]], [how])]
    for row in table.body(table.rows([chosen.src, *at]), has_header=chosen.has_header):
        if len(rows) + n_dropped == budget.caps.rows:
            notes.append(f"Only the first {budget.caps.rows:,} rows were read, the limit (`rows`).")
            break
        source, *references = row.fields or (None,)
        source = lists.joined(source or "", how)
        found = tuple(_texts(table, at, references, budget))
        if not source.strip() or not found:
            n_dropped += 1
            continue
        src = budget.truncate(one_line(source))
        rows.append((src, found))
    if n_dropped:
        rows_ = "row" if n_dropped == 1 else "rows"
        notes.append(f"{n_dropped:,} {rows_} without a source or a reference dropped.")
    if not rows:
        raise UserError(f"`{name}` has no row with a source and a reference; give at least one.")
    return ReferenceTable(rows, [*notes, *budget.all_notes()])


def _check_names(name: str, table: Table, chosen: Columns, options: FileOptions) -> None:
    """Raises UserError if a column was guessed by a name that another column has, too, or holds `true or false`."""
    names = [column.name.strip() for column in table.columns]
    for at, requested in ((chosen.src, options.src), (chosen.tgt, options.tgt)):
        column = table.columns[at]
        if column.kind == "other" and column.type and not holds_numbers(column):
            raise UserError(
                f"`{shortened(names[at])}` in `{name}` holds {column.type}; choose a column of text or of"
                " numbers, or write its values as texts."
            )
        if chosen.has_header and names[at] and not requested:
            check_once(names, names[at], f"`{name}`")


def _reference_columns(table: Table, chosen: Columns) -> list[int]:
    """The target, and the columns that are called like it but for a number: `ref1`, `ref2`, ..."""
    if not chosen.has_header:
        return [chosen.tgt]
    further = further_references(table.columns, chosen.src, chosen.tgt)
    return sorted([chosen.tgt, *further])


def _texts(
    table: Table, at: Sequence[int], fields: Sequence[str | None], budget: ReadingBudget
) -> Iterator[str]:
    for index, field in zip(at, fields, strict=False):
        texts = [field or ""]
        if is_listed(table.columns[index]):
            texts = texts[0].split(f" {TURN} ")
        for text in texts:
            if text.strip():
                yield budget.truncate(one_line(text))


def _note(table: Table, chosen: Columns, at: Sequence[int]) -> str:
    if len(at) == 1:
        return pairing.columns_note(table, chosen, (chosen.src, chosen.tgt))
    names = [f"`{table.columns[index].name.strip()}`" for index in at]
    source = table.columns[chosen.src].name.strip()
    shown = names if len(names) <= 4 else [*names[:2], "…", names[-1]]
    return f"`{source}` is the source, {', '.join(shown)} are its {len(names)} references."
