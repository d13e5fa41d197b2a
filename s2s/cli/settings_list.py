"""The command `settings`: every setting of a recipe and of the decoding strategies, as it is declared."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from types import NoneType
from typing import Any

from s2s.config import Config, Recipe, SettingInfo, UserError, flat, settings_of, unknown

RECIPE = "recipe"
EVERY_STRATEGY = "every strategy"
GROUPS = {
    "data": "Data",
    "tokenizer": "Tokenizer",
    "model": "Model",
    "train": "Training",
}
INTRODUCTION = (
    "Made by `python -m s2s settings --markdown`. On the command line, `--set KEY=VALUE` changes a setting; in",
    'Python, `s2s.train(data, settings={"train.steps": 500})` or `run.translate(text, "beam", num_beams=5)`; on the',
    "page Train, the form. `null` stands for a field of the form that is left empty.",
)
KINDS = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}


@dataclass(frozen=True)
class SettingRow:
    """One setting of recipes or strategies: what it belongs to, its key for `--set`, its values, default, and help."""

    of: str
    key: str
    range: str
    default: str
    help: str


def settings(arguments: argparse.Namespace) -> None:
    """List the settings of recipes and strategies: range, default and help."""
    if arguments.markdown:
        if arguments.name is not None:
            raise UserError("`--markdown` writes every setting; leave out the NAME.")
        print("\n".join(markdown()))
        return
    rows = [*(every_setting() if arguments.name is None else named(arguments.name))]
    if arguments.json:
        print(json.dumps([asdict(row) for row in rows], indent=1, ensure_ascii=False))
        return
    for row in rows:
        print(f"{row.key} ({row.of})\n    {row.range}; default: {row.default}\n    {row.help}")


def every_setting() -> Iterator[SettingRow]:
    """The settings of a recipe, then those of the strategies; strategies that declare a setting alike share its row."""
    yield from _rows(Recipe(), RECIPE)
    from s2s.decode import STRATEGIES

    rows = [row for name, choice in STRATEGIES.items() for row in _rows(choice.config(), name)]
    users: dict[SettingRow, list[str]] = {}
    for row in rows:
        users.setdefault(SettingRow("", row.key, row.range, row.default, row.help), []).append(
            row.of
        )
    for declared, names in users.items():
        of = EVERY_STRATEGY if len(names) == len(STRATEGIES) else ", ".join(names)
        yield SettingRow(of, declared.key, declared.range, declared.default, declared.help)


def named(name: str) -> Iterator[SettingRow]:
    """The settings with that key, or whose key ends in it; those of a group (`train.optimizer`); those of a strategy.

    Raises UserError for a name that is none of these.
    """
    from s2s.decode import STRATEGIES

    rows = [*every_setting()]
    short = Recipe.shorthands()
    full = short.get(name, (name,))
    if name in STRATEGIES:
        found = [row for row in rows if {name, EVERY_STRATEGY} & {*row.of.split(", ")}]
    else:
        found = [row for row in rows if row.key.startswith(f"{name}.")]
        found += [row for row in rows if row.key in full or row.key.endswith(f".{name}")]
    if not found:
        known = dict.fromkeys(row.key for row in rows)
        raise unknown("setting", name, [*known, *short, *STRATEGIES])
    yield from found


def _rows(config: Config, of: str) -> Iterator[SettingRow]:
    defaults = flat(config)
    for key, info in settings_of(type(config)).items():
        yield SettingRow(of, key, _range(info), _as_written(defaults[key]), info.help)


def _range(info: SettingInfo) -> str:
    kinds = [kind for kind in info.types if kind is not NoneType]
    if info.choices:
        found = ", ".join(info.choices)
        # a yes or no may have further choices, as `early_stopping` has
        found = f"true, false, {found}" if bool in kinds else found
    else:
        found = " or ".join(KINDS[kind] for kind in kinds)
    if info.low is not None:
        at_most = f" to {_number(info.high)}" if info.high is not None else " or more"
        found += f", {_number(info.low)}{at_most}"
    return f"{found}, or null" if NoneType in info.types else found


def _number(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:g}"


def _as_written(value: Any) -> str:
    return (value or "(empty)") if isinstance(value, str) else json.dumps(value)


def markdown() -> Iterator[str]:
    """The lines of docs/settings.md."""
    yield "# Settings"
    yield ""
    yield from INTRODUCTION
    yield ""
    for short, keys in Recipe.shorthands().items():
        yield f"- `{short}` changes {' and '.join(f'`{key}`' for key in keys)}."
    rows = [*every_setting()]
    for group, title in GROUPS.items():
        yield from ("", f"## {title}", "")
        yield from _table(
            (row for row in rows if row.of == RECIPE and row.key.startswith(f"{group}.")), "key"
        )
    yield from ("", "## Every decoding strategy", "")
    yield from _table((row for row in rows if row.of == EVERY_STRATEGY), "key")
    yield from ("", "## Single strategies", "")
    yield from _table((row for row in rows if row.of not in (RECIPE, EVERY_STRATEGY)), "key", "of")


def _table(rows: Iterable[SettingRow], *first: str) -> Iterator[str]:
    columns = [*first, *(field.name for field in fields(SettingRow)[2:])]
    names = {"key": "setting", "of": "of"}
    yield f"| {' | '.join(names.get(column, column) for column in columns)} |"
    yield "|---" * len(columns) + "|"
    for row in rows:
        cells = [_cell(column, getattr(row, column)) for column in columns]
        yield f"| {' | '.join(cells)} |"


def _cell(column: str, text: str) -> str:
    if column in ("key", "default"):
        return f"`{text}`"
    # outside of code, `&` and `<` would begin an entity or a tag
    parts = re.split(r"(`[^`]*`)", text.replace("|", "\\|"))
    return "".join(
        part if part.startswith("`") else part.replace("&", "&amp;").replace("<", "&lt;")
        for part in parts
    )
