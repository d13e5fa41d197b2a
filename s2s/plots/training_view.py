"""The picture of `TrainingCurves`: which metric is drawn, over what, and as which lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2s.config import choose
from s2s.plots.curves import (
    DEFAULT_OPTIONS,
    NO_STEPS_YET,
    Curve,
    CurveOptions,
    StepMark,
    curve_points,
    curves,
)
from s2s.plots.picture import Picture
from s2s.questions import LoggedRuns, TrainingCurves
from s2s.runs import Curves
from s2s.scores import METRIC_NAMES

TRAIN = "steps"
VALID = "valid_steps"
SCORED = " Measured on greedy translations of some held-out pairs (train.watch.scores)."
OF_LOSS = (
    "Lower is better. Where validation loss rises while training loss falls, the model memorizes."
)
# A slug stands in links, as `over` of `set`: a rename keeps the old one working.
AXES: Mapping[str, str] = MappingProxyType(
    {
        "step": "step",
        "token": "tokens trained on, source and target",
        "minute": "minutes of updates",
    }
)


class Quantity(NamedTuple):
    """A metric that is logged by step, and how to read its curve."""

    label: str
    axis: str  # with its unit
    # Name -> fields of `Curves` with the steps and the values.
    curves: Mapping[str, tuple[str, str]]
    reading: str
    scale: float = 1.0  # what a logged 1 is drawn as
    is_score: bool = False  # of translations: not measured at step 0


def _of_metric(
    key: str, steps: str, values: str, scale: float = 1.0, *, is_score: bool = False
) -> Quantity:
    name = METRIC_NAMES[key]
    axis = f"{name.label} ({name.unit})" if name.unit else name.label
    better = f" {name.better.capitalize()} is better." if name.better else ""
    reading = name.help + better + SCORED * is_score
    return Quantity(name.label, axis, {name.label: (steps, values)}, reading, scale, is_score)


QUANTITIES: Mapping[str, Quantity] = MappingProxyType(
    {
        "loss": Quantity(
            "Loss",
            "Loss (nats per token)",
            {"training": (TRAIN, "loss"), "validation": (VALID, "valid_loss")},
            OF_LOSS,
        ),
        "accuracy": _of_metric("token_accuracy", VALID, "valid_token_accuracy", 100.0),
        "bleu": _of_metric("bleu", VALID, "valid_bleu", is_score=True),
        "chrf": _of_metric("chrf", VALID, "valid_chrf", is_score=True),
        "lr": _of_metric("lr", TRAIN, "rates"),
        "grad_norm": _of_metric("grad_norm", TRAIN, "grad_norms"),
        "speed": _of_metric("tokens_per_second", TRAIN, "speeds"),
        "memory": _of_metric("memory", VALID, "valid_memory", 1e-6),
    }
)


def pictures(question: TrainingCurves, answer: LoggedRuns, model: str) -> list[Picture]:
    choose("curve", question.curve, QUANTITIES)
    return [picture(question, answer)]


def picture(
    question: TrainingCurves,
    answer: LoggedRuns,
    *,
    options: CurveOptions = DEFAULT_OPTIONS,
    marks: Sequence[StepMark] = (),
    nothing: str = NO_STEPS_YET,
    title: str = "",
    caption: str = "",
) -> Picture:
    """The picture as a page draws it: smoothed, zoomed, and with changes made during training."""
    quantity = QUANTITIES[question.curve]
    over = question.over
    lines = curve_lines(quantity, answer, over)
    title = f"{title or ', '.join(answer.names)} · {quantity.label} by {over}"
    first = answer.curves[0]
    if options.steps:
        low, high = placed(first, np.array(options.steps), over)
        options = options._replace(steps=(float(low), float(high)))
    placed_marks = [
        StepMark(float(placed(first, np.array([mark.step]), over)[0]), mark.label) for mark in marks
    ]
    figure = curves(
        lines,
        title=title,
        y_label=quantity.axis,
        x_label=AXES[over],
        options=options,
        marks=placed_marks,
        nothing=nothing,
    )
    return Picture(
        "curves",
        title,
        figure,
        f"{title}{last_values(lines, over)}",
        question.table(answer),
        question.finding(answer),
        caption or quantity.reading,
    )


def placed(curves: Curves, steps: NDArray[Any], over: str) -> NDArray[Any]:
    if over == "step":
        return steps
    return curves.at_steps(curves.tokens if over == "token" else curves.minutes, steps)


def curve_lines(quantity: Quantity, answer: LoggedRuns, over: str = "step") -> list[Curve]:
    """A curve for each run and each name; those of a single run do not name it."""
    return [
        Curve(
            _name(title if len(answer.names) > 1 else "", name if len(quantity.curves) > 1 else ""),
            placed(curves, getattr(curves, steps), over),
            getattr(curves, values) * quantity.scale,
            run=number,
            is_held_out=steps == VALID,
        )
        for number, (title, curves) in enumerate(zip(answer.names, answer.curves, strict=True))
        for name, (steps, values) in quantity.curves.items()
    ]


def _name(title: str, name: str) -> str:
    return " · ".join(filter(None, [title, name])) or "this run"


def last_values(lines: Sequence[Curve], over: str) -> str:
    """The newest value of each curve, for the chart's alternative text."""
    found = [(line, curve_points(line, DEFAULT_OPTIONS)) for line in lines]
    newest = [
        f"{line.name} {values[-1]:.4g} at {over} {steps[-1]:,.{0 if over != 'minute' else 1}f}"
        for line, (steps, values, _) in found
        if len(steps)
    ]
    return f": {'; '.join(newest)}" if newest else ""
