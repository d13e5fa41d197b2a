"""The sentence box: examples, surprises, and help with words that the run has never seen."""

from __future__ import annotations

import streamlit as st

from s2s.runs import Run
from s2s.share import printable
from s2s.ui.kit.text import plain, shortened
from s2s.ui.kit.vocabulary import RunVocabulary

MAX_WORDS = 128
MAX_CHARACTERS = 800
MAX_SUGGESTIONS = 3


def sentence_box(known: RunVocabulary) -> str:
    """What is to be translated: on one line, single blanks, not longer than a picture can hold."""
    language = known.languages[0] if known.languages else "source"
    typed = st.text_input(
        f"Your {language} sentence",
        next(iter(known.examples), ""),
        key="src",
        bind="query-params",
        live=True,
        placeholder=f"Type a sentence in {language}" if known.languages else "Type a sentence",
        label_visibility="collapsed",
        icon=":material/translate:",
    )
    words = printable(typed or "").split()
    text = " ".join(words[:MAX_WORDS])[:MAX_CHARACTERS].strip()
    if text != " ".join(words):
        st.caption(
            f"Only the first {len(text.split())} of {len(words)} words are translated: a picture holds no more."
        )
    return text


def example_chips(known: RunVocabulary) -> None:
    """Sentences to try."""
    with st.container(key="chips", horizontal=True, gap="xsmall"):
        st.button(
            "Surprise me",
            key="surprise",
            icon=":material/casino:",
            on_click=_surprise,
            args=(known,),
        )
        for number, example in enumerate(known.examples):
            st.button(plain(example), key=f"chip{number}", on_click=_say, args=(example,))


def unknown_words(run: Run, known: RunVocabulary, text: str) -> None:
    """One line for each word that the run has never seen, with the nearest that it has."""
    strange = run.unknown(text)
    if not strange:
        return
    with st.container(key="unknown", gap="xsmall"):
        for number, word in enumerate(strange[:MAX_SUGGESTIONS]):
            _offer(known, text, (number, word))
        more = (
            f"{len(strange) - MAX_SUGGESTIONS} more words are unknown. "
            if len(strange) > MAX_SUGGESTIONS
            else ""
        )
        st.caption(f"{more}What the model makes below of words that it never read is a guess.")


def _offer(known: RunVocabulary, text: str, numbered: tuple[int, str]) -> None:
    number, word = numbered
    near = known.offer(word)
    among = f"the {len(known.words):,} known words" if known.words else "the known signs"
    asked = f"; did you mean *{plain(near)}*?" if near else "."
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            f":material/help: **{plain(shortened(word))}** is not among {among}{asked}",
            width="content",
        )
        if near:
            st.button(
                f"Use {plain(near)}",
                key=f"offer{number}",
                on_click=_replace,
                args=(text, word, near),
            )


def _say(text: str) -> None:
    st.session_state["src"] = text


def _surprise(known: RunVocabulary) -> None:
    _say(known.surprise(st.session_state.get("src", "")))


def _replace(text: str, word: str, near: str) -> None:
    _say(" ".join(near if each == word else each for each in text.split()))
