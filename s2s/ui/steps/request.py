"""What Steps shows: a sentence, a checkpoint, and a strategy with its settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from s2s.config import Config, UserError, choose, flat, keys, override
from s2s.decode import STRATEGIES, GenerationConfig
from s2s.links.share import printable
from s2s.runs import Decoded, Run
from s2s.runs.properties import Decoding
from s2s.ui.kit import (
    FindOne,
    address,
    cached,
    forms,
    length_penalty,
    pickers,
    sentence,
    target,
    target_owner,
    vocabulary,
)
from s2s.ui.steps.view_state import STATE
from s2s.ui.streamlit_parts import DeltaGenerator

DEFAULT_STRATEGY = "beam"
STRATEGY = "steps strategy"
REFERENCE = "reference box"
FIND_ONE = FindOne(
    STATE,
    (
        "search_error",
        "strategies_differ",
        "length_penalty_decides",
        "agreement_across_clause",
        "unknown_word",
    ),
)
REFERENCE_OF = f"{REFERENCE} of"  # run and sentence that it belongs to


@dataclass(frozen=True)
class StepsRequest:
    """What the page shows."""

    run: Run
    text: str
    strategy: str
    settings: dict[str, Any]  # those that are not at their defaults
    found: Decoded
    reference: str  # empty where there is none
    beside_penalty: DeltaGenerator  # below the length penalty: what the view says of it


def read_request(best: Run) -> StepsRequest | None:
    """Draw the controls and read them.

    None where there is no sentence yet or a setting is wrong, which the page says.
    """
    FIND_ONE.take_found()
    if (search := STATE.from_url()) is not None:
        _fill_search(best, search)
    facts = vocabulary.of(best)
    with st.container():
        text = sentence.sentence_box(facts)
        sentence.unknown_words(best, facts, text)
    sentence.example_chips(facts, FIND_ONE.button)
    found = st.container()
    with st.container(border=True, key="controls search"):
        run, strategy, settings, error, beside_penalty = _search(best)
    STATE.belongs_to("sentence", run.key, text)
    STATE.belongs_to("search", run.key, text, strategy, str(settings))
    if not error:
        with found:
            other = Decoding("beam" if strategy == "greedy" else "greedy")
            FIND_ONE.show(run, text, Decoding(strategy, settings), compared_with=other)
    if not text:
        st.info(
            "Type a sentence above, or press an example: how it was translated, step by step, appears here.",
            icon=":material/edit:",
        )
    if not text or error:
        return None
    written = cached.decoded(run, text, strategy, settings)
    reference = _reference(run, text)
    return StepsRequest(run, text, strategy, settings, written, reference, beside_penalty)


def _reference(run: Run, text: str) -> str:
    """The reference; the address holds it as `tgt`, whichever view is shown."""
    given = address.read("tgt")
    owner = target_owner(run.key, text)
    if given is not None:
        st.session_state[REFERENCE] = given
    elif st.session_state.get(REFERENCE_OF, owner) != owner:  # it belongs to its sentence
        st.session_state[REFERENCE] = ""
    st.session_state[REFERENCE_OF] = owner
    typed = str(st.session_state.get(REFERENCE) or "")
    reference = " ".join(printable(typed).split())[: sentence.MAX_CHARACTERS]
    address.write("tgt", reference)
    return reference


def view_picker(labels: Mapping[str, str]) -> str:
    """The slug of the view to show."""
    return STATE.segments("view", "View", labels, label_visibility="collapsed")


def search_with(strategy: str, **settings: Any) -> None:
    """Use another strategy, or other settings of it, when the page is next drawn: for buttons."""
    st.session_state[STRATEGY] = strategy
    st.session_state.pop(_prefix(strategy) + forms.START, None)
    for key, value in settings.items():
        st.session_state[_prefix(strategy) + key] = value


def _search(
    best: Run,
) -> tuple[Run, str, dict[str, Any], UserError | None, DeltaGenerator]:
    """Checkpoint, strategy and settings, what is wrong with them, and where the length penalty is spoken of."""
    with st.container(horizontal=True):
        strategy = _strategy_picker()
        run = target.checkpoint(best)
        beside_checkpoint = st.container(width=180)
    prefix = _prefix(strategy)
    st.caption(STRATEGIES[strategy].summary)
    beside_penalty = st.container(gap="xsmall")
    config = best.starting(strategy)
    forms.restart(config, prefix)
    settings = forms.changes(config, list(flat(config)), prefix)
    error = _why_not(run, strategy, settings)
    near = [name for name in (length_penalty.SETTING,) if name in flat(config)]
    names = [name for name in _own_first(config) if name not in near]
    with beside_checkpoint:
        forms.inputs(config, near, prefix, wrong=error)
    with (
        st.expander("Search settings", expanded=bool(error), icon=":material/tune:"),
        st.grid(4, min_column_width=150),
    ):
        forms.inputs(config, names, prefix, wrong=error)
    if error and not forms.blamed_key(error, [*near, *names]):
        forms.show_error(error)
    search = {"strategy": strategy} | forms.to_address(_linked_settings(config) | settings)
    STATE.write_to_url(search, _default_search(best))
    return run, strategy, settings, error, beside_penalty


def _strategy_picker() -> str:
    chosen = st.segmented_control(
        "Strategy",
        list(STRATEGIES),
        default=DEFAULT_STRATEGY,
        required=True,
        key=STRATEGY,
        persist_state="session",
    )
    return str(chosen or DEFAULT_STRATEGY)


def _why_not(run: Run, strategy: str, settings: dict[str, Any]) -> UserError | None:
    try:
        run.configured(strategy, settings)
    except UserError as error:
        return error
    return None


def _prefix(strategy: str) -> str:
    return f"steps {strategy} "


def _own_first(config: Config) -> list[str]:
    """A strategy's own settings, then those of all strategies."""
    shared = keys(GenerationConfig)
    return [*(name for name in flat(config) if name not in shared), *shared]


def _linked_settings(config: Config) -> dict[str, Any]:
    """The settings that a link says even at their defaults: a strategy's own."""
    shared = keys(GenerationConfig)
    return {name: value for name, value in flat(config).items() if name not in shared}


def _default_search(best: Run) -> dict[str, str]:
    config = best.starting(DEFAULT_STRATEGY)
    return {"strategy": DEFAULT_STRATEGY} | forms.to_address(_linked_settings(config))


def _fill_search(best: Run, given: dict[str, str]) -> None:
    """Fill the widgets of strategy and settings from a link; what cannot be used is reported and left out."""
    name = given.pop("strategy", DEFAULT_STRATEGY)
    try:
        choose("strategy", name, STRATEGIES)
    except UserError as error:
        pickers.notify(f"{error} {DEFAULT_STRATEGY} is shown instead.")
        name = DEFAULT_STRATEGY
    config = best.starting(name)
    settings, problems = forms.from_address(config, given)
    for problem in problems:
        pickers.notify(problem)
    st.session_state[STRATEGY] = name
    forms.fill(override(config, settings), list(flat(config)), _prefix(name))
