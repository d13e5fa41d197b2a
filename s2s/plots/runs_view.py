"""The pictures of `RunsCompared`: a table of scores, and one of settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s.config import Recipe, settings_of
from s2s.plots.parallel_coordinates import format_value
from s2s.plots.picture import Picture
from s2s.questions import ComparedRun, ComparedRuns, RunsCompared, Table
from s2s.runs.listing import RUN_STATES
from s2s.words import duration, smoothing_note

BEST = "★"
DIFFERS = "≠"
MAX_NAME = 32  # characters of a run's name in a table
# Where a name may be split: sweeps name runs `preset on dataset: setting value, setting value`.
BREAKS = (": ", ", ", " · ")
OF_SCORES = f"{BEST} best. Loss, accuracy and BLEU are from each run's best validation, on its own validation pairs."
NO_STAR = "Loss and accuracy have no star here: they are comparable only with the same tokenizer and dataset."
FEWER = "Fewer than two of these recipes can be read."


class Column(NamedTuple):
    """One column of the table of scores: a field of a run, and how its values are written."""

    field: str
    form: Callable[[Any], str] = str


SCORES: Mapping[str, Column] = MappingProxyType(
    {
        "state": Column("state", RUN_STATES.__getitem__),
        "validation loss": Column("loss", "{:.3f}".format),
        "accuracy": Column("accuracy", "{:.1%}".format),
        "BLEU": Column("bleu", "{:.1f}".format),
        "parameters": Column("parameters", "{:,}".format),
        "steps": Column("step", "{:,}".format),
        "training time": Column("seconds", duration),
        "dataset": Column("dataset"),
    }
)


def pictures(question: RunsCompared, answer: ComparedRuns, model: str) -> list[Picture]:
    """Both tables. The runs name themselves: one that waits has no checkpoint that `model` could name."""
    names = short_names([run.name for run in answer.runs])
    title = f"{len(names)} runs side by side"
    stars = {name: answer.best(column.field) for name, column in SCORES.items() if _ranks(column)}
    rows = [
        [name, *(_cell(run, column, run in stars.get(key, ())) for key, column in SCORES.items())]
        for name, run in zip(names, answer.runs, strict=True)
    ]
    notes = (
        OF_SCORES,
        "" if answer.are_alike else NO_STAR,
        smoothing_note(run.smoothing for run in answer.runs),
        answer.signature_note,
    )
    scores = Picture(
        "scores",
        title,
        Table(("run", *SCORES), rows),
        f"Scores and sizes of {len(names)} runs",
        question.table(answer),
        question.finding(answer),
        " ".join(filter(None, notes)),
    )
    return [scores, *_settings(question, answer, title)]


def _ranks(column: Column) -> bool:
    return column.field in ("loss", "accuracy", "bleu")


def _cell(run: ComparedRun, column: Column, is_best: bool) -> str:
    value = getattr(run, column.field)
    return f"{BEST} " * is_best + column.form(value) if value is not None else "-"


def _settings(question: RunsCompared, answer: ComparedRuns, title: str) -> list[Picture]:
    """Nothing where fewer than two recipes can be read."""
    rows = answer.rows
    if not rows:
        return []
    n_differing = sum(row.differs for row in rows)
    known = settings_of(Recipe)
    shown = Table(
        (" ", "setting", *short_names([run.name for run in answer.readable]), "meaning"),
        [
            [
                DIFFERS * row.differs,
                row.key,
                *map(format_value, row.values),
                known[row.key].help if row.key in known else "",
            ]
            for row in rows
            if row.differs or question.settings
        ],
    )
    said = f"{n_differing} of {len(rows)} settings differ; they come first, marked {DIFFERS}."
    caption = said if n_differing else "All settings are equal."
    alt = f"{len(shown.rows)} settings of each run"
    named = f"Settings of {title}"
    return [Picture("settings", named, shown, alt, question.setting_table(answer), caption=caption)]


def short_names(names: Sequence[str]) -> list[str]:
    """Different names, each short enough for a table: of long ones, the prefix that all share is left out."""
    common = _common_prefix(names)
    start = max(common.rfind(mark) + len(mark) if mark in common else 0 for mark in BREAKS)
    is_shortened = start > 0 and len(names) > 1 and any(len(name) > MAX_NAME for name in names)
    return [middle(f"…{name[start:]}" if is_shortened else name, MAX_NAME) for name in names]


def _common_prefix(names: Sequence[str]) -> str:
    first, last = min(names), max(names)
    pairs = enumerate(zip(first, last, strict=False))
    return first[: next((i for i, (one, other) in pairs if one != other), len(first))]


def middle(name: str, length: int) -> str:
    """At most `length` characters, keeping both ends: a sweep's setting is at the end.

    >>> middle("small on builtin:en-fr: lr 0.001", 16)
    'small…: lr 0.001'
    """
    if len(name) <= length:
        return name
    first = length // 3
    return f"{name[:first]}…{name[first + 1 - length :]}"
