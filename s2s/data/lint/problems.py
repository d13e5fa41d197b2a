"""Finds a problem in one text or a pair, and describes it with its position; None if there is none.

Positions count characters from 1.
"""

from __future__ import annotations

import html.entities
import re
import unicodedata
from collections import Counter

from s2s.config import INVISIBLE_MARKS, ZERO_WIDTH_SPACE
from s2s.data.formats.table import TURN
from s2s.data.lint.characters import (
    GUILLEMETS,
    JOINERS,
    JOINING,
    PAIRED,
    QUOTES,
    SPACES,
    WHITESPACE_CONTROLS,
    WITHOUT_SPACES,
)

CONTROLS = re.compile(
    rf"(?![{WHITESPACE_CONTROLS}])[\x00-\x1f\x7f-\x9f\ud800-\uf8ff\ufffd-\uffff\U000f0000-\U0010ffff]"
)
TAG = re.compile(  # but for the one between turns, which the program writes
    rf"(?!{re.escape(TURN)})"
    r"<(?:/?[A-Za-z][A-Za-z0-9]*\s*/?|[A-Za-z][A-Za-z0-9]*(?:\s+[\w:-]+\s*=[^<>]*)|!--[^<>]*)>"
)
ENTITY = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);")
UNSEEN = re.compile(  # but for joiners and zero-width spaces beside letters that need them
    rf"[{INVISIBLE_MARKS}]"
    rf"|(?<![{WITHOUT_SPACES}]){ZERO_WIDTH_SPACE}(?![{WITHOUT_SPACES}])"
    rf"|(?<![{JOINING}])[{JOINERS}](?![{JOINING}])"
    rf"|(?<=[{JOINERS}])[{JOINERS}]"
)
SPACE_RUN = re.compile(rf"[{SPACES}]{{2,}}")
SMILEY = re.compile(r"(?<!\S)[:;=]['’]?-?[()\[\]]")
ITEM = re.compile(r"(?<!\S)\w{1,2}\)$")  # a) and 1) of a list
NUMBER = re.compile(r"\d{1,3}(?:[ \u00a0\u202f\u2009]\d{3})+(?!\d)|\d+(?:[.,'’٫٬]\d+)*")
OPENING = frozenset(PAIRED.values())


def control(text: str) -> str | None:
    """`"a\\x00"` -> `"has U+0000 at character 2"`; tabs and line breaks are allowed."""
    wrong = CONTROLS.search(text)
    return f"has U+{ord(wrong[0]):04X} at character {wrong.start() + 1:,}" if wrong else None


def markup(text: str) -> str | None:
    """A tag, a comment, or an HTML entity; a bare `<` or `&` is allowed."""
    tag = TAG.search(text)
    entity = next((found for found in ENTITY.finditer(text) if _is_known(found[0][1:])), None)
    first = min(
        (found for found in (tag, entity) if found), key=lambda found: found.start(), default=None
    )
    return f"has {first[0][:40]} at character {first.start() + 1:,}" if first else None


def _is_known(entity: str) -> bool:
    return entity.startswith("#") or entity in html.entities.html5


def invisible(text: str) -> str | None:
    """A soft hyphen, zero-width space, word joiner or byte order mark, or several spaces in a row."""
    if found := UNSEEN.search(text):
        name = unicodedata.name(found[0], "byte order mark").lower()
        return f"has an invisible U+{ord(found[0]):04X} ({name}) at character {found.start() + 1:,}"
    run = SPACE_RUN.search(text)
    return f"has {len(run[0]):,} spaces at character {run.start() + 1:,}" if run else None


def without_invisible(text: str) -> str:
    r"""`"a\u00adb  c"` -> `"ab c"`; joiners of Persian, Indic scripts and emoji stay."""
    if text.isascii() and "  " not in text and "\t" not in text:
        return text
    return SPACE_RUN.sub(" ", UNSEEN.sub("", text))


def brackets(text: str) -> str | None:
    """Brackets that do not nest, or an odd number of quotation marks, whose opening and closing differ by language."""
    text = SMILEY.sub(lambda found: "_" * len(found[0]), text)
    return _nested(text) or _quotes(text)


def _nested(text: str) -> str | None:
    opened: list[tuple[str, int]] = []
    for position, mark in enumerate(text, 1):
        if mark in OPENING:
            opened.append((mark, position))
        elif mark in PAIRED and opened and opened[-1][0] == PAIRED[mark]:
            opened.pop()
        elif mark in PAIRED and not ITEM.search(text, max(0, position - 4), position):
            return f"has an unmatched {mark} at character {position:,}"
    return f"does not close the {opened[-1][0]} of character {opened[-1][1]:,}" if opened else None


def _quotes(text: str) -> str | None:
    for marks in QUOTES:
        positions = [position for position, mark in enumerate(text, 1) if mark in marks]
        if len(positions) % 2:
            return f"has an odd number of {text[positions[-1] - 1]}, the last at character {positions[-1]:,}"
    here, there = (text.count(mark) for mark in GUILLEMETS)
    return None if here == there else f"has {here:,} {GUILLEMETS[0]} and {there:,} {GUILLEMETS[1]}"


def numbers(src: str, tgt: str) -> str | None:
    """Numbers in digits that one side has more often; ignores separators and the script of the digits."""
    ours = Counter(map(_value, NUMBER.findall(src)))
    theirs = Counter(map(_value, NUMBER.findall(tgt)))
    if ours == theirs or _runs(src) == _runs(tgt):
        return None
    only = [
        f"{', '.join(list(more)[:5])} only in the {side}"
        for side, more in (("source", ours - theirs), ("target", theirs - ours))
        if more
    ]
    return "; ".join(only)


def _runs(text: str) -> Counter[str]:
    return Counter(map(_value, re.findall(r"\d+", text)))


def _value(number: str) -> str:
    """`"1,000"` -> `"1000"`, `"٠٧"` -> `"7"`, `"2,5"` -> `"25"`."""
    digits = "".join(
        digit if digit.isascii() else str(unicodedata.decimal(digit))
        for digit in number
        if digit.isdecimal()
    )
    return digits.lstrip("0") or "0"
