"""Values as JSON and back, by the types of their fields: what this program stores, or sends to a process of its own.

Whole numbers, numbers, texts, dataclasses (an object; `metadata={"json": NAME}` names a field differently), NamedTuples
and tuples (lists), lists, sets, mappings with texts or whole numbers as keys, arrays, configs, and unions of these.

Settings that people write are read by `Config.from_json`, which says what to mend.
"""

from __future__ import annotations

import dataclasses
import json
import math
import typing
from collections.abc import Callable, Mapping, Sequence, Set
from functools import cache, partial
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Literal, NamedTuple, TypeVar, Union

from s2s.config import Config, UserError, shortened

T = TypeVar("T")
Read = Callable[[Any], Any]
NAME = "json"  # in the metadata of a field
SCALARS: Mapping[Any, str] = MappingProxyType(
    {
        str: "a text",
        int: "a whole number",
        float: "a number",
        bool: "true or false",
        NoneType: "null",
    }
)
PLAIN = frozenset(SCALARS)
LARGEST = 2**1023  # of whole numbers that are read as numbers
# Kinds of numpy's types, and the kinds of arrays that are such an array without loss.
ARRAYS = MappingProxyType({"b": "b", "i": "biu", "u": "biu", "f": "biuf", "U": "U"})


class _Row(NamedTuple):
    name: str
    key: str  # in JSON
    kind: Any
    is_needed: bool  # it has no default


def to_json(value: Any) -> Any:
    """The value as what `from_json` reads: dicts, lists, texts, numbers, booleans and None."""
    return _written(value, is_published=False)


def as_text(value: Any) -> str:
    """The value as a line of JSON for other programs: NamedTuples are objects, too; what is not finite is null."""
    written = _written(value, is_published=True)
    return json.dumps(written, ensure_ascii=False, allow_nan=False)


def from_json(kind: type[T], content: Any) -> T:
    """A value of the type `kind` from what `to_json` made. A missing key takes its default, an unknown one (of a newer
    program) is passed over. Raises ValueError for content of another type; UserError as a config does.
    """
    given: Any = kind
    read: T = _reader(given)(content)
    return read


def _written(value: Any, *, is_published: bool) -> Any:
    if value is None or isinstance(value, str | int | float):
        is_lost = is_published and isinstance(value, float) and not math.isfinite(value)
        return None if is_lost else value
    if is_published and hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, list | tuple | Set):
        ordered = sorted(value) if isinstance(value, Set) else value
        if not is_published and PLAIN.issuperset(map(type, ordered)):  # usual, and fast
            return [*ordered]
        return [_written(one, is_published=is_published) for one in ordered]
    if isinstance(value, Config) and not is_published:
        return value.to_json()
    if hasattr(value, "tolist"):  # an array, or one of its numbers
        return _written(value.tolist(), is_published=is_published)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        rows = [row for row in dataclasses.fields(value) if row.init or is_published]
        value = {row.metadata.get(NAME, row.name): getattr(value, row.name) for row in rows}
    if isinstance(value, Mapping):
        return {str(key): _written(one, is_published=is_published) for key, one in value.items()}
    raise TypeError(f"{shortened(repr(value))} has no JSON")


@cache
def _reader(kind: Any) -> Read:
    if kind in SCALARS:
        return partial(_scalar, kind)
    if kind is Any or isinstance(kind, TypeVar):
        return lambda content: content
    made, inner = typing.get_origin(kind) or kind, typing.get_args(kind)
    if made is Literal:
        return partial(_literal, inner)
    if made in (Union, UnionType):
        return partial(_union, inner)
    reader = next((each for base, each in READERS.items() if issubclass(made, base)), None)
    return reader(made, inner) if reader else _dataclass_or_array(made, inner)


@cache
def _rows(made: Any) -> tuple[_Row, ...]:
    hints = typing.get_type_hints(made)
    return tuple(
        _Row(
            row.name,
            row.metadata.get(NAME, row.name),
            hints[row.name],
            row.default is dataclasses.MISSING and row.default_factory is dataclasses.MISSING,
        )
        for row in dataclasses.fields(made)
        if row.init
    )


