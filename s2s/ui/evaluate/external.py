"""Scores of a metric that is not computed here, given as a file: added to an evaluation, listed, deleted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import streamlit as st

from s2s import access, settings
from s2s.analysis import SentenceRow
from s2s.config import UserError
from s2s.data import NUMBER_FILES
from s2s.jobs import GivenScores
from s2s.jobs import external as jobs
from s2s.runs import Evaluation, EvaluationFolder, ExternalScores, evaluations, external_scores
from s2s.scores import METRIC_NAMES
from s2s.ui.evaluate import sentences
from s2s.ui.kit import cached, forms, plain, shortened
from s2s.words import MetricName

Scores = Mapping[str, Any]  # scores.json
Names = Mapping[str, MetricName]
HELP = "Mean of the segment scores in a file that was added below; not computed here."
BETTER = {"higher": "Higher is better", "lower": "Lower is better"}
PASTED = "pasted scores.txt"
# in the session:
REFUSED = "refused scores"  # why the last file was not added
OPEN = "external open"  # the evaluation whose form was used: it stays open


class WithExternal(NamedTuple):
    """The scores of an evaluation with those of files: as in scores.json, and for the sentences of each system."""

    given: Sequence[ExternalScores]
    scores: Scores
    names: Names  # of all metrics

    @property
    def more(self) -> list[MetricName]:
        """The metrics of files."""
        return [self.names[key] for key in self.scores.get("external", {})]


def joined(place: EvaluationFolder, evaluation: Evaluation, scores: Scores) -> WithExternal:
    """The scores, with the metrics of files once all sentences are done. Raises UserError for a file that is broken."""
    given = jobs.covering(place, int(scores["n"])) if scores.get("is_final") else []
    if not given:
        return WithExternal([], scores, METRIC_NAMES)
    files = tuple((one.metric, one.system, one.hash, one.added) for one in given)
    key = (int(scores["n"]), files, sentences.scored_at(place))
    found = _joined(str(settings.home()), evaluation.id, key, scores, given, evaluation.baseline)
    own = {one.metric: MetricName(one.metric, one.metric, "", HELP, one.better) for one in given}
    return WithExternal(given, found, {**METRIC_NAMES, **own})


@cached.shared(max_entries=8, show_spinner="Computing intervals …")
def _joined(
    home: str,
    evaluation: str,
    key: object,
    _scores: Scores,
    _given: Sequence[ExternalScores],
    _baseline: int,
) -> Scores:
    return jobs.joined(_scores, _given, _baseline)


def rows(evaluation: str, n: int, given: Sequence[ExternalScores]) -> list[list[SentenceRow]]:
    """The sentences of each system, with these scores beside the others. Shared: do not modify."""
    every = sentences.rows(evaluation, n)
    if not given:
        return every
    files = tuple((one.metric, one.system, one.hash, one.added) for one in given)
    key = (files, sentences.scored_at(evaluations.folder(evaluation)))
    return _rows(str(settings.home()), evaluation, n, key, every, given)


@cached.shared(max_entries=4, show_spinner=False)
def _rows(
    home: str,
    evaluation: str,
    n: int,
    key: object,
    _every: Sequence[Sequence[SentenceRow]],
    _given: Sequence[ExternalScores],
) -> list[list[SentenceRow]]:
    found = []
    for number, own in enumerate(_every):
        mine = {one.metric: one.values for one in _given if one.system == number}
        found.append(
            [
                replace(
                    row,
                    scores={**row.scores, **{name: values[i] for name, values in mine.items()}},
                )
                for i, row in enumerate(own)
            ]
        )
    return found


def panel(evaluation: Evaluation, scores: Scores) -> None:
    """The files that were added, and a form for another one."""
    place = evaluations.folder(evaluation.id)
    known = external_scores.read(place)
    refused = st.session_state.pop(REFUSED, None)
    with st.expander(
        "Scores of another metric",
        icon=":material/upload_file:",
        expanded=st.session_state.get(OPEN) == evaluation.id,
    ):
        st.caption(
            "Segment scores that are not computed here, such as COMET or human ratings, one number per sentence in the"
            " order of the test set. They join the tables, plots, buckets and tests. The bundle above has the sources,"
            " references and translations to compute them from."
        )
        for one in known:
            _entry(evaluation, one, int(scores["n"]))
        _form(evaluation, int(scores["n"]))
        if refused:
            forms.show_error(refused)


def _entry(evaluation: Evaluation, one: ExternalScores, n: int) -> None:
    """One file that was added, with a button to delete it."""
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
    """Whose scores of what metric, and the file or the pasted lines."""
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
    """The keys of the upload and of the pasted lines: new ones empty the two."""
    n_added = st.session_state.setdefault("external added", 0)
    return f"external file {evaluation} {n_added}", f"external pasted {evaluation} {n_added}"


def _add(evaluation: Evaluation) -> None:
    """Add what the form holds; an error is shown in the form, which keeps its content."""
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
            access.current(),
        )
        st.session_state["external added"] += 1
    except UserError as wrong:
        st.session_state[REFUSED] = wrong


def _delete(evaluation: str, one: ExternalScores) -> None:
    st.session_state[OPEN] = evaluation
    try:
        jobs.delete(evaluation, one.metric, one.system, access.current())
    except UserError as wrong:
        st.session_state[REFUSED] = wrong


def described(
    evaluation: Evaluation, given: Sequence[ExternalScores]
) -> dict[str, list[dict[str, object]]]:
    """What was given, as part of the provenance: metric, direction, system, file, column, hash, time, number of
    scores.
    """
    rows = [{**one.to_json(), "name": evaluation.systems[one.system].name} for one in given]
    return {"external": rows} if rows else {}
