"""The form of Evaluate: test set, runs, strategies, settings and other systems; the address holds it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import streamlit as st

from s2s import share
from s2s.config import UserError, flat, override, parse_assignments
from s2s.decode import STRATEGIES
from s2s.jobs import EvaluationRequest, evaluation_service, test_sets
from s2s.runs import Sentences, System
from s2s.ui.evaluate import files
from s2s.ui.kit import cached, duration, forms, pickers, plain

FILES = "files"
DEFAULT_N = 200
DEFAULT_STRATEGIES = ("greedy", "beam")
SWEEP_VALUES = {
    "num_beams": "1 2 4 8 16 32",
    "length_penalty": "0 0.5 1 1.5 2",
    "temperature": "0.2 0.5 0.8 1 1.2",
    "num_samples": "2 4 8 16 32",
}
MOST_VALUES = 12
NONE = "none"
BEST = "the best"
EVERY = "every one"  # stands in links
CHECKPOINTS = MappingProxyType({BEST: "best checkpoint", EVERY: "all checkpoints"})
Model = tuple[str, int]  # run and step
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

    asked: EvaluationRequest
    wrong: UserError | None
    packed: str


def form(run_id: str) -> Form:
    """Draw the widgets; each error is shown below the widget that causes it."""
    wrongs: list[UserError] = []
    test, n = _test_set(run_id)
    every = _uploaded(wrongs) if test == FILES else ()
    runs, strategies = _who(run_id)
    models = _models(runs)
    settings = _settings(runs, strategies, wrongs)
    swept = _sweep(strategies, wrongs)
    systems = named(
        [*_plain_systems(models, strategies, settings), *_swept_systems(models, settings, swept)]
    )
    asked = EvaluationRequest(tuple(systems), _described(run_id, test, n), run=run_id)
    if every:
        asked = files.with_pairs(asked, every)
    if every or test != FILES:
        try:
            asked = files.with_systems(asked)
        except UserError as wrong:
            forms.show_error(wrong)
            wrongs.append(wrong)
    if asked.systems and not wrongs:
        _check(asked, wrongs)
    return Form(
        _with_baseline(asked), next(iter(wrongs), None), _packed(run_id, test, n, runs, strategies)
    )


def _check(asked: EvaluationRequest, wrongs: list[UserError]) -> None:
    """Show errors that no single widget causes."""
    try:
        evaluation_service.check(asked)
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


def _models(runs: list[str]) -> list[Model]:
    """The best checkpoint of each run, or all of them."""
    opened = [cached.open_run(run) for run in runs]
    if st.session_state.get("eval checkpoints") != EVERY:
        return [(run.folder.id, run.step) for run in opened]
    return [
        (run.folder.id, step) for run in opened for step in sorted(run.folder.steps_by_choice())
    ]


def _settings(
    runs: list[str], strategies: list[str], wrongs: list[UserError]
) -> dict[str, dict[str, Any]]:
    """The settings that differ from their defaults, by strategy."""
    by_strategy: dict[str, dict[str, Any]] = {}
    has_some = any(st.session_state.get(f"eval settings {name}") for name in strategies)
    with st.expander("Strategy settings", icon=":material/tune:", expanded=has_some):
        st.caption(
            "List settings to override, such as num_beams=10, length_penalty=1.2. Compare explains each setting."
        )
        for name in strategies:
            defaults = ", ".join(
                f"{key}={value}" for key, value in list(flat(STRATEGIES[name].config()).items())[:3]
            )
            text = st.text_input(
                name,
                key=f"eval settings {name}",
                placeholder=f"default: {defaults}",
                persist_state="session",
            )
            by_strategy[name] = _checked(runs, name, text or "", wrongs)
    return by_strategy


def _checked(runs: list[str], strategy: str, text: str, wrongs: list[UserError]) -> dict[str, Any]:
    """The typed settings; an error in them for any of the runs is shown here."""
    settings: dict[str, Any] = {}
    try:
        for run in runs:
            settings = checked(run, strategy, text)
    except UserError as wrong:
        forms.show_error(wrong)
        wrongs.append(wrong)
        return {}
    return settings


def checked(run_id: str, strategy: str, text: str) -> dict[str, Any]:
    """The typed settings. Raises UserError for what the strategy or the run's model does not allow."""
    settings = parse(text)
    cached.open_run(run_id).configured(strategy, settings)
    return settings


def parse(text: str) -> dict[str, Any]:
    """`"num_beams=5, prefix=la"` -> `{"num_beams": 5, "prefix": "la"}`; a comma that is not followed by a setting
    belongs to the value.

    Raises UserError for a part without a setting and a value.
    """
    given = [part.strip() for part in re.split(r",\s*(?=\w+\s*=)", text.strip()) if part.strip()]
    for part in given:
        if "=" not in part.strip("="):
            raise UserError(
                f"`{part[:40]}` is not a setting with a value; write num_beams=5, separated by commas."
            )
    return parse_assignments(given)


