"""The table of runs: one row per run; a click selects one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from s2s.faults import marked
from s2s.links.share import printable
from s2s.plots import Picture
from s2s.questions import Table, signature_note
from s2s.runs import RunSummary, seeds
from s2s.runs.listing import row_of
from s2s.ui.kit import cached, plain
from s2s.ui.kit.badges import STATES, shown_state
from s2s.ui.kit.pictures import keep
from s2s.ui.runs.view_state import STATE
from s2s.ui.shell import page_link

REFRESH_SECONDS = 2.0  # while a run is live
SPARKLINE_POINTS = 40
FEW = 5  # up to this many runs of one's own, the table has no search box
SYMBOLS = {
    "done": "✓",
    "failed": "✗",
    "diverged": "✗",
    "early": "!",
    "empty": "!",
    "running": "▶",
    "starting": "▶",
    "queued": "…",
    "stopped": "❚❚",
    "interrupted": "!",
}


def listed() -> list[RunSummary]:
    """The visitor's own runs, newest first, then the demos."""
    demos = (row_of(cached.DEMO_FOLDER / run) for run, row in cached.runs().items() if row is None)
    return [*cached.own_runs(), *(_scored(row) for row in demos if row)]


def _scored(row: RunSummary) -> RunSummary:
    curves = cached.curves(row.id)
    best = seeds.best_validation(curves, row.best_step)
    if best is None:
        return row
    return replace(
        row,
        best_step=int(curves.valid_steps[best]),
        best_loss=float(curves.valid_loss[best]),
        token_accuracy=float(curves.valid_token_accuracy[best]),
    )


def table() -> None:
    """Draw one row per run; a click selects it, as the picker above does. It refreshes while a run is live."""
    own = cached.own_runs()
    if not own:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("No runs of your own yet: below are the demos.", width="content")
            page_link("train", "Train a model")
    is_live = any(row.is_live for row in own)
    st.fragment(_table, run_every=REFRESH_SECONDS if is_live else None)(
        st.session_state["run"], is_live
    )


def _table(chosen: str, was_live: bool) -> None:
    rows = listed()
    if was_live != any(row.is_live for row in rows) or st.session_state["run"] != chosen:
        st.rerun()
    query = _search() if len(cached.own_runs()) > FEW else ""
    shown = [row for row in rows if matches(row, query)]
    key = f"runs {chosen} {len(rows)} {query}"  # a run picked above changes the selection here
    cells = [_cells(row) for row in shown]
    alt = f"{len(shown)} runs with state, name, scores, steps and dataset"
    texts = [[row[name] for name in IN_FILES] for row in cells]
    keep(Picture("runs", "Runs", None, alt, Table(IN_FILES, texts)))
    with st.container(key="answer"):
        st.dataframe(
            pd.DataFrame(cells, columns=[*COLUMNS]),
            hide_index=True,
            placeholder="–",
            key=key,
            on_select=partial(choose, key, [row.id for row in shown]),
            selection_mode="single-row",
            selection_default={
                "selection": {"rows": [i for i, row in enumerate(shown) if row.id == chosen]}
            },
            column_config=COLUMNS,
            alt=alt,
        )
    if query:
        st.caption(f"{len(shown)} of {len(rows)} runs.")
    warn_of_signatures([row.id for row in shown])


def warn_of_signatures(runs: Sequence[str]) -> None:
    """Say below a table of runs that their scores were counted in different ways, if they were."""
    if note := signature_note(each for run in runs for each in cached.curves(run).signatures):
        st.caption(f":material/warning: {plain(note)}")


def _search() -> str:
    return STATE.text(
        "find",
        "Find",
        placeholder="name, tag, dataset or state",
        live="300ms",
        max_chars=80,
        width=300,
    )


