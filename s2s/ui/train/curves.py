"""The training curves: which metric, of which runs, how drawn; the link says it, too."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import streamlit as st

from s2s import plots
from s2s.config import Recipe
from s2s.plots import Curve, CurveOptions, StepMark, training_view
from s2s.questions import LoggedRuns, TrainingCurves, signature_note
from s2s.runs import Curves, has_diverged
from s2s.ui.kit import cached, in_view, unique_names
from s2s.ui.kit.pictures import show
from s2s.ui.kit.training_curves import (
    MAX_RUNS,
    loss_note,
    quantity_and_axis,
    worded_for,
)
from s2s.ui.train import metrics
from s2s.ui.train.view_state import STATE

LOSS = "Lower is better."
DIVERGED = (
    f"{LOSS} A loss that rises above its first value has diverged: the updates are too large."
)
MIN_STEPS = 20  # on the slider
RANGE = "curve steps"  # in the session: the steps shown
RANGE_SAID = "curve steps in the link"  # in the session: how the link says them
RANGE_OF = "curve end"  # in the session: the run and the slider's end that they belong to


def panel(run_id: str, curves: Curves) -> None:
    """Draw the curves of a run and of those that are compared with it; below them, how they are drawn."""
    before = STATE.now
    with st.container(key="curves"):
        curve, over = quantity_and_axis(STATE)
        place = st.container()
        others = _other_runs(run_id)
        for other in others:
            in_view.add_run(other)
        runs = {run_id: curves} | {other: cached.curves(other) for other in others}
        options = _options(run_id, max(each.step for each in runs.values()))
        if STATE.now != before:
            st.rerun()  # the whole page: the link of Share says it, too
        with place:
            _picture(run_id, curve, over, runs, options)


def _picture(
    run_id: str, curve: str, over: str, runs: Mapping[str, Curves], options: CurveOptions
) -> None:
    titles = unique_names({key: cached.title(key) for key in runs})
    question = TrainingCurves(runs=tuple(runs), curve=curve, over=over)
    answer = LoggedRuns(tuple(titles[key] for key in runs), tuple(runs.values()))
    quantity = training_view.QUANTITIES[curve]
    expected = [
        first_score(cached.recipe(key), each) if quantity.is_score else ""
        for key, each in runs.items()
    ]
    missing = _missing(training_view.curve_lines(quantity, answer, over), options, expected)
    reading = f"{_reading(run_id, curve, runs)}{missing} {loss_note(runs, curve)}"
    if quantity.is_score and (
        note := signature_note(chain.from_iterable(each.signatures for each in runs.values()))
    ):
        reading += f" {note}"
    drawn = training_view.picture(
        question,
        answer,
        options=options,
        marks=_marks(runs[run_id], cached.metadata(run_id)),
        nothing=(expected[0].replace("`", "") if len(runs) == 1 else "")
        or training_view.NO_STEPS_YET,
        title=cached.title(run_id),
        caption=reading.replace("`", "").rstrip(),
    )
    show(drawn, question, answer)


def _reading(run_id: str, curve: str, runs: Mapping[str, Curves]) -> str:
    quantity = training_view.QUANTITIES[curve]
    if curve != "loss":
        is_misleading = quantity.is_score and metrics.is_short(runs[run_id])
        return worded_for(run_id, quantity.reading) + metrics.SHORT * is_misleading
    if any(has_diverged(curves) for curves in runs.values()):
        return DIVERGED
    rows = cached.runs()
    if any((row := rows.get(key)) and row.state == "failed" for key in runs):
        return LOSS
    return worded_for(run_id, quantity.reading)


def _other_runs(run_id: str) -> list[str]:
    for run in STATE.now.runs.split()[:MAX_RUNS]:
        cached.follow_link(run)
    titles = cached.titles()
    rows = cached.runs()
    names = unique_names(
        {
            key: titles[key]
            for key, row in rows.items()
            if key in titles and key != run_id and (row is None or row.step)
        }
    )
    chosen = STATE.now.runs.split()
    if run_id in chosen:  # the page shows it now
        STATE.show(runs=" ".join(key for key in chosen if key != run_id))
    return STATE.choices(
        "runs",
        "Compare with",
        names,
        max_selections=MAX_RUNS - 1,
        placeholder="other runs",
        help="Their curves in the same chart. Each run has its own color and marker; training"
        " is solid, validation dashed.",
    )


def _options(run_id: str, last: int) -> CurveOptions:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        steps = _step_range(run_id, last)
        smoothing = _smoothing()
        is_log_x = STATE.toggle(
            "log_x",
            "Log horizontal axis",
            help="Each decade of steps, tokens or minutes has the same width.",
        )
        is_log_y = STATE.toggle(
            "log_y", "Log scale", help="Logarithmic value axis: each decade has the same height."
        )
    return CurveOptions(smoothing, steps, is_log_x, is_log_y)


def _smoothing() -> float:
    key = STATE.key("smoothing")
    st.session_state.setdefault(key, float(STATE.now.smoothing or 0.0))
    chosen = st.slider(
        "Smoothing",
        0.0,
        0.99,
        step=0.01,
        key=key,
        persist_state="session",
        width=220,
        help="Exponential moving average of the training curve, over the points drawn:"
        " 0.9 keeps 90 % of the average and adds 10 % of each new point. The raw curve stays visible, faint."
        " Validation is never smoothed.",
    )
    STATE.remember(smoothing=f"{chosen:g}" if chosen else "")
    return float(chosen)


def _step_range(run_id: str, last: int) -> tuple[float, float] | None:
    row = cached.runs().get(run_id)
    is_growing = row is not None and row.is_live
    end = rounded(last) if is_growing else max(1, last)
    _reset_range(run_id, end)
    low, high = st.slider(
        "Steps shown",
        0,
        end,
        (0, end),
        step=max(1, end // 500),
        key=RANGE,
        persist_state="session",
        width=300,
        help="Drag the handles to zoom; the range stays while training continues.",
    )
    is_all = (low, high) == (0, end)
    _say_range(str(low) if low else "", str(high) if high < end else "")
    st.button("Whole run", key="curve whole", disabled=is_all, on_click=_show_all, args=(end,))
    if is_all:
        return None
    return float(low), float(high if high < end else max(low + 1, last))


def _reset_range(run_id: str, end: int) -> None:
    first, last = STATE.now.first, STATE.now.last
    if (first, last) != st.session_state.get(RANGE_SAID, ("", "")):  # a link says another
        high = min(int(last or end), end)
        low = min(int(first or 0), max(0, high - 1))
        st.session_state[RANGE] = (low, high)
        st.session_state[RANGE_OF] = (run_id, end)
    before = st.session_state.get(RANGE_OF)
    if before == (run_id, end):
        return
    low, high = st.session_state.get(RANGE, (0, end))
    is_same_run = before is not None and before[0] == run_id
    is_open = before is None or high >= before[1]
    kept = (low, end if is_open else min(high, end))
    st.session_state[RANGE] = kept if is_same_run and low < end else (0, end)
    st.session_state[RANGE_OF] = (run_id, end)


def _say_range(first: str, last: str) -> None:
    STATE.remember(first=first, last=last)
    st.session_state[RANGE_SAID] = (first, last)


def _show_all(end: int) -> None:
    st.session_state[RANGE] = (0, end)


def rounded(last: int) -> int:
    """The end of the slider, which should move rarely: the next of 20, 50, 100, 200, 500 …"""
    last = max(last, MIN_STEPS)
    unit = 10 ** math.floor(math.log10(last))
    return next(int(factor * unit) for factor in (1, 2, 5, 10) if factor * unit >= last)


def _marks(curves: Curves, metadata: Mapping[str, Any]) -> list[StepMark]:
    found = [(change.step, f"train.lr {change.lr:g}") for change in curves.changes]
    changes = metadata.get("changes")
    for change in changes if isinstance(changes, list) else []:
        if not isinstance(change, Mapping):
            continue
        step = change.get("step")
        steps = change.get("steps")
        if isinstance(step, int) and isinstance(steps, int):
            found.append((step, f"to step {steps:,}"))
    return [
        StepMark(step, ", ".join(label for at, label in found if at == step))
        for step in sorted({step for step, _ in found})
    ]


def first_score(recipe: Recipe | None, curves: Curves) -> str:
    """When the first BLEU will be measured, in a sentence; empty where it has been, or is not known to come."""
    if recipe is None or metrics.newest(curves.valid_bleu) is not None:
        return ""
    if not recipe.train.watch.scores:
        return "BLEU and chrF are switched off: `train.watch.scores` is 0."
    if (curves.valid_steps > 0).any() or curves.step >= recipe.train.steps:
        return ""
    every = recipe.train.watch.validate_every
    step = min((curves.step // every + 1) * every, recipe.train.steps)
    return f"The first score is measured at step {step:,}."


def _missing(lines: Sequence[Curve], options: CurveOptions, expected: Sequence[str]) -> str:
    empty = [line for line in lines if not len(plots.curve_points(line, options).steps)]
    never = [line for line in empty if not len(plots.curve_points(line, CurveOptions()).steps)]
    sentences = ""
    if len(expected) > 1:  # for a single run the chart itself says it
        soon = [line for line in never if expected[line.run]]
        sentences = "".join(f" {line.name}: {expected[line.run]}" for line in soon)
    if len(empty) == len(lines):
        return sentences
    reasons = {
        "Not logged": [line.name for line in never if not expected[line.run]],
        "Not in these steps": [line.name for line in empty if line not in never],
    }
    return sentences + "".join(
        f" {reason}: {', '.join(names)}." for reason, names in reasons.items() if names
    )
