"""Findings: what an answer shows, in words. Each is said only where its predicate holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple


class Finding(NamedTuple):
    """A sentence said where it `holds`; facts fill its braces: `{word} has cosine {last:.2f}`."""

    holds: Callable[[Any], bool]
    text: str

    def said(self, facts: object) -> str:
        """The sentence, if its predicate holds; otherwise empty."""
        return self.text.format_map(_Named(facts)) if self.holds(facts) else ""


def first(findings: Sequence[Finding], facts: object) -> str:
    """The first sentence that holds; empty where none does."""
    return next((each.said(facts) for each in findings if each.holds(facts)), "")


class _Named(dict[str, Any]):
    def __init__(self, facts: object) -> None:
        super().__init__()
        self._facts = facts

    def __missing__(self, name: str) -> Any:
        return getattr(self._facts, name)
