"""The button that queues a run, beside it the forecast in a line, and what became of the click."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from s2s import access
from s2s.config import UserError
from s2s.jobs import run_service, sweep, training, worker
from s2s.runs import Curves, RunSummary
from s2s.share import printable
from s2s.ui.kit import as_markdown, cached, forms, pickers
from s2s.ui.kit.badges import STATES
from s2s.ui.kit.queueing import queue_runs
from s2s.ui.train.forecast import Outlook
from s2s.ui.train.recipe_form import RunRequest, origin

REFUSED = "refused"  # in the session: why the last click on Train was refused
STARTED = "started run"  # in the session: the run that the last click queued
CLICKS = "runs started"  # in the session: how many clicks queued one
REFRESH = 1.0  # seconds between two looks at a run that has just been queued


def place() -> DeltaGenerator:
    """Where button, forecast and answer go; the answer at once, before the rest of the page is drawn."""
    with st.container(key="start", gap="small"):
        row = st.container(horizontal=True, vertical_alignment="center")
        _answer()
    return row


def panel(row: DeltaGenerator, request: RunRequest, outlook: Outlook) -> None:
    """The button Train with the forecast, or with why it is disabled."""
    started = _summary(st.session_state.get(STARTED, ""))
    is_starting = started is not None and started.state in ("queued", "starting")
    with row:
        st.button(
            "Train",
            type="primary",
            icon=":material/play_arrow:",
            key="train",
            on_click=_train,
            args=(request, st.session_state.get(CLICKS, 0)),
            disabled=outlook.why_not is not None or is_starting,
            help="The run before is still starting." if is_starting else None,
        )
        st.markdown(as_markdown(str(outlook.why_not or outlook.summary)))
    with contextlib.suppress(UserError):  # the click will show it
        worker.ensure()  # started before the click, so that training begins at once


def _answer() -> None:
    """What became of the last click: refused, or queued, started and training; until the run is over."""
    if refused := st.session_state.pop(REFUSED, None):
        forms.show_error(refused)
    row = _summary(st.session_state.get(STARTED, ""))
    if row is None:
        return
    is_waiting = row.is_live and not cached.curves(row.id).step
    st.fragment(_follow, run_every=REFRESH if is_waiting else None)(row.id)


def _follow(run_id: str) -> None:
    row = _summary(run_id)
    if row is not None:
        st.caption(as_markdown(answer(row, cached.curves(run_id))))


def answer(row: RunSummary, curves: Curves) -> str:
    """`Queued: small on en-fr, it starts next.`; the first loss once there is one."""
    shown = f"`{printable(row.name) or row.id}`"
    if row.state == "queued":
        ahead = f"{row.position} ahead of it" if row.position else "it starts next"
        return f"Queued: {shown}, {ahead}. Its training appears below."
    if not row.is_live:
        return f"{STATES[row.state].label.capitalize()}: {shown}."
    if not curves.step:
        return f"Started: {shown}. {row.note or 'The first loss comes with the first step.'}"
    return f"Training: {shown}. Its first loss is {curves.loss[0]:.3f}; its curves are below."


def _summary(run_id: str) -> RunSummary | None:
    try:
        return run_service.find(run_id, access.current()) if run_id else None
    except UserError:  # deleted since
        return None


def _train(request: RunRequest, n_clicks: int) -> None:
    """Queue the run; the second click of a double click, on a button that was drawn before the first, queues none."""
    if n_clicks != st.session_state.get(CLICKS, 0):
        return
    try:
        orders = _with_control(request) if request.has_control else [request.order()]
        run_id, *_ = queue_runs(orders)
    except UserError as wrong:
        st.session_state[REFUSED] = wrong
        return
    st.session_state[CLICKS] = n_clicks + 1
    st.session_state[STARTED] = run_id
    pickers.choose_run(run_id, f"{printable(orders[0].name)} · {run_id}")


def _with_control(request: RunRequest) -> list[training.RunRequest]:
    """The run and its control run from scratch, whose name must not mention the initializing run."""
    order = request.order()
    bare = replace(order, name=order.name.replace(origin(request.init_from), "", 1))
    return [
        sweep.with_control_run(order, request.name)[0],
        sweep.with_control_run(bare, request.name)[1],
    ]
