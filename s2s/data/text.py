"""Plain text without targets: split into passages, lines or dialogues. Tasks make pairs of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice

from s2s.config import UserError, nfc, setting
from s2s.data.corpus import Corpus, Splits
from s2s.data.files import CAPS, existing
from s2s.data.formats import pairing, streams
from s2s.data.formats.streams import Content, ReadingBudget
from s2s.data.formats.table import HEAD, TURN, is_table, one_line
from s2s.data.options import ENCODING, Caps, Options
from s2s.data.pair import Pair

UNITS = ("passage", "line", "dialogue")
MIN_CHARACTERS = 2  # of a passage


@dataclass(frozen=True)
class PassageOptions(Options):
    """The options after the `#` of a plain text that ships."""

    length: int = setting(120, 2, 4096, help="Characters per passage.")
    stride: int | None = setting(
        None,
        1,
        4096,
        help="Characters from the start of a passage to that of the next; empty takes the length, 1 every offset.",
    )

    @property
    def step(self) -> int:
        """The stride, by default the length."""
        return self.stride or self.length

    @property
    def n_overlapping(self) -> int:
        """How many of the passages after one overlap with it."""
        return math.ceil(self.length / self.step) - 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.step > self.length:
            raise UserError(
                f"`stride` {self.stride} would leave out text between passages of {self.length} characters; give 1 to"
                f" {self.length}."
            )


@dataclass(frozen=True)
class TextOptions(PassageOptions):
    """The options after the `#` of `text:FILE`."""

    unit: str = setting(
        "passage",
        help="What one text is: a passage of fixed length, a line, or a block of lines (a dialogue).",
        choices=UNITS,
    )
    column: str = setting(
        "",
        help="For a table, the column to read: a name or a number from 1; empty for the only text column.",
    )
    encoding: str = setting("", help=ENCODING)


def opened(location: str, options: TextOptions, caps: Caps = CAPS) -> Splits:
    """The split of a text file or of a column as plain text, read when it is called.

    Raises UserError if there is no text.
    """
    return {"train": partial(_corpus, streams.on_disk(existing(location)), options, caps)}


def _corpus(content: Content, options: TextOptions, caps: Caps) -> Corpus:
    with ReadingBudget(caps, encoding=options.encoding) as budget:
        texts = list(islice(_texts(content, options, budget), caps.rows + 1))
        notes = budget.all_notes()
    is_whole = len(texts) <= caps.rows
    if not is_whole:
        texts.pop()
        notes = [
            *notes,
            f"Only the first {caps.rows:,} texts were read, the limit (`rows`).",
        ]
    if not texts:
        raise UserError(
            f"`{content.name}` has fewer than {MIN_CHARACTERS} characters of text; give a longer text."
        )
    if options.unit == "line" and all("\t" in text for text in texts[:HEAD]):
        notes.append(
            "Every line has a tab, as in a table: in a file named `.tsv`, columns are read."
        )
    return Corpus(
        f"text:{content.name}",
        "train",
        tuple(Pair(text, text) for text in texts),
        tuple(notes),
        is_plain=True,
        is_whole=is_whole,
        n_overlapping=options.n_overlapping if options.unit == "passage" else 0,
    )


def _texts(content: Content, options: TextOptions, budget: ReadingBudget) -> Iterator[str]:
    is_a_table = is_table(content.file)
    lines = (
        pairing.texts(
            content, options.column, budget, "turn" if options.unit == "dialogue" else "auto"
        )
        if is_a_table
        else streams.lines(content, budget)
    )
    if options.unit == "passage":
        yield from _passages(lines, options.length, options.step)
        return
    for text in dialogues(lines) if options.unit == "dialogue" and not is_a_table else lines:
        if stripped := budget.truncate(one_line(text)).strip():
            yield stripped


def passages(text: str, length: int, stride: int | None = None) -> tuple[str, ...]:
    """Splits into passages of `length` characters, spaces at the ends included: nothing is lost.

    Any run of whitespace becomes one space first. A shorter last passage is kept if it has 2 characters. A passage
    begins `stride` characters after the one before, by default where that ends.
    `passages("to be or not", 6)` -> `"to be ", "or not"`
    """
    return tuple(_passages(text.split("\n"), length, stride or length))


def _passages(lines: Iterable[str], length: int, stride: int) -> Iterator[str]:
    rest = ""
    for line in lines:
        words = " ".join(nfc(line).split())
        rest = f"{rest} {words}" if rest and words else rest or words
        starts = range(0, len(rest) - length, stride)
        yield from (rest[start : start + length] for start in starts)
        rest = rest[len(starts) * stride :]  # a whole passage waits, since a space may follow
    if len(rest) >= MIN_CHARACTERS:
        yield rest


def halves(text: str) -> Pair:
    """`halves("to be ")` -> `Pair("to ", "be ")`; of an odd number of characters the second half has one more."""
    return Pair(text[: len(text) // 2], text[len(text) // 2 :])


def dialogues(lines: Iterable[str]) -> Iterator[str]:
    """Blocks of lines between empty lines: `["Hi!", "Hello.", "", "Bye!"]` -> `"Hi! <turn> Hello."`, `"Bye!"`."""
    turns: list[str] = []
    for line in lines:
        if line.strip():
            turns.append(line.strip())
        elif turns:
            yield f" {TURN} ".join(turns)
            turns = []
    if turns:
        yield f" {TURN} ".join(turns)
