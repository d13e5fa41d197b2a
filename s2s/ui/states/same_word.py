"""The tab about the same word in two sentences; which words is chosen in Settings."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from s2s.questions import SameWord, shared_word, words_in
from s2s.runs import Run
from s2s.ui.kit import SentenceRow, cached, sentence, settings_box
from s2s.ui.kit import target as kit_target
from s2s.ui.states.controls import marked_layer
from s2s.ui.states.view_state import STATE

WORDS = ("word", "word2")  # the fields of their positions


def ask(row: SentenceRow, second: str) -> tuple[Run, SameWord | None]:
    """The run at its checkpoint, and the question; None, and a hint on the page, where there is no second sentence."""
    STATE.belongs_to("two sentences", row.best.key, row.text, second)
    sides = [words_in(row.best, each) for each in (row.text, second)]
    shared = [place + 1 for place in shared_word(*sides)]
    with row.beside:
        settings = settings_box(row.best, _is_changed(sides, shared))
    with settings:
        run = kit_target.checkpoint(row.best)
        STATE.draw("strategy")
        layer = marked_layer(run)
        words = _words(sides, shared) if all(sides) else {}
    if not second:
        st.info(
            "Type a second sentence above: the same word is looked up in both.",
            icon=":material/edit:",
        )
        return run, None
    sentence.other_source(run, row.facts, second, "In the second sentence")
    name = cached.named(run)
    question = STATE.question(
        SameWord, run=name, text=row.text, second=second, layer=layer, **words
    )
    return run, question


def _is_changed(sides: Sequence[Sequence[str]], shared: Sequence[int]) -> dict[str, bool]:
    strategy = STATE.shown("strategy")
    given = [int(STATE.shown(name)) for name in WORDS]
    chosen = [
        number if 0 < number <= len(words) else place
        for number, words, place in zip(given, sides, shared, strict=True)
    ]
    return {
        strategy: strategy != SameWord().strategy,
        f"words {' and '.join(map(str, chosen))}": chosen != shared,
    }


def _words(sides: Sequence[Sequence[str]], shared: Sequence[int]) -> dict[str, int]:
    found = {}
    for name, words, place in zip(WORDS, sides, shared, strict=True):
        options = {str(number): f"{number} · {word}" for number, word in enumerate(words, 1)}
        label = STATE.label(name)
        chosen = int(STATE.choice(name, label, options, default=str(place), width=240))
        found[name] = 0 if chosen == place else chosen
    return found
