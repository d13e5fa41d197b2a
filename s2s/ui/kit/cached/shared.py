"""What is remembered for all visitors, and who asked for it: a workspace that is deleted takes its own along."""

from __future__ import annotations

import functools
import inspect
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar

import streamlit as st

from s2s.config import asker

P = ParamSpec("P")
R = TypeVar("R")
_caches: list[Shared[..., Any]] = []  # filled as modules are imported
_empty: list[Callable[[], Any]] = []  # one for each cache; filled as modules are imported


def shared(
    *, max_entries: int, show_spinner: bool | str = False
) -> Callable[[Callable[P, R]], Shared[P, R]]:
    """A decorator like `st.cache_resource` that, on a hosted server, notes which workspaces asked for an entry."""

    def cached(function: Callable[P, R]) -> Shared[P, R]:
        found = Shared(function, max_entries, show_spinner)
        _caches.append(found)
        return found

    return cached


def forget_shared(workspace: str) -> None:
    """Drop the entries for which nobody but this workspace asked."""
    for cache in _caches:
        cache.forget(workspace)


class Call(NamedTuple):
    """The arguments of a call that identify a cache entry."""

    given: tuple[Any, ...]
    named: tuple[tuple[str, Any], ...]


class Shared(Generic[P, R]):
    """A function with its cache. Parameters whose names begin with an underscore do not count, as in Streamlit's."""

    def __init__(
        self, function: Callable[P, R], max_entries: int, show_spinner: bool | str
    ) -> None:
        functools.update_wrapper(self, function)
        self._cache = st.cache_resource(max_entries=max_entries, show_spinner=show_spinner)(
            function
        )
        self._counts = [name[:1] != "_" for name in inspect.signature(function).parameters]
        self._most = max_entries
        self._lock = threading.Lock()
        self._asked: OrderedDict[Call, set[str]] = OrderedDict()  # by which workspaces

    def __call__(self, *given: P.args, **named: P.kwargs) -> R:
        found = self._cache(*given, **named)
        if asker.is_hosted():
            self._note(self._call(given, named), asker.current())
        return found

    def clear(self, *given: Any, **named: Any) -> None:
        """Drop the entry of a call, or all."""
        with self._lock:
            if given or named:
                self._asked.pop(self._call(given, named), None)
            else:
                self._asked.clear()
        self._cache.clear(*given, **named)

    def forget(self, workspace: str) -> None:
        """Drop the entries for which nobody but this workspace asked."""
        with self._lock:
            calls = [call for call, owners in self._asked.items() if workspace in owners]
            alone = [call for call in calls if self._asked[call] == {workspace}]
            for call in calls:
                self._asked[call].discard(workspace)
            for call in alone:
                del self._asked[call]
        for call in alone:
            self._cache.clear(*call.given, **dict(call.named))

    def _note(self, call: Call, workspace: str) -> None:
        with self._lock:
            self._asked.setdefault(call, set()).add(workspace)
            self._asked.move_to_end(call)  # the oldest leave first, as in the cache
            while len(self._asked) > self._most:
                self._asked.popitem(last=False)

    def _call(self, given: tuple[Any, ...], named: dict[str, Any]) -> Call:
        kept = tuple(
            value if counts else None for value, counts in zip(given, self._counts, strict=False)
        )
        return Call(kept, tuple((name, named[name]) for name in sorted(named) if name[:1] != "_"))


def by_sentence(
    max_entries: int, *, show_spinner: bool | str = False
) -> Callable[[Callable[P, R]], Shared[P, R]]:
    """A decorator like `shared`, for keys without end: what anybody types.

    Streamlit drops old entries, but keeps a lock for every key that was ever asked for (230 bytes), until the whole
    cache is cleared.
    """

    def cached(function: Callable[P, R]) -> Shared[P, R]:
        cache = shared(max_entries=max_entries, show_spinner=show_spinner)(function)
        _empty.append(cache.clear)
        return cache

    return cached


def forget_sentences() -> None:
    """Empty the caches of `by_sentence`; whoever looks at a sentence waits for it once more."""
    for empty in _empty:
        empty()
