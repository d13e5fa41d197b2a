"""The fields of a step's question: a kind, what is asked, and the right answer, each with its own widgets."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

import streamlit as st

from s2s.config import UserError, shortened
from s2s.lessons import (
    CONDITIONS,
    MAX_PROMPT,
    MOST_OPTIONS,
    RUN_CONDITIONS,
    ChoiceQuestion,
    Condition,
    HeadQuestion,
    NumberQuestion,
    Question,
    RunQuestion,
    SentenceQuestion,
    computed_answers,
    number,
)

NONE = ""  # no question
WRITTEN = ""  # the answer is written here, not computed
COMPUTED = -1  # the right option, in place of its index
MAX_ANSWER = 80  # characters
HEAD = re.compile(r"(\d{1,3})\.(\d{1,3})")
ATTENTION = MappingProxyType(
    {
        "encoder": "encoder self-attention",
        "decoder": "decoder self-attention",
        "cross": "cross-attention",
    }
)
YES_OR_NO = (("Yes", ""), ("No", ""))  # the options of a new question, and the replies
TOLERANCE_HELP = "How far away from the right number an answer may be."
HEADS_HELP = "Layer and head from 1 with a dot between; several with commas, such as 1.3, 2.1."
REPLIES = MappingProxyType({True: "Right.", False: "Not this one."})
Make = Callable[[str, str], Question]  # of the prompt and the hint; raises UserError


class Fields(NamedTuple):
    """One kind of question in the list: its label, and the function that draws its widgets."""

    label: str
    type: type[Question]
    draw: Callable[[str, Question | None], Make]


def question_fields(key: str, now: Question | None) -> Callable[[], Question | None]:
    """Draw widgets filled with this question; returns a function that makes the changed question.

    It raises UserError for what is no question yet.
    """
    present = next((name for name, row in KINDS.items() if isinstance(now, row.type)), NONE)
    names = [NONE, *KINDS]
    kind = st.selectbox(
        "Question",
        names,
        names.index(present),
        format_func=lambda name: KINDS[name].label if name else "none",
        key=f"{key} kind",
        help="The program checks the answer, and says whether it is right, nearly right or wrong.",
        persist_state="session",
    )
    if not kind:
        return lambda: None
    prompt = st.text_area(
        "What is asked",
        now.prompt if now else "",
        max_chars=MAX_PROMPT,
        height=80,
        key=f"{key} prompt",
        persist_state="session",
    )
    make = KINDS[kind].draw(key, now)
    hint = line(
        "A hint",
        now.hint if now else "",
        f"{key} hint",
        "Shown when it is asked for; may be empty.",
        MAX_PROMPT,
    )
    return lambda: make(prompt, hint)


def line(label: str, value: str, key: str, help: str = "", most: int = MAX_ANSWER) -> str:
    """Draw a line of text; returns what is typed, which is kept while another kind of question is open."""
    return str(
        st.text_input(
            label, value, max_chars=most, key=key, help=help or None, persist_state="session"
        )
    )


def _number(key: str, now: Question | None) -> Make:
    was = now if isinstance(now, NumberQuestion) else None
    row, written = _answer(key, NumberQuestion, was.answer if was else WRITTEN, "The right number")
    with st.container(horizontal=True):
        tolerance = line(
            "Tolerance",
            f"{was.tolerance:.15g}" if was else "0",
            f"{key} tolerance",
            TOLERANCE_HELP,
        )
        unit = line(
            "Unit", was.unit if was else "", f"{key} unit", "Such as tokens or %; may be empty."
        )

    def make(prompt: str, hint: str) -> NumberQuestion:
        answer = row or as_number("The right number", written, unit)
        slack = as_number("The tolerance", tolerance, unit)
        mistakes = was.mistakes if was and was.answer == answer else ()
        return NumberQuestion(prompt, answer, slack, unit, hint, mistakes)

    return make


def _answer(
    key: str, kind: type[Question], now: object, label: str, help: str = ""
) -> tuple[str, str]:
    rows = computed_answers(kind)
    names = [WRITTEN, *rows]
    row = st.selectbox(
        "The right answer is",
        names,
        names.index(now) if isinstance(now, str) and now in rows else 0,
        format_func=lambda name: _computed(rows[name]) if name else "written below",
        key=f"{key} answer",
        help="What is computed is right for every sentence and run that is on the screen.",
        persist_state="session",
    )
    if row:
        return row, ""
    return "", line(label, "" if isinstance(now, str) else _written(now), f"{key} written", help)


def _computed(description: str) -> str:
    return f"computed: {description.replace('`', '')}"


def _written(answer: object) -> str:
    if isinstance(answer, tuple):
        return ", ".join(f"{layer}.{head}" for layer, head in answer)
    return f"{answer:.15g}"


def as_number(what: str, typed: str, unit: str) -> float:
    """The number that was typed. Raises UserError, which begins with `what`."""
    try:
        return number(typed, unit)
    except UserError as error:
        raise UserError(f"{what}: {error}") from error


def _choice(key: str, now: Question | None) -> Make:
    was = now if isinstance(now, ChoiceQuestion) else None
    old = dict(enumerate(zip(was.options, was.why, strict=True) if was else YES_OR_NO))
    options: dict[int, str] = {}  # by the number of the field, from 0
    replies: dict[int, str] = {}
    for i in range(_n_options(key, was)):
        option, reply = old.get(i, ("", ""))
        with st.container(horizontal=True):
            option = line(f"Option {i + 1}", option, f"{key} option {i}", most=MAX_PROMPT)
            reply = line(f"Reply to option {i + 1}", reply, f"{key} reply {i}", most=MAX_PROMPT)
        if option.strip():
            options[i] = option.strip()
            replies[i] = reply.strip()
    right = _right_option(key, options, was)

    def make(prompt: str, hint: str) -> ChoiceQuestion:
        if right is None or right not in (COMPUTED, *options):
            raise UserError(
                "It is not said which option is right; choose it under “The right option”."
            )
        kept = list(options)
        answer = was.answer if was and right == COMPUTED else kept.index(right)
        why = tuple(replies[i] or REPLIES[i == right] for i in kept)
        return ChoiceQuestion(prompt, tuple(options.values()), answer, why, hint)

    return make


def _n_options(key: str, was: ChoiceQuestion | None) -> int:
    old = was.options if was else tuple(option for option, _ in YES_OR_NO)
    filled = [
        i
        for i in range(MOST_OPTIONS)
        if str(st.session_state.get(f"{key} option {i}", old[i] if i < len(old) else "")).strip()
    ]
    return min(MOST_OPTIONS, max((1, *(i + 1 for i in filled))) + 1)


def _right_option(key: str, options: Mapping[int, str], was: ChoiceQuestion | None) -> int | None:
    rows = computed_answers(ChoiceQuestion)
    computed = [COMPUTED] if was and isinstance(was.answer, str) else []
    numbers = [*computed, *options]
    first = COMPUTED if computed else was.answer if was else None

    def label(i: int) -> str:
        if i == COMPUTED and was:
            return _computed(rows.get(str(was.answer), str(was.answer)))
        return options[i]

    return st.selectbox(
        "The right option",
        numbers,
        numbers.index(first) if first in numbers else None,
        format_func=label,
        key=f"{key} right",
        placeholder="Choose it by its text",
        help="An option without a reply gets “Right.” or “Not this one.”",
        persist_state="session",
    )


def _head(key: str, now: Question | None) -> Make:
    was = now if isinstance(now, HeadQuestion) else None
    kind = attention_field(key, was)
    row, written = _answer(
        key, HeadQuestion, was.answer if was else (), "The right heads", HEADS_HELP
    )

    def make(prompt: str, hint: str) -> HeadQuestion:
        answer = row or heads_of(written)
        mistakes = was.mistakes if was and was.answer == answer else ()
        return HeadQuestion(prompt, kind, answer, hint, mistakes)

    return make


def attention_field(key: str, was: HeadQuestion | None) -> str:
    return st.selectbox(
        "Attention",
        list(ATTENTION),
        list(ATTENTION).index(was.kind) if was else 0,
        format_func=ATTENTION.__getitem__,
        key=f"{key} attention",
        persist_state="session",
    )


def heads_of(written: str) -> tuple[tuple[int, int], ...]:
    """Layers and heads as somebody wrote them. Raises UserError for what names none.

    >>> heads_of("1.3, 2.1")
    ((1, 3), (2, 1))
    """
    parts = [part.strip() for part in written.split(",") if part.strip()]
    found = [HEAD.fullmatch(part) for part in parts]
    for part, match in zip(parts, found, strict=True):
        if match is None or "0" in (match[1].lstrip("0") or "0", match[2].lstrip("0") or "0"):
            raise UserError(
                f"The right heads: `{shortened(part, 20)}` names no head; write layer and head from 1 with a dot"
                " between, such as 1.3."
            )
    if not parts:
        raise UserError("There is no right head yet; write layer and head, such as 1.3.")
    return tuple((int(match[1]), int(match[2])) for match in found if match)


def _sentence(key: str, now: Question | None) -> Make:
    was = now if isinstance(now, SentenceQuestion) else None
    example = was.example if was else ""
    if example:
        example = line("A sentence that shows it", example, f"{key} example", most=MAX_PROMPT)
    make = condition_field(key, was.condition if was else "", SentenceQuestion, CONDITIONS)

    def with_example(prompt: str, hint: str) -> Question:
        made = make(prompt, hint)
        return replace(made, example=example) if isinstance(made, SentenceQuestion) else made

    return with_example


def _run(key: str, now: Question | None) -> Make:
    was = now.condition if isinstance(now, RunQuestion) else ""
    return condition_field(key, was, RunQuestion, RUN_CONDITIONS)


def condition_field(
    key: str,
    was: str,
    kind: type[SentenceQuestion] | type[RunQuestion],
    rows: Mapping[str, Condition],
) -> Make:
    """Draw the choice of a condition among `rows`; `was` is the present one."""
    what = "the sentence on the page" if kind is SentenceQuestion else "a run of the student"
    chosen = st.selectbox(
        f"What {what} must show",
        list(rows),
        list(rows).index(was) if was in rows else 0,
        format_func=lambda name: rows[name].description,
        key=f"{key} condition",
        persist_state="session",
    )
    return lambda prompt, hint: kind(prompt, chosen, hint)


# One more kind of question is one more row: its type in files, and what draws its fields.
KINDS: Mapping[str, Fields] = MappingProxyType(
    {
        "choice": Fields("a choice among options", ChoiceQuestion, _choice),
        "number": Fields("a number", NumberQuestion, _number),
        "head": Fields("a head", HeadQuestion, _head),
        "sentence": Fields("a sentence that shows something", SentenceQuestion, _sentence),
        "run": Fields("a run of the student's own", RunQuestion, _run),
    }
)
