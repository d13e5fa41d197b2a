"""Training curves of one run or of several: which metric is drawn, over what, as which lines and as a table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from s2s import plots
from s2s.plots import Curve, CurveOptions
from s2s.runs import Curves
from s2s.scores import METRIC_NAMES, differing_parts
from s2s.ui.kit import cached
from s2s.ui.kit.state import ViewState
from s2s.ui.kit.tables import frame_csv
from s2s.words import smoothing_note

MAX_RUNS = 6  # as many markers as can be told apart
TRAIN = "steps"
VALID = "valid_steps"
SCORED = " Measured on greedy translations of some held-out pairs (train.watch.scores)."


def signature_note(every: Iterable[Curves]) -> str:
    """One sentence if the scores of these curves were counted in different ways; "" otherwise."""
    signatures = {
        signature
        for curves in every
        for signature, bleu in zip(curves.valid_signatures, curves.valid_bleu, strict=True)
        if math.isfinite(bleu)
    }
    if len(signatures) < 2:
        return ""
    return (
        "BLEU, chrF and exact match do not all compare here, because their signatures differ:"
        f" {'; '.join(differing_parts(signatures))}."
    )


class CurveAxis(NamedTuple):
    """What curves run over: its button, and the title of the axis."""

    label: str
    title: str


# A slug stands in links, as `over` of `set`: a rename keeps the old one working.
AXES: Mapping[str, CurveAxis] = MappingProxyType(
    {
        "step": CurveAxis("Steps", "step"),
        "token": CurveAxis("Tokens", "tokens trained on, source and target"),
        "minute": CurveAxis("Minutes", "minutes of updates"),
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
    """One curve, with the names of `METRIC_NAMES`."""
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
            plots.PLOTS["curves"].caption,
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


def placed(curves: Curves, steps: NDArray[Any], over: str) -> NDArray[Any]:
    """Where the horizontal axis has these steps of a run."""
    if over == "step":
        return steps
    return curves.at_steps(curves.tokens if over == "token" else curves.minutes, steps)


def quantity_and_axis(state: ViewState[Any]) -> tuple[Quantity, str]:
    """Buttons for what is drawn, and for a row of AXES; the view has the fields `curve` and `over`."""
    quantities = {key: row.label for key, row in QUANTITIES.items()}
    axes = {key: row.label for key, row in AXES.items()}
    look = {"default": "loss", "label_visibility": "collapsed"}
    with st.container(horizontal=True, horizontal_alignment="distribute", key="controls-curves"):
        chosen = state.segments("curve", "Curve", quantities, **look)
        look["default"] = "step"
        over = state.segments("over", "Horizontal axis", axes, **look)
    return QUANTITIES[chosen], over


def loss_note(runs: Iterable[str], quantity: str = "Loss") -> str:
    """Beside losses of runs that were trained here with label smoothing: that they are without it."""
    if quantity != QUANTITIES["loss"].label:
        return ""
    trained = (run for run in runs if not cached.metadata(run).get("imported"))
    recipes = filter(None, map(cached.recipe, trained))
    return smoothing_note(recipe.train.label_smoothing for recipe in recipes)


def curve_lines(quantity: Quantity, runs: Mapping[str, Curves], over: str = "step") -> list[Curve]:
    """A curve for each run and each name. Runs are keyed by their titles, which may be empty for a run alone."""
    return [
        Curve(
            _name(title, name if len(quantity.curves) > 1 else ""),
            placed(curves, getattr(curves, steps), over),
            getattr(curves, values) * quantity.scale,
            run=number,
            is_held_out=steps == VALID,
        )
        for number, (title, curves) in enumerate(runs.items())
        for name, (steps, values) in quantity.curves.items()
    ]


def _name(title: str, name: str) -> str:
    return " · ".join(filter(None, [title, name])) or "this run"


def last_values(lines: Sequence[Curve], over: str) -> str:
    """The newest values, for the chart's alternative text."""
    found = [(line, plots.curve_points(line, CurveOptions())) for line in lines]
    newest = [
        f"{line.name} {values[-1]:.4g} at {over} {steps[-1]:,.{0 if over != 'minute' else 1}f}"
        for line, (steps, values, _) in found
        if len(steps)
    ]
    return f": {'; '.join(newest)}" if newest else ""


def curve_table(lines: Sequence[Curve], options: CurveOptions, over: str = "step") -> str:
    """CSV with one row per point that is drawn."""
    frames = []
    for line in lines:
        steps, values, smoothed = plots.curve_points(line, options)
        places = steps if over == "minute" else steps.astype(int)
        frame = pd.DataFrame({"curve": line.name, over: places, "value": values})
        frames.append(frame.assign(smoothed=smoothed) if options.smoothing else frame)
    return frame_csv(pd.concat(frames))
