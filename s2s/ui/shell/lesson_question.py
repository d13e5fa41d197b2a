"""The question of a lesson's step: its widget, what checks the answer, and what is said of it."""

from __future__ import annotations

import contextlib
from types import MappingProxyType
from typing import NamedTuple

import streamlit as st

from s2s.config import UserError
from s2s.lessons import (
    ChoiceQuestion,
    Context,
    Given,
    HeadQuestion,
    NumberQuestion,
    OpenedStep,
    Question,
    SentenceQuestion,
    Verdict,
    check,
)
from s2s.runs import Run
from s2s.ui.kit import address, as_markdown, cached, note_markdown, plain
from s2s.ui.shell import lesson, lesson_class
from s2s.ui.shell.pages import Page

JUDGED = "lesson verdict"  # in the session
MOST_SEGMENTS = 8  # more heads become a list
LOOKS = MappingProxyType(
    {
        "right": (st.success, ":material/check_circle:"),
        "nearly": (st.warning, ":material/near_me:"),
        "wrong": (st.info, ":material/refresh:"),
    }
)


class Judged(NamedTuple):
    """An answer with its verdict, which stays until the answer or the sentence changes."""

    step: str
    given: Given
    source: str
    verdict: Verdict


def draw_question(page: Page, at: OpenedStep) -> None:
    """Draw the question, its widget, and the verdict on the answer.

    A pressed option is an answer, and so are another sentence and another head on the page: they need no button.
    """
    question = at.step.question
    if question is None:
        return
    on_screen = _head_on_screen(page, question.kind) if isinstance(question, HeadQuestion) else None
    st.markdown(f"**Question.** {note_markdown(question.prompt)}")
    if isinstance(question, ChoiceQuestion):
        given, is_asked = _choice_field(question, at), False
    else:
        with st.form(f"lesson question {at}", border=False, enter_to_submit=True):
            try:
                given = on_screen or _answer_field(question, at)
            except UserError as error:  # the run cannot be opened, as the page says
                st.caption(as_markdown(str(error)))
                given = None
            if isinstance(on_screen, tuple):
                st.markdown(f"You are looking at **head {on_screen[1]} of layer {on_screen[0]}**.")
            is_asked = st.form_submit_button("Check", icon=":material/check:", type="primary")
    _example_button(page, at)
    if is_asked or (_answers_by_itself(page, at, given) and _judged(at, given) is None):
        _judge(page, at, question, given)
    if judged := _judged(at, given):
        show, icon = LOOKS[judged.verdict.level]
        with st.container(key="lesson-verdict"):
            show(note_markdown(judged.verdict.sentence), icon=icon)
    if question.hint:
        with st.expander("Show a hint", icon=":material/lightbulb:", key=f"lesson hint {at}"):
            st.markdown(note_markdown(question.hint))


def _answers_by_itself(page: Page, at: OpenedStep, given: Given) -> bool:
    start = at.step.view
    match at.step.question:
        case ChoiceQuestion():
            return given is not None
        case HeadQuestion():
            begun = (start.values.get("layer", ""), start.values.get("head", ""))
            return isinstance(given, tuple) and (str(given[0]), str(given[1])) != begun
        case SentenceQuestion():
            return page.url_path == start.page and _source() not in ("", start.values.get("src"))
        case _:
            return False


def _example_button(page: Page, at: OpenedStep) -> None:
    question = at.step.question
    is_here = page.url_path == at.step.view.page
    if not (is_here and isinstance(question, SentenceQuestion) and question.example):
        return
    if st.button(
        plain(question.example),
        key=f"lesson example {at}",
        icon=":material/edit:",
        help="Write this sentence into the box.",
        on_click=_write,
        args=(question.example,),
    ):
        st.rerun()


def _write(sentence: str) -> None:
    st.session_state["src"] = sentence


def _choice_field(question: ChoiceQuestion, at: OpenedStep) -> Given:
    return st.radio(
        "Your choice",
        list(range(len(question.options))),
        index=None,
        format_func=lambda i: note_markdown(question.options[i]),
        key=f"lesson answer {at}",
    )


def _answer_field(question: Question, at: OpenedStep) -> Given:
    key = f"lesson answer {at}"
    match question:
        case NumberQuestion():
            label = f"Your number ({question.unit})" if question.unit else "Your number"
            return str(st.text_input(label, key=key, placeholder="a number", max_chars=40) or "")
        case HeadQuestion():
            return _head_field(question, _run_id(at), key)
        case _:
            return None


def _head_field(question: HeadQuestion, run_id: str, key: str) -> Given:
    run = cached.open_run(run_id)
    stack = run.recipe.model.encoder if question.kind == "encoder" else run.recipe.model.decoder
    with st.container(horizontal=True, gap="small"):
        layer = _number("Your answer: layer", stack.n_layers, f"{key} layer")
        head = _number("Your answer: head", stack.n_heads, f"{key} head")
    return (layer, head) if layer and head else None


def _head_on_screen(page: Page, kind: str) -> Given:
    shown = {**st.query_params, **address.view_values(page.keys)}  # the former, before it is drawn
    layer, head = shown.get("layer", ""), shown.get("head", "")
    is_one = layer.isdecimal() and head.isdecimal() and shown.get("kind", "cross") == kind
    return (int(layer), int(head)) if is_one else None


def _number(label: str, most: int, key: str) -> int | None:
    numbers = list(range(1, most + 1))
    if most > MOST_SEGMENTS:
        return st.selectbox(label, numbers, index=None, key=key, width=110)
    return st.segmented_control(label, numbers, required=True, key=key)


def _judge(page: Page, at: OpenedStep, question: Question, given: Given) -> None:
    try:
        verdict = check(question, given, context_of(page, at))
    except UserError as error:
        verdict = Verdict("wrong", str(error))
    else:
        with contextlib.suppress(UserError):  # the database is away, as the page Lessons says
            lesson.note(at, verdict.level)
        lesson_class.note_answer(question, given, verdict.level)
    st.session_state[JUDGED] = Judged(str(at), given, _source(), verdict)


def context_of(page: Page, at: OpenedStep) -> Context:
    """What is on the screen now, against which answers are checked."""
    values = address.view_values(page.keys)
    return Context(_run_id(at), page.url_path, values, at.step.view.values, _opened)


def _run_id(at: OpenedStep) -> str:
    return str(st.session_state.get("run") or at.step.view.run)


def _opened(run_id: str, step: int | None) -> Run:
    best = cached.open_run(run_id)
    return best if step in (None, best.step) else cached.open_run(run_id, step)


def _source() -> str:
    return str(st.session_state.get("src") or "")


def _judged(at: OpenedStep, given: Given) -> Judged | None:
    judged: Judged | None = st.session_state.get(JUDGED)
    return judged if judged and judged[:3] == (str(at), given, _source()) else None
