"""Translation memories (.tmx): their segments by language, parsed incrementally. Knows nothing of source and target."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple
from xml.parsers import expat

from s2s.config import UserError
from s2s.data.formats import streams
from s2s.data.formats.columns import Column
from s2s.data.formats.streams import Content, ReadingBudget
from s2s.data.formats.table import Table, TableRow, begun
from s2s.data.formats.tmx_languages import Languages, alike
from s2s.data.formats.tmx_markup import Markup

if TYPE_CHECKING:
    from xml.parsers.expat import XMLParserType

FAULT = "without a text in both languages"
SPACES = re.compile(r"[ \t\r\n]+")  # of XML; a no-break space is none
ANY_SOURCE = "*all*"  # the `srclang` of a file or unit without a source language


class Unit(NamedTuple):
    """A <tu>: its line, its segments by language code as first spelled, and the code of its source or ""."""

    line: int
    texts: dict[str, str]
    srclang: str


class _Units:
    """Collects the <tu> elements of a parser."""

    def __init__(self, name: str, budget: ReadingBudget, parser: XMLParserType) -> None:
        self.name = name
        self.budget = budget
        self.parser = parser
        self.complete: list[Unit] = []
        self._codes = dict[str, str]()  # the first spelling of codes that are alike
        self._spelled = dict[str, str]()  # the same, by each spelling
        self._line = 0
        self._srclang = ""  # of the header
        self._unit_srclang = ""
        self._language = ""
        self._texts = dict[str, str]()
        self._segment: list[str] | None = None  # the text of the open <seg>
        self._markup: Markup | None = None  # of the open <seg>, if it has any
        self._spaces: list[tuple[str, bool]] = []  # open elements with `xml:space`, if `preserve`
        self._is_said = False
        self._is_repeated = False  # whether a note on this is there
        self._n_characters = 0
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._data
        parser.EntityDeclHandler = self._entity
        parser.buffer_text = True

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if self._segment is not None:
            self._markup = self._markup or Markup()
            self._markup.start(tag, attributes)
            return
        if "xml:space" in attributes:
            self._spaces.append((tag, attributes["xml:space"] == "preserve"))
        if tag == "tu":
            self._line = self.parser.CurrentLineNumber
            own = self._source(attributes) if "srclang" in attributes else ""
            self._unit_srclang = own or self._srclang
            self._texts = {}
        elif tag == "tuv":
            code = attributes.get("xml:lang") or attributes.get("lang") or ""
            self._language = self._spelled.get(code) or self._code(code)
        elif tag == "seg":
            self._segment = []
            self._markup = None
            self._n_characters = 0
        elif tag == "header":
            self._srclang = self._source(attributes)

    def _code(self, code: str) -> str:
        spelled = code.strip().partition(".")[0]  # en_US.UTF-8
        self._spelled[code] = self._codes.setdefault(alike(code), spelled)
        return self._spelled[code]

    def _source(self, attributes: dict[str, str]) -> str:
        code = attributes.get("srclang", "").strip()
        return "" if code.casefold() == ANY_SOURCE else code

    def _end(self, tag: str) -> None:
        if tag == "tu" and self._texts:
            self.complete.append(Unit(self._line, self._texts, self._unit_srclang))
            self._texts = {}
        elif tag == "seg" and self._segment is not None:
            text = "".join(self._segment)
            before = self._texts.get(self._language)
            if not before:
                is_kept = bool(self._spaces) and self._spaces[-1][1]
                self._texts[self._language] = text if is_kept else self._collapsed(text)
            elif not self._is_repeated and text.strip() not in ("", before):
                self._is_repeated = True
                self.budget.notes.append(
                    f"A unit (line {self._line:,}) has several segments in `{self._language}`; of such units, the first"
                    " segment is read."
                )
            self._segment = None
        elif self._markup is not None and self._segment is not None:
            self._markup.end(tag)
            return
        if self._spaces and tag == self._spaces[-1][0]:
            self._spaces.pop()

    def _collapsed(self, text: str) -> str:
        if "\n" not in text and "  " not in text and "\t" not in text and "\r" not in text:
            return text.strip(" ")
        if not self._is_said:
            self._is_said = True
            self.budget.notes.append(
                f"Line breaks, tabs and runs of spaces in the segments of `{self.name}` were read as one space."
            )
        return SPACES.sub(" ", text).strip(" ")

    def _data(self, text: str) -> None:
        if self._segment is None:
            return
        self._n_characters += len(text)
        if self._n_characters > self.budget.caps.line:
            raise self.budget.too_long(self.name, self.parser.CurrentLineNumber)
        if self._markup is not None:
            if self._markup.is_code(text):
                return
            if self._markup.is_gap("".join(self._segment[-1:]), text):
                self._segment.append(" ")
        self._segment.append(text)

    def _entity(self, *_: object) -> None:
        raise UserError(
            f"`{self.name}` declares XML entities, which are not supported; export it without <!ENTITY>."
        )


def tmx(content: Content, budget: ReadingBudget) -> Table:
    """The table of a file: a column per language, `en-US` and `en-GB` together; of several segments in one, the first.

    The language that the file calls its source stands first. Where variants are together, each is a column, too.
    White space in a segment is collapsed unless `xml:space` is `preserve`.
    """
    budget.check_no_encoding(content.name)
    units = _units(content, budget)
    empty = f"`{content.name}` has no translation unit (`<tu>`) with text; give a file with at least one pair."
    first = begun(units, empty)
    srclang = next((unit.srclang for unit in first if unit.srclang), "")
    languages = Languages([unit.texts for unit in first], srclang)
    names = languages.names
    budget.check_columns(content.name, len(names))
    columns = tuple(Column(name, "text") for name in names)
    every = range(len(names))
    head = tuple(TableRow(unit.line, languages.fields(unit.texts, every)) for unit in first)
    too_narrow = f"`{content.name}` has texts in only one language; give a .tmx with two."

    def rows(chosen: Sequence[int]) -> Iterator[TableRow]:
        if languages.is_moved and chosen and chosen[0] == 0:
            budget.notes.append(f"The file calls `{srclang}` its source language (`srclang`).")
        languages.say(chosen, budget.notes)
        for line, texts, _ in itertools.chain(first, units):
            yield TableRow(line, languages.fields(texts, chosen))

    return Table(columns, head, rows, fault=FAULT, too_narrow=too_narrow, order=languages.order())


def _units(content: Content, budget: ReadingBudget) -> Iterator[Unit]:
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
