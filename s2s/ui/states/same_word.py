"""The same word in two sentences: a second sentence, the answer, and in Settings which words."""

from __future__ import annotations

import streamlit as st

from s2s.questions import SameWord, partner, shared_word, words_in
from s2s.runs import Run
from s2s.share import printable
from s2s.ui.kit import SentenceRow, cached, sentence, settings_box, show_all
from s2s.ui.kit import target as kit_target
from s2s.ui.states.view_state import STATE
from s2s.views import view_of


def show(row: SentenceRow) -> None:
    """The controls, then the answer."""
    with row.beside:
        settings = settings_box(_changed())
    with settings:
        run = kit_target.checkpoint(row.best)
        STATE.draw("strategy")
    given = _second(run, row.text)
    second = given or partner(run, row.text)
    if not second:
        st.info(
            "Type a second sentence above: the same word is looked up in both.",
            icon=":material/edit:",
        )
        return
    sentence.other_source(run, row.facts, second, "In the second sentence")
    STATE.belongs_to("sentence", run.key, row.text, second)
    with settings:
        words = _words(run, row.text, second)
    question = STATE.question(
        SameWord,
        run=cached.named(run),
        text=row.text,
        second=second,
        layer=str(st.session_state.get("layer") or ""),
        **words,
    )
    answer = cached.SCREEN.answer(question)
    pictures = view_of(question).pictures(question, answer, cached.model_name(run))
    show_all(question, answer, pictures)


def _changed() -> list[str]:
    """What differs from the default."""
    step = st.query_params.get("step")
    strategy = STATE.shown("strategy")
    words = [STATE.value(name) for name in ("word", "word2")]
    return [
        *([f"checkpoint step {step}"] if step else []),
        *([strategy] if strategy != SameWord().strategy else []),
        *([f"words {' and '.join(str(word or 'shared') for word in words)}"] if any(words) else []),
    ]


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


def _words(run: Run, text: str, second: str) -> dict[str, int]:
    """The position of each word, from 1; 0 for the longest that both sentences have."""
    sides = [words_in(run, each) for each in (text, second)]
    if not all(sides):
        return {}
    starts = shared_word(*sides)
    found = {}
    for name, words, start in zip(("word", "word2"), sides, starts, strict=True):
        options = {str(number): f"{number} · {word}" for number, word in enumerate(words, 1)}
        label = STATE.label(name)
        chosen = STATE.choice(name, label, options, default=str(start + 1), width=240)
        found[name] = 0 if int(chosen) == start + 1 else int(chosen)
    return found
