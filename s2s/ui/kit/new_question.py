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
    Make,
    as_number,
    attention_field,
    condition_field,
    heads_of,
    line,
)

NONE = "none"  # no question
RIGHT = "The right answer"


class Fields(NamedTuple):
    """One kind of question in the list: its label, and the function that draws its fields."""

    label: str
    draw: Callable[[str], Make]


def new_question(key: str) -> Callable[[], Question | None]:
    """Draw the fields of a new question; returns a function that makes it. Raises UserError if it is incomplete."""
    written = st.text_area(
        "Question (optional)",
        key=f"{key} asked",
        height=110,
        placeholder="What is asked?\nThe right answer\nA wrong one\nAnother wrong one",
        help="What is asked, then the answers, one per line: **the right one first**; the lesson shows them sorted."
        " One answer alone is a number, such as `12` or `0.25 ± 0.01`.",
        persist_state="session",
    )
    with st.expander("Ask for a head, a sentence or a run"):
        kind = st.pills(
            "What is asked for",
            [NONE, *KINDS],
            default=NONE,
            required=True,
            format_func=lambda name: KINDS[name].label if name in KINDS else "None",
            key=f"{key} kind",
            persist_state="session",
        )
        if kind in KINDS:
            prompt = line("What is asked", "", f"{key} prompt", most=MAX_PROMPT)
            make = KINDS[kind].draw(key)
            return lambda: make(prompt, "")
    return lambda: question_of(str(written or ""))


def question_of(written: str) -> Question | None:
    """The question in a text: first line the question, then the right answer, then wrong ones; None if empty.

    Raises UserError where there is no answer, or only one that is no number.

    >>> question_of("Which?\\nred\\nblue").options
    ('blue', 'red')
    """
    prompt, *answers = [each.strip() for each in written.splitlines() if each.strip()] or [""]
    if not prompt:
        return None
    if not answers:
        raise UserError("Your question has no answer; write the right one in the line below it.")
    right = answers[0]
    options = tuple(sorted(set(answers), key=str.casefold))
    if len(options) == 1:
        value, _, tolerance = right.partition("±")
        return NumberQuestion(
            prompt, as_number(RIGHT, value, ""), as_number("Tolerance", tolerance or "0", ""), ""
        )
    replies = tuple(REPLIES[option == right] for option in options)
    return ChoiceQuestion(prompt, options, options.index(right), replies)


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
        "head": Fields("Head", _head),
        "sentence": Fields("Sentence", _sentence),
        "run": Fields("Run", _run),
    }
)
