"""The same word in two sentences: a second sentence, the answer, and in Settings which words."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from s2s.links.share import printable
from s2s.questions import SameWord, partner, shared_word, words_in
from s2s.runs import Run
from s2s.ui.kit import (
    SentenceRow,
    cached,
    pickers,
    sentence,
    settings_box,
    shortened,
    show_all,
)
from s2s.ui.kit import target as kit_target
from s2s.ui.states.view_state import STATE

WORDS = ("word", "word2")  # the fields of their positions


def show(row: SentenceRow) -> None:
    """The controls, then the answer."""
    second = _second(row.best, row.text) or partner(row.best, row.text)
    STATE.belongs_to("two sentences", row.best.key, row.text, second)
    sides = [words_in(row.best, each) for each in (row.text, second)]
    shared = [place + 1 for place in shared_word(*sides)]
    with row.beside:
        settings = settings_box(row.best, _is_changed(sides, shared))
    with settings:
        run = kit_target.checkpoint(row.best)
        STATE.draw("strategy")
        layer = _layer(run)
        words = _words(sides, shared) if all(sides) else {}
    if not second:
        st.info(
            "Type a second sentence above: the same word is looked up in both.",
            icon=":material/edit:",
        )
        return
    sentence.other_source(run, row.facts, second, "In the second sentence")
    question = STATE.question(
        SameWord, run=cached.named(run), text=row.text, second=second, layer=layer, **words
    )
    answer = cached.SCREEN.answer(question)
    show_all(question, answer, cached.model_name(run))


def _is_changed(sides: Sequence[Sequence[str]], shared: Sequence[int]) -> dict[str, bool]:
    """Of each setting, whether it differs from the default; that of the words is the shared one's positions."""
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


def _layer(run: Run) -> str:
    """The layer that the picture marks, as the address has it; empty: none."""
    n_layers = run.recipe.model.encoder.n_layers
    options = [str(layer) for layer in range(n_layers + 1)]
    given = st.query_params.get("layer")
    if given is not None and given not in options:
        pickers.notify(
            f"The link asked for layer {shortened(given)}; the encoder has {n_layers}, with 0 for the embeddings, and"
            " none is marked.",
            pickers.LAYERS_AND_HEADS,
        )
    if st.session_state.get("layer") not in options:  # of another page, or of a deeper stack
        st.session_state.pop("layer", None)
    chosen = st.selectbox(
        "Marked layer",
        options,
        index=None,
        key="layer",
        bind="query-params",
        placeholder="none",
        width=240,
    )
    return chosen or ""


def _second(run: Run, text: str) -> str:
    """What is typed; empty for a sentence that shares a word with the first."""
    typed = STATE.draw(
        "second",
        placeholder=partner(run, text),
        icon=":material/compare_arrows:",
        label_visibility="collapsed",
    )
    given = " ".join(printable(typed).split())[: sentence.MAX_CHARACTERS]
    STATE.remember(second=given)
    return given


def _words(sides: Sequence[Sequence[str]], shared: Sequence[int]) -> dict[str, int]:
    """The position of each word, from 1; 0 for the longest that both sentences have."""
    found = {}
    for name, words, place in zip(WORDS, sides, shared, strict=True):
        options = {str(number): f"{number} · {word}" for number, word in enumerate(words, 1)}
        label = STATE.label(name)
        chosen = int(STATE.choice(name, label, options, default=str(place), width=240))
        found[name] = 0 if chosen == place else chosen
    return found
