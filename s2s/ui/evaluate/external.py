"""Scores of a metric that is not computed here, given as a file: added to an evaluation, listed, deleted."""

from __future__ import annotations

import streamlit as st

from s2s.config import UserError, asker
from s2s.data import NUMBER_FILES
from s2s.jobs import GivenScores
from s2s.jobs import external as jobs
from s2s.library import Library
from s2s.runs import Evaluation, ExternalScores, external_scores
from s2s.ui.kit import forms, plain, shortened

BETTER = {"higher": "Higher is better", "lower": "Lower is better"}
PASTED = "pasted scores.txt"
# in the session:
REFUSED = "refused scores"  # why the last file was not added
OPEN = "external open"  # the evaluation whose form was used: it stays open


def panel(evaluation: Evaluation, n: int) -> None:
    """Draw the files with other systems' translations, and a form to add one."""
    place = Library().evaluation(evaluation.id)
    known = external_scores.read(place)
    refused = st.session_state.pop(REFUSED, None)
    with st.expander(
        "Scores of another metric",
        icon=":material/upload_file:",
        expanded=st.session_state.get(OPEN) == evaluation.id,
    ):
        st.caption(
            "Segment scores that are not computed here, such as COMET or human ratings, one number per sentence in the"
            " order of the test set. They join the tables, plots, buckets and tests. The bundle (zip) above has the"
            " sources, references and translations to compute them from."
        )
        for one in known:
            _entry(evaluation, one, n)
        _form(evaluation, n)
        if refused:
            forms.show_error(refused)


def _entry(evaluation: Evaluation, one: ExternalScores, n: int) -> None:
    system = shortened(evaluation.systems[one.system].name, 60)
    column = f", column {shortened(one.column, 30)}" if one.column else ""
    missing = (
        f" They cover {len(one.values):,} of {n:,} sentences and are not used; delete them, then add scores for all."
        if len(one.values) < n
        else ""
    )
    text = (
        f"{one.metric} of {system}: {shortened(one.file, 40)}{column}, {len(one.values):,} scores"
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"{plain(text)} · {BETTER[one.better].lower()}.{missing}")
        st.button(
            "Delete",
            key=f"delete scores {one.metric} {one.system}",
            icon=":material/delete:",
            on_click=_delete,
            args=(evaluation.id, one),
        )


def _form(evaluation: Evaluation, n: int) -> None:
    keys = _keys(evaluation.id)
    names = [system.name for system in evaluation.systems]
    if st.session_state.get("external system") not in names:
        st.session_state["external system"] = names[0]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("System of the scores", names, key="external system", width=220)
        st.text_input(
            "Metric",
            key="external metric",
            placeholder="such as COMET",
            max_chars=jobs.LONGEST_METRIC,
            width=180,
        )
        st.selectbox(
            "Direction",
            list(BETTER),
            format_func=BETTER.__getitem__,
            key="external better",
            width=190,
        )
        st.text_input(
            "Column",
            key="external column",
            placeholder="the only numeric one",
            help="Of a table: its name in row 1, or its number, counted from 1.",
            width=220,
        )
    left, right = st.columns(2)
    with left:
        st.file_uploader(
            f"Scores ({', '.join(NUMBER_FILES)})",
            type=[kind.removeprefix(".") for kind in NUMBER_FILES],
            key=keys[0],
            max_upload_size=jobs.MEGABYTES,
        )
    with right:
        st.text_area("or paste them, one per line", key=keys[1], height=100)
    st.button(
        "Add the scores",
        key="add scores",
        icon=":material/add:",
        on_click=_add,
        args=(evaluation,),
    )
    st.caption(f"{n:,} scores are needed.")


def _keys(evaluation: str) -> tuple[str, str]:
    n_added = st.session_state.setdefault("external added", 0)
    return f"external file {evaluation} {n_added}", f"external pasted {evaluation} {n_added}"


def _add(evaluation: Evaluation) -> None:
    st.session_state[OPEN] = evaluation.id
    upload, pasted = (st.session_state.get(key) for key in _keys(evaluation.id))
    try:
        if not upload and not (pasted or "").strip():
            raise UserError("There are no scores yet; upload a file, or paste one number per line.")
        if upload and (pasted or "").strip():
            raise UserError("There are a file and pasted scores; remove one of the two.")
        jobs.add(
            evaluation.id,
            GivenScores(
                metric=str(st.session_state.get("external metric") or ""),
                better=str(st.session_state["external better"]),
                system=[one.name for one in evaluation.systems].index(
                    str(st.session_state["external system"])
                ),
                file=upload.name if upload else PASTED,
                content=upload.getvalue() if upload else str(pasted).encode(errors="replace"),
                column=str(st.session_state.get("external column") or ""),
            ),
            asker.current(),
        )
        st.session_state["external added"] += 1
    except UserError as wrong:
        st.session_state[REFUSED] = wrong


def _delete(evaluation: str, one: ExternalScores) -> None:
    st.session_state[OPEN] = evaluation
    try:
        jobs.delete(evaluation, one.metric, one.system, asker.current())
    except UserError as wrong:
        st.session_state[REFUSED] = wrong
