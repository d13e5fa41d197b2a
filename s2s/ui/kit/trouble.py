"""What went wrong with a run, or ended it before its plan."""

from __future__ import annotations

import streamlit as st

from s2s.config import UserError, asker
from s2s.jobs import run_service
from s2s.runs import RunSummary
from s2s.ui.kit.text import as_markdown


def run_trouble(row: RunSummary) -> None:
    """Show why a run failed, ended early or waits, with the end of its log unless the server is hosted."""
    if row.error:
        st.error(as_markdown(row.error), icon=":material/error:")
    elif row.state == "interrupted" and row.note:
        st.info(as_markdown(row.note), icon=":material/hourglass_top:")
    else:
        _ended(row)
        return
    if lines := _log(row.id):
        with st.expander("Last lines of its log", icon=":material/terminal:"):
            st.code(lines, language=None, wrap_lines=True)


def _ended(row: RunSummary) -> None:
    if row.state == "done" and row.ended:
        st.info(as_markdown(row.ended), icon=":material/timer_off:")
    elif row.state == "stopped" and row.steps:
        why = row.ended or f"It was stopped at step {row.step:,} of {row.steps:,}."
        st.info(as_markdown(why), icon=":material/pause_circle:")


def _log(run_id: str) -> str:
    if asker.is_hosted():  # the operator's page has it
        return ""
    try:
        return run_service.last_log(run_id, asker.current())
    except UserError:  # the run is somebody else's, or the queue is unreachable, as the page says
        return ""
