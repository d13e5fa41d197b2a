"""A sweep: runs that share a tag, and which settings gave the best of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from s2s.jobs import sweep
from s2s.questions import ComparedRuns, Sweep, has_seeds
from s2s.questions.views import view_of
from s2s.runs import RUN_STATES, RunSummary
from s2s.ui.kit import cached, pickers, show_table
from s2s.ui.kit.pictures import show
from s2s.ui.runs import seed_spread
from s2s.ui.runs import table as runs_table
from s2s.ui.runs.view_state import STATE
from s2s.ui.shell import page_link


def tab(run_id: str) -> None:
    """Draw one sweep; it refreshes while one of its runs is live."""
    found = sweeps(cached.own_runs())
    if not found:
        if missing := STATE.value("sweep"):
            said = f"There is no sweep {missing[:40]} among your runs (any more)"
            pickers.notify(f"{said}; only the owner of a sweep's runs can open it by its link.")
        _empty()
        return
    names = {name: name for name in found}
    name = STATE.choice("sweep", "Sweep", names, default=_of(run_id, found), width=300)
    is_live = any(row.is_live for row in found[name])
    runs_table.refreshing(_shown, name, is_live=is_live)


def _empty() -> None:
    with st.container(border=True, horizontal_alignment="center", key="answer"):
        st.subheader("No sweeps yet", anchor=False)
        st.caption(
            "A sweep trains one recipe with several values of one or two settings. Queue one on"
            " Train to compare its runs here."
        )
        page_link("train", "Queue a sweep")


def sweeps(rows: Sequence[RunSummary]) -> dict[str, list[RunSummary]]:
    """Runs by the name of their sweep, newest sweep first."""
    found: dict[str, list[RunSummary]] = {}
    for row in rows:
        for tag in row.tags:
            if tag.startswith(sweep.TAG) and len(tag) > len(sweep.TAG):
                found.setdefault(tag.removeprefix(sweep.TAG), []).append(row)
    return found


def _of(run_id: str, found: Mapping[str, Sequence[RunSummary]]) -> str:
    """The name of the sweep that the page's run belongs to, else the newest."""
    return next(
        (name for name, rows in found.items() if run_id in {row.id for row in rows}),
        next(iter(found)),
    )


def _shown(name: str) -> None:
    rows = sweeps(cached.own_runs()).get(name, [])
    if not rows:  # deleted meanwhile
        st.rerun()
    question = STATE.question(Sweep, runs=tuple(row.id for row in rows), sweep=name)
    answer = cached.SCREEN.answer(question)
    _progress(answer)
    lines, table = view_of(question).pictures(question, answer, "")
    runs = [run.id for run in answer.runs]
    parts = [partial(show, lines, question, answer), partial(seed_spread.panel, runs)]
    first, last = reversed(parts) if has_seeds(answer) else parts
    with st.container(key="answer", border=True):
        first()
    show(table, question, answer, draw=partial(_table, table.figure, table.alt, answer))
    st.caption("Click a row to select that run on every page.")
    last()


def _progress(answer: ComparedRuns) -> None:
    """Draw how far the sweep is; nothing once all its runs are done."""
    states = Counter(RUN_STATES[run.state] for run in answer.runs)
    if states["done"] == len(answer.runs):
        return
    steps = sum(run.steps for run in answer.runs)
    done = sum(run.steps if run.state == "done" else run.step for run in answer.runs)
    others = [f"{n} {word}" for word, n in states.items() if word != "done"]
    text = ", ".join([f"{states['done']} of {len(answer.runs)} done", *others])
    st.progress(min(1.0, done / steps) if steps else 0.0, text=f"{text}.")


def _table(figure: Any, alt: str, answer: ComparedRuns) -> None:
    """Draw a table whose rows select every page's run."""
    runs = [run.id for run in answer.runs]
    chosen = st.session_state["run"]
    key = f"sweep {chosen} {len(runs)}"
    show_table(
        figure,
        alt=alt,
        key=key,
        on_select=partial(runs_table.choose, key, runs),
        selection_mode="single-row",
        selection_default={
            "selection": {"rows": [at for at, run in enumerate(runs) if run == chosen]}
        },
    )
