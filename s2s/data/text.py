"""Any text file as a task: read the first half of a passage, write the second, character by character."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from s2s.config import UserError, knob
from s2s.data.corpus import Corpus, Options, Splits
from s2s.data.files import existing, read_text
from s2s.data.pair import Pair


@dataclass(frozen=True)
class TextOptions(Options):
    """What may follow the `#` of `text:FILE`."""

    length: int = knob(120, 2, 4096, help="Characters of a passage; source and target are half of it each.")


def opened(place: str, options: TextOptions) -> Splits:
    """The one split of a text file, which is read when it is asked for. Raises UserError where there is none."""
    return {"train": partial(_corpus, existing(place), options.length)}


def _corpus(path: Path, length: int) -> Corpus:
    pairs = passages(read_text(path), length)
    if not pairs:
        raise UserError(f"`{path}` has fewer than 2 characters of text; give a longer text.")
    return Corpus(f"text:{path}", "train", pairs)


def passages(text: str, length: int) -> tuple[Pair, ...]:
    """Cuts into passages of `length` characters and each into halves, blanks at the cuts included: nothing is lost.

    Whitespace of any kind and number becomes one blank first. A last, shorter passage counts if it has 2 characters.
    `passages("to be or not", 6)` -> `Pair("to ", "be "), Pair("or ", "not")`
    """
    text = " ".join(unicodedata.normalize("NFC", text).split())
    cut = (text[start : start + length] for start in range(0, len(text), length))
    return tuple(Pair(passage[: len(passage) // 2], passage[len(passage) // 2 :]) for passage in cut if len(passage) >= 2)
