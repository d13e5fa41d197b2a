"""What is to be evaluated: which sentences, by which runs, strategies and other systems; kept packed in the address."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from s2s import share
from s2s.config import UserError, flat, override, parse_assignments
from s2s.decode import STRATEGIES
from s2s.jobs import evaluating, testsets
from s2s.jobs.evaluating import Asked
from s2s.runs import Sentences, System
from s2s.ui.evaluate import files
from s2s.ui.kit import cached, forms, pickers
from s2s.ui.kit.text import duration, plain

FILES = "files"
USUAL_N = 200
USUAL = ("greedy", "beam")
SWEPT = {
    "num_beams": "1 2 4 8 16 32",
    "length_penalty": "0 0.5 1 1.5 2",
    "temperature": "0.2 0.5 0.8 1 1.2",
    "num_samples": "2 4 8 16 32",
}
MOST_VALUES = 12
NONE = "none"
BEST = "the best"
EVERY = "every one"
Model = tuple[str, int]  # run and step
SPLITS = {
    testsets.HELD_OUT: "held-out pairs of its own text",
    "random": "its own text: random, as in training",
    "unseen": "its own text: unseen, words in new company",
    "deep": "its own text: deep, longer nesting",
    "agreement": "its own text: agreement, distant words that must agree",
    "banks": "its own text: banks, words with two meanings",
}


@dataclass(frozen=True)
class Form:
    """What the widgets say. `packed` is what the address holds of it."""

    asked: Asked
    wrong: UserError | None
    packed: str


def form(run_id: str) -> Form:
    """The widgets; what is wrong stands under the one to blame."""
    wrongs: list[UserError] = []
    test, n = _test_set(run_id)
    every = _brought(wrongs) if test == FILES else ()
    runs, strategies = _who(run_id)
    models = _models(runs)
    settings = _settings(runs, strategies, wrongs)
    swept = _sweep(strategies, wrongs)
    systems = named(
        [*_plain_systems(models, strategies, settings), *_swept_systems(models, settings, swept)]
    )
    asked = Asked(tuple(systems), _described(run_id, test, n), run=run_id)
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


def _check(asked: Asked, wrongs: list[UserError]) -> None:
    """What no single control is to blame for."""
    try:
        evaluating.check(asked)
    except UserError as wrong:
        forms.show_error(wrong)
        wrongs.append(wrong)


def _brought(wrongs: list[UserError]) -> testsets.Texts:
    """The pairs of one's own files."""
    try:
        every = files.test_set()
    except UserError as wrong:
        forms.show_error(wrong)
        wrongs.append(wrong)
        return ()
    if not every:
        st.caption(
            "Two text files whose lines translate each other, or one table with a source and a reference in each row."
        )
        wrongs.append(UserError("No file was brought yet."))
    return every


def _test_set(run_id: str) -> tuple[str, int]:
    """Which sentences, and how many."""
    names = test_sets(run_id)
    if st.session_state.get("eval test") not in names:
        st.session_state["eval test"] = next(iter(names))
    st.session_state.setdefault("eval n", USUAL_N)
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
            testsets.MOST,
            key="eval n",
            persist_state="session",
            width=150,
            help=f"Evenly spread over the text, the same ones each time. At most {testsets.MOST:,}.",
        )
    return str(test), int(n)


def test_sets(run_id: str) -> dict[str, str]:
    """What a run can be tested on, in words."""
    own = {name: SPLITS.get(name, f"its own text: {name}") for name in testsets.own_splits(run_id)}
    return (
        own
        | {text.spec: f"kept text: {text.name}" for text in cached.datasets()}
        | {FILES: "my own files …"}
    )


def _described(run_id: str, test: str, n: int) -> Sentences:
    source = cached.dataset_name(str(cached.metadata(run_id).get("source", "its text")))
    if test == FILES:
        return Sentences("my own files", n=n)
    if test.startswith("corpus:"):
        return Sentences(cached.dataset_name(test), spec=test, n=n)
    return Sentences(f"{source}, {test}", split=test, run=run_id, n=n)


def _who(run_id: str) -> tuple[list[str], list[str]]:
    """Runs and strategies."""
    titles = cached.trained_runs()
    if st.session_state.get("eval runs of") != run_id:
        st.session_state["eval runs of"] = run_id
        st.session_state["eval runs"] = [run_id]
    st.session_state["eval runs"] = [
        run for run in st.session_state.get("eval runs", []) if run in titles
    ]
    st.session_state.setdefault("eval strategies", list(USUAL))
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
                [BEST, EVERY],
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
    """Of each run the best checkpoint, or every one."""
    opened = [cached.open_run(run) for run in runs]
    if st.session_state.get("eval checkpoints") != EVERY:
        return [(run.folder.id, run.step) for run in opened]
    return [
        (run.folder.id, step) for run in opened for step in sorted(run.folder.steps_by_choice())
    ]


