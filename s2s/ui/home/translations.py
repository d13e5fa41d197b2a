"""The translation of each sentence, and which one the picture and the words below are of."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from s2s.config import UserError
from s2s.questions import Translate
from s2s.runs import Decoded, Run
from s2s.ui.home.view_state import MOST_SENTENCES, STATE
from s2s.ui.kit import RunVocabulary, cached, pickers, plain, sentence, shortened, undo_row

MAX_LABEL = 30  # characters of a sentence


class Written(NamedTuple):
    """A sentence, and its translation: the model's own, or one that continues after a word that the visitor chose."""

    text: str
    own: Decoded
    found: Decoded
    ids: tuple[int, ...]  # that it begins with; empty for the model's own


def translations(run: Run, facts: RunVocabulary, sentences: Sequence[str]) -> Written | None:
    """Shows the translations of these sentences. Returns that of the sentence that the visitor looks at."""
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
    written = _written(run, chosen)
    made = {each: _own(run, each).text for each in shown} | {chosen: written.found.text}
    rows = [
        f'{_source(each) if len(shown) > 1 else ""}<p dir="auto" data-answer title="Click to select, then copy">'
        f"{html.escape(text) or '(empty)'}</p>"
        for each, text in made.items()
    ]
    with place:
        st.html(f'<div class="{"sentences" if len(shown) > 1 else ""}">{"".join(rows)}</div>')
    if written.ids:
        (token,) = run.tgt_tokenizer.tokens(written.ids[-1:])
        undo_row(
            f"With *{plain(token)}* there. The model's own: *{plain(written.own.text)}*",
            _undo,
            key="undo candidate",
            help="Back to the model's own translation.",
        )
    sentence.by_people(facts, chosen)
    return written


def _chosen(sentences: Sequence[str]) -> str:
    if len(sentences) == 1:
        return sentences[0]
    labels = {
        str(number): f"{number}: {plain(shortened(each, MAX_LABEL))}"
        for number, each in enumerate(sentences, 1)
    }
    number = STATE.segments("sentence", "Look inside the translation of", labels, default="1")
    return sentences[int(number) - 1]


def _own(run: Run, text: str) -> Decoded:
    return cached.SCREEN.answer(Translate(cached.named(run), text))


def _written(run: Run, text: str) -> Written:
    own = _own(run, text)
    ids = tuple(map(int, filter(None, STATE.now.forced.split("."))))
    try:
        found = cached.SCREEN.answer(Translate(cached.named(run), text, prefix=ids))
    except UserError as error:  # ids of another model
        pickers.notify(f"The chosen word cannot be used: {error}")
        STATE.remember(forced="")
        return Written(text, own, own, ())
    return Written(text, own, found, ids)


def _undo() -> None:
    STATE.remember(forced="")


def _source(text: str) -> str:
    return f'<small dir="auto">{html.escape(text)}</small>'
