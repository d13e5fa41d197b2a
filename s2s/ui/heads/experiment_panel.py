"""A measurement over many sentences: its numbers, or the button that starts it, or how far it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import streamlit as st

from s2s.config import UserError, asker
from s2s.data import Pair
from s2s.jobs import EXPERIMENTS, MeasurementProgress, head_service
from s2s.processes import worker
from s2s.questions import OfSample
from s2s.runs import Measurement, measurements
from s2s.ui.kit import (
    action_button,
    as_markdown,
    cached,
    duration,
    forms,
    polling,
    turn,
)

Answer = TypeVar("Answer")
REFRESH_SECONDS = 0.6  # while a measurement is live
REFUSED = "heads refused"  # in the session: why a measurement could not be stopped


def measured(
    question: OfSample[Answer], uploaded: Sequence[Pair] = (), *, refusal: str = ""
) -> Answer | None:
    """The answer over many sentences; None where there is none yet, and the page offers to measure.

    `uploaded`: the sentences themselves, where they are no dataset's. `refusal`: Markdown, why it cannot be measured,
    where it cannot.
    """
    try:
        asked = question.request(cached.SCREEN)
        head_service.check(asked)
        if measurements.place(asked):
            return cached.SCREEN.answer(question)
        if refusal:
            st.info(refusal, icon=":material/info:")
        else:
            _offer(asked, uploaded)
    except UserError as wrong:
        forms.show_error(wrong)
    return None


def _offer(asked: Measurement, uploaded: Sequence[Pair] = ()) -> None:
    progress = head_service.progress(asked)
    if progress.is_live:
        _show_live(asked)
        return
    _say_how_it_ended(progress)
    label = EXPERIMENTS[asked.experiment].label.lower()
    click = action_button(
        f"Measure {label} over {asked.sentences.n:,} sentences",
        key=f"measure {asked.id}",
        icon=":material/speed:",
        type="primary",
    )
    st.caption(f"About {duration(head_service.forecast(asked))}; you may leave this page.")
    if click.is_waiting:
        try:
            head_service.submit(asked, uploaded)
            worker.ensure()
        finally:
            click.done()
        st.rerun()


def _say_how_it_ended(progress: MeasurementProgress) -> None:
    if progress.state == "stopped":
        st.info("The measurement was stopped; nothing of it is kept.", icon=":material/cancel:")
    elif progress.state in ("failed", "interrupted"):
        why = as_markdown(progress.error) or "Its process was interrupted."
        st.error(f"Nothing was measured. {why}", icon=":material/error:")


def _show_live(asked: Measurement) -> None:
    times = polling.slowdown()
    st.fragment(_panel, run_every=REFRESH_SECONDS * times)(asked, times)


def _panel(asked: Measurement, times: int) -> None:
    try:
        progress = head_service.progress(asked)
    except UserError as wrong:
        forms.show_error(wrong)
        return
    if not progress.is_live or not polling.still_fits(times):
        st.rerun()
    if refused := st.session_state.pop(REFUSED, None):
        forms.show_error(refused)
    st.progress(min(1.0, progress.share), text=_text(progress))
    st.button(
        "Stop",
        key=f"stop {asked.id}",
        icon=":material/stop_circle:",
        on_click=_stop,
        args=(asked, asker.current()),
    )
    if progress.state == "queued":
        try:
            worker.ensure()
        except UserError as wrong:
            forms.show_error(wrong)


def _text(progress: MeasurementProgress) -> str:
    if progress.state == "queued":
        return f"Queued: {turn(progress.wait.before, progress.wait.seconds)}."
    if not progress.share:
        return as_markdown(progress.note) or "Starting ..."
    left = f" · about {duration(progress.left)} left" if progress.left is not None else ""
    return f"{progress.share:.0%} measured{left}"


def _stop(asked: Measurement, workspace: str) -> None:
    try:
        with asker.acting_as(workspace):
            head_service.stop(asked)
    except UserError as wrong:
        st.session_state[REFUSED] = wrong
