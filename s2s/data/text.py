"""Any text without a partner: cut into passages, by its lines, or into dialogues. What is to be learnt from it is a task's affair."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice

from s2s.config import UserError, setting
from s2s.data.caps import Caps
from s2s.data.corpus import Corpus, Options, Splits, one_line
from s2s.data.files import CAPS, existing
from s2s.data.formats import pairing, streams
from s2s.data.formats.pairing import TABLES, TURN
from s2s.data.formats.streams import Content, Meter
from s2s.data.pair import Pair

UNITS = ("passage", "line", "dialogue")
FEWEST = 2  # characters of a passage


@dataclass(frozen=True)
class TextOptions(Options):
    """What may follow the `#` of `text:FILE`."""

    unit: str = setting(
        "passage",
        help="One text: so many characters, a line, or a block of lines, each a turn of a dialogue.",
        choices=UNITS,
    )
    length: int = setting(120, 2, 4096, help="Characters of a passage.")
    column: str = setting(
        "",
        help="Of a table, the column to read: a name or a number from 1; empty takes the only one of text.",
    )


def opened(place: str, options: TextOptions, caps: Caps = CAPS) -> Splits:
    """The one split of a text file or of a column, read when it is asked for: plain text. Raises UserError where there is none."""
    return {"train": partial(_corpus, streams.on_disk(existing(place)), options, caps)}


def _corpus(content: Content, options: TextOptions, caps: Caps) -> Corpus:
    with Meter(caps) as meter:
        texts = list(islice(_texts(content, options, meter), caps.rows + 1))
        notes = meter.said()
    if len(texts) > caps.rows:
        texts.pop()
        notes = [
            *notes,
            f"The first {caps.rows:,} texts were read, which is the limit (`rows`); the others were left out.",
        ]
    if not texts:
        raise UserError(
            f"`{content.name}` has fewer than {FEWEST} characters of text; give a longer text."
        )
    return Corpus(
        f"text:{content.name}",
        "train",
        tuple(Pair(text, text) for text in texts),
        tuple(notes),
        is_plain=True,
    )


def _texts(content: Content, options: TextOptions, meter: Meter) -> Iterator[str]:
    """The units of a file; of a table, whose rows are apart already, each row is a dialogue."""
    is_table = pairing.suffix(content.file) in TABLES
    lines = (
        pairing.texts(content, options.column, meter) if is_table else streams.lines(content, meter)
    )
    if options.unit == "passage":
        yield from _passages(lines, options.length)
        return
    for text in dialogues(lines) if options.unit == "dialogue" and not is_table else lines:
        if cut := meter.cell(one_line(text)).strip():
            yield cut


def passages(text: str, length: int) -> tuple[str, ...]:
    """Cuts into passages of `length` characters, blanks at the cuts included: nothing is lost.

    Whitespace of any kind and number becomes one blank first. A last, shorter passage counts if it has 2 characters.
    `passages("to be or not", 6)` -> `"to be ", "or not"`
    """
    return tuple(_passages(text.split("\n"), length))


def _passages(lines: Iterable[str], length: int) -> Iterator[str]:
    rest = ""
    for line in lines:
        words = " ".join(unicodedata.normalize("NFC", line).split())
        rest = f"{rest} {words}" if rest and words else rest or words
        yield from (rest[start : start + length] for start in range(0, len(rest) - length, length))
        rest = rest[
            (max(0, len(rest) - 1) // length) * length :
        ]  # a whole passage waits, since a blank may follow
    if len(rest) >= FEWEST:
        yield rest


def halves(text: str) -> Pair:
    """`halves("to be ")` -> `Pair("to ", "be ")`; of an odd number of characters the second half has one more."""
    return Pair(text[: len(text) // 2], text[len(text) // 2 :])


def dialogues(lines: Iterable[str]) -> Iterator[str]:
    """Blocks of lines with blank lines between them: `["Hi!", "Hello.", "", "Bye!"]` -> `"Hi! <turn> Hello."`, `"Bye!"`."""
    turns: list[str] = []
    for line in lines:
        if line.strip():
            turns.append(line.strip())
        elif turns:
            yield f" {TURN} ".join(turns)
            turns = []
    if turns:
        yield f" {TURN} ".join(turns)
