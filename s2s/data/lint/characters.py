"""The kind and the script of every Unicode character. Knows nothing of pairs."""

from __future__ import annotations

import unicodedata
from enum import IntFlag
from functools import cache

import numpy as np
import numpy.typing as npt

from s2s.config import INVISIBLE_MARKS, ZERO_WIDTH_SPACE

Codes = npt.NDArray[np.uint8]
N_CHARACTERS = 0x110000
LAST_LETTER = 0x33480  # beyond it Unicode 17 has no letters
WHITESPACE_CONTROLS = "\t\n\r"  # control characters that are normal in a text
# Prefixes of general categories (Unicode chapter 4.5): separators, controls, formats.
INVISIBLE = ("Z", "Cc", "Cf")
FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"  # letters and marks that draw nothing
SELECTORS = (
    *range(0xFE00, 0xFE10),
    *range(0xE0100, 0xE01F0),
)  # variation selectors are invisible alone
JOINERS = "\u200c\u200d"  # non-joiner and joiner
SPACES = (
    " \t\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
UNSEEN = f"{ZERO_WIDTH_SPACE}{JOINERS}{INVISIBLE_MARKS}{SPACES[1:]}"
# Thai, Lao, Tibetan, Myanmar, Khmer and their neighbours have no spaces between words: there it separates them.
WITHOUT_SPACES = "\u0e00-\u109f\u1780-\u17ff\u1950-\u1aaf\ua980-\ua9ff\uaa60-\uaadf"
# Hebrew, Arabic, Indic, Khmer and Mongolian letters change their form at a joiner, and emoji are made with it.
JOINING = (
    "\u0590-\u109f\u1700-\u18af\u1950-\u1cff\u2190-\u2bff\ua800-\uabff\ufb1d-\ufdff\ufe0f\ufe70-\ufefc"
    "\U00010a00-\U00011fff\U0001f000-\U0001faff\U000e0020-\U000e007f"
)
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


class CharacterKind(IntFlag):
    """The kinds of characters that rules look for; a character may have several."""

    VISIBLE = 1
    CONTROL = 2
    DIGIT = 4
    BRACKET = 8  # quotation marks too
    MARKUP = 16  # characters that begin markup
    UNSEEN = 32  # what nobody sees in a text, and spaces that are no ASCII space


PAIRED = {
    closes: opens
    for opens, closes in ("()", "[]", "{}", "「」", "『』", "【】", "《》", "〈〉", "（）", "［］")
}
# The number of marks in each group must be even; languages disagree on which ones open and close.
QUOTES = ("“”„‟", '"＂')
GUILLEMETS = "«»"  # French opens with the first, German with the second


@cache
def kinds() -> Codes:
    """(characters,): the `CharacterKind` flags of each code point."""
    table = np.full(N_CHARACTERS, CharacterKind.VISIBLE, np.uint8)
    for code in (*range(LAST_LETTER), *range(0xE0000, 0xE0080)):
        category = unicodedata.category(chr(code))
        if category.startswith(INVISIBLE):
            table[code] = 0
        elif category == "Nd":
            table[code] |= int(CharacterKind.DIGIT)
    table[[*map(ord, FILLERS), *SELECTORS]] = 0
    table[[ord(mark) for mark in (*PAIRED, *PAIRED.values(), *GUILLEMETS, *"".join(QUOTES))]] |= (
        int(CharacterKind.BRACKET)
    )
    table[[ord("<"), ord("&")]] |= int(CharacterKind.MARKUP)
    table[[ord(character) for character in UNSEEN]] |= int(CharacterKind.UNSEEN)
    # Private use begins at 0xE000 and 0xF0000.
    controls = np.r_[0:0x20, 0x7F:0xA0, 0xD800:0xF900, 0xFFFD:0x10000, 0xF0000:N_CHARACTERS]
    table[controls] |= int(CharacterKind.CONTROL)
    table[[ord(control) for control in WHITESPACE_CONTROLS]] = 0
    table.flags.writeable = False
    return table


@cache
def scripts() -> tuple[Codes, tuple[str, ...]]:
    """(characters,): the script number of each letter (0 for others), and the script names by number.

    A script is the first word of a letter's Unicode name: LATIN, CYRILLIC, CJK. Takes 0.1 s, once.
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
