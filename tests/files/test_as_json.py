"""JSON of dataclasses: every class that is read from JSON, found in the code, and what is refused."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import json
import re
import typing
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from s2s import tokenizers
from s2s.config import Config, UserError
from s2s.config import setting as config_setting
from s2s.files import as_text, from_json, to_json
from s2s.runs.probes import PROBES

ROOT = Path(__file__).parents[2]


class Point(NamedTuple):
    x: int
    y: float = 0.5


@dataclass(frozen=True)
class Size(Config):
    n: int = config_setting(2, 1, 9, help="How many.")


@dataclass(frozen=True)
class Node:
    """Every type that there is, and itself."""

    name: str
    is_on: bool
    points: tuple[Point, ...]
    pair: tuple[str, int]
    lists: list[Sequence[float]]
    by_name: Mapping[str, tuple[int, ...]]
    by_number: dict[int, Point]
    way: Literal["up", "down"]
    array: npt.NDArray[np.int64]
    floats: npt.NDArray[np.floating[Any]]
    names: frozenset[str]
    size: Size
    either: Point | str | None
    anything: Any
    told: int = field(default=1, metadata={"json": "asked"})
    children: tuple[Node, ...] = ()
    n: int = field(default=0, init=False)


def made(kind: Any) -> Any:
    """A value of a type: never its default, and with two of everything that has several."""
    made_of, inner = typing.get_origin(kind) or kind, typing.get_args(kind)
    plain = {str: 'a “b"', int: 3, float: -0.1, bool: True, NoneType: None, Any: {"a": [1, None]}}
    if kind in plain:
        return plain[kind]
    if made_of is Literal:
        return inner[-1]
    if made_of in (UnionType, typing.Union):
        return made(inner[0])
    build = next(build for base, build in BUILDERS.items() if issubclass(made_of, base))
    return build(made_of, inner)


def _array(made_of: Any, inner: Any) -> Any:
    (number,) = typing.get_args(inner[1])
    return np.array([[1, 0]], float if typing.get_origin(number) else number)


def _tuple(made_of: Any, inner: Any) -> Any:
    if made_of is not tuple:
        return made_of(*map(made, typing.get_type_hints(made_of).values()))
    return (made(inner[0]), made(inner[0])) if inner[-1] is ... else tuple(map(made, inner))


def _dataclass(made_of: Any, inner: Any) -> Any:
    hints = typing.get_type_hints(made_of)
    rows = [row for row in dataclasses.fields(made_of) if row.init and row.name != "children"]
    try:
        return made_of(**{row.name: made(hints[row.name]) for row in rows})
    except UserError:  # it takes few values
        return made_of()


BUILDERS: Mapping[type, Callable[[Any, Any], Any]] = {
    Config: lambda made_of, inner: made_of(),
    np.ndarray: _array,
    Mapping: lambda made_of, inner: {made(inner[0]): made(inner[1])},
    tuple: _tuple,
    Set: lambda made_of, inner: frozenset([made(inner[0])]),
    list: lambda made_of, inner: [made(inner[0])] * 2,
    Sequence: lambda made_of, inner: (made(inner[0]), made(inner[0])),
    object: _dataclass,
}


def same(a: Any, b: Any) -> bool:
    """Equal, arrays with the same type of numbers."""
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    if dataclasses.is_dataclass(a):
        rows = [row.name for row in dataclasses.fields(a)]
        return type(a) is type(b) and all(same(getattr(a, row), getattr(b, row)) for row in rows)
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return bool(a == b)


def types_that_are_read() -> Iterator[Any]:
    """The first argument of every `from_json` in the code, and the answers of probes, which a row names."""
    for path in sorted((ROOT / "s2s").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        text = path.read_text() if path.name != "as_json.py" else ""
        for node in ast.walk(ast.parse(text if "from_json" in text else "")):
            if isinstance(node, ast.Call) and len(node.args) == 2:
                function, *given = map(ast.unparse, [node.func, *node.args])
                if function == "partial":
                    function, *given = given
                is_type = re.match(r"[A-Z]|(list|tuple|dict)\[", given[0])
                if is_type and function in ("files.from_json", "from_json"):
                    yield pytest.param(module, given[0], id=given[0])
    for kind in PROBES:
        yield pytest.param("s2s.runs.probes", f"PROBES[{kind!r}].answer", id=kind)


def test_every_type_survives() -> None:
    value = dataclasses.replace(made(Node), children=(made(Node), made(Node)))
    content = json.loads(json.dumps(to_json(value)))
    assert content["points"] == [[3, -0.1], [3, -0.1]]
    assert content["by_number"] == {"3": [3, -0.1]}
    assert content["asked"] == 3
    assert "n" not in content
    assert same(from_json(Node, content), value)
    assert same(from_json(Node, to_json(value)), value), "without a detour by text"


@pytest.mark.parametrize(("module", "name"), [*types_that_are_read()])
def test_what_is_stored_survives(module: str, name: str) -> None:
    # what a function imports when it reads is of the tokenizers
    kind = eval(name, vars(tokenizers) | vars(importlib.import_module(module)))
    value = made(kind)
    content = json.loads(json.dumps(to_json(value)))
    assert same(from_json(kind, content), value)
    if dataclasses.is_dataclass(kind):
        assert same(from_json(kind, {**content, "newer": 1}), value), "a newer program adds fields"


def test_a_missing_field_takes_its_default_and_a_short_row_too() -> None:
    content = to_json(made(Node))
    del content["asked"]
    content["points"] = [[4]]
    found = from_json(Node, content)
    assert found.told == 1
    assert found.points == (Point(4, 0.5),)


def test_numbers_are_of_the_declared_type_and_need_not_be_finite() -> None:
    assert isinstance(from_json(float, 3), float)
    minus = json.loads(json.dumps(to_json((-np.inf, np.float64(2)))))
    assert from_json(tuple[float, ...], minus) == (-np.inf, 2.0)
    assert from_json(npt.NDArray[np.float32], []).dtype == np.float32  # type: ignore[var-annotated]
    assert from_json(npt.NDArray[np.float64], [1, 2]).dtype == np.float64  # type: ignore[var-annotated]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("name", 1, "name: 1 is not a text"),
        ("is_on", 1, "is_on: 1 is not true or false"),
        ("points", {}, "points: {} is not a list"),
        ("points", [[]], "is no list of 2"),
        ("points", [[1, 2, 3]], "is no list of 2"),
        ("points", [[True, 1]], "True is not a whole number"),
        ("points", [[1.5, 1]], "1.5 is not a whole number"),
        ("points", [[1, "2"]], "'2' is not a number"),
        ("points", [[1, 10**400]], "is not a number"),
        ("pair", ["a"], "is no list of 2"),
        ("lists", [1], "lists: 1 is not a list"),
        ("by_name", [], "is not an object"),
        ("by_number", {"x": [1]}, "by_number: .*'x'"),
        ("way", "left", "'left' is not one of"),
        ("array", [[1.5]], "no array of int64"),
        ("array", ["1"], "no array of int64"),
        ("array", [[1], [1, 2]], "array: "),
        ("array", 1, "array: 1 is not a list"),
        ("either", 1, "either: 1 is not a text"),
        ("children", [{}], "children: name is missing"),
        ("children", [None], "children: None is not an object"),
        ("size", [], r"size: \[\] is not an object"),
    ],
)
def test_another_type_is_refused_with_its_field(name: str, content: Any, said: str) -> None:
    good = to_json(made(Node))
    with pytest.raises(ValueError, match=said) as refused:
        from_json(Node, {**good, name: content})
    assert not isinstance(refused.value, UserError)
    del good[name if name != "children" else "name"]
    if name != "children":
        with pytest.raises(ValueError, match=f"{name} is missing"):
            from_json(Node, good)


def test_a_config_says_itself_what_to_mend() -> None:
    with pytest.raises(UserError, match="`n` 10 is out of range"):
        from_json(Node, {**to_json(made(Node)), "size": {"n": 10}})


def test_a_type_without_json_is_a_mistake_of_the_program() -> None:
    with pytest.raises(TypeError, match="has no JSON"):
        from_json(complex, "a")


def test_text_for_other_programs_names_fields_and_has_null_for_what_is_no_number() -> None:
    pair = namedtuple("pair", "one other")
    value = {
        "array": np.array([[1.5, np.nan], [np.inf, -2.0]], np.float32),
        "n": np.int64(3),
        "pair": pair(float("nan"), "x“"),
        "size": Size(3),
        "set": {"b", "a"},
        2: (True, None),
    }
    found = json.loads(as_text(value))
    assert found["array"] == [[1.5, None], [None, -2.0]]
    assert found["n"] == 3
    assert found["pair"] == {"one": None, "other": "x“"}
    assert found["size"] == {"n": 3}
    assert found["set"] == ["a", "b"]
    assert found["2"] == [True, None]
    assert "\n" not in as_text(value)
