"""Two or more runs side by side: scores, curves, and the settings in which they differ."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from s2s.config import middle
from s2s.plots import short_names, training_view
from s2s.questions import ComparedRuns, LoggedRuns, RunsCompared, TrainingCurves
from s2s.questions.views import view_of
from s2s.ui.kit import cached, in_view, pickers, unique_names
from s2s.ui.kit.pictures import show
from s2s.ui.kit.training_curves import MAX_RUNS, loss_note, quantity_and_axis
from s2s.ui.runs import seed_spread, table
from s2s.ui.runs.view_state import STATE

OWNER = "compared for"  # in the session: the page's run when the runs were selected
LONGEST = 64  # characters of a name in the list


def tab(run_id: str) -> None:
    """Draw the runs to compare, their scores, curves and settings; they refresh while one of them is live."""
    chosen = _chosen(run_id)
    for run in chosen:
        in_view.add_run(run)
    if len(chosen) < 2:
        st.info(
            "Select two or more runs to compare their scores, curves and settings.",
            icon=":material/compare_arrows:",
        )
        return
    rows = cached.runs()
    is_live = any(row.is_live for run in chosen if (row := rows.get(run)))
    table.refreshing(_compared, chosen, is_live=is_live)


def _chosen(run_id: str) -> list[str]:
    for run in STATE.now.compared.split()[:MAX_RUNS]:
        cached.follow_link(run)
    full = {run: table.full_name(run) for run in cached.runs()}
    names = unique_names({run: middle(name, LONGEST) for run, name in full.items()})
    given = st.session_state.get(STATE.key("compared"), STATE.now.compared.split())
    selected = [run for run in given if run in names][:MAX_RUNS]
    if lost := [run for run in given if run not in names]:
        pickers.notify(f"There is no run {lost[0][:40]} here (any more); it is left out.")
    if st.session_state.get(OWNER) != run_id and run_id not in selected:
        selected = [run_id, *_newest_other(run_id)]
    st.session_state[OWNER] = run_id
    if selected != given:
        STATE.show(compared=" ".join(selected))
    return STATE.choices("compared", "Runs to compare", names, max_selections=MAX_RUNS)


def keep_for(run_id: str) -> None:
    """Keep the runs that a link or button selected, even without the page's run."""
    if STATE.now.compared:
        st.session_state[OWNER] = run_id


def _newest_other(run_id: str) -> list[str]:
    own = [row.id for row in cached.own_runs() if row.id != run_id]
    return [*own, *(run for run in cached.runs() if run != run_id)][:1]


def _compared(chosen: Sequence[str]) -> None:
    question = STATE.question(RunsCompared, runs=tuple(chosen), settings=STATE.shown("settings"))
    answer = cached.SCREEN.answer(question)
    scores, *settings = view_of(question).pictures(question, answer, "")
    with st.container(key="answer", border=True):
        show(scores, question, answer)
    with st.container(key="curves"):
        _curves(answer)
    seed_spread.panel(chosen)
    for picture in settings:
        st.subheader("Settings", anchor=False)
        STATE.draw("settings")
        show(picture, question, answer)


def _curves(answer: ComparedRuns) -> None:
    """Draw the curves of all these runs in one chart: a color per run, training solid and validation dashed."""
    curve, over = quantity_and_axis(STATE)
    runs = tuple(run.id for run in answer.runs)
    question = TrainingCurves(runs=runs, curve=curve, over=over)
    names = short_names([run.name for run in answer.runs])
    logged = LoggedRuns(tuple(names), tuple(map(cached.curves, runs)))
    reading = training_view.QUANTITIES[curve].reading
    caption = f"Training is solid, validation dashed. {reading} {loss_note(runs, curve)}"
    drawn = training_view.picture(question, logged, title=f"{len(runs)} runs", caption=caption)
    show(drawn, question, logged)
