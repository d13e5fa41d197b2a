"""What a value of JSON may be that somebody else wrote: predicates, and JSON that holds no surprises."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

MOST_NUMBER = 2**53  # beyond, a whole number is none as a float
MOST_DEPTH = 12
MOST_ROWS = 1000  # of a list in recipe.json

Fits = Callable[[Any], bool]


def text(most: int) -> Fits:
    """A predicate: whether a value is a string of at most that many characters."""
    return lambda value: isinstance(value, str) and len(value) <= most


def whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def several(fits: Fits) -> Fits:
    return lambda value: (
        isinstance(value, list) and len(value) <= MOST_ROWS and all(map(fits, value))
    )


def named(fits: Fits) -> Fits:
    """A predicate: whether a value is an object with any keys, whose values fit."""
    return lambda value: (
        isinstance(value, dict) and len(value) <= MOST_ROWS and all(map(fits, value.values()))
    )


def having(*needed: str, **fields: Fits) -> Fits:
    """A predicate: whether a value is an object with the `needed` of these keys, no others, and values that fit."""
    return lambda value: (
        isinstance(value, dict)
        and value.keys() >= {*needed}
        and all(key in fields and fields[key](each) for key, each in value.items())
    )


def maybe(fits: Fits) -> Fits:
    return lambda value: value is None or fits(value)


def parsed(content: bytes) -> Any:
    """The value of JSON that this program could write. Raises ValueError else: NaN, huge numbers, half a character."""
    value = json.loads(content.decode("utf-8"), parse_constant=_no_number)
    check_plain(value, MOST_DEPTH)
    return value


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def check_plain(value: Any, depth: int) -> None:
    """Raises ValueError for a value that `parsed` refuses, and for one nested more than `depth` deep."""
    if isinstance(value, str):
        value.encode()  # a lone surrogate is no text: no page could show it
    elif isinstance(value, float):
        if not math.isfinite(value):  # the perplexity of a diverged run may be any other number
            raise ValueError("a number is too large")
    elif isinstance(value, int):
        if not abs(value) <= MOST_NUMBER:
            raise ValueError("a number is too large")
    elif value is not None:
        if depth == 0:
            raise ValueError("lists in lists are too deep")
        if isinstance(value, dict):
            for key in value:
                key.encode()
        for each in value.values() if isinstance(value, dict) else value:
            check_plain(each, depth - 1)
