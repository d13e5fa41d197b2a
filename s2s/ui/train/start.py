"""The button that queues a run, and beside it the forecast in a line."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace

import streamlit as st

from s2s.config import UserError, asker
from s2s.jobs import run_service, sweep, training
from s2s.links.share import printable
from s2s.processes import worker
from s2s.runs import RunSummary
from s2s.ui.kit import action_button, as_markdown, cached, forms, pickers
from s2s.ui.kit.queueing import free_group, queue_runs
from s2s.ui.streamlit_parts import DeltaGenerator
from s2s.ui.train.forecast import Outlook
from s2s.ui.train.recipe_form import RunRequest, origin

START = "start of a run"  # in the session


@dataclass
class Start:
    """The result of the last click on Train."""

    run: str = ""  # the id of the run that it queued
    label: str = ""  # of the run, until the page shows it
    refused: UserError | None = None  # until the page says it


def place() -> DeltaGenerator:
    """Draw why the last click was refused, if it was; returns the row for button and forecast. A queued run has its own
    card.
    """
    start = _start()
    with st.container(key="start", gap="small"):
        row = st.container(horizontal=True, vertical_alignment="center")
        if start.refused:
            forms.show_error(start.refused)
            start.refused = None
    return row


def panel(row: DeltaGenerator, request: RunRequest, outlook: Outlook) -> None:
    """Draw the button Train with the forecast, or with why it is disabled."""
    start = _start()
    summary = _summary(start.run)
    is_starting = summary is not None and summary.state in ("queued", "starting")
    with row:
        click = action_button(
            "Train",
            type="primary",
            icon=":material/play_arrow:",
            key="train",
            disabled=outlook.why_not is not None or is_starting,
            help="The previous run has not started yet." if is_starting else None,
        )
        st.markdown(as_markdown(str(outlook.why_not or outlook.summary)))
    if click.is_waiting:
        if outlook.why_not is None:
            _queue(request, start)
        click.done()
    if start.label:
        cached.refresh_runs()
        pickers.choose_run(start.run, start.label)
        start.label = ""
        st.rerun()
    if start.refused:
        st.rerun()  # `place` says it
    with contextlib.suppress(UserError):  # the click will show it
        worker.ensure()  # started before the click, so that training begins at once


def _start() -> Start:
    if START not in st.session_state:
        st.session_state[START] = Start()
    start: Start = st.session_state[START]
    return start


def _summary(run_id: str) -> RunSummary | None:
    try:
        return run_service.find(run_id, asker.current()) if run_id else None
    except UserError:  # deleted since
        return None


def _queue(request: RunRequest, start: Start) -> None:
    try:
        orders = _with_control(request) if request.has_control else [request.order()]
        start.run, *_ = queue_runs(orders)
        start.label = f"{printable(orders[0].name)} · {start.run}"
    except UserError as wrong:
        start.refused = wrong


def _with_control(request: RunRequest) -> list[training.RunRequest]:
    """The run and its control run from scratch, whose name must not mention the initializing run."""
    order = request.order()
    bare = replace(order, name=order.name.replace(origin(request.init_from), "", 1))
    name = free_group(request.name, sweep.CONTROL)
    return [sweep.with_control_run(order, name)[0], sweep.with_control_run(bare, name)[1]]
