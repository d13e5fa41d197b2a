"""What Steps looks at: a sentence, a checkpoint, a strategy with its settings; all but the first two kept in the address as `set`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from s2s import share
from s2s.config import Config, UserError, choose, flat, keys, override
from s2s.decode import FILTERS, STRATEGIES, GenerationConfig
from s2s.runs import Decoded, Run
from s2s.ui.kit import address, cached, forms, pickers, sentence, target, vocabulary

USUAL = "beam"
FIRST_VIEW = "tree"
OWN = "steps own "  # how the keys of the views' widgets begin: a link that arrives empties them, so that they take what it says
OF_SENTENCE = (
    "at",
    "forced",
)  # what a view keeps that means nothing beside another sentence or checkpoint
OF_SEARCH = ("node", "rank_penalty", "rank_formula")  # nor beside another search
OF_VIEWS = (
    *OF_SENTENCE,
    *OF_SEARCH,
    "pruned",
    *(f"ruler_{name}" for name in ("temperature", *FILTERS, "log")),
)
SAID = "steps said"  # the views' own values in this session


@dataclass(frozen=True)
class Asked:
    """What the page shows. `said` is what the address's `set` says, unpacked: strategy, settings, view, the views' own keys."""

    run: Run
    text: str
    strategy: str
    settings: dict[str, Any]  # the settings that are not at their defaults
    found: Decoded
    said: dict[str, str]


def ask(best: Run) -> Asked | None:
    """The widgets, filled from the address where it says something new. None where there is nothing to show yet, which is said."""
    if (given := address.arrived("set")) is not None:
        _fill(share.unpack(given))
    facts = vocabulary.of(best)
    with st.container():
        text = sentence.sentence_box(facts)
        sentence.unknown_words(best, facts, text)
    sentence.example_chips(facts)
    with st.container(border=True):
        run, strategy, settings, wrong = _search(best)
    _forget_of_others(OF_SENTENCE, (run.folder.id, run.step, text))
    _forget_of_others(OF_SEARCH, (run.folder.id, run.step, text, strategy, str(settings)))
    _hold()
    if not text:
        st.info(
            "Type a sentence above, or press an example: how it was translated, step by step, appears here.",
            icon=":material/edit:",
        )
    if not text or wrong:
        return None
    return Asked(
        run,
        text,
        strategy,
        settings,
        cached.decoded(run, text, strategy, settings),
        share.unpack(st.session_state["set"]),
    )


def view_picker(labels: Mapping[str, str]) -> str:
    """Which of the views is shown."""
    if st.session_state.get(VIEW) not in labels:
        pickers.notify(
            f"There is no view {str(st.session_state.get(VIEW))[:40]} of the steps; {labels[FIRST_VIEW]} is shown instead."
        )
        st.session_state[VIEW] = FIRST_VIEW
        _hold()
    chosen = st.segmented_control(
        "View",
        list(labels),
        format_func=labels.__getitem__,
        required=True,
        key=VIEW,
        persist_state="session",
        label_visibility="collapsed",
    )
    return chosen or FIRST_VIEW


def remember(**values: str) -> None:
    """Keep a view's own values in the session and in the address; an empty one is dropped. Callbacks may call it, too."""
    strange = [key for key in values if key not in OF_VIEWS]
    if strange:
        raise ValueError(f"no view of the steps keeps `{strange[0]}`; add it to OF_VIEWS")
    st.session_state[SAID] = {key: value for key, value in ({**_own(), **values}).items() if value}
    _hold()


def search_with(strategy: str, **settings: Any) -> None:
    """Another strategy, or other settings of it, when the page is next drawn: for buttons."""
    st.session_state[STRATEGY] = strategy
    for key, value in settings.items():
        st.session_state[_prefix(strategy) + key] = value


VIEW = "steps view"
STRATEGY = "steps strategy"
SHOWN = "steps shown"  # strategy and settings as an address holds them


