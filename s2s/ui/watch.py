"""A run in training, as it happens: how far, how fast, the curves, and what the probe sentences become."""

from __future__ import annotations

import html
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from s2s import plots, settings
from s2s.config import UserError
from s2s.jobs import board, training, worker
from s2s.runs.listing import Listed
from s2s.runs.metrics import Curves
from s2s.ui import cached, forms
from s2s.ui.charts import chart
from s2s.ui.pages import link
from s2s.ui.reading import file_name
from s2s.ui.text import duration, plain, shortened, worded

PULSE = 1.0  # seconds between two looks at a live run
STATES = {
    "queued": ("blue", ":material/schedule:", "waiting"),
    "starting": ("blue", ":material/hourglass_top:", "starting"),
    "running": ("blue", ":material/model_training:", "training"),
    "done": ("green", ":material/check_circle:", "done"),
    "stopped": ("gray", ":material/pause_circle:", "stopped"),
    "interrupted": ("orange", ":material/power_off:", "interrupted"),
    "failed": ("red", ":material/error:", "failed"),
}


def panel(run_id: str) -> None:
    """The run's training; it looks again by itself while the run lives."""
    row = _row(run_id)
    may_change = row is not None and (row.is_live or row.state == "interrupted")  # which a worker may take up by itself
    st.fragment(_panel, run_every=PULSE if may_change else None)(run_id, row.state if row else "")


def _panel(run_id: str, before: str) -> None:
    row = _row(run_id)
    if (row.state if row else "") != before:  # the whole page shall know
        cached.forget_lists()
        st.rerun()
    curves = cached.curves(run_id)
    with st.container(border=True, key="watch"):
        _head(run_id, row)
        if row:
            _progress(row, curves)
            _buttons(row)
        if len(curves.steps):
            _figures(curves, is_live=row is not None and row.is_live)
            _picture(run_id, curves)
    _samples(run_id)


def _row(run_id: str) -> Listed | None:
    try:
        return board.one(run_id, settings.OWNER)
    except UserError:
        return None


