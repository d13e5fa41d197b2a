"""What Attention asks: a sentence, its target, an attention, a layer and a head; and all else in Settings."""

from __future__ import annotations

import html
from dataclasses import replace

import streamlit as st

from s2s.analysis import REDUCTIONS, HeadSelection
from s2s.questions import AttentionOf, Translate
from s2s.runs import Run
from s2s.runs.properties import Decoding
from s2s.ui.attention.asked import Asked
from s2s.ui.attention.view_state import STATE
from s2s.ui.kit import (
    FindOne,
    address,
    cached,
    changed_checkpoint,
    pickers,
    sentence,
    sentence_row,
    settings_box,
)
from s2s.ui.kit import target as kit_target
from s2s.views import tabs

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
        settings = settings_box(_changed(row.best, row.text))
    with settings:
        run = kit_target.checkpoint(row.best)
        strategy = STATE.draw("strategy")
        name = cached.named(run)
        own = cached.SCREEN.answer(Translate(name, row.text, strategy)).text
        wanted = kit_target.target_box(run, row.text, own)
    with found:
        FIND_ONE.show(run, row.text, Decoding(strategy))
    question = STATE.question(
        AttentionOf,
        run=name,
        text=row.text,
        target="" if wanted == own else wanted,
    )
    answer = cached.SCREEN.answer(question)
    if answer.note:
        shown = "The model's own translation is" if answer.target else "Only the first step is"
        pickers.notify(f"The target cannot be forced: {answer.note} {shown} shown instead.")
    STATE.belongs_to("sentence", run.key, row.text, answer.target)
    how = "→" if answer.target == answer.own else "Forced:"
    person = html.escape(sentence.person_said(row.facts, row.text))
    written = f"{how} {html.escape(answer.target) or '(empty)'}"
    st.html(f"<p class='written' dir='auto'>{written} <small>{person}</small></p>")
    with st.container(horizontal=True, vertical_alignment="bottom", key="selection"):
        labels = {slug: view.label for slug, view in tabs("attention").items()}
        STATE.segments("view", "View", labels, label_visibility="collapsed")
        kind = pickers.kind_picker()
        shape = answer.attention.view(kind)
        layer = pickers.layer_picker(shape, mean=True)
        head = pickers.head_picker(shape)
    with settings:
        reduce = _reduction(HeadSelection(kind, layer, head))
        scale = STATE.draw("scale")
        words, drop = (STATE.draw(name) for name in ("words", "drop"))
    question = replace(
        question,
        kind=kind,
        layer="" if layer == len(shape.weights) - 1 else _number(layer),
        head="" if head is None else _number(head),
        reduce=reduce,
        scale=scale,
        words=words,
        drop=drop,
    )
    return Asked(run, question, answer, cached.model_name(run), st.container())


def _changed(best: Run, text: str) -> list[str]:
    """What differs from the default."""
    given = address.fresh("reduce")
    reduce = str((st.session_state.get(REDUCE) if given is None else given) or DEFAULT.reduce)
    return [
        *changed_checkpoint(best),
        *([STATE.shown("strategy")] if STATE.shown("strategy") != DEFAULT.strategy else []),
        *(["another target"] if kit_target.is_forced(best, text) else []),
        *(
            [REDUCTIONS[reduce].label.lower()]
            if reduce != DEFAULT.reduce and reduce in REDUCTIONS
            else []
        ),
        *(["one scale per row"] if STATE.shown("scale") == "row" else []),
        *(["words merged"] if STATE.shown("words") else []),
        *(["sinks hidden"] if STATE.shown("drop") else []),
    ]


def _number(index: int | None) -> str:
    return pickers.MEAN if index is None else str(index + 1)


def _reduction(which: HeadSelection) -> str:
    """A row of REDUCTIONS; the address holds it as `reduce`."""
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
