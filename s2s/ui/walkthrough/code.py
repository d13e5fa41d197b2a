"""The lines of our own source that do what a step shows: read from the code as it runs, never copied."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import s2s

ROOT = Path(s2s.__file__).parents[1]


class Code(NamedTuple):
    """A function, method or class, or its lines from the first that holds `first` to the next that holds `last`."""

    of: Callable[..., Any]
    first: str = ""
    last: str = ""


class Excerpt(NamedTuple):
    """Lines of a file; `start` is the number of the first."""

    file: str  # `s2s/model/attention.py`
    start: int
    text: str

    @property
    def end(self) -> int:
        """The number of the last line."""
        return self.start + self.text.count("\n")


@lru_cache(maxsize=256)
def excerpt(code: Code) -> Excerpt:
    """Raises ValueError where the source has no such lines any more."""
    of = inspect.unwrap(code.of)
    lines, start = inspect.getsourcelines(of)
    begin, end = _found(lines, code) if code.first else (0, len(lines))
    file = Path(inspect.getsourcefile(of) or "").relative_to(ROOT).as_posix()
    shown = (
        lines[begin:end]
        if code.first
        else [line for number, line in enumerate(lines) if number not in _prose(lines)]
    )
    return Excerpt(file, start + begin, textwrap.dedent("".join(shown)).rstrip())


def _found(lines: list[str], code: Code) -> tuple[int, int]:
    """From the first line to behind the last."""
    begin = next((number for number, line in enumerate(lines) if code.first in line), None)
    if begin is None:
        raise ValueError(f"`{code.of.__qualname__}` has no line with `{code.first}`")
    if not code.last:
        return begin, begin + 1
    end = next(
        (number for number, line in enumerate(lines) if number >= begin and code.last in line), None
    )
    if end is None:
        raise ValueError(
            f"`{code.of.__qualname__}` has no line with `{code.last}` after `{code.first}`"
        )
    return begin, end + 1


def _prose(lines: list[str]) -> range:
    """The lines of the docstring."""
    body = ast.parse(textwrap.dedent("".join(lines))).body[0]
    first = (
        body.body[0]
        if isinstance(body, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(body)
        else None
    )
    return range(first.lineno - 1, first.end_lineno or first.lineno) if first else range(0)
