"""What a setting is: a default, a range or choices, a sentence; checked when made, read and written as JSON."""

from __future__ import annotations

import difflib
import functools
import json
import math
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, asdict, dataclass, field, fields
from typing import Any, Generic, NamedTuple, Self, TypeVar

T = TypeVar("T")
C = TypeVar("C", bound="Config")


class UserError(ValueError):
    """Something the visitor can mend: the message says what was given, what is allowed and what to do."""


def setting(
    default: Any,
    low: float | None = None,
    high: float | None = None,
    *,
    help: str,
    choices: Iterable[str] = (),
) -> Any:
    """A setting: its default, its inclusive range or its choices, and one sentence for people."""
    metadata = {"low": low, "high": high, "help": help, "choices": tuple(choices)}
    return field(default=default, metadata=metadata)


def section(cls: Callable[[], Any], *, help: str) -> Any:
    """A group of settings inside another."""
    return field(default_factory=cls, metadata={"help": help})


@dataclass(frozen=True)
class Choice(Generic[T]):
    """One row of a registry: the thing itself, its settings, one sentence, and where it comes from."""

    make: T
    config: type[Config]
    summary: str
    source: str = ""


def nearest(given: str, allowed: Iterable[str], n: int = 3) -> list[str]:
    """The `n` allowed names most like the given one, best first; matches on the last part of a dotted key count."""
    names = list(allowed)
    close = difflib.get_close_matches(given, names, n=n, cutoff=0.4)
    tail = given.rsplit(".", 1)[-1]
    by_tail = {name.rsplit(".", 1)[-1]: name for name in reversed(names)}
    close += [by_tail[key] for key in difflib.get_close_matches(tail, by_tail, n=n, cutoff=0.6)]
    return list(dict.fromkeys(close))[:n]


def unknown(what: str, given: str, allowed: Iterable[str]) -> UserError:
    """The error for a name that is not in a registry, with the nearest ones that are."""
    names = list(allowed)
    close = nearest(given, names) or names[:3]
    if not close:
        return UserError(f"There is no {what} `{given}`, and there are no others; leave it out.")
    listed = ", ".join(f"`{name}`" for name in close)
    return UserError(f"There is no {what} `{given}`; the nearest are {listed}.")


def choose(what: str, name: str, registry: Mapping[str, T]) -> T:
    """The registry's row of that name, or a UserError that names the nearest."""
    if name not in registry:
        raise unknown(what, name, registry)
    return registry[name]


class Config:
    """Base of all settings: checked when made, read from and written to JSON. Subclasses are frozen dataclasses."""

    def __post_init__(self) -> None:
        for setting in fields_of(type(self)):
            _check(setting, _hints(type(self))[setting.name], getattr(self, setting.name))

    def to_json(self) -> dict[str, Any]:
        """Plain dicts, numbers, strings, booleans and None."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """The opposite of `to_json`; a missing key takes its default, an unknown one is an error that names it."""
        known = {setting.name: setting for setting in fields_of(cls)}
        values = {}
        for key, value in given.items():
            if key not in known:
                raise unknown("setting", key, known)
            inner = _hints(cls)[key]
            if _is_section(inner) and not isinstance(value, Mapping):
                raise UserError(f"`{key}` is {value!r}; give a group of settings.")
            values[key] = inner.from_json(value) if _is_section(inner) else value
        return cls(**values)

    @classmethod
    def shorthands(cls) -> Mapping[str, tuple[str, ...]]:
        """Keys that stand for several."""
        return {}


def fields_of(cls: type[Config]) -> tuple[Field[Any], ...]:
    """The fields of a config, each with `low, high, help, choices` in its metadata."""
    return fields(cls)  # type: ignore[arg-type]


def _hints(cls: Any) -> Mapping[str, Any]:
    return _read_hints(cls)


@functools.cache
def _read_hints(cls: Any) -> Mapping[str, Any]:
    return types.MappingProxyType(typing.get_type_hints(cls))


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


def _check(setting: Field[Any], hint: Any, value: Any) -> None:
    name = setting.name
    allowed = setting.metadata
    accepted = _accepted(hint)
    if value is None and type(None) in accepted:
        return
    if not _fits(value, accepted):
        wanted = " or ".join(KINDS.get(kind, kind.__name__) for kind in accepted)
        raise UserError(f"`{name}` is {value!r}; give {wanted}.")
    if allowed.get("choices") and isinstance(value, str) and value not in allowed["choices"]:
        raise unknown(f"choice of `{name}`", value, allowed["choices"])
    low = allowed.get("low")
    high = allowed.get("high")
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and ((low is not None and value < low) or (high is not None and value > high)):
        span = (
            f"between {low} and {high}"
            if high is not None and low is not None
            else f"at least {low}"
        )
        raise UserError(f"`{name}` {value} is out of range; give a number {span}.")


class SettingInfo(NamedTuple):
    """One setting of a config: its field, with `low, high, help, choices` in the metadata, and the types it takes."""

    field: Field[Any]
    types: tuple[type, ...]


def settings_of(cls: Any) -> Mapping[str, SettingInfo]:
    """Every setting of a config class by its dotted key, e.g. `train.optimizer.beta1`, in the order of the fields."""
    return _settings_of(cls, "")


@functools.cache
def _settings_of(cls: Any, prefix: str) -> Mapping[str, SettingInfo]:
    found: dict[str, SettingInfo] = {}
    for one in fields_of(cls):
        inner = _hints(cls)[one.name]
        name = prefix + one.name
        if _is_section(inner):
            found |= _settings_of(inner, f"{name}.")
        else:
            found[name] = SettingInfo(one, _accepted(inner))
    return types.MappingProxyType(found)


def keys(cls: type[Config]) -> list[str]:
    """Every dotted key of a config."""
    return list(settings_of(cls))


def flat(config: Config) -> dict[str, Any]:
    """Every dotted key with its value."""
    return {
        key: functools.reduce(getattr, key.split("."), config) for key in settings_of(type(config))
    }


def parse_assignments(assignments: Iterable[str]) -> dict[str, Any]:
    """`["train.steps=300", "schedule=cosine"]` -> `{"train.steps": 300, "schedule": "cosine"}`: JSON, else a string."""
    found: dict[str, Any] = {}
    for text in assignments:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UserError(
                f"`--set {text}` has no key and value; write it as key=value, for example train.steps=500."
            )
        try:
            found[key.strip()] = json.loads(value)
        except ValueError:  # no JSON, or a number of thousands of digits
            found[key.strip()] = value.strip()
    return found


def override(config: C, changes: Mapping[str, Any]) -> C:
    """A copy with the dotted keys changed together, then checked; a shorthand changes all that it stands for."""
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
