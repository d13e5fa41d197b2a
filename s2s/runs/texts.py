"""The sentences that a caller gives to a run: one, or several in any sequence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from s2s.config import UserError, require_usable, shortened

Texts: TypeAlias = str | Iterable[str]


def as_texts(given: Texts, side: str) -> list[str]:
    """The sentences as a list, one string as a list of one: it is never read character by character.

    Raises UserError for what is no text, and for a text with a character that no text has; `side` is what the texts
    are: source or target.
    """
    if isinstance(given, str):
        return [_text(given, f"The {side}")]
    if hasattr(given, "columns"):  # iterating over it gives names, not texts
        raise _no_text(given, f"The {side}", "give one of its columns")
    if not isinstance(given, Iterable) or isinstance(given, bytes | Mapping | set | frozenset):
        raise _no_text(given, f"The {side}", "give a string, or a list of strings")
    return [_text(text, f"{side.capitalize()} {number:,}") for number, text in enumerate(given, 1)]


def as_pairs(sources: Texts, targets: Texts) -> tuple[list[str], list[str]]:
    """Sources and targets as lists, by `as_texts`. Raises UserError, too, where one has more texts than the other."""
    src, tgt = as_texts(sources, "source"), as_texts(targets, "target")
    if len(src) != len(tgt):
        raise UserError(
            f"There are {len(src):,} sources and {len(tgt):,} targets; give a target for each source."
        )
    return src, tgt


def require_one(text: object, side: str) -> str:
    """The text, if it is one sentence. Raises UserError for anything else, such as a list of one."""
    return _text(text, f"The {side}")


def _text(text: object, where: str) -> str:
    if not isinstance(text, str):
        raise _no_text(text, where, "give a string")
    return require_usable(str(text), where)  # a plain one, of numpy's, too


def _no_text(given: object, where: str, advice: str) -> UserError:
    kind = type(given).__name__
    shown = " ".join(repr(given).split())  # a table's is of several lines
    return UserError(f"{where} is {shortened(shown, 60)} ({kind}); {advice}.")
