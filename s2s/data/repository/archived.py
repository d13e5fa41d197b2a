"""The table in a .zip, or its two texts that are aligned line by line as a table of two columns."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from s2s.data.formats import archive, streams
from s2s.data.formats.archive import AlignedTexts
from s2s.data.formats.columns import Column
from s2s.data.formats.pairing import TABLE_FORMATS, suffix
from s2s.data.formats.streams import Content, ReadingBudget
from s2s.data.formats.table import HEAD, Table, TableRow


def zipped(content: Content, budget: ReadingBudget) -> Table:
    """The table of the split `train`, or of the first; the others are noted."""
    parts = archive.parts(content, budget)
    name = "train" if "train" in parts else next(iter(parts))
    if others := [f"`{part}`" for part in parts if part != name]:
        budget.notes.append(f"Of `{content.name}` only `{name}` is read, not {', '.join(others)}.")
    part = parts[name]
    if isinstance(part, AlignedTexts):
        return _aligned(part, budget)
    return TABLE_FORMATS[suffix(part.file)](part, budget)


def _aligned(texts: AlignedTexts, budget: ReadingBudget) -> Table:
    def rows() -> Iterator[TableRow]:
        sides = [streams.lines(side, budget) for side in texts.contents]
        for number, line in enumerate(itertools.zip_longest(*sides), start=1):
            yield TableRow(number, line)  # None where a text is shorter: no pair

    def chosen_rows(chosen: Sequence[int]) -> Iterator[TableRow]:
        return (TableRow(row.number, [(row.fields or ())[at] for at in chosen]) for row in rows())

    columns = tuple(Column(side, "text") for side in texts.sides)
    head = tuple(itertools.islice(rows(), HEAD))
    return Table(columns, head, chosen_rows, True, "without a text in both fields", "")
