"""Every character of Unicode: what kind of thing it is, and to which script it belongs. Knows nothing of pairs."""

from __future__ import annotations

import unicodedata
from enum import IntFlag
from functools import cache

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.uint8]
N_CHARACTERS = 0x110000
LAST_LETTER = 0x33480  # beyond it Unicode 17 has no letters
BLANKS = "\t\n\r"  # control characters that a text may well have
INVISIBLE = (
    "Z",
    "Cc",
    "Cf",
)  # beginnings of general categories (Unicode chapter 4.5): separators, controls, formats
FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"  # letters and marks that draw nothing
SELECTORS = (
    *range(0xFE00, 0xFE10),
    *range(0xE0100, 0xE01F0),
)  # variation selectors draw nothing alone
STYLED = frozenset(
    (
        "MATHEMATICAL",
        "FULLWIDTH",
        "HALFWIDTH",
        "MODIFIER",
        "CIRCLED",
        "SQUARED",
        "DOUBLE-STRUCK",
        "BLACK-LETTER",
        "SCRIPT",
    )
)


class Kind(IntFlag):
    """What a rule looks for; a character may be several of these."""

    VISIBLE = 1
    CONTROL = 2
    DIGIT = 4
    BRACKET = 8  # quotation marks too
    MARKUP = 16  # what markup begins with


PAIRED = {
    closes: opens
    for opens, closes in ("()", "[]", "{}", "「」", "『』", "【】", "《》", "〈〉", "（）", "［］")
}
QUOTES = (
    "“”„‟",
    '"＂',
)  # each of these has as many openings as closings, but languages disagree on which is which
GUILLEMETS = "«»"  # French opens with the first, German with the second


@cache
def kinds() -> Codes:
    """(characters,): the `Kind`s of each code point."""
    table = np.full(N_CHARACTERS, Kind.VISIBLE, np.uint8)
    for code in (*range(LAST_LETTER), *range(0xE0000, 0xE0080)):
        category = unicodedata.category(chr(code))
        if category.startswith(INVISIBLE):
            table[code] = 0
        elif category == "Nd":
            table[code] |= int(Kind.DIGIT)
    table[[*map(ord, FILLERS), *SELECTORS]] = 0
    table[[ord(mark) for mark in (*PAIRED, *PAIRED.values(), *GUILLEMETS, *"".join(QUOTES))]] |= (
        int(Kind.BRACKET)
    )
    table[[ord("<"), ord("&")]] |= int(Kind.MARKUP)
    controls = np.r_[
        0:0x20, 0x7F:0xA0, 0xD800:0xF900, 0xFFFD, 0xFFFE, 0xFFFF, 0xF0000:N_CHARACTERS
    ]  # private use from 0xE000 and 0xF0000
    table[controls] |= int(Kind.CONTROL)
    table[[ord(blank) for blank in BLANKS]] = 0
    table.flags.writeable = False
    return table


@cache
def scripts() -> tuple[Codes, tuple[str, ...]]:
    """(characters,): the number of each letter's script, and the names of the numbers; 0 is whatever belongs to none.

    A script is the first word of a letter's name: LATIN, CYRILLIC, CJK. About a tenth of a second, once.
    """
    table = np.zeros(N_CHARACTERS, np.uint8)
    numbers = {"": 0}
    for code in range(LAST_LETTER):
        letter = chr(code)
        if unicodedata.category(letter)[0] == "L":
            script = unicodedata.name(letter, "").partition(" ")[0]
            table[code] = 0 if script in STYLED else numbers.setdefault(script, len(numbers))
    table.flags.writeable = False
    return table, tuple(numbers)
