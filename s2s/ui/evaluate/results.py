"""One evaluation, while it runs and when it is done: progress, scores, charts, sentences."""

from __future__ import annotations

import streamlit as st

from s2s.config import UserError, asker
from s2s.jobs import EvaluationProgress, evaluation_service
from s2s.library import Library, guests, sharing
from s2s.library.own import list_evaluations
from s2s.plots import evaluation_charts as charts
from s2s.plots import evaluation_scores
from s2s.plots import evaluation_view as of
from s2s.processes import worker
from s2s.questions import Evaluate, Evaluated, ScoreBuckets, score_buckets, views
from s2s.runs import Evaluation, evaluations
from s2s.ui.evaluate import external, sentences, translate_file
from s2s.ui.evaluate import form as evaluate_form
from s2s.ui.evaluate.systems import carry_out
from s2s.ui.evaluate.view_state import STATE, numbered
from s2s.ui.kit import (
    action_button,
    as_markdown,
    cached,
    duration,
    forms,
    in_view,
    pictures,
    plain,
    polling,
    queueing,
    shortened,
    turn,
)
from s2s.ui.kit.badges import badge

NOT_SHARED = "Its owner has not shared the sentences of the test set."
REFRESH_SECONDS = 0.7  # while an evaluation runs
SHOWN = 8  # earlier evaluations in the list


def panel(evaluation: str) -> None:
    """Draw the evaluation; it refreshes while it runs."""
    try:
        stands = evaluation_service.progress(evaluation)
    except UserError as wrong:
        forms.show_error(wrong)
        return
    may_change = stands.is_live or stands.state == "interrupted"
    times = polling.slowdown() if may_change else 0
    st.fragment(_panel, run_every=REFRESH_SECONDS * times or None)(evaluation, stands.state, times)


def _panel(evaluation_id: str, before: str, times: int) -> None:
    try:
        stands = evaluation_service.progress(evaluation_id)
        what = Library().evaluation(evaluation_id).evaluation()
    except UserError as wrong:  # deleted, not shared any more, or damaged
        forms.show_error(wrong)
        return
    if stands.state != before or (times and not polling.still_fits(times)):
        st.rerun()
    evaluation = guests.evaluation(what)
    with st.container(border=True, key="evaluated"):
        _head(evaluation, stands)
        if stands.is_live:
            _progress(evaluation, stands)
        in_view.add(sharing.thing("evaluation", evaluation.id, evaluation.owner), evaluation.name)
        try:
            if what.test.has_references:
                _answer(what, is_done=not stands.is_live)
            elif cached.SCREEN.may_see_sentences(what):
                translate_file.result(evaluation, stands.done)
            else:
                st.caption(NOT_SHARED)
        except UserError as wrong:
            forms.show_error(wrong)
        _about(evaluation)


def _answer(what: Evaluation, *, is_done: bool) -> None:
    STATE.belongs_to("evaluation", what.id)
    with st.spinner("Analyzing the sentences …") if is_done else st.empty():
        answer = cached.SCREEN.answer(asked(what.id))
    if not answer.n:
        return
    with st.container(key="answer"):
        first = st.container()
        if evaluation_scores.has_more(answer):
            STATE.draw("metrics")
        with first:
            _show(answer, of.SCORES)
    if is_done and evaluations.is_of_earlier_version(answer.scores):
        _earlier_version(what, is_whole=answer.n == what.test.n)
    if not (answer.is_final and is_done):
        return
    tabs = [*(["Sentences", "Errors and buckets"] if answer.sentences else []), "Plots", "Tests"]
    for name, tab in zip(tabs, st.tabs(tabs), strict=True):
        with tab:
            TABS[name](answer)
    if not cached.SCREEN.may_see_sentences(what):
        st.caption(NOT_SHARED)
    if cached.SCREEN.is_own(what):
        external.panel(what, answer.n)


def asked(evaluation: str) -> Evaluate:
    """The question for a stored evaluation, shown as the page's widgets say."""
    return STATE.question(Evaluate).of_stored(evaluation)


def _show(answer: Evaluated, *names: str) -> None:
    question = asked(answer.evaluation.id)
    for picture in (one for name in names for one in of.named(name, question, answer)):
        pictures.show(picture, question, answer)


