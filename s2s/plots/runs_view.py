"""The pictures of `RunsCompared`: a table of scores, and one of settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s.config import Recipe, middle, settings_of
from s2s.plots.parallel_coordinates import CAPTION, ParallelAxis, parallel_coordinates
from s2s.plots.picture import Picture
from s2s.questions import ComparedRun, ComparedRuns, RunsCompared, Sweep, Table, decides, varied
from s2s.runs.listing import RUN_STATES
from s2s.words import duration, format_value, smoothing_note

BEST = "★"
DIFFERS = "≠"
MAX_NAME = 22  # characters of a run's name in a table
# Where a name may be split: sweeps name runs `preset on dataset: setting value, setting value`.
BREAKS = (": ", ", ", " · ")
ABOUT = MappingProxyType(
    {
        "loss": "Validation loss, nats per token, without label smoothing.",
        "accuracy": "Top-1 token accuracy on the validation pairs.",
        "time": "Of training, validations included.",
    }
)
OF_SCORES = f"{BEST} best. Loss, accuracy and BLEU are from each run's best validation, on its own validation pairs."
NO_STAR = "Loss and accuracy have no star here: they are comparable only with the same tokenizer and dataset."
BY_BLEU = "The tokenizers differ, so losses per token cannot be compared: the best run has the highest BLEU."
NO_BLEU = "The tokenizers differ, so losses per token cannot be compared, and no run has BLEU yet."
SCORED = ("loss", "accuracy", "BLEU")
OF_SWEEP = MappingProxyType(
    {"validation loss": ("loss", 1), "accuracy (%)": ("accuracy", 100), "BLEU": ("bleu", 1)}
)


class Column(NamedTuple):
    """One column of the table of scores: a field of a run, and how its values are written."""

    field: str
    form: Callable[[Any], str] = str


SCORES: Mapping[str, Column] = MappingProxyType(
    {
        "state": Column("state", RUN_STATES.__getitem__),
        "loss": Column("loss", "{:.3g}".format),
        "accuracy": Column("accuracy", "{:.1%}".format),
        "BLEU": Column("bleu", "{:.1f}".format),
        "parameters": Column("parameters", "{:,}".format),
        "steps": Column("step", "{:,}".format),
        "time": Column("seconds", duration),
        "dataset": Column("dataset"),
    }
)


def pictures(question: RunsCompared, answer: ComparedRuns, model: str) -> list[Picture]:
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
        _notes(answer),
    )
    scores = Picture(
        "scores",
        title,
        Table(("run", *SCORES), rows, ABOUT),
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


def of_sweep(question: Sweep, answer: ComparedRuns, model: str) -> list[Picture]:
    """Pictures of a sweep: settings and scores as parallel coordinates, then as a table."""
    rows = varied(answer)
    names = [run.name for run in answer.runs]
    leaders = question.leaders(answer)
    best = answer.runs.index(leaders[0]) if len(leaders) == 1 else None
    title = (
        f"Sweep {question.sweep} · {len(names)} runs" if question.sweep else f"{len(names)} runs"
    )
    measured = {name: _scaled(answer, field, scale) for name, (field, scale) in OF_SWEEP.items()}
    scores = [
        ParallelAxis(name, values, OF_SWEEP[name][0] == "loss")
        for name, values in measured.items()
        if {*values} != {None}
    ]
    settings = [
        ParallelAxis(row.key, tuple(run.settings.get(row.key) for run in answer.runs))
        for row in rows
    ]
    lines = Picture(
        "parallel",
        title,
        parallel_coordinates([*settings, *scores] if rows else [], names, best=best, title=title),
        f"Parallel coordinates of the settings and scores of {len(names)} runs; the table below has the numbers",
        question.table(answer),
        question.finding(answer),
        " ".join(filter(None, (CAPTION, _how_decided(answer), _notes(answer)))),
    )
    cells = [
        [
            f"{BEST} {name}" if number == best else name,
            RUN_STATES[run.state],
            *(format_value(run.settings.get(row.key)) for row in rows),
            *(_cell(run, SCORES[score], is_best=False) for score in SCORED),
            f"{run.step:,} of {run.steps:,}",
        ]
        for number, (run, name) in enumerate(zip(answer.runs, short_names(names), strict=True))
    ]
    columns = ("run", "state", *(row.key for row in rows), *SCORED, "steps")
    alt = f"{len(names)} runs of the sweep with their settings and scores"
    table = Picture("runs", title, Table(columns, cells), alt, question.table(answer))
    return [lines, table]


def _scaled(answer: ComparedRuns, field: str, scale: float) -> tuple[float | None, ...]:
    values = [getattr(run, field) for run in answer.runs]
    return tuple(None if value is None else scale * value for value in values)


def _how_decided(answer: ComparedRuns) -> str:
    if decides(answer) == "loss":
        return ""
    has_bleu = any(run.bleu is not None for run in answer.runs)
    return BY_BLEU if has_bleu else NO_BLEU


def _notes(answer: ComparedRuns) -> str:
    smoothing = smoothing_note(run.smoothing for run in answer.runs)
    return " ".join(filter(None, (smoothing, answer.signature_note)))


def short_names(names: Sequence[str]) -> list[str]:
    """The names, still distinct, each short enough for a table: of long ones, the prefix that all share is left out."""
    common = _common_prefix(names)
    start = max(common.rfind(mark) + len(mark) if mark in common else 0 for mark in BREAKS)
    is_shortened = start > 0 and len(names) > 1 and any(len(name) > MAX_NAME for name in names)
    return [middle(f"…{name[start:]}" if is_shortened else name, MAX_NAME) for name in names]


def _common_prefix(names: Sequence[str]) -> str:
    first, last = min(names), max(names)
    pairs = enumerate(zip(first, last, strict=False))
    return first[: next((i for i, (one, other) in pairs if one != other), len(first))]
