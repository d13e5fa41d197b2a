"""The next sentence of the dataset for which two columns write different texts."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import NamedTuple

import streamlit as st

from s2s.config import UserError
from s2s.runs import Run
from s2s.ui.compare.column import ColumnChoice
from s2s.ui.kit import cached, dataset_sentences, plain

BATCH = 16  # sentences that are decoded together, at most
ROWS = 160  # hypotheses of them
MOST = 5_000  # sentences of a dataset that are searched
SEARCH = "difference search"  # in the session: the pair of columns that is compared now
FOUND = "difference found"  # the sentence to show when the page is next drawn
POSITION = "difference position"  # what was searched, and how far
SUMMARY = "difference summary"  # what the last search found
PAIR = "difference pair"


class Searched(NamedTuple):
    """How many sentences were compared, and the first one that differs, if it was found."""

    n: int
    sentence: str = ""


def search(
    sentences: Sequence[str], first: ColumnChoice, second: ColumnChoice
) -> Iterator[Searched]:
    """Often how far it is; the last one has the sentence, or none does. Raises UserError where a batch fails."""
    size = max(1, min(BATCH, ROWS // max(_width(first), _width(second))))
    n = 0
    while batch := sentences[n : n + size]:
        ones = yield from _texts(first, batch, n)
        others = yield from _texts(second, batch, n)
        for number, (one, other) in enumerate(zip(ones, others, strict=True), 1):
            if one != other:
                yield Searched(n + number, batch[number - 1])
                return
        n += len(batch)
        yield Searched(n)


def _width(choice: ColumnChoice) -> int:
    return choice.run.configured(choice.strategy, choice.settings)[1].width


def _texts(
    choice: ColumnChoice, batch: Sequence[str], n: int
) -> Generator[Searched, None, list[str]]:
    """What a column writes; while that is decoded, `n` again and again: the page may stop then."""
    texts = cached.texts(choice.run, batch, choice.strategy, choice.settings)
    while (found := next(texts)) is None:
        yield Searched(n)
    texts.close()
    return found


def take_found() -> None:
    """Puts the sentence of a search into the box. Call it before the box is drawn."""
    if sentence := st.session_state.pop(FOUND, ""):
        st.session_state["src"] = sentence


def panel(run: Run, choices: dict[str, ColumnChoice]) -> None:
    """The button; while it searches, the progress and a button that stops it. `choices` are by column number."""
    if len(choices) < 2:
        return
    pairs = [(one, other) for one in choices for other in choices if one < other]
    with st.container(horizontal=True, vertical_alignment="bottom", key="differences"):
        pair = pairs[0]
        if len(pairs) > 1:
            if st.session_state.get(PAIR) not in pairs:
                st.session_state[PAIR] = pairs[0]
            pair = st.selectbox("Columns", pairs, format_func=_name, key=PAIR, width=160)
        st.button(
            f"Next sentence where {_name(pair)} differ",
            icon=":material/find_in_page:",
            key="next difference",
            on_click=_start,
            args=(pair,),
        )
    if st.session_state.get(SEARCH) == pair:
        _run_search(run, choices[pair[0]], choices[pair[1]])
    elif summary := st.session_state.pop(SUMMARY, ""):
        st.caption(summary)


def _name(pair: tuple[str, str]) -> str:
    return f"columns {pair[0]} and {pair[1]}"


def _start(pair: tuple[str, str]) -> None:
    st.session_state[SEARCH] = pair


def _stop() -> None:
    """The script that searches ends where it is."""
    st.session_state.pop(SEARCH, None)
    st.session_state[SUMMARY] = "Stopped."


def _run_search(run: Run, first: ColumnChoice, second: ColumnChoice) -> None:
    sentences = dataset_sentences.of(run, MOST)
    owner = (run.key, first.written, second.written)
    before, position = st.session_state.get(POSITION, (owner, 0))
    start = position if before == owner and position < len(sentences) else 0
    with st.container(horizontal=True, vertical_alignment="center"):
        bar = st.progress(0.0, f"Comparing {len(sentences) - start:,} sentences …")
        st.button("Stop", icon=":material/stop:", key="stop difference", on_click=_stop)
    done = Searched(0)
    try:
        for done in search(sentences[start:], first, second):
            st.session_state[POSITION] = (owner, start + done.n)
            share = (start + done.n) / len(sentences)
            bar.progress(share, f"{start + done.n:,} of {len(sentences):,} sentences")
        st.session_state[FOUND] = done.sentence
        st.session_state[SUMMARY] = _summary(done, start, len(sentences))
    except UserError as error:  # longer than a model's positions, or longer than decoding may take
        st.session_state[SUMMARY] = plain(str(error))
    del st.session_state[SEARCH]
    st.rerun()


def _summary(done: Searched, start: int, n_all: int) -> str:
    if not n_all:
        return "No sentences of this run's dataset can be read here."
    if done.sentence:
        return f"Sentence {start + done.n:,} of {n_all:,} in the dataset; the search continues after it."
    since = f" after sentence {start:,}" if start else ""
    return f"Both columns write the same for all {done.n:,} sentences{since}; the next search starts over."