def _sweep(strategies: list[str], wrongs: list[UserError]) -> tuple[str, str, list[float]]:
    """Strategy, setting and values of the sweep; empty without one."""
    offered = [
        f"{setting} of {name}"
        for name in strategies
        for setting in SWEEP_VALUES
        if setting in flat(STRATEGIES[name].config())
    ]
    if st.session_state.get("eval sweep") not in offered:
        st.session_state["eval sweep"] = NONE
    with st.expander(
        "Sweep a setting",
        icon=":material/show_chart:",
        expanded=st.session_state["eval sweep"] != NONE,
    ):
        st.caption(
            "One strategy at several values of one setting, as a curve: more beams find more probable outputs,"
            " not always better ones."
        )
        chosen = str(
            st.selectbox(
                "Setting", [NONE, *offered], key="eval sweep", persist_state="session", width=360
            )
        )
        if chosen == NONE:
            return "", "", []
        setting, _, strategy = chosen.partition(" of ")
        st.session_state.setdefault(f"eval values {setting}", SWEEP_VALUES[setting])
        text = st.text_input(
            "Values, separated by spaces",
            key=f"eval values {setting}",
            persist_state="session",
            width=360,
        )
        try:
            return strategy, setting, _values(strategy, setting, str(text))
        except UserError as wrong:
            forms.show_error(wrong)
            wrongs.append(wrong)
            return "", "", []


def _values(strategy: str, setting: str, text: str) -> list[float]:
    """Raises UserError for too few or too many values, and for one that the strategy does not allow."""
    values = list(
        dict.fromkeys(
            parse_assignments([f"{setting}={part}"])[setting]
            for part in text.replace(",", " ").split()
        )
    )
    if not 2 <= len(values) <= MOST_VALUES:
        raise UserError(
            f"A sweep has 2 to {MOST_VALUES} values and this one has {len(values)}; separate them with spaces."
        )
    for value in values:
        override(STRATEGIES[strategy].config(), {setting: value})
    return values


def _plain_systems(
    models: list[Model], strategies: list[str], settings: Mapping[str, dict[str, Any]]
) -> list[System]:
    return [
        System("", run, step, name, settings[name]) for run, step in models for name in strategies
    ]


def _swept_systems(
    models: list[Model], settings: Mapping[str, dict[str, Any]], swept: tuple[str, str, list[float]]
) -> list[System]:
    strategy, setting, values = swept
    return [
        System("", run, step, strategy, settings[strategy] | {setting: value}, sweep=setting)
        for run, step in models
        for value in values
    ]


def named(systems: list[System]) -> list[System]:
    """Systems with unique names: run and checkpoint where there are several, strategy, settings."""
    n_runs = len({system.run for system in systems})
    n_models = len({(system.run, system.step) for system in systems})
    renamed = []
    for system in systems:
        settings = " ".join(f"{key}={value}" for key, value in system.settings.items())
        run = f"{cached.title(system.run)} · " if n_runs > 1 else ""
        run += f"step {system.step:,} · " if n_models > n_runs else ""
        renamed.append(
            replace(system, name=f"{run}{system.strategy}{' ' if settings else ''}{settings}")
        )
    return list({system.name: system for system in renamed}.values())


def _with_baseline(asked: EvaluationRequest) -> EvaluationRequest:
    """Select the system that the others are compared with."""
    names = [system.name for system in asked.systems]
    if len(names) < 2:
        return asked
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
    return replace(asked, baseline=names.index(str(chosen)))


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
    sweep = str(st.session_state.get("eval sweep", NONE))
    if sweep != NONE:
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
    asked = given.get("strategies", " ".join(DEFAULT_STRATEGIES)).split()
    if lost := [name for name in asked if name not in STRATEGIES]:
        pickers.notify(f"There is no strategy {lost[0][:40]}; it is left out.")
    st.session_state["eval strategies"] = [name for name in STRATEGIES if name in asked]
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
    sweep = given.get("sweep", NONE)
    st.session_state["eval sweep"] = sweep
    if "values" in given:
        st.session_state[f"eval values {sweep.partition(' of ')[0]}"] = given["values"]


def cost(asked: EvaluationRequest) -> str:
    """What the evaluation will cost, as a sentence."""
    n = len(asked.systems)
    seconds = evaluation_service.forecast(asked.systems, asked.test.n)
    systems = f"{n} system{'s' * (n != 1)}"
    return f"{plain(f'{asked.test.n:,}')} sentences × {systems} · about {duration(seconds)}, within a factor of three"
