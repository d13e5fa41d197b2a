"""Translation memories (.tmx): their segments by language, parsed incrementally. Knows nothing of source and target."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING
from xml.parsers import expat

from s2s.config import UserError
from s2s.data.formats import streams
from s2s.data.formats.columns import Column
from s2s.data.formats.streams import Content, ReadingBudget
from s2s.data.formats.table import HEAD, EmptyError, Table, TableRow

if TYPE_CHECKING:
    from xml.parsers.expat import XMLParserType

FAULT = "without a text in both languages"
# Formatting elements of TMX 1.4b without text; `hi` is missing because it contains text.
CODES = frozenset({"bpt", "ept", "it", "ph", "ut", "sub"})


class _Units:
    """Collects the <tu> elements of a parser: the line of each unit, and its segments by language."""

    def __init__(self, name: str, budget: ReadingBudget, parser: XMLParserType) -> None:
        self.name = name
        self.budget = budget
        self.parser = parser
        self.complete: list[tuple[int, dict[str, str]]] = []
        self.languages: dict[
            str, str
        ] = {}  # the first spelling of a language code, by its lower case
        self._line = 0
        self._language = ""
        self._texts = dict[str, str]()
        self._segment: list[str] | None = None  # the text of the open <seg>
        self._depth = 0  # of nested formatting elements
        self._n_characters = 0
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._data
        parser.EntityDeclHandler = self._entity
        parser.buffer_text = True

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "tu":
            self._line = self.parser.CurrentLineNumber
            self._texts = {}
        elif tag == "tuv":
            code = attributes.get("xml:lang") or attributes.get("lang") or ""
            self._language = self.languages.setdefault(code.casefold(), code)
        elif tag == "seg":
            self._segment = []
            self._depth = 0
            self._n_characters = 0
        elif tag in CODES:
            self._depth += 1

    def _end(self, tag: str) -> None:
        if tag == "tu" and self._texts:
            self.complete.append((self._line, self._texts))
            self._texts = {}
        elif tag == "seg" and self._segment is not None:
            self._texts.setdefault(self._language, "".join(self._segment))
            self._segment = None
        elif tag in CODES:
            self._depth -= 1

    def _data(self, text: str) -> None:
        if self._segment is None or self._depth > 0:
            return
        self._n_characters += len(text)
        if self._n_characters > self.budget.caps.line:
            raise self.budget.too_long(self.name, self.parser.CurrentLineNumber)
        self._segment.append(text)

    def _entity(self, *_: object) -> None:
        raise UserError(
            f"`{self.name}` declares XML entities, which are not supported; export it without <!ENTITY>."
        )


def tmx(content: Content, budget: ReadingBudget) -> Table:
    """One column per language; of several segments in one language, the first."""
    units = _units(content, budget)
    first = list(itertools.islice(units, HEAD))
    if not first:
        raise EmptyError(
            f"`{content.name}` has no translation unit (`<tu>`) with text; give a file with at least one pair."
        )
    names = list(dict.fromkeys(name for _, texts in first for name in texts))
    budget.check_columns(content.name, len(names))
    columns = tuple(Column(name, "text") for name in names)
    head = tuple(_row(unit, names) for unit in first)
    too_narrow = f"`{content.name}` has texts in only one language; give a .tmx with two."
    return Table(
        columns,
        head,
        lambda chosen: _selected(itertools.chain(first, units), [names[at] for at in chosen]),
        True,
        FAULT,
        too_narrow,
    )


def _selected(
    units: Iterable[tuple[int, dict[str, str]]], names: Sequence[str]
) -> Iterator[TableRow]:
    return (_row(unit, names) for unit in units)


def _row(unit: tuple[int, dict[str, str]], names: Sequence[str]) -> TableRow:
    line, texts = unit
    return TableRow(line, [texts.get(name) for name in names])


def _units(content: Content, budget: ReadingBudget) -> Iterator[tuple[int, dict[str, str]]]:
    parser = expat.ParserCreate()
    units = _Units(content.name, budget, parser)
    n_bytes = 0
    for chunk in itertools.chain(streams.chunks(content, budget), [b""]):
        try:
            parser.Parse(chunk, not chunk)
        except UserError:
            raise
        except (expat.ExpatError, ValueError, LookupError) as error:
            where = f"line {parser.CurrentLineNumber:,}"
            raise UserError(
                f"`{content.name}` is not a complete .tmx file ({error} near {where}); export it again as TMX 1.4."
            ) from error
        n_bytes += len(chunk)
        if (
            n_bytes - parser.CurrentByteIndex > budget.caps.line + streams.CHUNK
        ):  # a tag without an end
            raise budget.too_long(content.name, parser.CurrentLineNumber)
        yield from units.complete
        units.complete.clear()
