"""The sentence box: examples, random sentences, and help with words that the run does not know."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from s2s.config import nfc
from s2s.demo import SHOWS
from s2s.links.share import printable
from s2s.runs import Run, source_words
from s2s.tokenizers import visible
from s2s.ui.kit import address
from s2s.ui.kit.text import plain, shortened
from s2s.ui.kit.vocabulary import RunVocabulary
from s2s.words import listed

MAX_WORDS = 128
MAX_CHARACTERS = 800
MAX_SHOWN = 3  # unknown words with suggestions, or sentences
MAX_NAMED = 8  # unknown words or characters in a line
MAX_NOTICES = 2  # lines between the sentence and its translation
MAX_LABEL = 60  # characters of a sentence on a button
CIRCLE = "\N{DOTTED CIRCLE}"
FOREIGN_WORDS = 3  # from so many words on, more unknown than known ones are of another language


def sentence_box(known: RunVocabulary, label: str = "") -> str:
    """Draw the box; returns the sentence to translate, as `text_in_box`. A `label` is shown above the box."""
    language = known.languages[0] if known.languages else "source"
    first = next(iter(known.examples), "")
    typed = st.text_input(
        label or f"Your {language} sentence",
        first,
        key="src",
        bind="query-params",
        live=True,
        placeholder=f"Type a sentence in {language}" if known.languages else "Type a sentence",
        label_visibility="visible" if label else "collapsed",
        icon=":material/translate:",
    )
    address.keep_typed("src", typed or "", first)
    text = text_in_box()
    if _is_truncated():
        words = _typed_words()
        n_words = len(text.split())
        part = (
            f"{n_words} of {len(words)} words"
            if n_words < len(words)
            else f"{len(text)} characters"
        )
        st.caption(f"Only the first {part} are translated, as many as a picture can show.")
    return text


def by_people(known: RunVocabulary, text: str) -> None:
    """Show a person's translation of a test sentence, for visitors who cannot read the language."""
    if said := person_said(known, text):
        st.caption(plain(said))


def person_said(known: RunVocabulary, text: str) -> str:
    """A person's translation of a test sentence: `By a person: la maison rouge`; empty for any other."""
    targets = known.by_people.get(text, ())[:MAX_SHOWN]
    return f"By a person: {' · '.join(targets)}" if targets else ""


def text_in_box() -> str:
    """The text in the sentence box: on one line, single spaces, not longer than a picture can hold."""
    return " ".join(_typed_words()[:MAX_WORDS])[:MAX_CHARACTERS].strip()


def _typed_words() -> list[str]:
    return printable(st.session_state.get("src") or "").split()


def _is_truncated() -> bool:
    return text_in_box() != " ".join(_typed_words())


def example_chips(known: RunVocabulary, more: Callable[[], None] | None = None) -> None:
    """Draw sentences to try; `more` draws another button beside the first one."""
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
            shows = SHOWS.get(example)
            key = f"chip{number}"
            st.button(plain(example), key=key, on_click=_use, args=(example,), help=shows)


def before_reading(run: Run, known: RunVocabulary, text: str) -> None:
    """Show what to know about the text; if it has several sentences, let the visitor choose one."""
    sentences = known.sentences_of(text)
    if has_several := len(sentences) > 1:
        _one_at_a_time(sentences)
    notices(run, known, [text], MAX_NOTICES - has_several)


def notices(
    run: Run, known: RunVocabulary, sources: Sequence[str], room: int = MAX_NOTICES
) -> None:
    """Draw how the run reads the sources where it differs, what it does not know of them, and whether they are long.

    At most `room` lines, one fewer below a truncated sentence, which another line is about. Unknown words of a
    vocabulary of whole words come with the nearest known ones to use.
    """
    text = " ".join(sources)
    unknown = run.unknown(text) if known.words else ()
    lines = (_reading(run, sources), unfamiliar(run, known, text), _length(known, sources))
    shown = list(filter(None, lines))[: room - _is_truncated()]
    if not shown:
        return
    with st.container(key="unknown", gap="xsmall"):
        for line in shown:
            st.caption(line)
        if unknown:
            _suggest(known, text, unknown)


def other_source(run: Run, known: RunVocabulary, text: str, where: str) -> None:
    """Draw what the run does not know of a source that is not in the box; `where` it is, such as `In source B`."""
    if said := unfamiliar(run, known, text):
        st.caption(f"{where}: {said}")


