"""The one form in which texts are read, written and compared."""

from __future__ import annotations

import unicodedata
from typing import Literal

FORM: Literal["NFC"] = "NFC"  # of Unicode (annex 15)


def nfc(text: str) -> str:
    """Composed form: `e` + combining acute becomes `é`, so that one word has one spelling."""
    return unicodedata.normalize(FORM, text)