def _record(made: Any, content: Any) -> Any:
    given = _of(Mapping, content, "an object")
    values = {}
    for row in _rows(made):
        if row.key in given:
            try:
                values[row.name] = _reader(row.kind)(given[row.key])
            except UserError:
                raise
            except ValueError as error:
                raise ValueError(f"{row.key}: {error}") from error
        elif row.is_needed:
            raise ValueError(f"{row.key} is missing")
    return made(**values)


def _tuple(made: Any, inner: tuple[Any, ...]) -> Read:
    if made is not tuple:  # a NamedTuple
        hints = typing.get_type_hints(made)
        kinds = tuple(hints[name] for name in made._fields)
        n_needed = len(kinds) - len(made._field_defaults)
        return partial(_fixed, lambda values: made(*values), kinds, n_needed)
    if inner and inner[-1] is not ...:
        return partial(_fixed, tuple, inner, len(inner))
    return _sequence(made, inner)


def _fixed(made: Any, kinds: tuple[Any, ...], n_needed: int, content: Any) -> Any:
    values = _of((list, tuple), content, "a list")
    if (*map(type, values),) == kinds:  # usual, and fast
        return made(values)
    if not n_needed <= len(values) <= len(kinds):
        raise ValueError(f"{shortened(repr(content))} is no list of {len(kinds)}")
    return made([_reader(kind)(value) for kind, value in zip(kinds, values, strict=False)])


def _config(made: Any, inner: tuple[Any, ...]) -> Read:
    return lambda content: made.from_json(_of(Mapping, content, "an object"))


def _mapping(made: Any, inner: tuple[Any, ...]) -> Read:
    key, value = inner or (Any, Any)
    read_key, read = int if key is int else _reader(key), _reader(value)
    return lambda content: {
        read_key(key): read(value) for key, value in _of(Mapping, content, "an object").items()
    }


def _sequence(made: Any, inner: tuple[Any, ...]) -> Read:
    return partial(_several, list if made is list else tuple, (inner or (Any,))[0])


def _set(made: Any, inner: tuple[Any, ...]) -> Read:
    return partial(_several, frozenset, (inner or (Any,))[0])


def _several(made: Any, kind: Any, content: Any) -> Any:
    values = _of((list, tuple), content, "a list")
    if {*map(type, values)} <= {kind}:  # usual, and fast
        return made(values)
    read = _reader(kind)
    return made([read(value) for value in values])


def _dataclass_or_array(made: Any, inner: tuple[Any, ...]) -> Read:
    if dataclasses.is_dataclass(made):
        return partial(_record, made)  # which finds its fields' readers later: it may hold itself
    if made.__name__ != "ndarray":
        raise TypeError(f"{made} has no JSON")
    return partial(_array, typing.get_args(inner[1])[0])


def _array(kind: Any, content: Any) -> Any:
    import numpy as np

    found = np.array(_of(list, content, "a list"))
    if kind is Any or typing.get_origin(kind):
        return found
    dtype = np.dtype(kind)
    if found.size and found.dtype.kind not in ARRAYS[dtype.kind]:
        raise ValueError(f"{shortened(repr(content))} is no array of {dtype}")
    return found.astype(dtype)


def _union(kinds: tuple[Any, ...], content: Any) -> Any:
    if content is None and NoneType in kinds:
        return None
    *others, last = [kind for kind in kinds if kind is not NoneType]
    for kind in others:
        try:
            return _reader(kind)(content)
        except UserError:
            raise
        except ValueError:
            continue
    return _reader(last)(content)


def _literal(allowed: tuple[Any, ...], content: Any) -> Any:
    if not any(content == one and type(content) is type(one) for one in allowed):
        raise ValueError(f"{shortened(repr(content))} is not one of {allowed}")
    return content


def _scalar(kind: Any, content: Any) -> Any:
    if type(content) is kind:
        return content
    if kind is float and type(content) is int and abs(content) < LARGEST:
        return float(content)
    return _of(kind, content, SCALARS[kind])


def _of(kind: Any, content: Any, name: str) -> Any:
    if not isinstance(content, kind) or (kind is int and isinstance(content, bool)):
        raise ValueError(f"{shortened(repr(content))} is not {name}")
    return content


READERS: Mapping[type, Callable[[Any, tuple[Any, ...]], Read]] = MappingProxyType(
    {Config: _config, Mapping: _mapping, tuple: _tuple, Set: _set, Sequence: _sequence}
)
