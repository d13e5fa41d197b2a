"""The runs as a table, one of several views of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial

import pandas as pd
import streamlit as st

from s2s import share
from s2s.config import UserError
from s2s.runs import RunSummary
from s2s.ui.kit import address, cached, forms
from s2s.ui.kit.badges import STATES
from s2s.ui.runs import attention_history
from s2s.ui.runs.attention_history import AT
from s2s.ui.shell.pages import page_link

PULSE = 2.0  # seconds between two looks at live runs
POINTS = 40  # of a sparkline
FEW = 5  # runs that one finds without a search
TAB = "runs tab"
MARKS = {
    "done": "✓",
    "failed": "✗",
    "running": "▶",
    "starting": "▶",
    "queued": "…",
    "stopped": "❚❚",
    "interrupted": "!",
}


def tabs(views: Mapping[str, Callable[[str], None]], run_id: str) -> None:
    """One of the views; which, and what it compares, stands in the address."""
    slugs = {name: name.lower().replace(" ", "-") for name in views}
    usual, *_ = views
    asked = address.arrived("set")
    _take(
        st.session_state.pop("turn to", asked),
        {slug: name for name, slug in slugs.items()} | {"": usual},
    )
    if st.session_state.get(TAB) not in views:
        st.session_state[TAB] = st.session_state.get("runs view", usual)
    shown = st.session_state["runs view"] = st.session_state[TAB]
    for (name, draw), tab in zip(
        views.items(), st.tabs(list(views), key=TAB, on_change="rerun"), strict=True
    ):
        if name == shown:
            with tab:
                _drawn(draw, run_id)
    held = {key: str(st.session_state.get(key) or "") for key in ("sweep", AT)}
    held["compared"] = " ".join(st.session_state.get("compared", ()))
    said = {"tab": slugs[shown]} | {
        key: value for key, value in held.items() if value and key in USED.get(slugs[shown], ())
    }
    address.hold("set", "" if shown == usual else share.pack(said))


USED = {
    "side-by-side": ("compared",),
    "sweeps": ("sweep",),
    "attention-while-learning": (AT,),
}  # what an address says beside the view


def turn_to(tab: str, compared: Sequence[str]) -> None:
    """Another view when the page is next drawn. (A link from the page to itself would lose what it says when the run's is written.)"""
    st.session_state["turn to"] = share.pack({"tab": tab, "compared": " ".join(compared)})


def _drawn(draw: Callable[[str], None], run_id: str) -> None:
    """A view that cannot be shown leaves the others."""
    try:
        draw(run_id)
    except UserError as wrong:
        forms.show_error(wrong)


def _take(said: str | None, names: Mapping[str, str]) -> None:
    """Put what a link says into the session; a view that there is not gives way to the first."""
    if said is None:
        return
    given = share.unpack(said)
    st.session_state[TAB] = names.get(given.get("tab", ""), names[""])
    if "compared" in given:
        st.session_state["compared"] = given["compared"].split()
        st.session_state["compared for"] = st.session_state["run"]
    if "sweep" in given:
        st.session_state["sweep"] = given["sweep"]
    attention_history.open_at(st.session_state["run"], given.get(AT, ""))


def empty() -> None:
    """Before the first run."""
    with st.container(border=True, horizontal_alignment="center"):
        st.subheader("No runs of your own yet", anchor=False)
        st.caption("The demo runs can be opened everywhere. Train a model, and it appears here.")
        page_link("train", "Train a model")


def table() -> None:
    """A row a run; a click chooses it, as the picker above does. It looks again by itself while a run lives."""
    is_live = any(row.is_live for row in cached.own_runs())
    st.fragment(_table, run_every=PULSE if is_live else None)(st.session_state["run"], is_live)


def _table(chosen: str, was_live: bool) -> None:
    rows = cached.own_runs()
    if was_live != any(row.is_live for row in rows) or st.session_state["run"] != chosen:
        st.rerun()
    wanted = str(_search() or "") if len(rows) > FEW else ""
    shown = [row for row in rows if matches(row, wanted)]
    key = f"runs {chosen} {len(rows)} {wanted}"  # another choice above is another selection here
    st.dataframe(
        pd.DataFrame(
            [_cells(row) for row in shown], columns=list(_cells(rows[0])) if rows else None
        ),
        hide_index=True,
        placeholder="–",
        key=key,
        on_select=partial(choose, key, [row.id for row in shown]),
        selection_mode="single-row",
        selection_default={
            "selection": {"rows": [i for i, row in enumerate(shown) if row.id == chosen]}
        },
        column_config=COLUMNS,
        alt=f"{len(shown)} runs with state, name, score, steps and text",
    )
    if wanted:
        st.caption(f"{len(shown)} of {len(rows)} runs.")


def _search() -> str | None:
    return st.text_input(
        "Find",
        key="find run",
        placeholder="name, tag, text or state",
        live="300ms",
        max_chars=80,
        persist_state="session",
        width=300,
    )


COLUMNS = {  # the first come first into sight; pixels
    "state": st.column_config.TextColumn(width=90),
    "name": st.column_config.TextColumn(width=200),
    "loss": st.column_config.NumberColumn(
        width=60, format="%.3f", help="Best validation loss, nats a token."
    ),
    "accuracy": st.column_config.NumberColumn(
        width=75,
        format="percent",
        help="Tokens of the validation pairs that the model ranks first, at the step of the best loss.",
    ),
    "BLEU": st.column_config.NumberColumn(
        width=55,
        format="%.1f",
        help="0 to 100, at the step of the best loss: how many word sequences the greedy translations of some validation pairs share"
        " with the references.",
    ),
    "curve": st.column_config.LineChartColumn(width=80, help="Validation loss from first to last."),
    "steps": st.column_config.TextColumn(width=105),
    "started": st.column_config.DatetimeColumn(width=105, format="distance"),
    "preset": st.column_config.TextColumn(width=80),
    "started from": st.column_config.TextColumn(
        width=110, help="The run whose weights it began with."
    ),
    "text": st.column_config.TextColumn(width=120),
    "tags": st.column_config.ListColumn(width=110),
}


def _cells(row: RunSummary) -> dict[str, object]:
    losses = [float(loss) for loss in cached.curves(row.id).valid_loss]
    cells = {
        "state": state(row),
        "name": row.name or row.id,
        "loss": row.best_loss,
        "accuracy": row.token_accuracy,
        "BLEU": bleu(row.id, row.best_step),
        "curve": _thinned(losses) if len(losses) > 1 else [],
        "steps": f"{row.step:,} of {row.steps:,}" if row.steps else "",
        "started": datetime.fromtimestamp(row.created, UTC),
        "preset": row.preset,
        "started from": called(row.init_from),
        "text": cached.dataset_name(row.source),
        "tags": list(row.tags),
    }
    return {column: cells[column] for column in COLUMNS}


def state(row: RunSummary) -> str:
    """A mark and a word."""
    return (
        "❚❚ paused"
        if row.is_paused and row.state == "running"
        else f"{MARKS[row.state]} {STATES[row.state].label}"
    )


def bleu(run_id: str, best_step: int | None) -> float | None:
    """At the best validation; never that of another step, whose loss is not told beside it."""
    curves = cached.curves(run_id)
    known = {
        int(step): float(score)
        for step, score in zip(curves.valid_steps, curves.valid_bleu, strict=True)
        if math.isfinite(score)
    }
    return None if best_step is None else known.get(best_step)


def called(run: str) -> str:
    """A run that another one names: by its name, or the last part of its folder."""
    return cached.title(run) if run and run in cached.runs() else run.rstrip("/").rpartition("/")[2]


def matches(row: RunSummary, wanted: str) -> bool:
    """Whether every word stands in the run's name, tags, text, preset, state, note or id."""
    words = (
        row.id,
        row.name,
        *row.tags,
        cached.dataset_name(row.source),
        row.source,
        row.preset,
        state(row),
        row.comment,
    )
    everything = "\n".join(words).casefold()
    return all(word in everything for word in wanted.casefold().split())


def _thinned(values: list[float]) -> list[float]:
    stride = max(1, -(-len(values) // POINTS))
    return values[::-1][::stride][::-1]  # the newest always stays


def choose(key: str, run_ids: list[str]) -> None:
    """The clicked row's run becomes that of the page."""
    picked = st.session_state[key].selection.rows
    if picked:
        st.session_state["run"] = run_ids[picked[0]]
