"""The sentence box: examples, random sentences, and help with words that the run does not know."""

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
    """The sentence to translate: on one line, single spaces, not longer than a picture can hold."""
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
            on_click=_use_random,
            args=(known,),
        )
        for number, example in enumerate(known.examples):
            st.button(plain(example), key=f"chip{number}", on_click=_use, args=(example,))


def unknown_words(run: Run, known: RunVocabulary, text: str) -> None:
    """One line per unknown word, with the nearest known one."""
    unknown = run.unknown(text)
    if not unknown:
        return
    with st.container(key="unknown", gap="xsmall"):
        for number, word in enumerate(unknown[:MAX_SUGGESTIONS]):
            _suggestion(known, text, word, number)
        n_more = len(unknown) - MAX_SUGGESTIONS
        more = f"{n_more} more words are unknown. " if n_more > 0 else ""
        st.caption(f"{more}For words it has never seen, the translation below is a guess.")


def _suggestion(known: RunVocabulary, text: str, word: str, number: int) -> None:
    nearest = known.suggestion(word)
    vocabulary = f"the {len(known.words):,} known words" if known.words else "the known characters"
    question = f"; did you mean *{plain(nearest)}*?" if nearest else "."
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            f":material/help: **{plain(shortened(word))}** is not among {vocabulary}{question}",
            width="content",
        )
        if nearest:
            st.button(
                f"Use {plain(nearest)}",
                key=f"suggestion{number}",
                on_click=_replace,
                args=(text, word, nearest),
            )


def _use(text: str) -> None:
    st.session_state["src"] = text


def _use_random(known: RunVocabulary) -> None:
    _use(known.random_sentence(st.session_state.get("src", "")))


def _replace(text: str, word: str, nearest: str) -> None:
    _use(" ".join(nearest if each == word else each for each in text.split()))