def _plots(answer: Evaluated) -> None:
    if offered := charts.qualities(answer):
        STATE.draw("quality", offered, default=next(iter(offered)), width=200)
        _show(answer, of.SYSTEMS)
    if not answer.sentences:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = numbered(answer.names)
        number = STATE.draw("points_of", names, default="1", width=220)
        labels = charts.points_offered(answer, int(number) - 1)
        STATE.draw("across", labels, width=180)
        STATE.draw("up", labels, default=[*labels][-1], width=180)
    _show(answer, charts.POINTS)


def _tests(answer: Evaluated) -> None:
    _show(answer, of.TESTS)
    if known := evaluation_scores.signatures(answer):
        st.caption(
            "Signatures: scores are comparable only where these are equal. Report them with the numbers."
        )
        if reason := answer.scores.get("tokenizer_reason"):
            tokenizer = answer.evaluation.scoring.tokenize
            st.caption(f"BLEU's tokenizer is {tokenizer}: {plain(reason)}.")
        lines = (
            f"{answer.metrics[key].label}: {text}" for key, every in known.items() for text in every
        )
        st.code("\n".join(lines), language=None, wrap_lines=True)
    if "test" in answer.provenance:  # not of an earlier version
        versions = answer.provenance["versions"].items()
        made = [f"{name} {version}" for name, version in versions]
        st.caption(plain(", ".join([answer.provenance["test"]["subset"], *made])))


def _errors_and_buckets(answer: Evaluated) -> None:
    _show(answer, of.ERRORS)
    names = numbered(answer.names)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        ours = STATE.draw("bucket_of", names, default=str(len(names)), width=220)
        if STATE.value("bucket_other") == ours:
            STATE.show(bucket_other="")
        left = {score_buckets.NONE: "no other system"} | {
            key: one for key, one in names.items() if key != ours
        }
        baseline = str(answer.evaluation.baseline + 1)
        usual = baseline if baseline in left else score_buckets.NONE
        other = STATE.draw("bucket_other", left, default=usual, width=220)
        STATE.draw("bucket", width=180)
        chosen = (int(ours) - 1, None if other == score_buckets.NONE else int(other) - 1)
        labels = score_buckets.offered_scores(answer, chosen)
        STATE.draw("bucket_score", labels, width=150)
    question = STATE.question(ScoreBuckets, evaluation=answer.evaluation.id)
    with st.spinner("Scoring the buckets …"):
        found = cached.SCREEN.answer(question)
    for picture in views.view_of(question).pictures(question, found, ""):
        pictures.show(picture, question, found)


TABS = {
    "Sentences": sentences.panel,
    "Errors and buckets": _errors_and_buckets,
    "Plots": _plots,
    "Tests": _tests,
}


def _earlier_version(evaluation: Evaluation, *, is_whole: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            ":material/warning: An earlier version computed these scores, on texts as they were written. Today texts"
            " are compared in Unicode's composed form (NFC), and BLEU's tokenizer follows the script of the"
            " references, so scores may differ: do not compare these with newer ones."
        )
        if not cached.SCREEN.is_own(evaluation):
            return
        if is_whole:
            st.button(
                "Score again",
                key="score again",
                icon=":material/refresh:",
                on_click=_do,
                args=("score again", evaluation.id),
                help="The translations stay as they are.",
            )
        else:
            st.caption("Resume scores all of its sentences again.")


def _head(evaluation: Evaluation, stands: EvaluationProgress) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(plain(shortened(evaluation.name, 60)), anchor=False, width="content")
        _badge(stands.state)
        is_own = cached.SCREEN.is_own(evaluation)
        if stands.is_live and is_own:
            st.button(
                "Stop",
                key="stop evaluation",
                icon=":material/stop:",
                on_click=_do,
                args=("stop", evaluation.id),
            )
        elif stands.state != "done" and stands.done < stands.n and is_own:
            st.button(
                "Resume",
                key="resume evaluation",
                icon=":material/play_arrow:",
                on_click=_do,
                args=("resume", evaluation.id),
            )
    _refusal()
    if stands.error:
        st.error(as_markdown(stands.error if is_own else guests.FAILED), icon=":material/error:")
    if stands.state in ("stopped", "interrupted") and stands.n:
        st.info(
            f"Stopped after {stands.done:,} of {stands.n:,} sentences; the scores cover those.",
            icon=":material/pause_circle:",
        )


def _about(evaluation: Evaluation) -> None:
    st.caption(" ".join([_what(evaluation), *map(as_markdown, evaluation.test.notes)]))


def _refusal() -> None:
    if refused := st.session_state.pop("refused evaluation", None):
        forms.show_error(refused)


