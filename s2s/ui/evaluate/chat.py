"""A conversation with a run that was trained to respond; it is not saved."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

import streamlit as st

from s2s.config import UserError
from s2s.data import GENERATED_TASKS, TURN
from s2s.data import GENERATED_TASKS as TRAINED
from s2s.links.share import printable
from s2s.questions import Translate
from s2s.runs import Run
from s2s.ui.kit import cached, forms, sentence, vocabulary

LONGEST = 300  # characters of a turn
MOST_FACTS = 6  # as in its training data
USER = "user"
ASSISTANT = "assistant"
PREFIX = GENERATED_TASKS["respond"].prefix
PROMPTS = {
    "builtin:dialogue": "",
    "builtin:tasks": PREFIX,
}  # datasets of facts and a question, with their prefix


@dataclass(frozen=True)
class ChatFormat:
    """What a run reads in a conversation: the last turns, or facts followed by a question."""

    prefix: str
    n_turns: int  # previous turns that it reads
    has_facts: bool


def chat_format(run: Run) -> ChatFormat | None:
    """What a run reads in a conversation; None if not trained to respond."""
    source = str(run.folder.about().get("source", ""))
    data = run.recipe.data
    if data.task == "respond":
        return ChatFormat(data.prefix or TRAINED["respond"].prefix, data.turns, has_facts=False)
    return (
        ChatFormat(PROMPTS[source], MOST_FACTS + 1, has_facts=True)
        if source in PROMPTS and data.task == "auto"
        else None
    )


def panel(run_id: str) -> None:
    """Draw the turns so far, and a box for the next; nothing for runs that were not trained to respond."""
    run = cached.open_run(run_id)
    how = chat_format(run)
    if how is None:
        return
    with st.container(border=True, key="chat"):
        st.subheader("Chat", anchor=False)
        st.caption(_about(how))
        turns: list[tuple[str, str]] = st.session_state.setdefault(f"turns {run_id}", [])
        typed = st.session_state.pop(f"example turn {run_id}", None) or None
        place = st.container()
        typed = (
            st.chat_input(
                "Write a fact or a question" if how.has_facts else "Write a turn",
                key="turn",
                max_chars=LONGEST,
            )
            or typed
        )
        if typed and (text := " ".join(printable(typed).split())):
            _take(run, how, turns, text, run_id)
        with place:
            for who, text in turns:
                with st.chat_message(who):
                    st.html(f'<p dir="auto">{html.escape(text)}</p>')
        _below(run, how, turns, run_id)


def _about(how: ChatFormat) -> str:
    if how.has_facts:
        return (
            "This model was trained to answer questions from facts. Write facts, one sentence each, then a question:"
            " it answers what ends in ?."
        )
    return f"This model was trained to write the next turn of a dialogue. It reads the last {how.n_turns} turns."


def _take(run: Run, how: ChatFormat, turns: list[tuple[str, str]], text: str, run_id: str) -> None:
    turns.append((USER, text))
    if how.has_facts and not text.endswith("?"):
        return
    try:
        found = cached.SCREEN.answer(Translate(cached.named(run), source(how, turns)))
    except UserError as wrong:  # longer than the model's positions
        turns.pop()
        forms.show_error(wrong)
        return
    except cached.PendingError as pending:  # this turn is taken again with the answer
        turns.pop()
        st.session_state[f"example turn {run_id}"] = text
        pending.draw()
        return
    turns.append((ASSISTANT, found.text or "(nothing)"))


def source(how: ChatFormat, turns: list[tuple[str, str]]) -> str:
    """What the model reads: `respond: Ben has the hat . who has the hat ?`, or turns with `<turn>` between."""
    if not how.has_facts:
        return how.prefix + f" {TURN} ".join(text for _, text in turns[-how.n_turns :])
    messages = [text for who, text in turns if who == USER]
    facts = [_spaced(text.rstrip(" .")) + " ." for text in messages[:-1] if not text.endswith("?")]
    return how.prefix + " ".join([*facts[-MOST_FACTS:], _spaced(messages[-1])])


def _spaced(text: str) -> str:
    return " ".join(re.sub(r"([.?!,])", r" \1 ", text).split())


def _below(run: Run, how: ChatFormat, turns: list[tuple[str, str]], run_id: str) -> None:
    if turns and turns[-1][0] == ASSISTANT:
        read = source(how, turns[:-1]).replace(TURN, " ")
        if strange := sentence.unfamiliar(run, vocabulary.of(run), read):
            st.caption(strange)
    with st.container(horizontal=True):
        if how.has_facts:
            st.button(
                "Example",
                key="example chat",
                icon=":material/lightbulb:",
                on_click=_example,
                args=(run_id,),
            )
        if turns:
            st.button(
                "Clear",
                key="forget chat",
                icon=":material/delete:",
                on_click=_forget,
                args=(run_id,),
            )


def _example(run_id: str) -> None:
    facts = ("Ben found the watch .", "Ida is in the hotel .", "Ben gave the watch to Ida .")
    st.session_state[f"turns {run_id}"] = [(USER, fact) for fact in facts]
    st.session_state[f"example turn {run_id}"] = "who has the watch ?"


def _forget(run_id: str) -> None:
    st.session_state[f"turns {run_id}"] = []
    st.session_state.pop(f"example turn {run_id}", None)
