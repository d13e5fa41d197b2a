"""Caches of what is computed of single sentences: bounded like all others, and emptied once in a while."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from s2s.ui.kit.cached.shared import Shared, shared

P = ParamSpec("P")
R = TypeVar("R")
_empty: list[Callable[[], Any]] = []  # one for each cache; filled as modules are imported


def by_sentence(
    max_entries: int, *, show_spinner: bool | str = False
) -> Callable[[Callable[P, R]], Shared[P, R]]:
    """As `shared`, for keys without end: what anybody types.

    Streamlit drops old entries, but keeps a lock for every key that was ever asked for (230 bytes), until the whole
    cache is cleared.
    """

    def cached(function: Callable[P, R]) -> Shared[P, R]:
        cache = shared(max_entries=max_entries, show_spinner=show_spinner)(function)
        _empty.append(cache.clear)
        return cache

    return cached


def forget_sentences() -> None:
    """Empty these caches; whoever looks at a sentence waits for it once more."""
    for empty in _empty:
        empty()
