"""A run while it trains: progress, controls, metrics, curves and sample translations. Refreshes itself."""

from __future__ import annotations

import dataclasses

import streamlit as st

from s2s.config import UserError, asker
from s2s.jobs import LONGEST_PAUSE, is_waiting, run_service, short_count
from s2s.runs import Curves, RunSummary
from s2s.ui.kit import (
    as_markdown,
    cached,
    duration,
    pickers,
    plain,
    polling,
    queueing,
    run_trouble,
    turn,
)
from s2s.ui.kit.badges import badge, shown_state
from s2s.ui.kit.recipe_state import DEFAULT_DATASET
from s2s.ui.train import controls, curves, diagnosis, metrics, samples
from s2s.ui.train.view_state import STATE, TrainView

REFRESH = 1.0  # seconds between refreshes of a live run, while few sessions watch
REST = 3  # times longer for an interrupted run, where nothing moves until somebody resumes it


def panel(run_id: str, source: str) -> None:
    """Draw the training of a run, folded below a new recipe for another dataset."""
    STATE.belongs_to("run", run_id)
    row = _row(run_id)
    if (row and row.is_live) or not _is_beside_new_recipe(run_id, source):
        _watch(run_id, row)
        return
    title = f"The training of {plain(cached.title(run_id))}"
    with st.expander(title, icon=":material/insights:", key="other run", on_change="rerun") as box:
        if box.open:
            _watch(run_id, row)


def _is_beside_new_recipe(run_id: str, source: str) -> bool:
    asked = dataclasses.replace(STATE.now, name="", minutes="", sweep="")
    is_other = source not in (DEFAULT_DATASET, cached.metadata(run_id).get("source"))
    return is_other and asked == TrainView()


def _watch(run_id: str, row: RunSummary | None) -> None:
    # A worker may resume an interrupted run by itself.
    may_change = row is not None and (row.is_live or row.state == "interrupted")
    times = polling.slowdown() if may_change else 0
    state = row.state if row else ""
    seconds = REFRESH * times * (REST if state == "interrupted" else 1)
    st.fragment(_panel, run_every=seconds or None)(run_id, state, times)


def _panel(run_id: str, before: str, times: int) -> None:
    pickers.note_refresh()
    row = _row(run_id)
    if (row.state if row else "") != before or (times and not polling.still_fits(times)):
        cached.refresh_runs()
        st.rerun()  # the whole page
    known = cached.curves(run_id)
    with st.container(border=True, key="watch"):
        _head(run_id, row)
        diagnosis.panel(run_id, row, known)
        if times > 1:
            st.caption(
                f"Many people are watching runs here, so this refreshes only every {REFRESH * times:g} s."
            )
        if row:
            _progress(row, known)
            if cached.is_own(run_id):
                controls.buttons(row, known)
        _notes(run_id)
        if len(known.steps):
            with st.container(key="run-metrics"):
                metrics.panel(run_id, known)
            curves.panel(run_id, known)
    samples.panel(run_id)


def _row(run_id: str) -> RunSummary | None:
    try:
        return run_service.find(run_id, asker.current())
    except UserError:
        return None


def _head(run_id: str, row: RunSummary | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(plain(cached.title(run_id)), anchor=False, width="content")
        badge(shown_state(row) if row else "done")
        if row and row.is_live and row.is_paused:
            st.badge("paused", icon=":material/pause:", color="orange")
    if row and row.is_live and row.is_paused and not row.is_stopping:
        st.caption(
            f"Paused: after {duration(LONGEST_PAUSE)} it saves a checkpoint and stops by itself."
        )
    if row:
        run_trouble(row)


def _notes(run_id: str) -> None:
    if notes := cached.run_notes(run_id):
        with st.container(key="run-notes"):
            st.caption(as_markdown(" ".join(notes)))


def _progress(row: RunSummary, curves: Curves) -> None:
    step = max(row.step, curves.step)
    if row.state == "queued":
        text = f"Waiting: {turn(row.position, row.wait)}."
        queueing.ensure_worker()
    elif row.state == "starting" or not row.steps:
        text = as_markdown(row.note) or "Starting …"
    else:
        count = cached.parameter_count(row.id)
        size = [f"{short_count(count)} parameters"] if count else []
        about = "about " if row.minutes and row.is_live else ""
        text = " · ".join([f"Step {step:,} of {about}{row.steps:,}", *_speed(row, curves), *size])
        if row.is_live and is_waiting(row.note):
            text = f"{as_markdown(row.note)} {text}"
    st.progress(min(1.0, step / row.steps) if row.steps else 0.0, text=text)


def _speed(row: RunSummary, curves: Curves) -> list[str]:
    if not row.is_live:
        return []
    parts = []
    if row.is_paused:
        parts.append("paused")
    elif curves.tokens_per_second:
        parts.append(f"{curves.tokens_per_second:,.0f} tokens/s")
    left = curves.seconds_left(row.steps)
    if left and row.minutes:  # training ends on time, however far its last step seems to be
        left = min(left, max(0.0, 60 * (row.minutes - curves.minutes[-1])))
    if left:
        parts.append(f"{duration(left)} left")
    return parts