def _one_at_a_time(sentences: Sequence[str]) -> None:
    with st.container(key="sentences", horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.caption("This model reads one sentence at a time:", width="content")
        for number, sentence in enumerate(sentences[:MAX_SHOWN]):
            label = plain(shortened(sentence, MAX_LABEL))
            st.button(label, key=f"sentence {number}", on_click=_use, args=(sentence,))


def _reading(run: Run, sources: Sequence[str]) -> str:
    read = " ".join(map(run.src_tokenizer.as_read, sources))
    return f"The model reads: {plain(read)}" if read != nfc(" ".join(sources)) else ""


def unfamiliar(run: Run, known: RunVocabulary, text: str) -> str:
    """A line that names the words of a text that the run has not read in training, and what becomes `<unk>`."""
    parts = run.src_tokenizer.unknown_parts(text)
    unseen = source_words.unseen(text, known.seen)
    named = {word.lower() for part in parts for word in source_words.words_of(part)}
    words = [word for word in unseen if word.lower() not in named]
    n_words = len(source_words.words_of(text))
    if n_words >= FOREIGN_WORDS and 2 * len(unseen) > n_words:
        return _foreign(known, unseen, n_words)
    kind = f"{len(known.words):,} known words" if known.words else "known characters"
    said = (_guessed(parts, f"among the {kind}"), _guessed(words, "in the training data"))
    return " ".join(filter(None, said))


def unknown_in_target(run: Run, target: str, where: str) -> str:
    """A sentence about what the model reads as `<unk>` in a target, else empty. `where` it is, such as `in it`."""
    tokenizer = run.tgt_tokenizer
    if not (parts := tokenizer.unknown_parts(target)):
        return ""
    return f"Unknown {tokenizer.unknown_kind}s {where}, read as `<unk>`: {_listed(parts)}."


def _foreign(known: RunVocabulary, unseen: Sequence[str], n_words: int) -> str:
    counted = f"{len(unseen)} of {n_words} words are not in the training data ({_listed(unseen)})"
    if not known.languages:
        return (
            f"The translation is a guess: {counted}. Type another sentence, or choose an example."
        )
    language = known.languages[0]
    return f"This does not look like {language}: {counted}. Type {language}, or choose an example."


def _guessed(names: Sequence[str], where: str) -> str:
    if not names:
        return ""
    if len(names) == 1:
        return f"{_listed(names)} is not {where}: its translation is a guess."
    return f"{_listed(names)} are not {where}: their translations are guesses."


def _listed(names: Sequence[str]) -> str:
    words = ["space" if name == " " else _on_circle(visible(name)) for name in names[:MAX_NAMED]]
    shown = [f"**{plain(shortened(word))}**" for word in words]
    if n_more := len(names) - len(shown):
        shown.append(f"{n_more} more")
    return listed(shown)


def _on_circle(name: str) -> str:
    """A character's name; a mark alone stands on a dotted circle, as Unicode shows it, lest it join the text before
    it.
    """
    return f"{CIRCLE}{name}" if unicodedata.category(name[0])[0] == "M" else name


def _length(known: RunVocabulary, sources: Sequence[str]) -> str:
    if not known.longest or max(len(source.split()) for source in sources) <= known.longest:
        return ""
    return (
        f"The model was trained on sentences of at most {known.longest} words;"
        " longer ones are often translated badly."
    )


def _suggest(known: RunVocabulary, text: str, unknown: Sequence[str]) -> None:
    nearest = {word: others for word in unknown if (others := known.suggestions(word))}
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for number, (word, others) in enumerate([*nearest.items()][:MAX_SHOWN]):
            for place, other in enumerate(others if len(nearest) == 1 else others[:1]):
                st.button(
                    plain(other if len(nearest) == 1 else f"{shortened(word)} → {other}"),
                    key=f"suggestion {number} {place}",
                    help="Spelled alike; it may mean something else.",
                    on_click=_replace,
                    args=(text, {word: other}),
                )
        if len(nearest) > 1:
            st.button(
                "Use the nearest for all",
                key="suggestions",
                icon=":material/done_all:",
                on_click=_replace,
                args=(text, {word: others[0] for word, others in nearest.items()}),
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
