"""Data that is shipped beside the code as TOML, which people edit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


def shipped(module: str, name: str) -> dict[str, Any]:
    """The content of the TOML file `name` beside a module, which gives its `__file__`."""
    import tomllib

    return tomllib.loads((Path(module).parent / name).read_text(encoding="utf-8"))


class Lazy(Mapping[str, T]):
    """Rows by id, in order: the ids are read on first use, each row is made when first asked for."""

    def __init__(self, ids: Callable[[], Iterable[str]], make: Callable[[str], T]) -> None:
        self._ids = cache(lambda: dict.fromkeys(ids()))
        self._make = cache(make)

    def __getitem__(self, key: str) -> T:
        if key not in self._ids():
            raise KeyError(key)
        return self._make(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids())

    def __len__(self) -> int:
        return len(self._ids())

    def __repr__(self) -> str:
        return repr(dict(self))


def shipped_rows(module: str, name: str, make: Callable[..., T]) -> Lazy[T]:
    """A `make(key, **table)` for each table of a shipped TOML file, which is read when the first one is asked for."""
    tables = cache(lambda: shipped(module, name))
    return Lazy(tables, lambda key: make(key, **tables()[key]))
