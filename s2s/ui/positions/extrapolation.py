"""Longer than trained: runs that differ only in their positions, on longer lines; and the button that trains them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from s2s.config import POSITION_KINDS, UserError, asker
from s2s.jobs import ExtrapolationSettings, extrapolation, sweep
from s2s.links import share
from s2s.questions import Extrapolation, LongerLines
from s2s.runs import Run, RunSummary
from s2s.ui.kit import (
    ViewState,
    action_button,
    cached,
    duration,
    forms,
    settings_box,
    show_all,
)
from s2s.ui.kit.queueing import queue_runs
from s2s.ui.shell import page_link

REFRESH_SECONDS = 2.0  # while runs train
REFUSED = "positions refused"
DEFAULT = Extrapolation()


def show(state: ViewState[Any], run: Run) -> None:
    """Draw the controls, the results so far, and the button that trains."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="longer lines"):
        state.draw("task", label_visibility="collapsed", width=180)
        state.draw("score", label_visibility="collapsed", width=260)
        changed = {
            f"{name} {state.shown(name)}": state.shown(name) != getattr(DEFAULT, name)
            for name in ("steps", "seed")
        }
        with settings_box(run, changed):
            state.draw("steps", low=100, high=20_000)
            state.draw("seed", low=0, high=2**31 - 1)
    question = state.question(Extrapolation)
    is_busy = _is_busy(question.task, _own_runs(question.settings))
    st.fragment(_show_results, run_every=REFRESH_SECONDS if is_busy else None)(question, is_busy)
    _train_panel(question.settings, _own_runs(question.settings))


def _own_runs(experiment: ExtrapolationSettings) -> dict[str, RunSummary]:
    tag = f"{sweep.TAG}{experiment.name}"
    found = {}
    for row in reversed(cached.own_runs()):
        if tag in row.tags and (recipe := cached.recipe(row.id)):
            found[recipe.model.positions.kind] = row
    return found


def _tested(task: str, own: Mapping[str, RunSummary]) -> tuple[list[str], bool]:
    done = [cached.named(cached.open_run(row.id)) for row in own.values() if row.state == "done"]
    asked = {name: LongerLines(name, task) for name in done}
    known = [
        name
        for name, question in asked.items()
        if cached.SCREEN.known(question, cached.SCREEN.key(question))
    ]
    waiting = [name for name in done if name not in known]
    return [name for name in done if name in known or name in waiting[:1]], bool(waiting)


def _is_busy(task: str, own: Mapping[str, RunSummary]) -> bool:
    return any(row.is_live for row in own.values()) or _tested(task, own)[1]


def _show_results(question: Extrapolation, was_busy: bool) -> None:
    own = _own_runs(question.settings)
    runs, _ = _tested(question.task, own)
    if own:
        _show_progress(own, len(runs))
    asked = Extrapolation(
        tuple(runs), *(getattr(question, name) for name in ("task", "steps", "seed", "score"))
    )
    show_all(asked, cached.SCREEN.answer(asked), "")
    if was_busy != _is_busy(question.task, own):
        st.rerun()


def _show_progress(own: Mapping[str, RunSummary], n_tested: int) -> None:
    rows = list(own.values())
    if n_tested == len(POSITION_KINDS):
        return
    steps = sum(row.steps for row in rows)
    taken = sum(_steps_taken(row) for row in rows)
    n_done = sum(row.state == "done" for row in rows)
    n_stopped = sum(not row.is_live and row.state != "done" for row in rows)
    stopped = f"; {n_stopped} stopped or failed, see Runs" if n_stopped else ""
    text = f"{n_done} of {len(POSITION_KINDS)} runs trained{stopped}."
    st.progress(min(1.0, taken / steps) if steps else 0.0, text=text)


def _steps_taken(row: RunSummary) -> int:
    if row.state == "done":
        return row.steps
    return max(row.step, cached.curves(row.id).step)


def _train_panel(experiment: ExtrapolationSettings, own: Mapping[str, RunSummary]) -> None:
    if refused := st.session_state.pop(REFUSED, None):
        forms.show_error(refused)
    n = len(POSITION_KINDS)
    if any(row.is_live for row in own.values()):
        st.caption("The runs train one after another; you may leave this page.")
    else:
        requests = extrapolation.run_requests(experiment, asker.current())
        seconds = sum(
            cached.forecast(planned.source, planned.recipe).seconds for planned in requests
        )
        click = action_button(
            f"Train the {n} runs again" if own else f"Train the {n} runs",
            key="positions train",
            icon=":material/model_training:",
        )
        st.caption(
            f"{n} ordinary runs, about {duration(seconds)} in all; they appear on Runs, and every page can open them."
        )
        if click.is_waiting:
            _train(experiment)
            click.done()
            st.rerun()
    if own:
        sweep_view = share.pack({"tab": "sweeps", "sweep": experiment.name})
        page_link("runs", "Their sweep on Runs", set=sweep_view)


def _train(experiment: ExtrapolationSettings) -> None:
    try:
        queue_runs(extrapolation.run_requests(experiment, asker.current()))
        cached.refresh_runs()
    except UserError as wrong:
        st.session_state[REFUSED] = wrong
