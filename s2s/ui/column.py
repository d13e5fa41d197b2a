"""One column of Compare: which checkpoint, which strategy, which settings; kept in the address as `c1`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from s2s.config import Config, UserError, choose, flat, keys, override
from s2s.decode import STRATEGIES, Rules
from s2s.runs import Run
from s2s.share import Column
from s2s.ui import address, cached, forms, pickers

DEFAULT = "beam"
FIRST = ("max_new_tokens",)  # of the shared rules, what stands among a strategy's own settings


@dataclass(frozen=True)
class Chosen:
    """What the widgets say. `wrong` is a sentence about settings that do not go together."""

    run: Run
    strategy: str
    knobs: dict[str, Any]
    wrong: UserError | None = None


def controls(run_id: str, key: str = "c1") -> Chosen:
    """The widgets of a column, filled from the address where it says something new."""
    best = cached.open_run(run_id)
    said = address.arrived(key)
    if said is not None:
        _fill(key, Column.read(said), run_id)
    with st.container(horizontal=True):
        strategy = st.segmented_control(
            "Strategy", list(STRATEGIES), default=DEFAULT, required=True, key=f"{key} strategy", persist_state="session"
        )
        step = pickers.checkpoint_picker(best, f"{key} step")
    row, prefix = STRATEGIES[str(strategy)], f"{key} {strategy} "
    st.caption(row.summary)
    config, names = row.config(), list(flat(row.config()))
    knobs = forms.changes(config, names, prefix)
    run = best if step == best.step else cached.open_run(run_id, step)
    wrong = _why_not(run, str(strategy), knobs)
    shared = [name for name in keys(Rules) if name not in FIRST]
    with st.grid(4, min_column_width=150, vertical_alignment="bottom"):
        forms.inputs(config, list(_told(config)), prefix, wrong=wrong)
    rules = st.expander("Rules for every strategy", expanded=any(name in knobs for name in shared), icon=":material/rule:")
    with rules, st.grid(4, min_column_width=150, vertical_alignment="bottom"):
        forms.inputs(config, shared, prefix, wrong=wrong)
    address.hold(key, _written(run_id, step, str(strategy), _told(config) | knobs), _usual(best))
    return Chosen(run, str(strategy), knobs, wrong)


def _why_not(run: Run, strategy: str, knobs: dict[str, Any]) -> UserError | None:
    """What forbids these settings for this model."""
    try:
        run.configured(strategy, knobs)
    except UserError as wrong:
        return wrong
    return None


def _written(run_id: str, step: int, strategy: str, values: dict[str, Any]) -> str:
    return str(Column(run_id, str(step), strategy, forms.written(values)))


def _usual(best: Run) -> str:
    """What a column is before anybody touches it."""
    return _written(best.folder.id, best.step, DEFAULT, _told(STRATEGIES[DEFAULT].config()))


def _told(config: Config) -> dict[str, Any]:
    """The settings that a link writes even at their defaults: a strategy's own; the rules of all change nothing at theirs."""
    values, rules = flat(config), keys(Rules)
    return {name: values[name] for name in [*(name for name in values if name not in rules), *FIRST]}


def _fill(key: str, column: Column, run_id: str) -> None:
    """Put what a link says into the widgets; what it cannot mean is said and left out."""
    is_here = column.run in ("", run_id)
    if not is_here:
        pickers.say(f"There is no run {column.run[:40]} here (any more); {cached.title(run_id)} is shown instead.")
    try:
        row, name = choose("strategy", column.strategy, STRATEGIES), column.strategy
    except UserError as error:
        pickers.say(f"{error} {DEFAULT} is shown instead.")
        row, name = STRATEGIES[DEFAULT], DEFAULT
    config = row.config()
    knobs, lost = forms.understood(config, column.knobs)
    for sentence in lost:
        pickers.say(sentence)
    st.session_state[f"{key} strategy"] = name
    st.session_state[f"{key} step"] = column.step if is_here else ""
    st.session_state[f"{key} step of"] = run_id
    forms.fill(override(config, knobs), list(flat(config)), f"{key} {name} ")
