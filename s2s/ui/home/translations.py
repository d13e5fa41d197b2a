"""The translation of each sentence, and which one the picture and the words below are of."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from s2s.questions import NextToken
from s2s.runs import Run
from s2s.ui.home.view_state import MOST_SENTENCES, STATE
from s2s.ui.kit import RunVocabulary, cached, plain, sentence, shortened, undo_row
from s2s.ui.kit.candidates import with_usable_words

MAX_LABEL = 30  # characters of a sentence


def translations(run: Run, facts: RunVocabulary, sentences: Sequence[str]) -> NextToken | None:
    """Draw the translations of these sentences. Returns the question about the sentence that the visitor looks at."""
    shown = sentences[:MOST_SENTENCES]
    place = st.container(key="translation")
    if len(sentences) > len(shown):
        st.caption(f"Only the first {len(shown)} of {len(sentences)} sentences are translated.")
    chosen = _chosen(shown) if shown else ""
    STATE.belongs_to("sentence", run.key, chosen)
    if not chosen:
        st.info(
            "Type a sentence above, or choose an example, to see its translation and its attention.",
            icon=":material/edit:",
        )
        return None
    question = with_usable_words(
        NextToken(cached.named(run), chosen, forced=STATE.now.forced), STATE
    )
    of_each = {each: replace(question, text=each).translation for each in shown}
    made = {each: cached.SCREEN.answer(asked).text for each, asked in of_each.items()}
    own = made[chosen]
    made[chosen] = cached.SCREEN.answer(question.continued).text
    rows = [
        f'{_source(each) if len(shown) > 1 else ""}<p dir="auto" data-answer title="Click to select, then copy">'
        f"{html.escape(text) or '(empty)'}</p>"
        for each, text in made.items()
    ]
    with place:
        st.html(f'<div class="{"sentences" if len(shown) > 1 else ""}">{"".join(rows)}</div>')
    if question.forced:
        (token,) = run.tgt_tokenizer.tokens(question.forced_ids[-1:])
        undo_row(
            f"With *{plain(token)}* there. The model's own: *{plain(own)}*",
            _undo,
            key="undo candidate",
            help="Back to the model's own translation.",
        )
    sentence.by_people(facts, chosen)
    return question


def _chosen(sentences: Sequence[str]) -> str:
    if len(sentences) == 1:
        return sentences[0]
    labels = {
        str(number): f"{number}: {plain(shortened(each, MAX_LABEL))}"
        for number, each in enumerate(sentences, 1)
    }
    number = STATE.segments("sentence", "Look inside the translation of", labels, default="1")
    return sentences[int(number) - 1]


def _undo() -> None:
    STATE.remember(forced="")


def _source(text: str) -> str:
    return f'<small dir="auto">{html.escape(text)}</small>'
