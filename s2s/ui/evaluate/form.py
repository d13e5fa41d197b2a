"""The form of Evaluate: test set, runs, strategies, settings and other systems; the address holds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from s2s.config import UserError
from s2s.decode import STRATEGIES
from s2s.jobs import EvaluationRequest, evaluation_service, test_sets
from s2s.questions import Evaluate, evaluation_request, packed
from s2s.runs import Sentences, System
from s2s.scores import ROUGE_SCORE
from s2s.ui.evaluate import files
from s2s.ui.evaluate import systems as systems_of
from s2s.ui.evaluate.view_state import (
    FILES,
    MOST_SEED,
    ROUGE_LABELS,
    STATE,
    TOKENIZER_LABELS,
    write_to_url,
)
from s2s.ui.kit import as_markdown, cached, duration, forms, in_view, pickers, plain
from s2s.ui.kit.test_sets import available_test_sets, described

MINUTE = 60.0  # seconds
ABOUT_SCORING = (
    "Texts are compared in Unicode's composed form (NFC). By the script of the references, BLEU's tokenizer is zh for"
    " Chinese; char for Japanese, Korean, Thai, Lao, Khmer, Burmese and Tibetan; 13a otherwise. Scores compare only"
    " if all of this is equal; the signature of each score names it."
)


@dataclass(frozen=True)
class Form:
    """The content of the form, and the first error in it."""

    request: EvaluationRequest
    wrong: UserError | None


def form(run_id: str) -> Form:
    """Draw the widgets; each error is shown below the widget that causes it."""
    wrongs: list[UserError] = []
    STATE.belongs_to("run", run_id)
    test, n = _test_set(run_id)
    every = _uploaded(wrongs) if test == FILES else None
    is_grouped = _group_toggle(every)
    said = st.container()
    runs, strategies = _who(run_id)
    settings = systems_of.strategy_settings(runs, strategies, wrongs)
    write_to_url()
    swept = systems_of.sweep_settings(strategies, wrongs)
    _scoring()
    asked = STATE.question(
        Evaluate,
        runs=tuple(map(systems_of.run_name, runs)),
        strategies=" ".join(strategies),
        settings=packed(settings),
        **swept,
    )
    systems = evaluation_request.systems(asked, cached.SCREEN)
    sentences = (
        Sentences("my own files", n=n or _in_a_minute(systems), seed=STATE.now.seed)
        if test == FILES
        else described(run_id, test, n)
    )
    sentences = replace(sentences, is_grouped=is_grouped)
    scoring = evaluation_request.scoring(asked)
    request = EvaluationRequest(tuple(systems), sentences, run=run_id, scoring=scoring)
    if every:
        request = files.with_pairs(request, every)
        with said:
            st.caption(" ".join(map(as_markdown, (*request.test.notes, _n_sentences(request)))))
    if every or test != FILES:
        try:
            request = files.with_systems(request)
        except UserError as wrong:
            forms.show_error(wrong)
            wrongs.append(wrong)
    if request.systems and not wrongs:
        _check(request, wrongs)
    return Form(_with_baseline(request), next(iter(wrongs), None))


def _check(request: EvaluationRequest, wrongs: list[UserError]) -> None:
    try:
        evaluation_service.check(request)
    except UserError as wrong:
        forms.show_error(wrong)
        wrongs.append(wrong)


def _uploaded(wrongs: list[UserError]) -> files.Uploaded | None:
    try:
        every = files.test_set()
    except UserError as wrong:
        forms.show_error(wrong)
        wrongs.append(wrong)
        return None
    if not every:
        st.caption(
            "Upload two text files with one sentence per line, or one table with a source and its references per row:"
            " in columns such as `ref1`, `ref2`, or in rows that repeat the source."
        )
        wrongs.append(UserError("Upload a file first."))
    return every


def _n_sentences(request: EvaluationRequest) -> str:
    test = request.test
    most = max(map(len, request.references), default=1)
    several = f", with up to {most:,} references each" if most > 1 else ""
    if test.n == test.n_all:
        every = f"All {test.n:,} sentences are" if test.n > 1 else "The one sentence is"
        return f"{every} evaluated{several}."
    drawn = f"{test.n:,} of {test.n_all:,} sentences, drawn with seed {test.seed}, are evaluated{several}"
    if test.n == test_sets.MAX_SENTENCES:
        return f"{drawn}: no evaluation takes more."
    if STATE.value("every") or STATE.now.n_files:
        return f"{drawn}."
    return f"{drawn}: about as many as a minute allows. “All sentences” evaluates the whole file as a job."


def _test_set(run_id: str) -> tuple[str, int]:
    names = available_test_sets(run_id) | {FILES: "my own files …"}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        test = STATE.draw(
            "test",
            names,
            default=next(iter(names)),
            way=pickers.ANOTHER_DATASET,
            width=360,
        )
        n = _n_of_files() if test == FILES else _n_of_dataset()
        every = STATE.draw("every")
    return test, test_sets.MAX_SENTENCES if every else n


def _n_of_dataset() -> int:
    most = test_sets.MAX_SENTENCES
    return int(STATE.draw("n", low=1, high=most, width=150, disabled=STATE.value("every")))


def _n_of_files() -> int:
    key = STATE.key("n_files")
    st.session_state.setdefault(key, STATE.now.n_files or None)
    chosen = st.number_input(
        "How many",
        1,
        test_sets.MAX_SENTENCES,
        None,
        key=key,
        persist_state="session",
        placeholder="in a minute",
        width=150,
        help="Empty: all sentences, or as many of them as are forecast to take a minute.",
        disabled=STATE.value("every"),
    )
    STATE.remember(n_files=int(chosen or 0))
    STATE.number(
        "seed",
        "Seed",
        1,
        MOST_SEED,
        width=110,
        help="Which sentences are drawn, where not all are evaluated.",
        disabled=STATE.value("every"),
    )
    return int(chosen or 0)


def _in_a_minute(systems: Sequence[System]) -> int:
    try:
        return evaluation_service.most_within(systems, MINUTE)
    except UserError:  # of the systems; the form shows it
        return 1


def _group_toggle(uploaded: files.Uploaded | None) -> bool:
    """Whether pairs of the same source are one sentence; by default so for a table that repeats sources."""
    if uploaded and uploaded.repeats:
        return not STATE.toggle(
            "apart",
            "Keep equal sources apart",
            help="Each row of the table is a sentence of its own, with its own references.",
        )
    return bool(STATE.draw("grouped"))


def _scoring() -> None:
    with st.expander(
        "How scores are computed", icon=":material/calculate:", key="how scores are computed"
    ):
        st.caption(ABOUT_SCORING)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            STATE.draw("tokenizer", TOKENIZER_LABELS, width=270)
            STATE.draw("chrf_words")
            STATE.draw("lowercase")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            rouge = STATE.draw("rouge", ROUGE_LABELS, width=270)
            STATE.draw("stemmer", disabled=rouge != ROUGE_SCORE)


def _who(run_id: str) -> tuple[list[str], list[str]]:
    for other in STATE.now.runs.split():
        cached.follow_link(other)
    titles = cached.trained_runs()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        runs = STATE.choices("runs", "Runs", titles, default=run_id)
        for other in runs:
            in_view.add_run(other)
        if any(len(cached.open_run(run).folder.steps_by_choice()) > 1 for run in runs):
            STATE.draw("checkpoints", width=200)
    names = {name: name for name in STRATEGIES}
    pills = partial(st.pills, selection_mode="multi")
    strategies = STATE.choices("strategies", STATE.label("strategies"), names, widget=pills)
    return runs, [name for name in STRATEGIES if name in strategies]


def _with_baseline(request: EvaluationRequest) -> EvaluationRequest:
    names = [system.name for system in request.systems]
    if len(names) < 2:
        return request
    # A link names no file of a visitor's.
    keys = [
        f"file {number}" if one.uploaded else one.name
        for number, one in enumerate(request.systems, 1)
    ]
    if st.session_state.get(STATE.key("baseline"), keys[0]) not in keys:  # another form's
        st.session_state[STATE.key("baseline")] = keys[0]
    chosen = STATE.draw(
        "baseline",
        dict(zip(keys, names, strict=True)),
        default=keys[0],
        width=360,
    )
    return replace(request, baseline=keys.index(chosen))


def cost(request: EvaluationRequest) -> str:
    """What the evaluation will cost, as a sentence."""
    n = len(request.systems)
    systems = f"{n} system{'s' * (n != 1)}"
    if STATE.value("every") and not request.test.n_all:
        return f"All sentences × {systems}"
    seconds = evaluation_service.forecast(request.systems, request.test.n)
    n_sentences = request.test.n
    sentences = f"{plain(f'{n_sentences:,}')} sentence{'s' * (n_sentences != 1)}"
    return f"{sentences} × {systems} · about {duration(seconds)}, within a factor of three"
