"""The table in a .zip, or its two texts that are aligned line by line as a table of two columns."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from s2s.config import UserError
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
    def rows(chosen: Sequence[int]) -> Iterator[TableRow]:
        read = sorted(set(chosen))
        lines = _even_lines([texts.contents[at] for at in read], budget)
        for number, line in enumerate(lines, start=1):
            yield TableRow(number, [line[read.index(at)] for at in chosen])

    columns = tuple(Column(side, "text") for side in texts.sides)
    every = itertools.zip_longest(*(streams.lines(side, budget) for side in texts.contents))
    head = tuple(TableRow(*row) for row in enumerate(itertools.islice(every, HEAD), start=1))
    return Table(columns, head, rows, True, "without a text in both fields", "")


def _even_lines(contents: Sequence[Content], budget: ReadingBudget) -> Iterator[tuple[str, ...]]:
    """Line N of each text. Raises UserError where one ends before another, which would be paired wrongly."""
    sides = [streams.lines(content, budget) for content in contents]
    for n_whole, line in enumerate(itertools.zip_longest(*sides)):
        if None in line:
            ended = line.index(None)
            longer = next(at for at, text in enumerate(line) if text is not None)
            counts = {ended: n_whole, longer: n_whole + 1 + sum(1 for _ in sides[longer])}
            raise _uneven(*((contents[at].name, counts[at]) for at in sorted(counts)))
        yield line


def _uneven(src: tuple[str, int], tgt: tuple[str, int]) -> UserError:
    counts = f"`{src[0]}` has {src[1]:,} lines and `{tgt[0]}` has {tgt[1]:,}"
    return UserError(
        f"{counts}, but line N of one must translate line N of the other; give texts with the same number of lines."
    )
