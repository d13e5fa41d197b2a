"""Translation memories: the segments of a .tmx by their language, read as they come. Knows nothing of source and target."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING
from xml.parsers import expat

from s2s.config import UserError
from s2s.data.formats import streams
from s2s.data.formats.columns import Column
from s2s.data.formats.streams import Content, Meter
from s2s.data.formats.table import HEAD, Row, Sheet

if TYPE_CHECKING:
    from xml.parsers.expat import XMLParserType

FAULT = "without a text in both languages"
CODES = frozenset(
    {"bpt", "ept", "it", "ph", "ut", "sub"}
)  # of formatting, in TMX 1.4b; `hi` alone holds text


class _Units:
    """Collects the <tu> of what a parser is fed: per unit its line and its segments, by the name of their language."""

    def __init__(self, name: str, meter: Meter, parser: XMLParserType) -> None:
        self.name = name
        self.meter = meter
        self.parser = parser
        self.whole: list[tuple[int, dict[str, str]]] = []
        self.languages: dict[str, str] = {}  # how a code was written first, by its lower case
        self._line = 0
        self._language = ""
        self._texts = dict[str, str]()
        self._pieces: list[str] | None = None  # of the open <seg>
        self._depth = 0  # of codes of formatting
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
            self._pieces = []
            self._depth = 0
            self._n_characters = 0
        elif tag in CODES:
            self._depth += 1

    def _end(self, tag: str) -> None:
        if tag == "tu" and self._texts:
            self.whole.append((self._line, self._texts))
            self._texts = {}
        elif tag == "seg" and self._pieces is not None:
            self._texts.setdefault(self._language, "".join(self._pieces))
            self._pieces = None
        elif tag in CODES:
            self._depth -= 1

    def _data(self, text: str) -> None:
        if self._pieces is None or self._depth > 0:
            return
        self._n_characters += len(text)
        if self._n_characters > self.meter.caps.line:
            raise self.meter.too_long(self.name, self.parser.CurrentLineNumber)
        self._pieces.append(text)

    def _entity(self, *_: object) -> None:
        raise UserError(
            f"`{self.name}` declares XML entities, which are not read; write it again without a <!ENTITY> in its head."
        )


def tmx(content: Content, meter: Meter) -> Sheet:
    """One column a language; of several segments in one language the first."""
    units = _units(content, meter)
    first = list(itertools.islice(units, HEAD))
    if not first:
        raise UserError(
            f"`{content.name}` has no translation unit with a text (`<tu>`); give one with at least one pair."
        )
    names = list(dict.fromkeys(name for _, texts in first for name in texts))
    columns = tuple(Column(name, "text") for name in names)
    head = tuple(_row(unit, names) for unit in first)
    narrow = f"`{content.name}` has texts in one language only; give a .tmx with two."
    return Sheet(
        columns,
        head,
        lambda chosen: _chosen(itertools.chain(first, units), [names[at] for at in chosen]),
        True,
        FAULT,
        narrow,
    )


def _chosen(units: Iterable[tuple[int, dict[str, str]]], names: Sequence[str]) -> Iterator[Row]:
    return (_row(unit, names) for unit in units)


def _row(unit: tuple[int, dict[str, str]], names: Sequence[str]) -> Row:
    line, texts = unit
    return Row(line, [texts.get(name) for name in names])


def _units(content: Content, meter: Meter) -> Iterator[tuple[int, dict[str, str]]]:
    parser = expat.ParserCreate()
    units = _Units(content.name, meter, parser)
    n_bytes = 0
    for chunk in itertools.chain(streams.chunks(content, meter), [b""]):
        try:
            parser.Parse(chunk, not chunk)
        except UserError:
            raise
        except (expat.ExpatError, ValueError, LookupError) as error:
            where = f"line {parser.CurrentLineNumber:,}"
            raise UserError(
                f"`{content.name}` is no whole .tmx file ({error} near {where}); export it again as TMX 1.4."
            ) from error
        n_bytes += len(chunk)
        if (
            n_bytes - parser.CurrentByteIndex > meter.caps.line + streams.CHUNK
        ):  # a tag without an end
            raise meter.too_long(content.name, parser.CurrentLineNumber)
        yield from units.whole
        units.whole.clear()