def _badge(state: str) -> None:
    if state == "running":
        st.badge("evaluating", icon=":material/hourglass_top:", color="blue")
    else:
        badge(state)


def _what(evaluation: Evaluation) -> str:
    test = evaluation.test
    how = f"drawn with seed {test.seed}" if test.seed else "evenly spread"
    n = (
        f"{test.n:,} of {test.n_all:,} sentences, {how}"
        if test.n_all > test.n
        else f"{test.n:,} sentences"
    )
    return f"{n} · {plain(test.name)} · made {evaluation.created[:16].replace('T', ' ')} UTC."


def _progress(evaluation: Evaluation, stands: EvaluationProgress) -> None:
    if stands.state == "queued":
        text = f"Queued: {turn(stands.wait.before, stands.wait.seconds)}."
        queueing.ensure_worker()
    elif not stands.done:
        text = as_markdown(stands.note) or "The first sentences …"
    else:
        left = f" · about {duration(stands.left)} left" if stands.left is not None else ""
        by = (
            f"by each of {len(evaluation.systems)} systems"
            if len(evaluation.systems) > 1
            else f"by {plain(evaluation.systems[0].name)}"
        )
        text = f"{stands.done:,} of {stands.n:,} sentences, {by}{left}"
    st.progress(min(1.0, stands.done / stands.n) if stands.n else 0.0, text=text)


def _do(what: str, evaluation: str) -> None:
    st.session_state.pop("refused evaluation", None)
    try:
        if what == "delete":
            evaluation_service.delete(evaluation, asker.current())
            if STATE.value("evaluation") == evaluation:
                STATE.remember(evaluation="")
            return
        is_live = evaluation_service.progress(evaluation).is_live
        if what == "stop" and is_live:
            evaluation_service.stop(evaluation, asker.current())
        if what == "score again" and not is_live:
            evaluation_service.score_again(evaluation, asker.current())
            worker.ensure()
        if what == "resume" and not is_live:
            evaluation_service.resume(evaluation, asker.current())
            worker.ensure()
    except UserError as wrong:
        st.session_state["refused evaluation"] = wrong


def button(form: evaluate_form.Form) -> None:
    """Draw the button Evaluate, with the cost or the error next to it."""
    request = form.request
    is_ready = form.wrong is None and bool(request.systems)
    with st.container(horizontal=True, vertical_alignment="center"):
        icon = ":material/play_arrow:"
        click = action_button(
            "Evaluate", type="primary", icon=icon, key="evaluate", disabled=not is_ready
        )
        if is_ready:
            st.caption(evaluate_form.cost(request))
        elif not request.systems:
            st.caption("Select a run and a strategy, or upload another system's translations.")
    queueing.ensure_worker()
    carry_out(click, request if is_ready else None)


def earlier(run_id: str) -> None:
    """Draw the evaluations of a run, newest first."""
    own = list_evaluations(asker.current(), run_id)
    found = [*own, *filter(None, [evaluations.shipped(run_id)])]
    if not found:
        return
    with st.expander(f"Earlier evaluations of this run ({len(found)})", icon=":material/history:"):
        _refusal()
        for one in found[:SHOWN]:
            with st.container(horizontal=True, vertical_alignment="center"):
                is_open = STATE.value("evaluation") == one.id
                st.button(
                    "Open",
                    key=f"open {one.id}",
                    on_click=STATE.remember,
                    kwargs={"evaluation": one.id},
                    disabled=is_open,
                )
                systems = ", ".join(system.name for system in one.systems)
                text = f"{one.name} · {one.test.n:,} sentences · {shortened(systems, 80)}"
                st.caption(f"{plain(text)} · {one.created[:16].replace('T', ' ')} UTC")
                if cached.SCREEN.is_own(one):
                    _delete_button(one.id)
        if len(found) > SHOWN:
            st.caption(f"{len(found) - SHOWN} older evaluations are not listed.")


def _delete_button(evaluation: str) -> None:
    """Draw a button that asks once more. The keys contain the id, so that the popover closes when the evaluation is
    gone.
    """
    with st.popover("Delete", icon=":material/delete:", key=f"away {evaluation}"):
        st.write("This deletes its translations and scores. You cannot undo this.")
        st.button(
            "Delete this evaluation",
            key=f"delete {evaluation}",
            on_click=_do,
            args=("delete", evaluation),
            type="primary",
        )
