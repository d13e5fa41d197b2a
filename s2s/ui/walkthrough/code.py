"""Excerpts of the source code that computes what a step shows: read from the code that runs, never copied."""

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
    """A function, method or class to quote, or its lines between `first` and `last`."""

    of: Callable[..., Any]
    first: str = ""
    last: str = ""


class Excerpt(NamedTuple):
    """Lines of a file; `start` is the number of the first."""

    file: str  # `s2s/model/attention.py`
    start: int
    text: str


@lru_cache(maxsize=256)
def excerpt(code: Code) -> Excerpt:
    """The quoted source without its docstring. Raises ValueError if the lines no longer exist."""
    function = inspect.unwrap(code.of)
    lines, start = inspect.getsourcelines(function)
    file = Path(inspect.getsourcefile(function) or "").relative_to(ROOT).as_posix()
    if not code.first:
        docstring = _docstring_lines(lines)
        kept = [line for number, line in enumerate(lines) if number not in docstring]
        return Excerpt(file, start, _dedented(kept))
    begin = _find(lines, code, code.first, 0)
    end = _find(lines, code, code.last, begin) if code.last else begin
    return Excerpt(file, start + begin, _dedented(lines[begin : end + 1]))


def _find(lines: list[str], code: Code, marker: str, begin: int) -> int:
    for number in range(begin, len(lines)):
        if marker in lines[number]:
            return number
    after = f" after `{code.first}`" if begin else ""
    raise ValueError(f"`{code.of.__qualname__}` has no line with `{marker}`{after}")


def _docstring_lines(lines: list[str]) -> range:
    body = ast.parse(textwrap.dedent("".join(lines))).body[0]
    if not isinstance(body, ast.FunctionDef | ast.ClassDef) or not ast.get_docstring(body):
        return range(0)
    docstring = body.body[0]
    return range(docstring.lineno - 1, docstring.end_lineno or docstring.lineno)


def _dedented(lines: list[str]) -> str:
    return textwrap.dedent("".join(lines)).rstrip()
