"""The page Why each word: controls for a sentence and a strategy, and in Settings the checkpoint and what else the
search takes.
"""

from __future__ import annotations

import html
from typing import Any, NamedTuple, TypeVar

import streamlit as st

from s2s.config import Config, UserError, choose, flat, keys, override
from s2s.decode import STRATEGIES, GenerationConfig
from s2s.questions import DEFAULT_STRATEGY, Question, packed, samples
from s2s.questions.views import tabs
from s2s.runs import Run
from s2s.runs.properties import Decoding
from s2s.ui.kit import (
    FindOne,
    SentenceRow,
    cached,
    forms,
    pickers,
    sentence,
    sentence_row,
    settings_box,
)
from s2s.ui.kit import target as kit_target
from s2s.ui.steps.view_state import STATE
from s2s.ui.streamlit_parts import DeltaGenerator

Asks = TypeVar("Asks", bound=Question[Any])
STRATEGY = "steps strategy"
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


class AskedSearch(NamedTuple):
    """A sentence, the run and the search settings, which all tabs share."""

    run: Run
    row: SentenceRow
    strategy: str
    given: dict[str, Any]  # settings that are not at the strategy's defaults
    line: DeltaGenerator  # above the tabs: for the translation, and what stands beside it
    settings: DeltaGenerator  # the folded ones

    @property
    def text(self) -> str:
        return self.row.text

    @property
    def model(self) -> str:
        return cached.model_name(self.run)

    def question(self, kind: type[Asks], **more: Any) -> Asks:
        """A question of this kind about the search."""
        names = {row.name for row in kind.declared()}
        search = {"strategy": self.strategy} if "strategy" in names else {}
        return STATE.question(
            kind,
            run=cached.named(self.run),
            text=self.text,
            settings=packed(self.given),
            **search,
            **more,
        )

    def write(self, text: str) -> None:
        """Draw the translation above the tabs."""
        person = html.escape(sentence.person_said(self.row.facts, self.text))
        with self.line:
            st.html(
                f"<p class='written' dir='auto'>→ {html.escape(text) or '(empty)'} <small>{person}</small></p>",
                width="content",
            )


def ask() -> AskedSearch | None:
    """Draw the controls; returns the search, or None if a sentence or setting is missing or wrong."""
    FIND_ONE.take_found()
    found_in_link = STATE.from_url()
    row = sentence_row("how it was translated, step by step,", FIND_ONE.button)
    if found_in_link is not None:
        _fill_search(row.best, found_in_link)
    found, line = st.container(), st.container(horizontal=True, vertical_alignment="center")
    with st.container(horizontal=True):
        labels = {slug: view.label for slug, view in tabs("steps").items()}
        STATE.segments("view", "View", labels, label_visibility="collapsed")
    with row.beside, st.container(horizontal=True, width="content", key="controls search"):
        strategy = samples.NAME if STATE.now.view == "samples" else _strategy_picker()
        config = row.best.starting(strategy)
        prefix = _prefix(strategy)
        forms.restart(config, prefix)
        settings = settings_box(row.best, _is_changed(config, prefix))
    with settings:
        run = kit_target.checkpoint(row.best)
        given, error = _search_settings(row.best, run, strategy)
    STATE.belongs_to("sentence", run.key, row.text)
    STATE.belongs_to("search", run.key, row.text, strategy, str(given))
    if error:
        forms.show_error(error)
        return None
    with found:
        other = Decoding("beam" if strategy == "greedy" else "greedy")
        FIND_ONE.show(run, row.text, Decoding(strategy, given), compared_with=other)
    if not row.text:
        return None
    return AskedSearch(run, row, strategy, given, line, settings)


def search_with(strategy: str, **settings: Any) -> None:
    """Use other settings of a strategy when the page is next drawn: for buttons."""
    st.session_state[STRATEGY] = strategy
    st.session_state.pop(_prefix(strategy) + forms.START, None)
    for key, value in settings.items():
        st.session_state[_prefix(strategy) + key] = value


def _strategy_picker() -> str:
    st.session_state.setdefault(STRATEGY, DEFAULT_STRATEGY)
    return str(
        st.selectbox(
            "Strategy",
            list(STRATEGIES),
            key=STRATEGY,
            persist_state="session",
            label_visibility="collapsed",
            width=170,
        )
    )


def _search_settings(best: Run, run: Run, strategy: str) -> tuple[dict[str, Any], UserError | None]:
    config, prefix = best.starting(strategy), _prefix(strategy)
    st.caption(STRATEGIES[strategy].summary)
    given = forms.changes(config, list(flat(config)), prefix)
    error = None
    try:
        run.configured(strategy, given)
    except UserError as wrong:
        error = wrong
    with st.grid(2, min_column_width=150):
        forms.inputs(config, _own_first(config), prefix)
    search = {"strategy": strategy} | forms.to_address(_linked_settings(config) | given)
    usual = best.starting(DEFAULT_STRATEGY)
    default = {"strategy": DEFAULT_STRATEGY} | forms.to_address(_linked_settings(usual))
    STATE.write_to_url(search, default)
    return given, error


def _is_changed(config: Config, prefix: str) -> dict[str, bool]:
    given = forms.changes(config, list(flat(config)), prefix)
    return {f"{name} {forms.to_address({name: given[name]})[name]}": True for name in given}


def _prefix(strategy: str) -> str:
    return f"steps {strategy} "


def _own_first(config: Config) -> list[str]:
    shared = keys(GenerationConfig)
    return [*(name for name in flat(config) if name not in shared), *shared]


def _linked_settings(config: Config) -> dict[str, Any]:
    shared = keys(GenerationConfig)
    return {name: value for name, value in flat(config).items() if name not in shared}


def _fill_search(best: Run, given: dict[str, str]) -> None:
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