def _settings(
    runs: list[str], strategies: list[str], wrongs: list[UserError]
) -> dict[str, dict[str, Any]]:
    """Each strategy's settings that are not the usual ones."""
    found: dict[str, dict[str, Any]] = {}
    has_some = any(st.session_state.get(f"eval settings {name}") for name in strategies)
    with st.expander("Settings of the strategies", icon=":material/tune:", expanded=has_some):
        st.caption(
            "Write what shall differ from the usual, such as num_beams=10, length_penalty=1.2; Compare explains each setting."
        )
        for name in strategies:
            usual = ", ".join(
                f"{key}={value}" for key, value in list(flat(STRATEGIES[name].config()).items())[:3]
            )
            text = st.text_input(
                name,
                key=f"eval settings {name}",
                placeholder=f"usual: {usual}",
                persist_state="session",
            )
            found[name] = _checked(runs, name, text or "", wrongs)
    return found


def _checked(runs: list[str], strategy: str, text: str, wrongs: list[UserError]) -> dict[str, Any]:
    """Settings as they were written; what is wrong with them for one of the runs is said here."""
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
    """Settings as they were written. Raises UserError for what the run's model or the strategy forbids."""
    settings = parse(text)
    cached.open_run(run_id).configured(strategy, settings)
    return settings


def parse(text: str) -> dict[str, Any]:
    """`"num_beams=5, prefix=la"` -> `{"num_beams": 5, "prefix": "la"}`; a comma that no setting follows belongs to the value.

    Raises UserError for what is no setting with a value.
    """
    given = [part.strip() for part in re.split(r",\s*(?=\w+\s*=)", text.strip()) if part.strip()]
    for part in given:
        if "=" not in part.strip("="):
            raise UserError(
                f"`{part[:40]}` has no setting and value; write it like num_beams=5, with commas between."
            )
    return parse_assignments(given)


def _sweep(strategies: list[str], wrongs: list[UserError]) -> tuple[str, str, list[float]]:
    """One setting of one strategy, at several values; its name is empty where nothing is swept."""
    offered = [
        f"{setting} of {name}"
        for name in strategies
        for setting in SWEPT
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
            "One strategy at several values of a setting, as a curve: more beams find more probable texts, not always better."
        )
        chosen = str(
            st.selectbox(
                "Setting", [NONE, *offered], key="eval sweep", persist_state="session", width=360
            )
        )
        if chosen == NONE:
            return "", "", []
        setting, _, strategy = chosen.partition(" of ")
        st.session_state.setdefault(f"eval values {setting}", SWEPT[setting])
        text = st.text_input(
            "Values, with blanks between",
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
    """Raises UserError for too many, and for one that the strategy does not allow."""
    values = list(
        dict.fromkeys(
            parse_assignments([f"{setting}={part}"])[setting]
            for part in text.replace(",", " ").split()
        )
    )
    if not 2 <= len(values) <= MOST_VALUES:
        raise UserError(
            f"A sweep has 2 to {MOST_VALUES} values and this one has {len(values)}; write them with blanks between."
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
    """Each with a name that tells it from the others: run and checkpoint where there are several, strategy, what is not as usual there."""
    n_runs = len({system.run for system in systems})
    n_models = len({(system.run, system.step) for system in systems})
    found = []
    for system in systems:
        settings = " ".join(f"{key}={value}" for key, value in system.settings.items())
        run = f"{cached.title(system.run)} · " if n_runs > 1 else ""
        run += f"step {system.step:,} · " if n_models > n_runs else ""
        found.append(
            replace(system, name=f"{run}{system.strategy}{' ' if settings else ''}{settings}")
        )
    return list({system.name: system for system in found}.values())


def _with_baseline(asked: Asked) -> Asked:
    """The one that the others are compared with."""
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
        help="Every other system's difference to it is tested on the same sentences.",
    )
    return replace(asked, baseline=names.index(str(chosen)))


def _packed(run_id: str, test: str, n: int, runs: list[str], strategies: list[str]) -> str:
    """What a link says of the form; files that were brought do not travel."""
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


def usual(run_id: str) -> str:
    """What the form says before anybody touches it."""
    test = next(iter(test_sets(run_id)))
    return share.pack({"test": test, "n": str(USUAL_N), "strategies": " ".join(USUAL)})


def fill(run_id: str, given: Mapping[str, str]) -> None:
    """Put what a link says into the widgets; what it cannot mean is said and left out."""
    tests = test_sets(run_id)
    test = given.get("test", next(iter(tests)))
    if test not in tests:
        pickers.notify(
            f"There are no sentences {test[:40]} here (any more); {next(iter(tests.values()))} are taken instead."
        )
    st.session_state["eval test"] = test
    count = given.get("n", str(USUAL_N))
    st.session_state["eval n"] = (
        min(max(1, int(count)), testsets.MOST) if re.fullmatch(r"[0-9]{1,9}", count) else USUAL_N
    )
    asked = given.get("strategies", " ".join(USUAL)).split()
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


def cost(asked: Asked) -> str:
    """In words, before it is pressed."""
    n = len(asked.systems)
    seconds = evaluating.forecast(asked.systems, asked.test.n)
    systems = f"{n} system{'s' * (n != 1)}"
    return f"{plain(f'{asked.test.n:,}')} sentences × {systems} · about {duration(seconds)}, within a factor of three"
