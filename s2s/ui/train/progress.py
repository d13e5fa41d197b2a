"""A run in training, as it happens: how far, how fast, the curves, and what the probe sentences become."""

from __future__ import annotations

import streamlit as st

from s2s import settings
from s2s.config import UserError
from s2s.jobs import board, worker
from s2s.jobs.steering import LONGEST_PAUSE
from s2s.runs import Curves, RunSummary
from s2s.ui.kit import cached, forms, polling
from s2s.ui.kit.badges import badge
from s2s.ui.kit.text import as_markdown, duration, plain
from s2s.ui.train import controls, curves, numbers, probes

PULSE = 1.0  # seconds between two looks at a live run, where few look


def panel(run_id: str) -> None:
    """The run's training; it looks again by itself while the run lives."""
    row = _row(run_id)
    may_change = row is not None and (
        row.is_live or row.state == "interrupted"
    )  # which a worker may take up by itself
    times = polling.slowdown() if may_change else 0
    st.fragment(_panel, run_every=PULSE * times or None)(run_id, row.state if row else "", times)


def _panel(run_id: str, before: str, times: int) -> None:
    row = _row(run_id)
    if (row.state if row else "") != before or (
        times and not polling.still_fits(times)
    ):  # the whole page shall know
        cached.refresh_runs()
        st.rerun()
    known = cached.curves(run_id)
    with st.container(border=True, key="watch"):
        _head(run_id, row)
        if times > 1:
            st.caption(
                f"Many are watching runs here, so this looks again every {PULSE * times:g} seconds only."
            )
        if row:
            _progress(row, known)
            controls.buttons(row, known)
        if len(known.steps):
            numbers.gauges(run_id, known)
            curves.picture(run_id, known)
    probes.sentences(run_id)


def _row(run_id: str) -> RunSummary | None:
    try:
        return board.one(run_id, settings.OWNER)
    except UserError:
        return None


def _head(run_id: str, row: RunSummary | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(plain(cached.title(run_id)), anchor=False, width="content")
        badge(row.state if row else "done")
        if row and row.is_live and row.is_paused:
            st.badge("paused", icon=":material/pause:", color="orange")
    if row and row.is_live and row.is_paused and not row.is_stopping:
        st.caption(
            f"It waits where it is; after {duration(LONGEST_PAUSE)} it saves and stops by itself."
        )
    if row and row.error:
        st.error(as_markdown(row.error), icon=":material/error:")
    elif row and row.state == "interrupted" and row.note:
        st.info(as_markdown(row.note), icon=":material/hourglass_top:")
    if notes := cached.run_notes(run_id):
        st.caption(as_markdown(" ".join(notes)))


def _progress(row: RunSummary, curves: Curves) -> None:
    """How far, and until when."""
    step = max(row.step, curves.step)
    if row.state == "queued":
        before = f"{row.position} before it" if row.position else "the next to start"
        text = f"Waiting: {before}."
        _ensure_worker()
    elif row.state == "starting" or not row.steps:
        text = as_markdown(row.note) or "Starting …"
    else:
        left = curves.seconds_left(row.steps) if row.is_live else None
        pace = (
            f" · {curves.tokens_per_second:,.0f} tokens/s"
            if row.is_live and curves.tokens_per_second
            else ""
        )
        rest = f" · {duration(left)} left" if left else ""
        text = f"Step {step:,} of {row.steps:,}{' · paused' if row.is_live and row.is_paused else pace}{rest}"
    st.progress(min(1.0, step / row.steps) if row.steps else 0.0, text=text)


def _ensure_worker() -> None:
    """A worker may have gone since the run was queued."""
    try:
        worker.ensure()
    except UserError as wrong:
        forms.show_error(wrong)
