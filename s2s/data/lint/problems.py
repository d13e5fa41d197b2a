"""What is wrong with one text, or with two, in words and with its place; None where nothing is. Places count characters from 1."""

from __future__ import annotations

import html.entities
import re
import unicodedata
from collections import Counter

from s2s.data.lint.characters import BLANKS, GUILLEMETS, PAIRED, QUOTES

CONTROLS = re.compile(
    rf"(?![{BLANKS}])[\x00-\x1f\x7f-\x9f\ud800-\uf8ff\ufffd-\uffff\U000f0000-\U0010ffff]"
)
TAG = re.compile(
    r"<(?:/?[A-Za-z][A-Za-z0-9]*\s*/?|[A-Za-z][A-Za-z0-9]*(?:\s+[\w:-]+\s*=[^<>]*)|!--[^<>]*)>"
)
ENTITY = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);")
SMILEY = re.compile(r"(?<!\S)[:;=]['’]?-?[()\[\]]")
ITEM = re.compile(r"(?<!\S)\w{1,2}\)$")  # a) and 1) of a list
NUMBER = re.compile(r"\d{1,3}(?:[ \u00a0\u202f\u2009]\d{3})+(?!\d)|\d+(?:[.,'’٫٬]\d+)*")
OPENING = frozenset(PAIRED.values())


def control(text: str) -> str | None:
    """`"a\\x00"` -> `"has U+0000 at character 2"`; tabs and line breaks may be."""
    wrong = CONTROLS.search(text)
    return f"has U+{ord(wrong[0]):04X} at character {wrong.start() + 1:,}" if wrong else None


def markup(text: str) -> str | None:
    """A tag, a comment, or an entity that HTML knows; a bare `<` or `&` is none."""
    tag = TAG.search(text)
    entity = next((found for found in ENTITY.finditer(text) if _is_known(found[0][1:])), None)
    first = min(
        (found for found in (tag, entity) if found), key=lambda found: found.start(), default=None
    )
    return f"has {first[0][:40]} at character {first.start() + 1:,}" if first else None


def _is_known(entity: str) -> bool:
    return entity.startswith("#") or entity in html.entities.html5


def brackets(text: str) -> str | None:
    """Brackets must close in the order in which they open; quotation marks must be even in number, whichever way a language turns them."""
    text = SMILEY.sub(lambda found: "_" * len(found[0]), text)
    return _nested(text) or _quotes(text)


def _nested(text: str) -> str | None:
    opened: list[tuple[str, int]] = []
    for place, mark in enumerate(text, 1):
        if mark in OPENING:
            opened.append((mark, place))
        elif mark in PAIRED and opened and opened[-1][0] == PAIRED[mark]:
            opened.pop()
        elif mark in PAIRED and not ITEM.search(text, max(0, place - 4), place):
            return f"closes with {mark} at character {place:,} what was not opened so"
    return f"does not close the {opened[-1][0]} of character {opened[-1][1]:,}" if opened else None


def _quotes(text: str) -> str | None:
    for marks in QUOTES:
        places = [place for place, mark in enumerate(text, 1) if mark in marks]
        if len(places) % 2:
            return (
                f"has an odd number of {text[places[-1] - 1]}, the last at character {places[-1]:,}"
            )
    here, there = (text.count(mark) for mark in GUILLEMETS)
    return None if here == there else f"has {here:,} {GUILLEMETS[0]} and {there:,} {GUILLEMETS[1]}"


def numbers(src: str, tgt: str) -> str | None:
    """Numbers in digits that one side has more often; how thousands and decimals are parted and whose digits they are does not matter."""
    ours = Counter(map(_value, NUMBER.findall(src)))
    theirs = Counter(map(_value, NUMBER.findall(tgt)))
    if ours == theirs or _runs(src) == _runs(tgt):
        return None
    only = [
        f"{', '.join(list(more)[:5])} in the {side} alone"
        for side, more in (("source", ours - theirs), ("target", theirs - ours))
        if more
    ]
    return "; ".join(only)


def _runs(text: str) -> Counter[str]:
    """Every run of digits for itself: so 10:30 is 10.30, and 3/5/2010 is 3.5.2010."""
    return Counter(map(_value, re.findall(r"\d+", text)))


def _value(number: str) -> str:
    """`"1,000"` -> `"1000"`, `"٠٧"` -> `"7"`, `"2,5"` -> `"25"`."""
    digits = "".join(
        sign if sign.isascii() else str(unicodedata.decimal(sign))
        for sign in number
        if sign.isdecimal()
    )
    return digits.lstrip("0") or "0"
