"""The imports of published models that wait or work, and how the last one ended."""

from __future__ import annotations

import streamlit as st

from s2s.config import UserError, asker
from s2s.data import format_size
from s2s.jobs import ImportProgress, import_service
from s2s.links.share import greedy_and_beam
from s2s.pretrained import MODELS
from s2s.processes import worker
from s2s.ui.kit import as_markdown, cached, duration, forms, plain, polling, shortened, turn
from s2s.ui.runs.view_state import STATE
from s2s.ui.shell import page_link

REFRESH_SECONDS = 0.7  # while an import is live
REFUSED = "refused import"  # in the session: why the last one could not be canceled


def panel() -> None:
    try:
        rows = _shown()
    except UserError as wrong:
        forms.show_error(wrong)
        return
    times = polling.slowdown() if any(row.is_live for row in rows) else 0
    before = {row.run: row.state for row in rows}
    st.fragment(_panel, run_every=REFRESH_SECONDS * times or None)(before, times)


def _shown() -> list[ImportProgress]:
    every = import_service.imports(asker.current())
    started = [row for row in every if row.run == STATE.now.opening and not row.is_live]
    ended = [row for row in started if row.state != "done" or row.run in cached.runs()]
    return [*(row for row in every if row.is_live), *ended]


def _panel(before: dict[str, str], times: int) -> None:
    try:
        rows = _shown()
    except UserError as wrong:
        forms.show_error(wrong)
        return
    has_changed = {row.run: row.state for row in rows} != before
    if has_changed or (times and not polling.still_fits(times)):
        cached.refresh_runs()
        st.rerun()
    if refused := st.session_state.pop(REFUSED, None):
        forms.show_error(refused)
    for row in rows:
        with st.container(border=True, key=f"import {row.run}"):
            _import(row)


def _import(row: ImportProgress) -> None:
    name = plain(shortened(row.name, 60))
    if row.is_live:
        _live(row, name)
    elif row.state == "done":
        st.success(f"**{name}** is open.", icon=":material/check_circle:")
        with st.container(horizontal=True):
            st.caption("Explore it:")
            known = MODELS.get(row.name)
            source = {"src": known.example} if known else {}
            columns = greedy_and_beam(row.run)
            page_link("compare", "Compare strategies", run=row.run, **source, **columns)
            page_link("attention", "Attention", run=row.run, **source)
            page_link("architecture", "Architecture", run=row.run)
    elif row.state == "stopped":
        reason = f" {as_markdown(row.error)}" if row.error else ""
        st.info(
            f"**{name}** was canceled; nothing of it is kept.{reason}", icon=":material/cancel:"
        )
    else:
        why = as_markdown(row.error) or "Its process was interrupted."
        st.error(f"**{name}** was not opened. {why}", icon=":material/error:")


def _live(row: ImportProgress, name: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"Opening **{name}**", width="content")
        st.button(
            "Cancel",
            key=f"cancel {row.run}",
            icon=":material/close:",
            on_click=_cancel,
            args=(row.run,),
        )
    st.progress(min(1.0, row.done / row.n) if row.n else 0.0, text=_text(row))
    if row.state == "queued":
        try:
            worker.ensure()
        except UserError as wrong:
            forms.show_error(wrong)


def _text(row: ImportProgress) -> str:
    if row.state == "queued":
        return f"Queued: {turn(row.wait.before, row.wait.seconds)}."
    if row.n and row.done < row.n:
        left = f" · about {duration(row.left)} left" if row.left is not None else ""
        return f"{format_size(row.done)} of {format_size(row.n)} downloaded{left}"
    return as_markdown(row.note) or "Starting ..."


def _cancel(run_id: str) -> None:
    try:
        import_service.cancel(run_id, asker.current())
    except UserError as wrong:
        st.session_state[REFUSED] = wrong
