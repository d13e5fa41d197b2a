"""What is said of a mistake, the one form of texts (NFC), and characters that no text may have."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from typing import Literal

MAX_QUOTED = 200  # characters of what was given that an error repeats
# A surrogate stands in Python's strings for half of a UTF-16 character, and has no form in UTF-8 (Unicode, D92).
UNUSABLE = re.compile("[\0\ud800-\udfff]")


class UserError(ValueError):
    """A mistake that the user can correct: the message says what was given, what is allowed and what to do."""

    def __str__(self) -> str:
        message = super().__str__().replace("\0", r"\x00")
        return message.encode(errors="backslashreplace").decode()


class LaterError(UserError):
    """An error for now: nothing is wrong with what was given, and the same may work in a while."""


class DeniedError(UserError):
    """Refused; reads the same for what does not exist as for what belongs to somebody else."""


def shortened(text: object, length: int = MAX_QUOTED) -> str:
    """The text's first `length` characters, the last one `…` where some are missing: for what an error repeats."""
    whole = str(text)
    return whole if len(whole) <= length else whole[: length - 1] + "…"


def middle(name: str, length: int) -> str:
    """A name of at most `length` characters, keeping both ends: a sweep's setting is at the end.

    >>> middle("small on builtin:en-fr: lr 0.001", 16)
    'small…: lr 0.001'
    """
    if len(name) <= length:
        return name
    first = length // 3
    return f"{name[:first]}…{name[first + 1 - length :]}"


def unique_names(names: Mapping[str, str]) -> dict[str, str]:
    """Names by key, shared ones with the end of the key appended: the options of a widget travel by name."""
    counts = Counter(names.values())
    return {
        key: name if counts[name] == 1 else f"{name} · {key[-4:]}" for key, name in names.items()
    }


def is_usable(text: str) -> bool:
    """Whether a text can be stored: without NUL and without lone surrogates."""
    return UNUSABLE.search(text) is None


def unusable(text: str, where: str) -> UserError:
    r"""The error for a text that is not usable; `where` begins its sentence: "Row 2 of `pairs.parquet`".

    >>> str(unusable("a\0", "Row 2"))
    'Row 2 has a NUL character (`\\x00`), which no text has; remove it, as text.replace("\\0", "") does.'
    """
    found = UNUSABLE.search(text)
    code = found[0] if found else ""
    if code == "\0":
        return UserError(
            rf'{where} has a NUL character (`\x00`), which no text has; remove it, as text.replace("\0", "") does.'
        )
    return UserError(
        f"{where} has half of a character (the lone surrogate `{ascii(code)[1:-1]}`), which is no text; remove it, as"
        ' text.encode("utf-8", "ignore").decode() does.'
    )


def require_usable(text: str, where: str) -> str:
    """The text. Raises UserError if it is not usable."""
    if UNUSABLE.search(text):
        raise unusable(text, where)
    return text


def require_writable(text: str, where: str) -> None:
    """Raises UserError for half of a character, which cannot be written to a file."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise unusable(text[error.start :], where) from error


FORM: Literal["NFC"] = "NFC"  # of Unicode (annex 15)
ZERO_WIDTH_SPACE = "\u200b"
# soft hyphen, word joiner and its kin, byte order mark
INVISIBLE_MARKS = "\u00ad\u2060\u2061\u2062\u2063\u2064\ufeff"


def nfc(text: str) -> str:
    """The text in composed form: `e` + combining acute becomes `é`, so that one word has one spelling."""
    return unicodedata.normalize(FORM, text)
