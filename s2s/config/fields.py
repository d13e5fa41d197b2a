"""How settings are declared (default, range or choices, label, help), checked, and read from and written to JSON."""

from __future__ import annotations

import difflib
import functools
import json
import math
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, Generic, NamedTuple, Self, TypeVar

from s2s.config.errors import MAX_QUOTED, UserError, require_writable, shortened

T = TypeVar("T")
C = TypeVar("C", bound="Config")


def json_or_text(text: str) -> Any:
    """The JSON value that a text is, else the text itself."""
    try:
        return json.loads(text)
    except (
        ValueError,
        RecursionError,
    ):  # no JSON, a number of thousands of digits, too deep a list
        return text


def setting(
    default: Any,
    low: float | None = None,
    high: float | None = None,
    *,
    help: str,
    label: str = "",
    choices: Collection[str] = (),
) -> Any:
    """Declare a field of a Config. The range includes both ends.

    Without `label`, forms show the field's name: `num_samples` as "Num samples".
    """
    row = {"low": low, "high": high, "help": help, "label": label, "choices": choices}
    return field(default=default, metadata=row)


def section(cls: Callable[[], Any], *, help: str, of: str = "") -> Any:
    """Declare a field that is a Config itself. Forms add `of` to its labels: "Layers (encoder)"."""
    return field(default_factory=cls, metadata={"help": help, "of": of})


@dataclass(frozen=True)
class Choice(Generic[T]):
    """An entry of a registry: a function or class, the config it takes, a one-sentence summary, and its source."""

    make: T
    config: type[Config]
    summary: str
    source: str = ""


def nearest(given: str, allowed: Iterable[str], n: int = 3) -> list[str]:
    """The `n` allowed names most similar to the given one, best first; the last part of a dotted key may match, too."""
    names = list(allowed)
    close = difflib.get_close_matches(given, names, n=n, cutoff=0.4)
    tail = given.rsplit(".", 1)[-1]
    by_tail = {name.rsplit(".", 1)[-1]: name for name in reversed(names)}
    close += [by_tail[key] for key in difflib.get_close_matches(tail, by_tail, n=n, cutoff=0.6)]
    return list(dict.fromkeys(close))[:n]


def unknown(what: str, given: object, allowed: Iterable[str]) -> UserError:
    """The error for a name that is not in a registry; it suggests the nearest ones that are."""
    names = list(allowed)
    given = shortened(given)
    close = nearest(given, names) or names[:3]
    if not close:
        return UserError(f"There is no {what} `{given}`, and there are no others; leave it out.")
    listed = ", ".join(f"`{shortened(name, MAX_QUOTED // 4)}`" for name in close)
    return UserError(f"There is no {what} `{given}`; the nearest are {listed}.")


def choose(what: str, name: str, registry: Mapping[str, T]) -> T:
    """The registry's row of that name, or a UserError that names the nearest."""
    if not isinstance(name, str) or name not in registry:
        raise unknown(what, name, registry)
    return registry[name]


class Config:
    """Base class of all configs, which are frozen dataclasses: checked when made, read from and written to JSON."""

    def __post_init__(self) -> None:
        for row, accepted in _types_of_fields(self):
            _check(row, accepted, getattr(self, row.name))

    def to_json(self) -> dict[str, Any]:
        """The config as plain dicts, numbers, strings, booleans and None."""
        found = {}
        for row, _ in _types_of_fields(self):
            value = getattr(self, row.name)
            found[row.name] = value.to_json() if isinstance(value, Config) else value
        return found

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """The config of what `to_json` made. A missing key takes its default; an unknown key raises UserError."""
        known = {row.name for row in fields_of(cls)}
        values = {}
        for key, value in given.items():
            if key not in known:
                raise unknown("setting", key, known)
            inner = _hints(cls)[key]
            if _is_section(inner) and not isinstance(value, Mapping):
                raise UserError(f"`{key}` is {shortened(repr(value))}; give a group of settings.")
            values[key] = inner.from_json(value) if _is_section(inner) else value
        return cls(**values)

    @classmethod
    def shorthands(cls) -> Mapping[str, tuple[str, ...]]:
        """Keys that each stand for several: `model.n_layers` for the encoder's and the decoder's."""
        return {}


def fields_of(cls: type[Config]) -> tuple[Field[Any], ...]:
    """The dataclass fields of a config, sections included."""
    return fields(cls)  # type: ignore[arg-type]


def _hints(cls: Any) -> Mapping[str, Any]:
    return _read_hints(cls)


@functools.cache
def _read_hints(cls: Any) -> Mapping[str, Any]:
    return types.MappingProxyType(typing.get_type_hints(cls))


def _types_of_fields(config: Any) -> tuple[tuple[Field[Any], tuple[type, ...]], ...]:
    cls: Any = type(config)
    return _read_types(cls)


