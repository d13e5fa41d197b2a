"""The sentence box: examples, random sentences, and help with words that the run does not know."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from s2s.runs import Run
from s2s.share import printable
from s2s.ui.kit import address
from s2s.ui.kit.text import plain, shortened
from s2s.ui.kit.vocabulary import RunVocabulary

MAX_WORDS = 128
MAX_CHARACTERS = 800
MAX_SHOWN = 3  # unknown words


def sentence_box(known: RunVocabulary) -> str:
    """The sentence to translate, as `text_in_box`."""
    language = known.languages[0] if known.languages else "source"
    first = next(iter(known.examples), "")
    typed = st.text_input(
        f"Your {language} sentence",
        first,
        key="src",
        bind="query-params",
        live=True,
        placeholder=f"Type a sentence in {language}" if known.languages else "Type a sentence",
        label_visibility="collapsed",
        icon=":material/translate:",
    )
    address.keep_typed("src", typed or "", first)
    words = printable(typed or "").split()
    text = text_in_box()
    if text != " ".join(words):
        n_words = len(text.split())
        part = (
            f"{n_words} of {len(words)} words"
            if n_words < len(words)
            else f"{len(text)} characters"
        )
        st.caption(f"Only the first {part} are translated, as many as a picture can show.")
    return text


def text_in_box() -> str:
    """What the box holds: on one line, single spaces, not longer than a picture can hold."""
    words = printable(st.session_state.get("src") or "").split()
    return " ".join(words[:MAX_WORDS])[:MAX_CHARACTERS].strip()


def example_chips(known: RunVocabulary, more: Callable[[], None] | None = None) -> None:
    """Sentences to try; `more` draws another button beside the first one."""
    with st.container(key="chips", horizontal=True, gap="xsmall"):
        if known.sentences:
            st.button(
                "Surprise me",
                key="surprise",
                icon=":material/casino:",
                on_click=_use_random,
                args=(known,),
            )
        if more:
            more()
        for number, example in enumerate(known.examples):
            st.button(plain(example), key=f"chip{number}", on_click=_use, args=(example,))


def unknown_words(run: Run, known: RunVocabulary, text: str) -> None:
    """How the run reads the sentence where it differs; each unknown word, with the nearest known ones to use."""
    unknown = run.unknown(text)
    if not unknown:
        _show_normalized(run, text)
        return
    vocabulary = f"the {len(known.words):,} known words" if known.words else "the known characters"
    nearest = {word: known.suggestions(word) for word in unknown[:MAX_SHOWN]}
    with st.container(key="unknown", gap="xsmall"):
        for number, (word, others) in enumerate(nearest.items()):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.markdown(
                    f":material/help: **{plain(shortened(word))}** is not among {vocabulary}"
                    f"{'; known and spelled alike:' if others else '.'}",
                    width="content",
                )
                for place, other in enumerate(others):
                    st.button(
                        plain(other),
                        key=f"suggestion {number} {place}",
                        on_click=_replace,
                        args=(text, {word: other}),
                    )
        n_more = len(unknown) - len(nearest)
        more = f"{n_more} more words are unknown. " if n_more > 0 else ""
        alike = "Words spelled alike may mean something else. " if any(nearest.values()) else ""
        st.caption(f"{more}{alike}For words that the model has never seen, its output is a guess.")
        if known.words:
            _vocabulary_row(known, text, {word: known.suggestions(word) for word in unknown})


def _show_normalized(run: Run, text: str) -> None:
    """What a tokenizer that normalizes makes of the sentence."""
    tokenizer = run.src_tokenizer
    read = tokenizer.decode(tokenizer.encode(text))
    if tokenizer.words and read != text:
        st.caption(f"The model reads: {plain(read)}")


def _vocabulary_row(
    known: RunVocabulary, text: str, suggestions: Mapping[str, tuple[str, ...]]
) -> None:
    """One button that replaces every unknown word by the nearest known one, and the list of known words."""
    nearest = {word: others[0] for word, others in suggestions.items() if others}
    with st.container(horizontal=True, gap="small"):
        if len(nearest) > 1:
            st.button(
                "Use the nearest for all",
                key="suggestions",
                icon=":material/done_all:",
                on_click=_replace,
                args=(text, nearest),
            )
        with st.popover(f"Known words ({len(known.words):,})", icon=":material/list:"):
            st.dataframe(
                {"Known word": sorted(known.words, key=str.casefold)},
                hide_index=True,
                height=320,
                width=280,
            )


def _use(text: str) -> None:
    st.session_state["src"] = text


def _use_random(known: RunVocabulary) -> None:
    _use(known.random_sentence(st.session_state.get("src", "")))


def _replace(text: str, replacements: Mapping[str, str]) -> None:
    _use(" ".join(replacements.get(word, word) for word in text.split()))
