"""Why positions: a sentence, two of its words to swap, and what that changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from s2s.questions import WordOrder, words_in
from s2s.ui.kit import ViewState, cached, sentence_row, show_all

ADDED = "What a position does to an embedding"
WORDS = {"word": ("swap", 0), "other_word": ("with", -1)}  # and which word is the default


def show(state: ViewState[Any]) -> None:
    """Draw the controls, then the answer."""
    row = sentence_row("what changes when two words are swapped")
    if not row.text:
        return
    words = words_in(row.best, row.text)
    state.belongs_to("sentence", row.text)
    if len(words) < 2:
        st.info("Type a sentence of two words or more above.", icon=":material/edit:")
        return
    with row.beside:
        chosen = {name: _word(state, name, words) for name in WORDS}
    question = state.question(WordOrder, run=cached.named(row.best), text=row.text, **chosen)
    answer = cached.SCREEN.answer(question)
    folded = ADDED if answer.added else ""
    show_all(question, answer, cached.model_name(row.best), folded=folded)


def _word(state: ViewState[Any], name: str, words: Sequence[str]) -> int:
    verb, index = WORDS[name]
    options = {str(number): f"{verb} {number} · {word}" for number, word in enumerate(words, 1)}
    default = [*options][index]
    label = state.label(name)
    chosen = state.choice(
        name, label, options, default=default, label_visibility="collapsed", width=170
    )
    return 0 if chosen == default else int(chosen)