def _search(best: Run) -> tuple[Run, str, dict[str, Any], UserError | None]:
    """Checkpoint, strategy and settings, and what is wrong with them."""
    with st.container(horizontal=True):
        strategy = str(
            st.segmented_control(
                "Strategy",
                list(STRATEGIES),
                default=USUAL,
                required=True,
                key=STRATEGY,
                persist_state="session",
            )
            or USUAL
        )
        run = target.checkpoint(best)
    row = STRATEGIES[strategy]
    prefix = _prefix(strategy)
    st.caption(row.summary)
    config = row.config()
    settings = forms.changes(config, list(flat(config)), prefix)
    wrong = _why_not(run, strategy, settings)
    names = _own_first(config)
    with (
        st.expander("Settings of the search", expanded=bool(wrong), icon=":material/tune:"),
        st.grid(4, min_column_width=150),
    ):
        forms.inputs(config, names, prefix, wrong=wrong)
    if wrong and not forms.blamed_key(wrong, names):
        forms.show_error(wrong)
    st.session_state[SHOWN] = {"strategy": strategy} | forms.to_address(_told(config) | settings)
    return run, strategy, settings, wrong


def _why_not(run: Run, strategy: str, settings: dict[str, Any]) -> UserError | None:
    try:
        run.configured(strategy, settings)
    except UserError as wrong:
        return wrong
    return None


def _prefix(strategy: str) -> str:
    return f"steps {strategy} "


def _own_first(config: Config) -> list[str]:
    """A strategy's own settings, then those of all."""
    rules = keys(GenerationConfig)
    return [*(name for name in flat(config) if name not in rules), *rules]


def _told(config: Config) -> dict[str, Any]:
    """The settings that a link writes even at their defaults; the rules of all change nothing at theirs."""
    rules = keys(GenerationConfig)
    return {name: value for name, value in flat(config).items() if name not in rules}


def _own() -> dict[str, str]:
    held: dict[str, str] = st.session_state.get(SAID, {})
    return held


def _hold() -> None:
    """Everything that `set` says."""
    shown = st.session_state.setdefault(SHOWN, _usual())
    view = {"view": str(st.session_state.setdefault(VIEW, FIRST_VIEW))}
    address.hold(
        "set", share.pack(shown | view | _own()), share.pack(_usual() | {"view": FIRST_VIEW})
    )


def _usual() -> dict[str, str]:
    return {"strategy": USUAL} | forms.to_address(_told(STRATEGIES[USUAL].config()))


def _forget_of_others(names: tuple[str, ...], meant: tuple[Any, ...]) -> None:
    """Positions and tokens of one sentence are no places in another."""
    mark = _mark(names)
    if st.session_state.get(mark, meant) != meant:
        st.session_state[SAID] = {key: value for key, value in _own().items() if key not in names}
        _empty(names)
    st.session_state[mark] = meant


def _mark(names: tuple[str, ...]) -> str:
    return f"steps {names[0]} of"


def _empty(names: Iterable[str]) -> None:
    for name in names:
        st.session_state.pop(OWN + name, None)


def _fill(said: dict[str, str]) -> None:
    """Put what a link says into the widgets; what it cannot mean is said and left out."""
    name = said.pop("strategy", USUAL)
    try:
        row = choose("strategy", name, STRATEGIES)
    except UserError as error:
        pickers.notify(f"{error} {USUAL} is shown instead.")
        row = STRATEGIES[USUAL]
        name = USUAL
    st.session_state[VIEW] = said.pop("view", FIRST_VIEW)
    st.session_state[SAID] = {key: said.pop(key) for key in OF_VIEWS if key in said}
    _empty(OF_VIEWS)
    for names in (OF_SENTENCE, OF_SEARCH):
        st.session_state.pop(_mark(names), None)
    config = row.config()
    settings, lost = forms.from_address(config, said)
    for why in lost:
        pickers.notify(why)
    st.session_state[STRATEGY] = name
    forms.fill(override(config, settings), list(flat(config)), _prefix(name))