def _head(run_id: str, row: Listed | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(plain(cached.title(run_id)), anchor=False, width="content")
        badge(row.state if row else "done")
    if row and row.error:
        st.error(worded(row.error), icon=":material/error:")
    elif row and row.state == "interrupted" and row.note:
        st.info(worded(row.note), icon=":material/hourglass_top:")
    if notes := cached.notes(run_id):
        st.caption(worded(" ".join(notes)))


def badge(state: str) -> None:
    """A state in a word and a colour."""
    colour, icon, word = STATES[state]
    st.badge(word, icon=icon, color=colour)  # type: ignore[arg-type]


def _progress(row: Listed, curves: Curves) -> None:
    """How far, and until when."""
    step = max(row.step, curves.step)
    if row.state == "queued":
        before = f"{row.position} before it" if row.position else "the next to start"
        text = f"Waiting: {before}."
        _ensure_worker()
    elif row.state == "starting" or not row.steps:
        text = worded(row.note) or "Starting …"
    else:
        left = curves.seconds_left(row.steps) if row.is_live else None
        pace = f" · {curves.tokens_per_second:,.0f} tokens/s" if row.is_live and curves.tokens_per_second else ""
        text = f"Step {step:,} of {row.steps:,}{pace}{f' · {duration(left)} left' if left else ''}"
    st.progress(min(1.0, step / row.steps) if row.steps else 0.0, text=text)


def _ensure_worker() -> None:
    """A worker may have gone since the run was queued."""
    try:
        worker.ensure()
    except UserError as wrong:
        forms.complain(wrong)


def _buttons(row: Listed) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        if row.is_live and row.is_stopping:
            st.button("Stopping …", icon=":material/stop:", key="stop", disabled=True, help="It saves a checkpoint, then it stops.")
        elif row.is_live:
            st.button("Stop", icon=":material/stop:", key="stop", on_click=_act, args=("stop", row.id), help="Saves a checkpoint first.")
        elif row.state in ("stopped", "interrupted", "failed"):
            st.button("Resume", icon=":material/play_arrow:", key="resume", on_click=_act, args=("resume", row.id), type="primary")
        elif row.state == "done":
            _more(row)
        if row.checkpoints:
            link("compare", "Translate with it")
            link("attention", "Look inside")
    if refused := st.session_state.pop("refused act", None):
        forms.complain(refused)


def _more(row: Listed) -> None:
    """A run that has ended can go on."""
    with st.popover("Continue", icon=":material/fast_forward:"):
        st.number_input("To step", min_value=row.steps + 1, value=2 * row.steps, key="to step")
        st.button("Go on", key="go on", on_click=_act, args=("continue", row.id), type="primary")


def _act(what: str, run_id: str) -> None:
    try:
        if what == "stop":
            board.stop(run_id, settings.OWNER)
        else:
            steps = int(st.session_state["to step"]) if what == "continue" else None
            training.submit_resume(run_id, settings.OWNER, steps=steps)
            worker.ensure()
    except UserError as wrong:
        st.session_state["refused act"] = wrong
    cached.forget_lists()


def _figures(curves: Curves, *, is_live: bool) -> None:
    """The newest numbers."""
    with st.grid(5, min_column_width=130):
        st.metric("Training loss", f"{curves.loss[-1]:.3f}", help="Nats a target token, of the newest batch, without smoothing.")
        if len(curves.valid_loss):
            st.metric("Validation loss", f"{curves.valid_loss[-1]:.3f}", help="Nats a target token, on the held-out pairs.")
            perplexity, accuracy = curves.valid_perplexity[-1], curves.valid_token_accuracy[-1]
            st.metric("Perplexity", f"{perplexity:,.2f}", help="e to the validation loss: among how many words it wavers.")
            st.metric("Accuracy", f"{accuracy:.1%}", help="Held-out tokens that it ranks first, given those before.")
        if is_live and curves.lr is not None:
            st.metric("Learning rate", f"{curves.lr:.2e}")


def _picture(run_id: str, curves: Curves) -> None:
    shown = f"{cached.title(run_id)} · loss by step"
    figure = plots.curves(curves.steps, curves.loss, curves.valid_steps, curves.valid_loss, title=shown)
    last = f": {curves.valid_loss[-1]:.3f} at step {curves.valid_steps[-1]:,}" if len(curves.valid_loss) else ""
    chart(figure, alt=f"Training and validation loss of {cached.title(run_id)}{last}", file_name=file_name(shown))
    st.caption(plots.PLOTS["curves"].reading)
    file = f"{file_name(shown)}.csv"
    st.download_button("Numbers (CSV)", partial(_table, curves), file, "text/csv", on_click="ignore", icon=":material/download:")


def _table(curves: Curves) -> str:
    """The points of both curves, a row each."""
    train = pd.DataFrame({"curve": "training", "step": curves.steps, "loss": curves.loss})
    valid = pd.DataFrame({"curve": "validation", "step": curves.valid_steps, "loss": curves.valid_loss})
    valid["token_accuracy"] = curves.valid_token_accuracy
    return str(pd.concat([train, valid]).to_csv(index=False))


def _samples(run_id: str) -> None:
    """The probe sentences: what they are to become, and what they become now."""
    lines = cached.samples(run_id)
    if not lines:
        return
    newest = max(line["step"] for line in lines)
    with st.container(border=True, key="samples"):
        st.subheader("Probe sentences", anchor=False)
        st.caption(f"Held-out sentences and their translation at step {newest:,} (greedy).")
        rows = "".join(_sample(line) for line in lines if line["step"] == newest)
        st.html(f'<div class="samples"><table><tr><th>source</th><th>now</th><th>reference</th></tr>{rows}</table></div>')


def _sample(line: dict[str, Any]) -> str:
    cells = (shortened(str(line[key]), 300) or "(nothing)" for key in ("source", "text", "reference"))
    return "<tr>" + "".join(f'<td dir="auto">{html.escape(cell)}</td>' for cell in cells) + "</tr>"
