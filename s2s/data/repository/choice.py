"""Which two columns of a dataset's table are source and target, and how its rows become pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from s2s.config import UserError, shortened, unknown
from s2s.data.formats import columns, lists
from s2s.data.formats.columns import Column
from s2s.data.formats.table import TableRow, check_names

MAX_LISTED = 8  # columns in an error


class Chosen(NamedTuple):
    """The indices of the columns for source and target, and of further references in `more`.

    `reason` is part of a sentence; `lists` is the way that lists are read, as in `formats.lists`.
    """

    src: int
    tgt: int
    reason: str
    more: tuple[int, ...] = ()
    lists: str = "auto"

    @property
    def all(self) -> tuple[int, ...]:
        """Every column that is read, as its rows come: source, target, further references."""
        return (self.src, self.tgt, *self.more)


def choose_two(
    name: str, found: Sequence[Column], *, src: str = "", tgt: str = "", config: str = ""
) -> Chosen:
    """The requested columns, or those guessed by name. Raises UserError where they are ambiguous or unknown."""
    texts = text_columns(name, found)
    names = [column.name for column in found]
    src, tgt = (names[_column_index(name, found, given)] if given else "" for given in (src, tgt))
    if likely := columns.choose_columns(found, config, src=src, tgt=tgt):
        twice = [each for each in names if each in (likely.src, likely.tgt)]
        check_names(twice, f"`{shortened(name)}`")
        two = names.index(likely.src), names.index(likely.tgt)
        return Chosen(*two, likely.reason, tuple(columns.further_references(found, *two)))
    offered = ", ".join(f"`{names[at][:40]}`" for at in texts[:MAX_LISTED])
    raise UserError(
        f"The source and target columns of `{shortened(name)}` are ambiguous; its text columns are {offered}: give"
        " two as #src=...,tgt=...."
    )


def text_columns(name: str, found: Sequence[Column]) -> list[int]:
    """The indices of the text columns. Raises UserError if there are none."""
    texts = [at for at, column in enumerate(found) if column.kind != "other"]
    if not texts:
        listed = ", ".join(_listed(column) for column in found[:MAX_LISTED])
        raise UserError(
            f"`{shortened(name)}` has no text column here, only {listed or 'empty rows'}; choose another"
            " configuration or dataset."
        )
    return texts


def columns_notes(names: Sequence[Column], chosen: Chosen) -> list[str]:
    """Notes on which columns are read, and why."""
    more = columns.further_note([names[at].name for at in chosen.more])
    read = [names[at] for at in dict.fromkeys(chosen.all)]
    listed = [] if _is_parallel(names, chosen) else lists.note(read, _ways(names, chosen))
    return [_two_note(names, chosen), *more, *listed]


def _is_parallel(names: Sequence[Column], chosen: Chosen) -> bool:
    are_lined = chosen.lists in ("auto", "line")
    return are_lined and columns.are_parallel(names[chosen.src], names[chosen.tgt])


def _ways(names: Sequence[Column], chosen: Chosen) -> list[str]:
    src, *others = (names[at] for at in chosen.all)
    how = lists.way(src, chosen.lists)
    if chosen.src == chosen.tgt:
        return [how, how]
    return lists.ways([src, *others], chosen.lists)


def _two_note(names: Sequence[Column], chosen: Chosen) -> str:
    src, tgt, reason, *_ = chosen
    if src == tgt:
        return (
            f"`{names[src].name}` is read as plain text ({reason}): choose a task without targets."
        )
    note = f"`{names[src].name}` is the source, `{names[tgt].name}` the target ({reason})"
    if _is_parallel(names, chosen):
        return f"{note}; each text of the list is a pair."
    if names[tgt].kind != "texts" or _ways(names, chosen)[1]:
        return f"{note}."
    return f"{note}; of several targets, the first is used, the others are further references, for Evaluate."


def in_pairs(
    rows: Iterator[TableRow], names: Sequence[Column], chosen: Chosen
) -> Iterator[TableRow]:
    """Rows of a source and a target: one per text of a list of pairs, and with the first of several references.

    The other references follow it, and then those of further columns. `rows` have the columns `chosen.all`.
    """
    if _is_parallel(names, chosen):
        return lists.read(rows, ("line", "line"), is_even=False)
    rows = lists.read(rows, _ways(names, chosen))
    if chosen.src == chosen.tgt:
        return rows
    return lists.separated(rows, 2, [columns.is_listed(names[at]) for at in chosen.all[1:]])


def _listed(column: Column) -> str:
    return f"`{column.name[:40]}`" + (f" ({column.type})" if column.type else "")


def _column_index(name: str, found: Sequence[Column], given: str) -> int:
    names = [column.name for column in found]
    is_number = given.isdecimal() and len(given) < 10 and 1 <= int(given) <= len(names)
    if given in names:
        at = names.index(given)
    elif is_number:
        at = int(given) - 1
    else:
        raise unknown(f"column of `{shortened(name)}`", given, names)
    if found[at].kind == "other" and not columns.holds_numbers(found[at]):
        what = f": it holds {found[at].type}" if found[at].type else ""
        raise UserError(
            f"The column `{shortened(given)}` of `{shortened(name)}` has no text{what}; choose a text column."
        )
    return at
