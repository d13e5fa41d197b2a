"""The page States: each tab's question, with its controls in the row above the answer, all else in Settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import streamlit as st

from s2s.questions import (
    BANK_PREFIXES,
    TWO_BANKS,
    WHOLE,
    LogitLens,
    Neighbors,
    Question,
    StateMap,
    default_word,
    source_as_it_is,
    words_in,
)
from s2s.questions.views import tabs
from s2s.runs import Run
from s2s.ui.kit import SentenceRow, cached, plain, sentence, settings_box, shortened, show_all
from s2s.ui.kit import target as kit_target
from s2s.ui.states import controls, same_word
from s2s.ui.states.view_state import STATE
from s2s.ui.streamlit_parts import DeltaGenerator

DEFAULT = StateMap()


class AskedStates(NamedTuple):
    """What a tab of States asks: the run and the question, None while a sentence is missing."""

    run: Run
    question: Question[Any] | None


def fill_first_sentence() -> None:
    """If neither link nor session has a sentence, begin with one whose word has two senses."""
    source = source_as_it_is(cached.open_run(st.session_state["run"]))
    if source in BANK_PREFIXES and "src" not in st.session_state and "src" not in st.query_params:
        st.session_state["src"] = BANK_PREFIXES[source] + TWO_BANKS[0]


def show(row: SentenceRow) -> None:
    """Draw the controls and the answer of the chosen tab."""
    beside = st.container(horizontal=True, vertical_alignment="bottom")
    with beside:
        labels = {slug: view.label for slug, view in tabs("states").items()}
        view = STATE.segments("view", "View", labels, label_visibility="collapsed")
    run, question = TABS[view](row, beside)
    if question is None:
        return
    with st.spinner("Reading with this model …"):
        answer = cached.SCREEN.answer(question)
    show_all(question, answer, cached.model_name(run))
    if isinstance(question, StateMap | LogitLens):
        kit_target.note_unfitting(answer.note, answer.target)
        if question.target and not answer.note:
            unknown = sentence.unknown_in_target(run, question.target, "in it")
            said = plain(shortened(question.target, 120))
            st.caption(f"Forced target: *{said}*. {unknown}")


def _same_word(row: SentenceRow, beside: DeltaGenerator) -> AskedStates:
    with beside:
        second = controls.second_sentence(row.best, row.text)
    return AskedStates(*same_word.ask(row, second))


def _map(row: SentenceRow, beside: DeltaGenerator) -> AskedStates:
    side, shown, color, layers = (
        STATE.shown(name) for name in ("side", "shown", "color", "layers")
    )
    is_changed = {
        side: side != DEFAULT.side,
        "another second sentence": bool(STATE.shown("second")),
        "first sentence": shown != DEFAULT.shown,
        f"by {color}": color != DEFAULT.color,
        "every layer": layers != DEFAULT.layers,
    }
    run, target, settings = controls.forced(row, is_changed, "side", "shown", "color", "layers")
    with settings:
        second = controls.second_sentence(row.best, row.text, label_visibility="visible")
    with beside:
        layer = controls.layer_picker(run, STATE.value("side"))
    if STATE.value("shown") == "both":
        sentence.other_source(run, row.facts, second, "In the second sentence")
    name = cached.named(run)
    given = {"text": row.text, "target": target, "second": second, "layer": layer}
    return AskedStates(run, STATE.question(StateMap, run=name, **given))


def _near(row: SentenceRow, beside: DeltaGenerator) -> AskedStates:
    layer = str(st.session_state.get("layer") or st.query_params.get("layer", ""))
    last = str(row.best.recipe.model.encoder.n_layers)
    with row.beside:
        settings = settings_box(row.best, {f"layer {layer}": layer not in ("", last)})
    with settings:
        run = kit_target.checkpoint(row.best)
        layer = controls.layer_picker(run, "encoder")
    STATE.belongs_to("sentence", run.key, row.text)
    words = words_in(run, row.text)
    default = str(default_word(run, row.text, STATE.value("second"))) if words else WHOLE
    units = {WHOLE: "the whole sentence"}
    units |= {str(number): f"{number} · {word}" for number, word in enumerate(words, 1)}
    with beside:
        unit = STATE.draw("unit", units, default=default, width=260)
    name = cached.named(run)
    return AskedStates(run, Neighbors(name, row.text, unit, layer))


def _lens(row: SentenceRow, beside: DeltaGenerator) -> AskedStates:
    run, target, _ = controls.forced(row, {})
    with beside:
        layer = controls.layer_picker(run, "decoder")
    given = {"text": row.text, "target": target, "layer": layer}
    return AskedStates(run, STATE.question(LogitLens, run=cached.named(run), **given))


TABS: Mapping[str, Callable[[SentenceRow, DeltaGenerator], AskedStates]] = MappingProxyType(
    {"map": _map, "same": _same_word, "near": _near, "lens": _lens}
)
