"""The translation of each sentence, and which one the picture and the words below are of."""

from __future__ import annotations

import html
from collections.abc import Sequence

import streamlit as st

from s2s.runs import Run
from s2s.ui.home.view_state import MOST_SENTENCES, STATE
from s2s.ui.kit import cached, captions, plain, shortened

MAX_LABEL = 30  # characters of a sentence


def chosen_sentence(run: Run, sentences: Sequence[str]) -> str:
    """Shows the translations of these sentences. Returns the sentence that the visitor looks at."""
    if len(sentences) == 1:
        captions.show_translation(cached.decoded(run, sentences[0], "beam", {}))
        return sentences[0]
    shown = sentences[:MOST_SENTENCES]
    _show_translations(run, shown)
    if len(sentences) > len(shown):
        st.caption(f"Only the first {len(shown)} of {len(sentences)} sentences are translated.")
    labels = {
        str(number): f"{number}: {plain(shortened(sentence, MAX_LABEL))}"
        for number, sentence in enumerate(shown, 1)
    }
    number = STATE.segments("sentence", "Look inside the translation of", labels, default="1")
    return shown[int(number) - 1]


def _show_translations(run: Run, sentences: Sequence[str]) -> None:
    """Each below its sentence; a click selects one."""
    rows = [
        f'<small dir="auto">{html.escape(sentence)}</small>'
        f'<p dir="auto" title="Click to select, then copy">{html.escape(found.text) or "(empty)"}</p>'
        for sentence in sentences
        for found in [cached.decoded(run, sentence, "beam", {})]
    ]
    with st.container(key="translation"):
        st.html(f'<div class="sentences">{"".join(rows)}</div>')
