"""The one form in which texts are read, written and compared."""

from __future__ import annotations

import unicodedata
from typing import Literal

FORM: Literal["NFC"] = "NFC"  # of Unicode (annex 15)
ZERO_WIDTH_SPACE = "\u200b"
# soft hyphen, word joiner and its kin, byte order mark
INVISIBLE_MARKS = "\u00ad\u2060\u2061\u2062\u2063\u2064\ufeff"


def nfc(text: str) -> str:
    """Composed form: `e` + combining acute becomes `é`, so that one word has one spelling."""
    return unicodedata.normalize(FORM, text)
