"""The form of Evaluate: test set, runs, strategies, settings and other systems; the address holds it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import streamlit as st

from s2s import share
from s2s.config import UserError
from s2s.decode import STRATEGIES
from s2s.jobs import EvaluationRequest, evaluation_service, test_sets
from s2s.runs import Sentences
from s2s.ui.evaluate import files
from s2s.ui.evaluate import systems as systems_of
from s2s.ui.kit import cached, duration, forms, pickers, plain

FILES = "files"
DEFAULT_N = 200
DEFAULT_STRATEGIES = ("greedy", "beam")
BEST = "the best"
EVERY = "every one"  # stands in links
CHECKPOINTS = MappingProxyType({BEST: "best checkpoint", EVERY: "all checkpoints"})
SPLITS = {
    test_sets.HELD_OUT: "held-out pairs of its dataset",
    "random": "its dataset: random, as in training",
    "unseen": "its dataset: unseen combinations of words",
    "deep": "its dataset: deeper nesting",
    "agreement": "its dataset: agreement between distant words",
    "banks": "its dataset: words with two meanings",
}


@dataclass(frozen=True)
class Form:
    """The content of the form, the first error in it, and its packed form for the address."""

    request: EvaluationRequest
    wrong: UserError | None
    packed: str


def form(run_id: str) -> Form:
    """Draw the widgets; each error is shown below the widget that causes it."""
    wrongs: list[UserError] = []
    test, n = _test_set(run_id)
    every = _uploaded(wrongs) if test == FILES else ()
    runs, strategies = _who(run_id)
    models = _models(runs)
    settings = systems_of.strategy_settings(runs, strategies, wrongs)
    swept = systems_of.sweep_settings(strategies, wrongs)
    systems = systems_of.named(
        [
            *systems_of.plain_systems(models, strategies, settings),
            *systems_of.swept_systems(models, settings, swept),
        ]
    )
    request = EvaluationRequest(tuple(systems), _described(run_id, test, n), run=run_id)
    if every:
        request = files.with_pairs(request, every)
    if every or test != FILES:
        try:
            request = files.with_systems(request)
        except UserError as wrong:
            forms.show_error(wrong)
            wrongs.append(wrong)
    if request.systems and not wrongs:
        _check(request, wrongs)
    return Form(
        _with_baseline(request),
        next(iter(wrongs), None),
        _packed(run_id, test, n, runs, strategies),
    )


def _check(request: EvaluationRequest, wrongs: list[UserError]) -> None:
    """Show errors that no single widget causes."""
    try:
        evaluation_service.check(request)
    except UserError as wrong:
        forms.show_error(wrong)
        wrongs.append(wrong)


def _uploaded(wrongs: list[UserError]) -> test_sets.SentencePairs:
    """The pairs of uploaded files."""
    try:
        every = files.test_set()
    except UserError as wrong:
        forms.show_error(wrong)
        wrongs.append(wrong)
        return ()
    if not every:
        st.caption(
            "Upload two text files with one sentence per line, or one table with a source and a reference per row."
        )
        wrongs.append(UserError("Upload a file first."))
    return every


def _test_set(run_id: str) -> tuple[str, int]:
    """Select the test set and the number of sentences."""
    names = available_test_sets(run_id)
    if st.session_state.get("eval test") not in names:
        st.session_state["eval test"] = next(iter(names))
    st.session_state.setdefault("eval n", DEFAULT_N)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        test = st.selectbox(
            "Sentences",
            list(names),
            format_func=names.__getitem__,
            key="eval test",
            persist_state="session",
            width=360,
        )
        n = st.number_input(
            "How many",
            1,
            test_sets.MAX_SENTENCES,
            key="eval n",
            persist_state="session",
            width=150,
            help=f"Evenly spread over the test set, the same every time. At most {test_sets.MAX_SENTENCES:,}.",
        )
    return str(test), int(n)


def available_test_sets(run_id: str) -> dict[str, str]:
    """The test sets that a run can be evaluated on, with their labels."""
    own = {
        name: SPLITS.get(name, f"its dataset: {name}") for name in test_sets.splits_of_run(run_id)
    }
    return (
        own
        | {text.spec: f"saved dataset: {text.name}" for text in cached.datasets()}
        | {FILES: "my own files …"}
    )


def _described(run_id: str, test: str, n: int) -> Sentences:
    source = cached.dataset_name(str(cached.metadata(run_id).get("source", "its dataset")))
    if test == FILES:
        return Sentences("my own files", n=n)
    if test.startswith("corpus:"):
        return Sentences(cached.dataset_name(test), spec=test, n=n)
    return Sentences(f"{source}, {test}", split=test, run=run_id, n=n)


def _who(run_id: str) -> tuple[list[str], list[str]]:
    """Select runs, checkpoints and strategies."""
    titles = cached.trained_runs()
    if st.session_state.get("eval runs of") != run_id:
        st.session_state["eval runs of"] = run_id
        st.session_state["eval runs"] = [run_id]
    st.session_state["eval runs"] = [
        run for run in st.session_state.get("eval runs", []) if run in titles
    ]
    st.session_state.setdefault("eval strategies", list(DEFAULT_STRATEGIES))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        runs = st.multiselect(
            "Runs",
            list(titles),
            format_func=titles.__getitem__,
            key="eval runs",
            persist_state="session",
        )
        if any(len(cached.open_run(run).folder.steps_by_choice()) > 1 for run in runs):
            st.selectbox(
                "Checkpoints",
                list(CHECKPOINTS),
                format_func=CHECKPOINTS.__getitem__,
                key="eval checkpoints",
                persist_state="session",
                width=200,
            )
    strategies = st.pills(
        "Strategies",
        list(STRATEGIES),
        selection_mode="multi",
        key="eval strategies",
        persist_state="session",
    )
    return list(runs), [name for name in STRATEGIES if name in strategies]


def _models(runs: list[str]) -> list[systems_of.Model]:
    """The best checkpoint of each run, or all of them."""
    opened = [cached.open_run(run) for run in runs]
    if st.session_state.get("eval checkpoints") != EVERY:
        return [(run.folder.id, run.step) for run in opened]
    return [
        (run.folder.id, step) for run in opened for step in sorted(run.folder.steps_by_choice())
    ]


def _with_baseline(request: EvaluationRequest) -> EvaluationRequest:
    """Select the system that the others are compared with."""
    names = [system.name for system in request.systems]
    if len(names) < 2:
        return request
    if st.session_state.get("eval baseline") not in names:
        st.session_state["eval baseline"] = names[0]
    chosen = st.selectbox(
        "Baseline",
        names,
        key="eval baseline",
        persist_state="session",
        width=360,
        help="Every other system is tested against it, on the same sentences.",
    )
    return replace(request, baseline=names.index(str(chosen)))


def _packed(run_id: str, test: str, n: int, runs: list[str], strategies: list[str]) -> str:
    """The form as a link holds it; uploaded files are not part of a link."""
    values = {"test": test, "n": str(n), "strategies": " ".join(strategies)}
    if runs != [run_id]:
        values["runs"] = " ".join(runs)
    if st.session_state.get("eval checkpoints") == EVERY:
        values["checkpoints"] = EVERY
    values |= {
        f"with.{name}": text
        for name in strategies
        if (text := st.session_state.get(f"eval settings {name}"))
    }
    sweep = str(st.session_state.get("eval sweep", systems_of.NO_SWEEP))
    if sweep != systems_of.NO_SWEEP:
        values |= {
            "sweep": sweep,
            "values": str(st.session_state.get(f"eval values {sweep.partition(' of ')[0]}", "")),
        }
    return share.pack(values)


def default(run_id: str) -> str:
    """The form with nothing changed, as a link would hold it."""
    test = next(iter(available_test_sets(run_id)))
    return share.pack(
        {"test": test, "n": str(DEFAULT_N), "strategies": " ".join(DEFAULT_STRATEGIES)}
    )


def fill(run_id: str, given: Mapping[str, str]) -> None:
    """Put what a link says into the widgets; invalid values are reported and left out."""
    tests = available_test_sets(run_id)
    test = given.get("test", next(iter(tests)))
    if test not in tests:
        pickers.notify(
            f"There is no test set {test[:40]} here (any more); {next(iter(tests.values()))} is used instead."
        )
    st.session_state["eval test"] = test
    count = given.get("n", str(DEFAULT_N))
    st.session_state["eval n"] = (
        min(max(1, int(count)), test_sets.MAX_SENTENCES)
        if re.fullmatch(r"[0-9]{1,9}", count)
        else DEFAULT_N
    )
    requested = given.get("strategies", " ".join(DEFAULT_STRATEGIES)).split()
    if lost := [name for name in requested if name not in STRATEGIES]:
        pickers.notify(f"There is no strategy {lost[0][:40]}; it is left out.")
    st.session_state["eval strategies"] = [name for name in STRATEGIES if name in requested]
    runs = given.get("runs", run_id).split()
    if gone := [run for run in runs if run not in cached.trained_runs()]:
        pickers.notify(f"There is no run {gone[0][:40]} here (any more); it is left out.")
    st.session_state["eval runs of"] = run_id
    st.session_state["eval runs"] = [run for run in runs if run in cached.trained_runs()] or [
        run_id
    ]
    st.session_state["eval checkpoints"] = EVERY if given.get("checkpoints") == EVERY else BEST
    for name in STRATEGIES:
        st.session_state[f"eval settings {name}"] = given.get(f"with.{name}", "")
    sweep = given.get("sweep", systems_of.NO_SWEEP)
    st.session_state["eval sweep"] = sweep
    if "values" in given:
        st.session_state[f"eval values {sweep.partition(' of ')[0]}"] = given["values"]


def cost(request: EvaluationRequest) -> str:
    """What the evaluation will cost, as a sentence."""
    n = len(request.systems)
    seconds = evaluation_service.forecast(request.systems, request.test.n)
    systems = f"{n} system{'s' * (n != 1)}"
    return f"{plain(f'{request.test.n:,}')} sentences × {systems} · about {duration(seconds)}, within a factor of three"
