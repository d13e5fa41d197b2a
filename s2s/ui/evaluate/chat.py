"""A conversation with a run that was trained to respond; kept for this visit only."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

import streamlit as st

from s2s.config import UserError
from s2s.data import GENERATED_TASKS, TURN
from s2s.data import GENERATED_TASKS as LEARNT
from s2s.runs import Run
from s2s.share import printable
from s2s.ui.kit import cached, forms
from s2s.ui.kit.text import plain, shortened

LONGEST = 300  # characters of a turn
MOST_FACTS = 6  # as in the stories that it learnt from
SAID = "user"
ANSWERED = "assistant"
PREFIX = GENERATED_TASKS["respond"].prefix
STORIES = {
    "builtin:dialogue": "",
    "builtin:tasks": PREFIX,
}  # texts of facts and a question, and what stands before them


@dataclass(frozen=True)
class Manner:
    """How a run wants to be spoken to: by turns, or by facts that a question follows."""

    prefix: str
    n_turns: int  # of the past that it reads
    is_story: bool


def manner(run: Run) -> Manner | None:
    """None for a run that was not trained to respond."""
    source = str(run.folder.about().get("source", ""))
    data = run.recipe.data
    if data.task == "respond":
        return Manner(data.prefix or LEARNT["respond"].prefix, data.turns, is_story=False)
    return (
        Manner(STORIES[source], MOST_FACTS + 1, is_story=True)
        if source in STORIES and data.task == "auto"
        else None
    )


def panel(run_id: str) -> None:
    """The turns so far, and a box for the next; nothing for other runs."""
    run = cached.open_run(run_id)
    how = manner(run)
    if how is None:
        return
    with st.container(border=True, key="chat"):
        st.subheader("Talk to it", anchor=False)
        st.caption(_about(how))
        turns: list[tuple[str, str]] = st.session_state.setdefault(f"turns {run_id}", [])
        typed = st.session_state.pop("example turn", None) or None
        place = st.container()
        typed = (
            st.chat_input(
                "Write a fact or a question" if how.is_story else "Write a turn",
                key="turn",
                max_chars=LONGEST,
            )
            or typed
        )
        if typed and (text := " ".join(printable(typed).split())):
            _take(run, how, turns, text)
        with place:
            for who, said in turns:
                with st.chat_message(who):
                    st.html(f'<p dir="auto">{html.escape(said)}</p>')
        _below(run, how, turns, run_id)


def _about(how: Manner) -> str:
    if how.is_story:
        return "It learnt to answer from facts. Tell it some, a sentence each, then ask: it answers what ends in ?, and keeps the rest."
    return f"It learnt to write the next turn of a dialogue, and reads the last {how.n_turns}."


def _take(run: Run, how: Manner, turns: list[tuple[str, str]], text: str) -> None:
    """A turn more, and the answer where it wants one."""
    turns.append((SAID, text))
    if how.is_story and not text.endswith("?"):
        return
    try:
        found = cached.decoded(run, source(how, turns), "beam", {})
    except UserError as wrong:  # longer than the model's positions
        turns.pop()
        forms.show_error(wrong)
        return
    turns.append((ANSWERED, found.text or "(nothing)"))


def source(how: Manner, turns: list[tuple[str, str]]) -> str:
    """What the model reads: `respond: Ben has the hat . who has the hat ?`, or turns with `<turn>` between."""
    if not how.is_story:
        return how.prefix + f" {TURN} ".join(text for _, text in turns[-how.n_turns :])
    said = [text for who, text in turns if who == SAID]
    facts = [_spaced(text.rstrip(" .")) + " ." for text in said[:-1] if not text.endswith("?")]
    return how.prefix + " ".join([*facts[-MOST_FACTS:], _spaced(said[-1])])


def _spaced(text: str) -> str:
    """Marks stand as words of their own, as in what was learnt."""
    return " ".join(re.sub(r"([.?!,])", r" \1 ", text).split())


def _below(run: Run, how: Manner, turns: list[tuple[str, str]], run_id: str) -> None:
    if turns and turns[-1][0] == ANSWERED:
        strange = [word for word in run.unknown(source(how, turns[:-1])) if word != TURN]
        if strange:
            st.caption(
                f"Words it has never seen: {plain(', '.join(map(shortened, strange[:5])))}. Its answer is a guess."
            )
    with st.container(horizontal=True):
        if how.is_story:
            st.button(
                "Tell it an example",
                key="example chat",
                icon=":material/lightbulb:",
                on_click=_example,
                args=(run_id,),
            )
        if turns:
            st.button(
                "Begin again",
                key="forget chat",
                icon=":material/delete:",
                on_click=_forget,
                args=(run_id,),
            )


def _example(run_id: str) -> None:
    """Three facts and the question that the model has to find its way through."""
    facts = ("Ben found the watch .", "Ida is in the hotel .", "Ben gave the watch to Ida .")
    st.session_state[f"turns {run_id}"] = [(SAID, fact) for fact in facts]
    st.session_state["example turn"] = "who has the watch ?"


def _forget(run_id: str) -> None:
    st.session_state[f"turns {run_id}"] = []
