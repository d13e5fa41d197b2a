"""The page Attention: controls for a sentence, its target, a kind of attention, a layer and a head; the rest in
Settings.
"""

from __future__ import annotations

import html
from dataclasses import replace

import streamlit as st

from s2s.analysis import REDUCTIONS, HeadSelection
from s2s.faults import FAULTS
from s2s.questions import AttentionOf, Translate
from s2s.questions.views import tabs
from s2s.runs import Run
from s2s.runs.properties import Decoding
from s2s.ui.attention.asked import Asked
from s2s.ui.attention.view_state import STATE
from s2s.ui.kit import (
    FindOne,
    address,
    cached,
    pickers,
    sentence,
    sentence_row,
    settings_box,
)
from s2s.ui.kit import target as kit_target

REDUCE = "attention reduce"
DEFAULT = AttentionOf()


def select(layer: int | None, head: int | None) -> None:
    """Show another layer and head, 0-based, when the page is next drawn: for callbacks."""
    for key, index in (("layer", layer), ("head", head)):
        st.session_state[key] = pickers.MEAN if index is None else str(index + 1)


def _show_head(kind: str, layer: int, head: int) -> None:
    st.session_state["kind"] = kind
    select(layer, head)


FIND_ONE = FindOne(STATE, ("sink", "agreement_across_clause", "unknown_word"), _show_head)


def ask() -> Asked | None:
    """Draw the controls and ask. None, and a hint on the page, where there is no sentence yet."""
    FIND_ONE.take_found()
    STATE.from_url()
    row = sentence_row("its attention", FIND_ONE.button)
    found = st.container()
    if not row.text:
        with found:
            FIND_ONE.show(row.best, row.text, Decoding(DEFAULT.strategy))
        return None
    with row.beside:
        settings = settings_box(row.best, _is_changed(row.best, row.text))
    with settings:
        run = kit_target.checkpoint(row.best)
        strategy = STATE.draw("strategy")
        fault = FAULTS.get(run.recipe.train.fault)
        is_training_only = bool(fault and fault.when == "training" and fault.beside_picture)
        training = is_training_only and STATE.draw("training")
        name = cached.named(run)
        own = cached.SCREEN.answer(Translate(name, row.text, strategy)).text
        target = kit_target.target_box(run, row.text, own)
    with found:
        FIND_ONE.show(run, row.text, Decoding(strategy))
    question = STATE.question(
        AttentionOf, run=name, text=row.text, target=target, training=training
    )
    answer = cached.SCREEN.answer(question)
    kit_target.note_unfitting(answer.note, answer.target)
    STATE.belongs_to("sentence", run.key, row.text, answer.target)
    how = "→" if answer.target == answer.own else "Forced:"
    person = html.escape(sentence.person_said(row.facts, row.text))
    written = f"{how} {html.escape(answer.target) or '(empty)'}"
    st.html(f"<p class='written' dir='auto'>{written} <small>{person}</small></p>")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        labels = {slug: view.label for slug, view in tabs("attention").items()}
        STATE.segments("view", "View", labels, label_visibility="collapsed")
        kind = pickers.kind_picker()
        shape = answer.attention.view(kind)
    picture, beside = st.columns([3, 2], gap="medium")
    with beside, st.container(horizontal=True):
        which = HeadSelection(
            kind, pickers.layer_picker(shape, mean=True), pickers.head_picker(shape)
        )
    with settings:
        reduce = _reduction(which)
        drawn = {name: STATE.draw(name) for name in ("scale", "words", "drop")}
    question = replace(question.of_head(which, answer), reduce=reduce, **drawn)
    return Asked(run, question, answer, cached.model_name(run), picture, beside)


def _is_changed(best: Run, text: str) -> dict[str, bool]:
    strategy = STATE.shown("strategy")
    given = address.fresh("reduce")
    slug = str(st.session_state.get(REDUCE) if given is None else given)
    reduce = REDUCTIONS.get(slug, REDUCTIONS[DEFAULT.reduce])
    return {
        strategy: strategy != DEFAULT.strategy,
        "another target": kit_target.is_forced(best, text, strategy),
        reduce.label.lower(): reduce != REDUCTIONS[DEFAULT.reduce],
        "as in training": bool(STATE.shown("training")),
        "one scale per row": STATE.shown("scale") == "row",
        "words merged": bool(STATE.shown("words")),
        "sinks hidden": bool(STATE.shown("drop")),
    }


def _reduction(which: HeadSelection) -> str:
    options = {slug: row.label for slug, row in REDUCTIONS.items() if which.kind in row.kinds}
    if (given := address.read("reduce")) is not None:
        st.session_state[REDUCE] = given or DEFAULT.reduce
    current = st.session_state.setdefault(REDUCE, DEFAULT.reduce)
    if current not in options:
        default = options[DEFAULT.reduce].lower()
        pickers.notify(
            f"There is no reduction {str(current)[:40]} of {which.kind} attention; {default} are shown instead."
        )
        st.session_state[REDUCE] = DEFAULT.reduce
    chosen = st.selectbox(
        "Shown as",
        list(options),
        format_func=options.__getitem__,
        key=REDUCE,
        persist_state="session",
        width=210,
    )
    address.write("reduce", chosen or DEFAULT.reduce, DEFAULT.reduce)
    return chosen or DEFAULT.reduce
