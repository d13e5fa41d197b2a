"""The first row of a page about a sentence: the box, examples, and room for its settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from s2s.runs import Run
from s2s.ui.kit import cached, sentence, vocabulary
from s2s.ui.kit.vocabulary import RunVocabulary
from s2s.ui.streamlit_parts import DeltaGenerator


class SentenceRow(NamedTuple):
    """The page's run at its best checkpoint, the sentence, and where more controls go."""

    best: Run
    facts: RunVocabulary
    text: str  # empty before one is typed
    beside: DeltaGenerator  # the sentence


def sentence_row(what: str, more: Callable[[], None] | None = None) -> SentenceRow:
    """Draw it; without a sentence, say that `what` appears here. `more` draws a button beside the examples."""
    best = cached.open_run(st.session_state["run"])
    facts = vocabulary.of(best)
    beside = st.container(horizontal=True, vertical_alignment="center", key="sentence row")
    with beside:
        text = sentence.sentence_box(facts)
        examples(facts, more)
    sentence.before_reading(best, facts, text)
    if not text:
        st.info(
            f"Type a sentence above, or press an example: {what} appears here.",
            icon=":material/edit:",
        )
    return SentenceRow(best, facts, text, beside)


def examples(facts: RunVocabulary, more: Callable[[], None] | None = None) -> None:
    """A panel of sentences to choose from; `more` draws a button beside them."""
    icon = ":material/format_list_bulleted:"  # on a phone without the word
    with st.popover("*Examples*", icon=icon, key="examples", width="content"):
        sentence.example_chips(facts, more)
