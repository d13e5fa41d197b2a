"""Before training: what it will cost, the learning rate schedule, warnings, and the quality to expect."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st
import torch

from s2s import plots, settings
from s2s.config import PRESETS, UserError
from s2s.data import Preview
from s2s.jobs import (
    ALIKE,
    MARGIN,
    STARTUP_SECONDS,
    Forecast,
    MeasuredRun,
    PlannedRun,
    PredictionInterval,
    advise,
    check_forecast,
    predict_quality,
    short_count,
    training,
    why_no_prediction,
)
from s2s.sizing import count_parameters
from s2s.training import free_memory, learning_rate
from s2s.ui.kit import Card, as_markdown, cached, cards, chart, duration, file_name, forms
from s2s.ui.kit.tables import frame_csv
from s2s.ui.streamlit_parts import DeltaGenerator
from s2s.ui.train import advice
from s2s.ui.train.command import command, for_several_gpus
from s2s.ui.train.recipe_form import RunRequest

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
SCHEDULE_POINTS = 300
MANY_PARAMETERS = 100e6  # of a model that needs GPUs, where it is refused here
A_WHILE = 60.0  # seconds in the queue that are worth a word
FLOPS = "6 per parameter and token, plus attention"
NO_EXPECTATION = (
    "No BLEU is expected: the runs that it is predicted from started with random weights."
)


class Outlook(NamedTuple):
    """Why a recipe cannot be trained, if so, and what it will cost, in a line."""

    why_not: UserError | None
    summary: str = ""


def panel(request: RunRequest, notes: DeltaGenerator) -> Outlook:
    """Expectation and costs; warnings, and why it cannot be trained, go to `notes`, which are never folded."""
    if request.wrong:
        return Outlook(request.wrong)
    try:
        planned = _planned(request)
        cost = cached.forecast(request.source, planned.recipe, request.init_from)
        preview = _left(request)
    except UserError as wrong:  # the dataset cannot be read
        with notes:
            forms.show_error(wrong)
        return Outlook(wrong)
    case = PlannedRun(
        planned.recipe,
        request.preset,
        preview,
        cost,
        settings.limits(),
        is_initialized=bool(request.init_from),
    )
    found = advise(case)
    with notes:
        advice.panel(request, found)
        refused = _impossible(planned, cost)
        refused = refused or next(
            (UserError(one.sentence) for one in found if one.is_refusal), None
        )
        if refused:
            _instead(request, cost)
    if not refused:
        advice.followed(request, planned.recipe)
        _expectation(request, cost)
    _costs(request, planned, cost)
    return Outlook(refused, _summary(planned, cost))


def _instead(request: RunRequest, cost: Forecast) -> None:
    if cost.parameters >= MANY_PARAMETERS:
        for_several_gpus(request, cost)
    elif request.recipe.train.processes > 1:
        st.code(command(request), language="sh", wrap_lines=True)
    advice.recommendation(request)


def _left(request: RunRequest) -> Preview:
    return cached.preview(request.source).within(request.recipe.data.clean.max_words)


def _planned(request: RunRequest) -> RunRequest:
    return replace(request, recipe=cached.planned(request.order()))


def _summary(request: RunRequest, cost: Forecast) -> str:
    parts = [
        f"{short_count(cost.parameters)} parameters{_of_tutorial(request, cost)}",
        _length(request, cost),
        f"{_memory(request, cost)} of memory",
    ]
    n_left = _left(request).n_pairs
    n_pairs = cached.preview(request.source).n_pairs
    if n_left < n_pairs:
        parts.insert(0, f"at most {n_left:,} of {n_pairs:,} pairs (`max_words`)")
    wait = cached.queue_wait("express" if cost.is_express else "long")
    if wait >= A_WHILE:
        parts.append(f"starts in about {duration(wait)}")
    return " · ".join(parts)


def _of_tutorial(request: RunRequest, cost: Forecast) -> str:
    """` (78 in the tutorial, without <pad> and <unk>)` where a tutorial's vocabularies lack these two, and no more.

    Other vocabularies are given by their sizes, on which the number of parameters depends.
    """
    row = PRESETS[request.preset]
    if not row.differs or request.recipe.model != row.recipe.model:
        return ""
    sizes = (row.src_vocab_size, row.tgt_vocab_size)
    counted = short_count(count_parameters(row.recipe.model, *sizes))
    if sizes == (cost.src_vocab_size - 2, cost.tgt_vocab_size - 2):
        return f" ({counted} in the tutorial, without `<pad>` and `<unk>`)"
    if sizes == (cost.src_vocab_size, cost.tgt_vocab_size):
        return ""
    return f" ({counted} in the tutorial, with vocabularies of {sizes[0]:,} and {sizes[1]:,})"


def _length(request: RunRequest, cost: Forecast) -> str:
    n = request.recipe.train.steps
    steps = f"{n:,} step{'s' * (n > 1)}"
    epochs = f"about {_short(cost.epochs)} epochs"
    minutes = request.recipe.train.minutes
    if minutes is None:
        return f"{duration(cost.seconds)} for {steps}, {epochs}"
    return f"{minutes:g} min, about {steps} and {epochs.removeprefix('about ')}"


def _impossible(request: RunRequest, cost: Forecast) -> UserError | None:
    try:
        check_forecast(request.recipe, _left(request), cost, free_memory(DEVICE))
        training.check_processes(request.recipe)
    except UserError as wrong:
        forms.show_error(wrong)
        return wrong
    return None


def _costs(request: RunRequest, planned: RunRequest, cost: Forecast) -> None:
    box = st.expander(
        "Costs and learning rate schedule",
        icon=":material/timer:",
        key="costs",
        on_change="rerun",
    )
    if not box.open:
        return
    with box:
        left, right = st.columns([3, 2], vertical_alignment="center")
        with left:
            _cards(planned, cost)
        with right:
            _schedule(planned)
        st.caption("This command trains with the same recipe in a terminal:")
        st.code(command(request), language="sh", wrap_lines=True)


def _cards(request: RunRequest, cost: Forecast) -> None:
    sizes = f"vocabularies of about {cost.src_vocab_size:,} and {cost.tgt_vocab_size:,}"
    epochs = f"{request.recipe.train.steps:,} steps, about {_short(cost.epochs)} epochs"
    runs = f"{cost.calibration.n_runs} run{'s' * (cost.calibration.n_runs > 1)} here"
    basis = "by formula, until runs on this computer calibrate it"
    if cost.calibration.n_runs:
        basis = f"{cost.calibration.factor:.1f} times the formula's, calibrated by {runs}"
    if request.recipe.train.processes > 1:
        n = request.recipe.train.processes
        basis += f"; for {n} processes with their own CPU threads, communication not counted"
    free = f"{free_memory(DEVICE) / 1e6:,.0f} MB are free here"
    flops = f"operations (FLOPs), forward and backward: {FLOPS}"
    rows = (
        Card("Parameters", short_count(cost.parameters), f"{cost.parameters:,} in all, {sizes}"),
        Card("Time", duration(cost.seconds), f"for {epochs}; {basis}"),
        Card("Memory needed", _memory(request, cost), free),
        Card("Compute", short_count(cost.flops, "kMGTPE"), flops),
    )
    cards(rows[:2])
    cards(rows[2:])


def _short(times: float) -> str:
    return f"{times:.1f}" if times < 9.95 else f"{times:,.0f}"


def _memory(request: RunRequest, cost: Forecast) -> str:
    megabytes = cost.megabytes
    each = f"{megabytes:,.0f} MB" if megabytes < 10_000 else f"{megabytes / 1000:,.0f} GB"
    n = request.recipe.train.processes
    return f"{n} × {each}" if n > 1 else each


def _schedule(request: RunRequest) -> None:
    train = request.recipe.train
    steps = np.unique(np.linspace(1, train.steps, SCHEDULE_POINTS).round().astype(int))
    if 0 < train.warmup_steps <= train.steps:
        steps = np.union1d(steps, [train.warmup_steps])
    rates = [learning_rate(int(step), train) for step in steps]
    figure = plots.schedule(
        steps, rates, warmup=train.warmup_steps, title=f"Learning rate · {train.schedule}"
    )
    alt = f"Learning rate by step: {train.schedule}, highest {max(rates):.3g}, last {rates[-1]:.3g}"
    chart(figure, alt=alt, file_name=file_name("schedule"))
    _download(pd.DataFrame({"step": steps, "learning_rate": rates}), "schedule")


def _expectation(request: RunRequest, cost: Forecast) -> None:
    if request.init_from:
        st.caption(f":material/insights: {NO_EXPECTATION}")
        return
    preview = _left(request)
    found = predict_quality(request.recipe, request.preset, preview, cost)
    st.caption(f":material/insights: {as_markdown(_sentence(request, cost, found))}")
    if found is None:
        advice.recommendation(request)
        return
    box = st.expander(
        "Expected quality, and a preset for this dataset",
        icon=":material/insights:",
        key="expect",
        on_change="rerun",
    )
    if box.open:
        with box:
            advice.recommendation(request)
            _chart(request, found)


def _sentence(request: RunRequest, cost: Forecast, found: PredictionInterval | None) -> str:
    if found is None:
        preview = _left(request)
        return why_no_prediction(request.recipe, request.preset, preview, cost)
    is_short = found.reach < 0.9 * (cost.seconds - STARTUP_SECONDS)
    after = duration(found.reach if is_short else cost.seconds)
    if is_short:
        after += " (our longest run on such a dataset; a longer one may score higher)"
    n = len(found.runs)
    presets = " and ".join(dict.fromkeys(run.preset for run in found.runs))
    basis = f"measured in {n} run{'s' * (n > 1)} with {presets} on {found.like}"
    interval = f"Expected BLEU on held-out pairs: {found.low:.0f} to {found.high:.0f} after {after}"
    return " ".join((f"{interval}, {basis}.", *found.caveats))


def _chart(request: RunRequest, found: PredictionInterval) -> None:
    title = f"Expected quality · {request.preset}"
    figure = plots.expected_quality(found.minutes, found.lows, found.highs, title=title)
    interval = f"from {found.low:.0f} to {found.high:.0f} at the end"
    chart(figure, alt=f"BLEU by minutes of training: {interval}", file_name=file_name(title))
    runs = ", ".join(
        f"{run.n_pairs:,} pairs with {run.preset} ({_last_bleu(run)})" for run in found.runs
    )
    margin = f"the interval is {MARGIN:.0f} BLEU wider on each side"
    caption = plots.PLOTS["expected_quality"].caption
    st.caption(f"{caption} Based on our runs on {runs}; {margin}. {ALIKE}")
    columns = {"minutes": found.minutes, "bleu_low": found.lows, "bleu_high": found.highs}
    _download(pd.DataFrame(columns), title)


def _download(frame: pd.DataFrame, title: str) -> None:
    st.download_button(
        "Download data (CSV)",
        partial(frame_csv, frame),
        f"{file_name(title)}.csv",
        "text/csv",
        key=f"csv {title}",
        on_click="ignore",
        icon=":material/download:",
    )


def _last_bleu(run: MeasuredRun) -> str:
    last = next(point for point in reversed(run.points) if point.bleu is not None)
    return f"BLEU {last.bleu:.1f} after {last.minutes:.0f} min"
