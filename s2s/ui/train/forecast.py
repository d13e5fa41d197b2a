"""Before training: what it will cost, warnings, and the quality to expect."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st
import torch

from s2s import settings
from s2s.config import PRESETS, UserError
from s2s.jobs import (
    Forecast,
    PlannedRun,
    advise,
    check_forecast,
    own_settings,
    short_count,
    training,
)
from s2s.plots import Picture
from s2s.questions import ForecastedTraining, TrainingForecast, packed
from s2s.questions.views import view_of
from s2s.sizing import count_parameters
from s2s.training import free_memory
from s2s.ui.kit import as_markdown, cached, duration, forms, show
from s2s.ui.streamlit_parts import DeltaGenerator
from s2s.ui.train import advice
from s2s.ui.train.command import command, for_several_gpus
from s2s.ui.train.recipe_form import RunRequest

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
MANY_PARAMETERS = 100e6  # of a model that needs GPUs, where it is refused here
A_WHILE = 60.0  # seconds in the queue that are worth a word


class Outlook(NamedTuple):
    """The expected cost of a run in a line, and why it cannot be trained, if so."""

    why_not: UserError | None
    summary: str = ""


def panel(request: RunRequest, notes: DeltaGenerator) -> Outlook:
    """Draw the forecast of a run; warnings go to `notes`, which stay visible."""
    if request.wrong:
        return Outlook(request.wrong)
    own = packed(own_settings(request.recipe, request.preset))
    question = TrainingForecast(request.source, request.preset, own, request.init_from)
    try:
        answer = cached.SCREEN.answer(question)
        left = cached.preview(request.source).within(request.recipe.data.clean.max_words)
    except UserError as wrong:  # the dataset cannot be read
        with notes:
            forms.show_error(wrong)
        return Outlook(wrong)
    cost = answer.cost
    case = PlannedRun(
        answer.recipe,
        request.preset,
        left,
        cost,
        settings.limits(),
        is_initialized=bool(request.init_from),
    )
    found = advise(case)
    with notes:
        advice.panel(request, found)
        refused = _impossible(case)
        refused = refused or next(
            (UserError(one.sentence) for one in found if one.is_refusal), None
        )
        if refused:
            _instead(request, answer)
    pictures = {each.name: each for each in view_of(question).pictures(question, answer, "")}
    if not refused:
        advice.followed(request, answer.recipe)
        _expectation(request, question, answer, pictures.get("expected quality"))
    box = st.expander(
        "Costs and learning rate schedule", icon=":material/timer:", key="costs", on_change="rerun"
    )
    if box.open:
        with box:
            show(pictures["costs"], question, answer)
            show(pictures["schedule"], question, answer)
            st.caption("This command trains with the same recipe in a terminal:")
            st.code(command(request), language="sh", wrap_lines=True)
    return Outlook(refused, _summary(request, answer, left.n_pairs))


def _instead(request: RunRequest, answer: ForecastedTraining) -> None:
    if answer.cost.parameters >= MANY_PARAMETERS:
        for_several_gpus(request, answer.cost)
    elif request.recipe.train.processes > 1:
        st.code(command(request), language="sh", wrap_lines=True)
    advice.recommendation(request)


def _summary(request: RunRequest, answer: ForecastedTraining, n_left: int) -> str:
    cost = answer.cost
    parts = [
        f"{short_count(cost.parameters)} parameters{_of_tutorial(request, cost)}",
        _length(answer),
        f"{answer.memory} of memory",
    ]
    n_pairs = cached.preview(request.source).n_pairs
    if n_left < n_pairs:
        parts.insert(0, f"at most {n_left:,} of {n_pairs:,} pairs (`max_words`)")
    wait = cached.queue_wait("express" if cost.is_express else "long")
    if wait >= A_WHILE:
        parts.append(f"starts in about {duration(wait)}")
    return " · ".join(parts)


def _of_tutorial(request: RunRequest, cost: Forecast) -> str:
    """An addition to the size: ` (78 in the tutorial, without <pad> and <unk>)` where a tutorial's vocabularies lack
    these two, and no more.

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


def _length(answer: ForecastedTraining) -> str:
    n = answer.cost.steps
    steps = f"{n:,} step{'s' * (n > 1)}"
    minutes = answer.recipe.train.minutes
    if minutes is None:
        return f"{duration(answer.cost.seconds)} for {steps}, about {answer.epochs} epochs"
    return f"{minutes:g} min, about {steps} and {answer.epochs} epochs"


def _impossible(case: PlannedRun) -> UserError | None:
    try:
        check_forecast(case.recipe, case.preview, case.cost, free_memory(DEVICE))
        training.check_processes(case.recipe)
    except UserError as wrong:
        forms.show_error(wrong)
        return wrong
    return None


def _expectation(
    request: RunRequest,
    question: TrainingForecast,
    answer: ForecastedTraining,
    expected: Picture | None,
) -> None:
    st.caption(f":material/insights: {as_markdown(question.finding(answer))}")
    if request.init_from:
        return
    if expected is None:
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
            show(expected, question, answer)
