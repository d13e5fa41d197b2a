"""The runs as a table, and what may be done to the one that is chosen."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

import pandas as pd
import streamlit as st

from s2s import settings
from s2s.config import UserError
from s2s.jobs import board, training, worker
from s2s.runs.listing import Listed
from s2s.ui import cached, forms, watch
from s2s.ui.pages import link
from s2s.ui.text import plain, worded

PULSE = 2.0  # seconds between two looks at live runs
POINTS = 40  # of a sparkline
MARKS = {"done": "✓", "failed": "✗", "running": "▶", "starting": "▶", "queued": "…", "stopped": "❚❚", "interrupted": "!"}


def empty() -> None:
    """Before the first run."""
    with st.container(border=True, horizontal_alignment="center"):
        st.subheader("No runs of your own yet", anchor=False)
        st.caption("The demo runs can be opened everywhere. Train a model, and it appears here.")
        link("train", "Train a model")


def table() -> None:
    """A row a run; a click chooses it, as the picker above does. It looks again by itself while a run lives."""
    is_live = any(row.is_live for row in cached.listed())
    st.fragment(_table, run_every=PULSE if is_live else None)(st.session_state["run"], is_live)


def _table(chosen: str, was_live: bool) -> None:
    rows = cached.listed()
    if was_live != any(row.is_live for row in rows):
        st.rerun()
    key = f"runs {chosen} {len(rows)}"  # another choice above is another selection here
    st.dataframe(
        pd.DataFrame([_cells(row) for row in rows]),
        hide_index=True,
        placeholder="",
        key=key,
        on_select=partial(_choose, key, [row.id for row in rows]),
        selection_mode="single-row",
        selection_default={"selection": {"rows": [i for i, row in enumerate(rows) if row.id == chosen]}},
        column_config={
            "curve": st.column_config.LineChartColumn(width="small", help="Validation loss from first to last."),
            "accuracy": st.column_config.NumberColumn(format="percent", help="Held-out tokens that the model ranks first."),
            "loss": st.column_config.NumberColumn(format="%.3f", help="Best validation loss, nats a token."),
            "started": st.column_config.DatetimeColumn(format="distance"),
        },
        alt=f"{len(rows)} runs with state, name, score, steps and text",
    )


def _cells(row: Listed) -> dict[str, object]:
    return {
        "state": f"{MARKS[row.state]} {watch.STATES[row.state][2]}",
        "name": row.name or row.id,
        "accuracy": row.token_accuracy,
        "loss": row.best_loss,
        "curve": _thinned([float(loss) for loss in cached.curves(row.id).valid_loss]),
        "steps": f"{row.step:,} of {row.steps:,}" if row.steps else "",
        "text": cached.called(row.source),
        "preset": row.preset,
        "started": datetime.fromtimestamp(row.created, UTC),
    }


def _thinned(values: list[float]) -> list[float]:
    stride = max(1, -(-len(values) // POINTS))
    return values[::-1][::stride][::-1]  # the newest always stays


def _choose(key: str, run_ids: list[str]) -> None:
    picked = st.session_state[key].selection.rows
    if picked:
        st.session_state["run"] = run_ids[picked[0]]


def actions(run_id: str) -> None:
    """What may be done to the chosen run."""
    row = cached.runs().get(run_id)
    with st.container(border=True, key="actions"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.subheader(plain(cached.title(run_id)), anchor=False, width="content")
            watch.badge(row.state if row else "done")
        if row and row.error:
            st.error(worded(row.error), icon=":material/error:")
        with st.container(horizontal=True, vertical_alignment="center"):
            _doors(run_id, row)
            if row:
                _changes(row)
        if row is None:
            st.caption("This run ships with the program; it can be opened everywhere, but not renamed or deleted.")
        if refused := st.session_state.pop("refused change", None):
            forms.complain(refused)


def _doors(run_id: str, row: Listed | None) -> None:
    if row is None or row.checkpoints:
        link("compare", "Translate")
        link("attention", "Attention")
    link("train", "Training")


def _changes(row: Listed) -> None:
    if row.state in ("stopped", "interrupted", "failed"):
        st.button("Resume", icon=":material/play_arrow:", key="resume", on_click=_do, args=("resume", row.id))
    with st.popover("Rename", icon=":material/edit:"):
        st.text_input("Name", row.name, key=f"rename {row.id}", max_chars=80, on_change=_do, args=("rename", row.id))
    with st.popover("Delete", icon=":material/delete:", disabled=row.is_live, help="Stop it first." if row.is_live else None):
        st.write("Its checkpoints and curves are deleted for good, and links to it will say so.")
        st.button("Delete this run", key="delete", on_click=_do, args=("delete", row.id), type="primary")


def _do(what: str, run_id: str) -> None:
    """One change; a refusal stands in the card."""
    try:
        if what == "rename":
            board.rename(run_id, settings.OWNER, str(st.session_state[f"rename {run_id}"]))
        elif what == "delete":
            board.delete(run_id, settings.OWNER)
        else:
            training.submit_resume(run_id, settings.OWNER)
            worker.ensure()
    except UserError as wrong:
        st.session_state["refused change"] = wrong
    cached.forget_lists()
    st.session_state["run"] = run_id if what != "delete" else next(iter(cached.runs()))