COLUMNS = {  # from left to right; widths in pixels
    "state": st.column_config.TextColumn(width=125),
    "name": st.column_config.TextColumn(width=290),
    "loss": st.column_config.NumberColumn(
        width=60,
        format="%.3g",
        help="Best validation loss, nats per token, without label smoothing.",
    ),
    "accuracy": st.column_config.NumberColumn(
        width=75,
        format="percent",
        help="Top-1 token accuracy on the validation pairs, at the step with the best loss.",
    ),
    "BLEU": st.column_config.NumberColumn(
        width=55,
        format="%.1f",
        help="0 to 100, of greedy translations of some validation pairs, at the step with the best loss.",
    ),
    "curve": st.column_config.LineChartColumn(width=80, help="Validation loss over training."),
    "steps": st.column_config.TextColumn(width=105),
    "started": st.column_config.DatetimeColumn(width=105, format="distance"),
    "preset": st.column_config.TextColumn(width=80),
    "initialized from": st.column_config.TextColumn(
        width=110, help="The run whose weights it started with."
    ),
    "dataset": st.column_config.TextColumn(width=120),
    "tags": st.column_config.ListColumn(width=110),
}


IN_FILES = [name for name in COLUMNS if name not in ("curve", "tags")]


def _cells(row: RunSummary) -> dict[str, object]:
    curves = cached.curves(row.id)
    losses = [float(loss) for loss in curves.valid_loss]
    cells = {
        "state": state(row),
        "name": full_name(row.id),
        "loss": row.best_loss,
        "accuracy": None if row.token_accuracy is None else round(row.token_accuracy, 3),
        "BLEU": bleu(row.id, row.best_step),
        "curve": _thinned(losses) if len(losses) > 1 else [],
        "steps": f"{max(row.step, curves.step):,} of {row.steps:,}" if row.steps else "",
        "started": datetime.fromtimestamp(row.created, UTC),
        "preset": row.preset,
        "initialized from": cached.SCREEN.short_name(row.init_from),
        "dataset": cached.dataset_name(row.source) or row.imported,
        "tags": list(row.tags),
    }
    return {column: cells[column] for column in COLUMNS}


def state(row: RunSummary) -> str:
    """A run's state as a symbol and a word."""
    if row.is_paused and row.state == "running":
        return "❚❚ paused"
    state = shown_state(row)
    return f"{SYMBOLS[state]} {STATES[state].label}"


def bleu(run_id: str, best_step: int | None) -> float | None:
    """BLEU at the best validation, the step whose loss the table shows; None if it was not measured there."""
    curves = cached.curves(run_id)
    by_step = {
        int(step): float(score)
        for step, score in zip(curves.valid_steps, curves.valid_bleu, strict=True)
        if math.isfinite(score)
    }
    return None if best_step is None else by_step.get(best_step)


def full_name(run: str) -> str:
    """A run's title, which is its name in full."""
    row = cached.runs().get(run)
    is_named = row is not None and row.name not in ("", run)
    return marked(printable(row.name), row.fault) if row and is_named else cached.title(run)


def refreshing(draw: Callable[[Any], None], given: Any, *, is_live: bool) -> None:
    """Draw a part of the page repeatedly while a run is live."""

    def part() -> None:
        before = st.session_state.get("set")
        draw(given)
        if st.session_state.get("set") != before:
            st.rerun()

    st.fragment(part, run_every=REFRESH_SECONDS if is_live else None)()


def matches(row: RunSummary, query: str) -> bool:
    """Whether every word of `query` occurs in the run's name, tags, dataset, preset, state, note or id."""
    words = (
        row.id,
        row.name,
        *row.tags,
        cached.dataset_name(row.source),
        row.source,
        row.preset,
        row.imported,
        row.fault,
        state(row),
        row.comment,
    )
    everything = "\n".join(words).casefold()
    return all(word in everything for word in query.casefold().split())


def _thinned(values: list[float]) -> list[float]:
    stride = max(1, -(-len(values) // SPARKLINE_POINTS))
    return values[::-1][::stride][::-1]  # always keeps the newest


def choose(key: str, run_ids: list[str]) -> None:
    """Make the clicked row's run the run of the page."""
    selected = st.session_state[key].selection.rows
    if selected and selected[0] < len(run_ids):
        st.session_state["run"] = run_ids[selected[0]]
