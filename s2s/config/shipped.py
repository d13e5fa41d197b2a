"""Data that is shipped beside the code as TOML, which people edit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


def shipped(module: str, name: str) -> dict[str, Any]:
    """The file `name` in the folder of a module, which gives its `__file__`."""
    import tomllib

    return tomllib.loads((Path(module).parent / name).read_text(encoding="utf-8"))


class Shipped(Mapping[str, T]):
    """The rows of such a file, `make(key, **table)` each; it is read when the first one is asked for."""

    def __init__(self, module: str, name: str, make: Callable[..., T]) -> None:
        self._file = (module, name)
        self._make = make
        self._made: dict[str, T] = {}

    @cached_property
    def _tables(self) -> dict[str, Any]:
        return shipped(*self._file)

    def __getitem__(self, key: str) -> T:
        if key not in self._made:
            self._made.setdefault(key, self._make(key, **self._tables[key]))
        return self._made[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __repr__(self) -> str:
        return repr(dict(self))
