"""The fields of a new step's question, as few as its kind needs; the editor has hints, replies and computed answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import streamlit as st

from s2s.config import UserError
from s2s.lessons import (
    CONDITIONS,
    MAX_PROMPT,
    RUN_CONDITIONS,
    ChoiceQuestion,
    HeadQuestion,
    NumberQuestion,
    Question,
    RunQuestion,
    SentenceQuestion,
)
from s2s.ui.kit.question_fields import (
    HEADS_HELP,
    REPLIES,
    TOLERANCE_HELP,
    Make,
    as_number,
    attention_field,
    condition_field,
    heads_of,
    line,
)

NONE = "none"  # no question
YES_OR_NO = ("Yes", "No")
RIGHT = "The right answer"


class Fields(NamedTuple):
    """One kind of question: what its button says, and what draws the fields of its answer."""

    label: str
    draw: Callable[[str], Make]


def new_question(key: str) -> Callable[[], Question | None]:
    """A row of buttons, and the fields of the chosen kind; what is returned makes the question that they say.

    It raises UserError for what is no question yet.
    """
    kind = st.pills(
        "Question (optional)",
        [NONE, *KINDS],
        default=NONE,
        required=True,
        format_func=lambda name: KINDS[name].label if name in KINDS else "None",
        key=f"{key} kind",
        help="The program checks the answer of whoever takes the lesson.",
        persist_state="session",
    )
    if kind not in KINDS:
        return lambda: None
    prompt = line("What is asked", "", f"{key} prompt", most=MAX_PROMPT)
    make = KINDS[kind].draw(key)
    return lambda: make(prompt, "")


def _yes_or_no(key: str) -> Make:
    right = st.radio(
        RIGHT,
        YES_OR_NO,
        index=None,
        horizontal=True,
        key=f"{key} yes or no",
        persist_state="session",
    )
    return lambda prompt, hint: _choice_of(prompt, YES_OR_NO, right or "", hint)


def _choice(key: str) -> Make:
    right = line(RIGHT, "", f"{key} right", most=MAX_PROMPT).strip()
    wrong = st.text_area(
        "Wrong answers, one per line", key=f"{key} wrong", height=82, persist_state="session"
    )
    options = {right, *map(str.strip, str(wrong or "").splitlines())} - {""}
    return lambda prompt, hint: _choice_of(
        prompt, tuple(sorted(options, key=str.casefold)), right, hint
    )


def _choice_of(prompt: str, options: tuple[str, ...], right: str, hint: str) -> ChoiceQuestion:
    if right not in options:
        raise UserError(f"“{RIGHT}” of your question is empty; say which answer is right.")
    replies = tuple(REPLIES[option == right] for option in options)
    return ChoiceQuestion(prompt, options, options.index(right), replies, hint)


def _number(key: str) -> Make:
    right = line(RIGHT, "", f"{key} number")
    tolerance = line("Tolerance", "0", f"{key} tolerance", TOLERANCE_HELP)
    return lambda prompt, hint: NumberQuestion(
        prompt, as_number(RIGHT, right, ""), as_number("Tolerance", tolerance, ""), "", hint
    )


def _head(key: str) -> Make:
    kind = attention_field(key, None)
    right = line("The right heads", "", f"{key} heads", HEADS_HELP)
    return lambda prompt, hint: HeadQuestion(prompt, kind, heads_of(right), hint)


def _sentence(key: str) -> Make:
    return condition_field(key, "", SentenceQuestion, CONDITIONS)


def _run(key: str) -> Make:
    return condition_field(key, "", RunQuestion, RUN_CONDITIONS)


# One more kind of question is one more row.
KINDS: Mapping[str, Fields] = MappingProxyType(
    {
        "yes or no": Fields("Yes or no", _yes_or_no),
        "choice": Fields("Choice", _choice),
        "number": Fields("Number", _number),
        "head": Fields("Head", _head),
        "sentence": Fields("Sentence", _sentence),
        "run": Fields("Run", _run),
    }
)
