"""The fields of a new step, as few as its question needs; the editor has hints, replies and computed answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import streamlit as st

from s2s.lessons import (
    CONDITIONS,
    MAX_NOTE,
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
SAVED_AND_ASKED = (
    "Saved when you leave the field or press Ctrl+Enter. **Question:** a line that ends in **?**, then its answers, one"
    " a line, the **right one first**; the lesson sorts them."
)


class Fields(NamedTuple):
    """One kind of question: what its button says, and what draws the fields of its answer."""

    label: str
    draw: Callable[[str], Make]


def step_text(key: str) -> Callable[[], tuple[str, Question | None]]:
    """Draw one field for the note and its question, and, folded, the kinds of questions that it does not write; returns
    a function that gives both, and raises UserError for what is no question yet.
    """
    written = st.text_area(
        "Note, and a question if you like",
        key=f"{key} text",
        max_chars=MAX_NOTE,
        height=190,
        placeholder="What to look at on this page.\n\nWhat is asked?\nThe right answer\nA wrong one",
        help="Paragraphs, lists, **bold**, *italics* and `code`. One answer alone is a number, such as `12` or"
        " `0.25 ± 0.01`. An empty line below a question leaves it in the note.",
        persist_state="session",
    )
    st.caption(SAVED_AND_ASKED)
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
            return lambda: (str(written or "").strip(), make(prompt, ""))
    return lambda: note_and_question(str(written or ""))


def note_and_question(written: str) -> tuple[str, Question | None]:
    """A step's note and question from one text: the last paragraph is a question from its first line that ends in a
    question mark, if answers follow.

    >>> note_and_question("Look here.\\n\\nWhich?\\nred\\nblue")[0]
    'Look here.'
    """
    lines = written.strip().splitlines()
    first = max((at + 1 for at, line in enumerate(lines) if not line.strip()), default=0)
    asked = (at for at in range(first, len(lines) - 1) if lines[at].rstrip().endswith("?"))
    at = next(asked, len(lines))
    return "\n".join(lines[:at]).strip(), question_of(lines[at:])


def question_of(lines: Sequence[str]) -> Question | None:
    """A question from lines: what is asked, then the right answer, then wrong ones; None without lines.

    Raises UserError where there is one answer, and it is no number.

    >>> question_of(["Which?", "red", "blue"]).options
    ('blue', 'red')
    """
    if not lines:
        return None
    prompt, right, *wrong = map(str.strip, lines)
    options = tuple(sorted({right, *wrong}, key=str.casefold))
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
