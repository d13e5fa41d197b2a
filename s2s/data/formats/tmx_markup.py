"""Whether inline markup of a .tmx segment stands between two words, where it leaves a space, or inside one.

Knows nothing of languages and units.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

# Formatting elements of TMX 1.4b without text; `hi` is missing because it contains text.
CODES = frozenset({"bpt", "ept", "it", "ph", "ut", "sub"})
SINGLE = frozenset({"it", "ph", "ut", "x"})  # those that stand alone, not around a text
# What elements and codes are called, as HTML tags or as types of TMX: those that end a line or a word, and those that
# change how letters look.
BLOCKS = r"br|p|div|li|t[drh]|h[1-6]|[uo]l|table|hr|lb|pb|cr|tab|para|image|img"
LOOKS = (
    "b|i|u|s|em|strong|font|span|sub|sup|a|cf|g|tt|small|big|mark|code|abbr|cite|ins|del|strike|wbr|bold|italic|color"
    "|ulined|dulined|scap|link"
)
BLOCK = re.compile(rf"(?:</?\s*|^)(?:{BLOCKS})(?![\w:.-])|\\(?:par|line|tab|[nrt])\b|&nbsp;", re.I)
LOOK = re.compile(
    rf"(?:</?\s*|^)(?:{LOOKS})(?![\w:.-])|^\s*\{{\\|^\s*\}}\s*$|&shy;|[\u00ad\u200b]", re.I
)
CLOSING = frozenset(")]}!?…;,»”%")  # after which a word does not go on
ENDING = frozenset(".:")  # after which it may: example.com, 12:30
OPENING = frozenset("([{«„“¿¡")
# Thai and Lao, Tibetan, Burmese, Khmer, kana and Han: scripts without spaces between words.
UNSPACED = re.compile(
    "[\u0e00-\u109f\u1780-\u17ff\u3005-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f]"
)


class Markup:
    """The markup since the last text of one segment.

    A single element (`ph`, `it`, `ut`, `x`) and whatever is a line break or block leave a space between two words. One
    around a text (`bpt` with `ept`, `hi`) does not between two letters, because it may change the looks of a part of a
    word, unless a small letter stands before a capital; after punctuation it does. Punctuation gets no space before it.
    """

    def __init__(self) -> None:
        self._depth = 0  # of nested codes
        self._code: list[str] = []
        self._name = ""
        self._type = ""
        self._is_any = False
        self._is_single = False  # at least one leaves a space

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Take note of an element that begins inside the segment."""
        if self._depth or tag in CODES:
            self._depth += 1
        if self._depth == 1:
            self._code = []
            self._name = tag
            self._type = attributes.get("type", "")
        elif not self._depth:
            self._note(tag, tag)

    def end(self, tag: str) -> None:
        if not self._depth:
            self._note(tag, tag)
            return
        self._depth -= 1
        if not self._depth:
            self._note(self._name, "".join(self._code).strip() or self._type)

    def is_code(self, text: str) -> bool:
        """Whether a text belongs to a code, not to the sentence; it is kept to judge that code by."""
        if self._depth:
            self._code.append(text)
        return self._depth > 0

    def is_gap(self, before: str, after: str) -> bool:
        """Whether the markup between two texts stands for a space; forgets the markup."""
        if not self._is_any:
            return False
        is_single = self._is_single
        self._is_any = self._is_single = False
        if not before:
            return False
        left, right = before[-1], after[0]
        if UNSPACED.match(left) or UNSPACED.match(right):
            return False
        is_word = unicodedata.category(left)[0] in "LNM"  # a mark belongs to the letter before
        if is_single:
            return (right.isalnum() and (is_word or left in CLOSING or left in ENDING)) or (
                is_word and right in OPENING
            )
        return (right.isalpha() and left in CLOSING) or (
            right.isupper() and (left.islower() or left in ENDING)
        )

    def _note(self, tag: str, code: str) -> None:
        self._is_any = True
        if BLOCK.search(code) or (tag in SINGLE and not LOOK.search(code)):
            self._is_single = True