@functools.cache
def _read_types(cls: Any) -> tuple[tuple[Field[Any], tuple[type, ...]], ...]:
    hints = _hints(cls)
    return tuple((row, _accepted(hints[row.name])) for row in fields_of(cls))


def _accepted(hint: Any) -> tuple[type, ...]:
    return hint.__args__ if isinstance(hint, types.UnionType) else (hint,)


def _is_section(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Config)


KINDS = types.MappingProxyType(
    {
        int: "a whole number",
        float: "a number",
        bool: "true or false",
        str: "text",
        types.NoneType: "null",
    }
)


def _fits(value: Any, accepted: tuple[type, ...]) -> bool:
    if isinstance(value, bool):  # which Python takes for a whole number
        return bool in accepted
    if isinstance(value, int):
        return int in accepted or float in accepted
    return isinstance(value, accepted) and not (isinstance(value, float) and math.isnan(value))


def _check(declared: Field[Any], accepted: tuple[type, ...], value: Any) -> None:
    name = declared.name
    allowed = declared.metadata
    if value is None and type(None) in accepted:
        return
    if not _fits(value, accepted):
        kinds = " or ".join(KINDS.get(kind, kind.__name__) for kind in accepted)
        raise UserError(f"`{name}` is {shortened(repr(value))}; give {kinds}.")
    if allowed.get("choices") and isinstance(value, str) and value not in allowed["choices"]:
        raise unknown(f"choice of `{name}`", value, allowed["choices"])
    if isinstance(value, str):
        require_writable(value, f"`{name}`")
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number:
        _check_range(name, value, allowed.get("low"), allowed.get("high"))


def _check_range(name: str, value: float, low: float | None, high: float | None) -> None:
    if (low is None or value >= low) and (high is None or value <= high):
        return
    has_both = low is not None and high is not None
    span = f"between {low} and {high}" if has_both else f"at least {low}"
    raise UserError(f"`{name}` {shortened(value)} is out of range; give a number {span}.")


class SettingInfo(NamedTuple):
    """The declaration of one setting, and the types it takes."""

    label: str
    help: str
    low: float | None
    high: float | None
    choices: tuple[str, ...]
    types: tuple[type, ...]


def values_of_texts(cls: Any, given: Mapping[str, str]) -> dict[str, Any]:
    """The values of settings that a URL holds as strings: a setting of type text is its string, any other is JSON."""
    rows = settings_of(cls)
    return {
        key: text if key in rows and {*rows[key].types} == {str} else json_or_text(text)
        for key, text in given.items()
    }


def settings_of(cls: Any) -> Mapping[str, SettingInfo]:
    """Every setting of a config class by its dotted key, e.g. `train.optimizer.beta1`, in the order of the fields."""
    return _settings_of(cls, "", "")


@functools.cache
def _settings_of(cls: Any, prefix: str, of: str) -> Mapping[str, SettingInfo]:
    found: dict[str, SettingInfo] = {}
    for row in fields_of(cls):
        hint = _hints(cls)[row.name]
        key = prefix + row.name
        if _is_section(hint):
            found |= _settings_of(hint, f"{key}.", row.metadata["of"])
        else:
            found[key] = _info(row, _accepted(hint), of)
    return types.MappingProxyType(found)


def _info(declared: Field[Any], accepted: tuple[type, ...], of: str) -> SettingInfo:
    row = declared.metadata
    label = row["label"] or declared.name.replace("_", " ").capitalize()
    if of:
        label = f"{label} ({of})"
    return SettingInfo(label, row["help"], row["low"], row["high"], row["choices"], accepted)


def keys(cls: type[Config]) -> list[str]:
    return list(settings_of(cls))


def flat(config: Config) -> dict[str, Any]:
    """A config's values by dotted key."""
    return {
        key: functools.reduce(getattr, key.split("."), config) for key in settings_of(type(config))
    }


def parse_assignments(assignments: Iterable[str]) -> dict[str, Any]:
    """`["train.steps=300", "schedule=cosine"]` -> `{"train.steps": 300, "schedule": "cosine"}`: JSON, else a string."""
    given = split_assignments(assignments)
    return {key: json_or_text(value.strip()) for key, value in given.items()}


def split_assignments(assignments: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in assignments:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UserError(
                f"`--set {shortened(text)}` has no key and value; write it as key=value, for example train.steps=500."
            )
        found[key.strip()] = value
    return found


def override(config: C, changes: Mapping[str, Any]) -> C:
    """A copy with the dotted keys changed together, then checked; a shorthand changes all keys it stands for."""
    tree = config.to_json()
    cls = type(config)
    short = cls.shorthands()
    known = set(keys(cls))
    for key, value in changes.items():
        if key not in known and key not in short:
            raise unknown("setting", key, [*keys(cls), *short])
        for full in short.get(key, (key,)):
            *path, last = full.split(".")
            functools.reduce(lambda node, part: node[part], path, tree)[last] = value
    return cls.from_json(tree)
