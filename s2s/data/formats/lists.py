"""Columns that hold lists of texts: how a list becomes one text, or several. Knows nothing of files."""

from __future__ import annotations

import ast
import contextlib
import json
import re
from collections.abc import Iterator, Sequence

from s2s.config import UserError
from s2s.data.formats import chats
from s2s.data.formats.columns import Column, are_parallel, is_listed
from s2s.data.formats.table import TURN, TableRow

WAYS = ("auto", "space", "turn", "line")
HELP = (
    "What a list of texts in a column becomes: one text joined by spaces or by turns, or with line a pair per text;"
    " auto takes turns for columns called dialogue and the like, and spaces for others."
)
TURNS = frozenset(
    "dialog dialogue turn utterance conversation history chat message prompt".split()
)  # names of columns, and in the plural
BETWEEN = f" {TURN} "  # the texts of a list, as a table's row has them
ADJACENT = re.compile(r"""(?<=['"}])\s+(?=['"{])""")  # as numpy writes a list: ['a' 'b']


def way(column: Column, wanted: str = "auto") -> str:
    """How the lists of a column are read: `space`, `turn` or `line`; empty for a column of texts."""
    if column.kind != "texts":
        return ""
    words = re.findall(r"[^\W\d_]+", column.name.casefold())
    is_dialogue = bool(TURNS & {word.removesuffix("s") for word in words})
    return wanted if wanted != "auto" else "turn" if is_dialogue else "space"


def ways(read: Sequence[Column], wanted: str = "auto") -> list[str]:
    """How the lists of source, target and further columns are read, as `way`; empty for references, kept apart."""
    if wanted != "auto" and not any(column.kind == "texts" for column in read):
        names = ", ".join(f"`{column.name.strip()}`" for column in read)
        raise UserError(f"`lists` is for columns of lists, and {names} hold none; leave it out.")
    if wanted == "auto" and are_parallel(*read[:2]):
        wanted = "line"
    src, *others = read
    return [
        way(src, wanted),
        *("" if is_listed(column) else way(column, wanted) for column in others),
    ]


def joined(text: str, how: str) -> str:
    """A cell's text, its list joined by spaces where `how` says so."""
    return text.replace(BETWEEN, " ") if how == "space" else text


def read(
    rows: Iterator[TableRow], found: Sequence[str], *, is_even: bool = True
) -> Iterator[TableRow]:
    """The rows with their lists joined by `ways`, or a row per text.

    Two lists whose lengths differ are malformed, or are read as far as the shorter one unless `is_even`.
    """
    return _read(rows, found, is_even) if any(found) else rows


def _read(rows: Iterator[TableRow], found: Sequence[str], is_even: bool) -> Iterator[TableRow]:
    lined = [at for at, how in enumerate(found[:2]) if how == "line"]
    for row in rows:
        if row.fields is None or not all(row.fields[at] for at in lined):
            yield row
            continue
        fields = [
            joined(field, how) if field else field
            for field, how in zip(row.fields, [*found, *[""] * len(row.fields)], strict=False)
        ]
        if not lined:
            yield TableRow(row.number, fields)
            continue
        texts = [(row.fields[at] or "").split(BETWEEN) for at in lined]
        if is_even and len({len(each) for each in texts}) > 1:
            yield TableRow(row.number, None)
            continue
        for each in zip(*texts, strict=False):
            for at, text in zip(lined, each, strict=True):
                fields[at] = text
            yield TableRow(row.number, [*fields])


def separated(
    rows: Iterator[TableRow], n_own: int, are_listed: Sequence[bool]
) -> Iterator[TableRow]:
    """The rows with each reference of a list as a field: the first as the target, others after the pair's own."""
    if not any(are_listed):
        return rows
    return (_separated(row, n_own, are_listed) for row in rows)


def _separated(row: TableRow, n_own: int, are_listed: Sequence[bool]) -> TableRow:
    if row.fields is None:
        return row
    src, tgt, *others = row.fields
    texts = [
        text
        for field, is_list in zip((tgt, *others[n_own - 2 :]), are_listed, strict=True)
        for text in (field.split(BETWEEN) if field and is_list else [field])
    ]
    return TableRow(row.number, [src, texts[0], *others[: n_own - 2], *texts[1:]])


def note(columns: Sequence[Column], found: Sequence[str], *, choose: str = "#") -> list[str]:
    """Notes on how lists were read; none where no column holds any. `choose` begins an option, if there is one."""
    said = {
        "space": "each was joined by spaces",
        "turn": f"each was joined by `{TURN}`, as turns",
        "line": "each of its texts is a pair, the first of one list with the first of the other",
    }
    if list(found).count("line") == 1:
        said["line"] = "each of its texts is a pair with the text beside the list"
    notes = [chats.NOTE] if any(_is_of_chat(column) for column in columns[:1]) else []
    for how, sentence in said.items():
        names = [
            f"`{column.name.strip()}`"
            for column, used in zip(columns, found, strict=False)
            if used == how
        ]
        others = " or ".join(f"`{choose}lists={other}`" for other in said if other != how)
        otherwise = f"; {others} reads them otherwise" if choose else ""
        if names:
            holds = "holds" if len(names) == 1 else "hold"
            notes.append(f"{', '.join(names)} {holds} lists of texts: {sentence}{otherwise}.")
    return notes


def _is_of_chat(column: Column) -> bool:
    return column.kind == "texts" and column.name.endswith(f".{chats.TURNS}")


def parsed(cell: str | None) -> object:
    """The list or object that was written into a cell, as JSON or as Python writes it; None for anything else."""
    text = (cell or "").strip()
    if not (text.startswith(("[", "{")) and text.endswith(("]", "}"))):
        return None
    for parse in (json.loads, _literal):
        try:
            return parse(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return None


def _literal(text: str) -> object:
    if "{" in text:  # whose texts may hold what ADJACENT finds
        with contextlib.suppress(ValueError, SyntaxError):
            return ast.literal_eval(text)
    return ast.literal_eval(ADJACENT.sub(", ", text))
