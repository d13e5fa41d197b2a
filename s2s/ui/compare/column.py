"""One column of Compare: which run, which checkpoint, which strategy, which settings; kept in the address as `c1`, `c2` ..."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from s2s.config import Config, UserError, choose, flat, keys, override
from s2s.decode import STRATEGIES, GenerationConfig
from s2s.runs import Run
from s2s.share import Column
from s2s.ui.kit import cached, forms, pickers

DEFAULT = "beam"
PAGES = "c1"  # this column's run is the page's own
FIRST = ("max_new_tokens",)  # of the shared rules, what stands among a strategy's own settings


@dataclass(frozen=True)
class Chosen:
    """What the widgets say. `wrong` is a sentence about settings that do not go together; then there is no `config`."""

    run: Run
    strategy: str
    summary: str
    settings: dict[str, Any]
    config: GenerationConfig | None
    wrong: UserError | None
    written: str  # as the address holds it
    usual: str  # what a column is before anybody touches it


def strategy_picker(key: str) -> str:
    """Which strategy, and what it does."""
    strategy = str(
        st.segmented_control(
            "Strategy",
            list(STRATEGIES),
            default=DEFAULT,
            required=True,
            key=f"{key} strategy",
            persist_state="session",
            wrap=True,
        )
    )
    st.caption(STRATEGIES[strategy].summary)
    return strategy


def controls(run_id: str, key: str, strategy: str) -> Chosen:
    """The other widgets of a column; `run_id` is the page's run. Raises UserError for a run that cannot be opened."""
    with st.container(horizontal=True):
        if key != PAGES:
            run_id = _run_picker(run_id, key)
        best = cached.open_run(run_id)
        step = pickers.checkpoint_picker(best, f"{key} step")
    row = STRATEGIES[strategy]
    prefix = f"{key} {strategy} "
    config = row.config()
    settings = forms.changes(config, list(flat(config)), prefix)
    run = best if step == best.step else cached.open_run(run_id, step)
    complete, wrong = _configured(run, strategy, settings)
    _inputs(config, settings, prefix, wrong)
    written = _written(run_id, step, strategy, _told(config) | settings)
    return Chosen(
        run,
        strategy,
        row.summary,
        settings,
        config=complete,
        wrong=wrong,
        written=written,
        usual=_usual(best),
    )


def _run_picker(page_run: str, key: str) -> str:
    """Whose translations stand in the column: the page's run unless another is chosen."""
    widget = f"{key} run"
    held = str(st.session_state.get(widget) or page_run)
    if held not in cached.runs():
        _gone(held, page_run)
        held = page_run
    st.session_state[widget] = held
    names = cached.trained_runs() | {
        held: cached.label(held)
    }  # one that cannot be opened stays chosen, and is said below
    return str(
        st.selectbox(
            "Run",
            list(names),
            format_func=names.__getitem__,
            key=widget,
            persist_state="session",
            width=230,
        )
    )


def _inputs(config: Config, settings: dict[str, Any], prefix: str, wrong: UserError | None) -> None:
    """A strategy's own settings, and in a fold those of all strategies; what is wrong stands at its control."""
    shared = [name for name in keys(GenerationConfig) if name not in FIRST]
    with st.grid(4, min_column_width=120, vertical_alignment="bottom"):
        forms.inputs(config, list(_told(config)), prefix, wrong=wrong)
    is_open = any(name in settings for name in shared)
    rules = st.expander("Rules for every strategy", expanded=is_open, icon=":material/rule:")
    with rules, st.grid(4, min_column_width=120, vertical_alignment="bottom"):
        forms.inputs(config, shared, prefix, wrong=wrong)


def _configured(
    run: Run, strategy: str, settings: dict[str, Any]
) -> tuple[GenerationConfig | None, UserError | None]:
    """The complete settings for this model, or what forbids them."""
    try:
        return run.configured(strategy, settings)[1], None
    except UserError as wrong:
        return None, wrong


def _written(run_id: str, step: int, strategy: str, values: dict[str, Any]) -> str:
    return str(Column(run_id, str(step), strategy, forms.to_address(values)))


def _usual(best: Run) -> str:
    return _written(best.folder.id, best.step, DEFAULT, _told(STRATEGIES[DEFAULT].config()))


def _told(config: Config) -> dict[str, Any]:
    """The settings that a link writes even at their defaults: a strategy's own; the rules of all change nothing at theirs."""
    values = flat(config)
    rules = keys(GenerationConfig)
    return {
        name: values[name] for name in [*(name for name in values if name not in rules), *FIRST]
    }


def fill(key: str, column: Column, run_id: str) -> None:
    """Put what a link says into the widgets; what it cannot mean is said and left out. `run_id` is the page's run."""
    is_here = column.run in ("", run_id) or (key != PAGES and column.run in cached.runs())
    if not is_here:
        _gone(column.run, run_id)
    whose = column.run if column.run and is_here else run_id
    try:
        row = choose("strategy", column.strategy, STRATEGIES)
        name = column.strategy
    except UserError as error:
        pickers.notify(f"{error} {DEFAULT} is shown instead.")
        row = STRATEGIES[DEFAULT]
        name = DEFAULT
    config = row.config()
    settings, lost = forms.from_address(config, column.settings)
    for sentence in lost:
        pickers.notify(sentence)
    if key != PAGES:
        st.session_state[f"{key} run"] = whose
    st.session_state[f"{key} strategy"] = name
    st.session_state[f"{key} step"] = column.step if is_here else ""
    st.session_state[f"{key} step of"] = whose
    forms.fill(override(config, settings), list(flat(config)), f"{key} {name} ")


def _gone(run: str, page_run: str) -> None:
    pickers.notify(
        f"There is no run {run[:40]} here (any more); {cached.title(page_run)} is shown instead."
    )


def copy(source: str, target: str, run_id: str) -> None:
    """Put one column's values into another's widgets. Column 1 has no run of its own but the page's, `run_id`."""
    values = {
        name: st.session_state[f"{source} {name}"]
        for name in _names()
        if f"{source} {name}" in st.session_state
    }
    if source == PAGES:
        values["run"] = run_id
    for name in _names():
        st.session_state.pop(f"{target} {name}", None)
    whose = values.pop("run", run_id) if target == PAGES else ""
    for name, value in values.items():
        st.session_state[f"{target} {name}"] = value
    if whose:
        st.session_state["run"] = whose


def _names() -> list[str]:
    """What a column's widgets are called behind its key."""
    return [
        "run",
        "step",
        "step of",
        "strategy",
        *(f"{name} {setting}" for name, row in STRATEGIES.items() for setting in keys(row.config)),
    ]
