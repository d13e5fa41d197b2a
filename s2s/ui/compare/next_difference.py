"""The next sentence of the dataset for which two columns write different texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import streamlit as st

from s2s.runs import Run
from s2s.ui.compare.column import ColumnChoice
from s2s.ui.kit import dataset_sentences

BATCH = 16  # sentences that are decoded between two looks at the Stop button
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
    """After every batch how far it is; the last one has the sentence, or none does."""
    waiting = iter(sentences)
    n = 0
    while batch := list(islice(waiting, BATCH)):
        outputs = [
            _texts(each.run, batch, each.strategy, each.settings) for each in (first, second)
        ]
        for number, (one, other) in enumerate(zip(*outputs, strict=True), 1):
            if one != other:
                yield Searched(n + number, batch[number - 1])
                return
        n += len(batch)
        yield Searched(n)


def _texts(run: Run, sentences: list[str], strategy: str, settings: dict[str, Any]) -> list[str]:
    return [found.text for found in run.translate(sentences, strategy, **settings)]


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
    owner = (run.folder.id, first.written, second.written)
    before, position = st.session_state.get(POSITION, (owner, 0))
    start = position if before == owner and position < len(sentences) else 0
    with st.container(horizontal=True, vertical_alignment="center"):
        bar = st.progress(0.0, f"Comparing {len(sentences) - start:,} sentences …")
        st.button("Stop", icon=":material/stop:", key="stop difference", on_click=_stop)
    done = Searched(0)
    for done in search(sentences[start:], first, second):
        st.session_state[POSITION] = (owner, start + done.n)
        bar.progress(
            (start + done.n) / len(sentences), f"{start + done.n:,} of {len(sentences):,} sentences"
        )
    del st.session_state[SEARCH]
    st.session_state[FOUND] = done.sentence
    st.session_state[SUMMARY] = _summary(done, start, len(sentences))
    st.rerun()


def _summary(done: Searched, start: int, n_all: int) -> str:
    if not n_all:
        return "No sentences of this run's dataset can be read here."
    if done.sentence:
        return f"Sentence {start + done.n:,} of {n_all:,} in the dataset; the search continues after it."
    since = f" after sentence {start:,}" if start else ""
    return f"Both columns write the same for all {done.n:,} sentences{since}; the next search starts over."
