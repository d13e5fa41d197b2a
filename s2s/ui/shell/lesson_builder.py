"""The panel in which a visitor makes a lesson: beside every page, which becomes a step as the visitor sees it.

What is written there is saved at once, and the panel says what of it is saved.
"""

from __future__ import annotations

import html
import re
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from s2s import lessons
from s2s.config import UserError, shortened
from s2s.lessons import MAX_TITLE, Lesson, OpenedStep, OwnLesson, Question, Step, View
from s2s.links.share import LESSON, greedy_and_beam
from s2s.ui.kit import address, forms, plain, step_text, unique_names
from s2s.ui.shell import lesson
from s2s.ui.shell.lesson_panel import HEADING, step_link
from s2s.ui.shell.lesson_sharing import lesson_sharing
from s2s.ui.shell.pages import LESSONS, Page, page, page_link
from s2s.ui.streamlit_parts import DeltaGenerator
from s2s.words import listed

# in the session
IS_OPEN = "lesson builder is open"
LAST = "lesson last added to"  # its id
CHOSEN = "lesson to add to"  # the same, of the widget
TAKES = "page becomes a step"  # without one more press
WRITTEN = "step being written"

NEW = ""  # in the list, in place of a lesson's id
TITLE = "My lesson"  # of a new one
TITLED = ":material/check: The lesson's title is saved."
UNTITLED = "Without a title, the first sentence of your note becomes it."
OFFERED = ("compare", "steps", "attention", "heads", "walkthrough", "")  # pages for a step
Own = dict[str, OwnLesson]  # one's own lessons by their ids


class Written(NamedTuple):
    """The step that the panel writes, as it was saved last: with it, what was changed elsewhere is not overwritten."""

    lesson: str
    number: int
    title: str  # of the lesson
    step: Step
    key: str  # of its fields


def build_lesson(id: str | None = None) -> None:
    """Opens the panel, in place of a lesson that is open.

    The next page that opens becomes a step of this lesson, or begins a new one where `id` is empty; without `id`, the
    panel asks, if there is anything to choose.
    """
    if id is not None:
        st.session_state[LAST] = id
        st.session_state[TAKES] = True
    st.session_state[WRITTEN] = None
    lesson.leave()
    lesson.unfold(True)
    st.session_state[IS_OPEN] = True


def is_building() -> bool:
    """Whether the panel is open."""
    return bool(st.session_state.get(IS_OPEN))


def _stop() -> None:
    """Closes the panel; the lesson stays in Make your own lesson."""
    st.session_state[IS_OPEN] = False


def pages_to_add(id: str, number: int, *, besides: str = LESSONS, is_ready: bool = True) -> None:
    """Draw buttons that open a page, which becomes step `number` of a lesson; of a new one, if `id` is empty.

    The page `besides` is open already: as it is now, it becomes one more step.
    """
    st.markdown(f"**Add a page as step {number}:**")
    with st.container(horizontal=True, gap="xsmall", key="pages to add"):
        for path in OFFERED:
            row = page(path)
            label = f"{row.title} again" if path == besides else row.title
            key = f"add {path or 'home'}"
            if st.button(label, key=key, icon=row.icon, disabled=not is_ready):
                build_lesson(id)
                if path == besides:
                    st.rerun()
                st.switch_page(row.screen(), query_params=_columns(path))


def _columns(url_path: str) -> dict[str, str]:
    run = str(st.session_state.get("run") or "")
    return greedy_and_beam(run) if run and url_path == "compare" else {}


def lesson_builder(page: Page, home: str) -> None:
    """Draw the panel; nothing unless a lesson is being made, on a page that has views. `home`: the first page's
    address.

    A lesson that is opened ends the making: it has the same panel.
    """
    if st.session_state.get(LESSON):
        _stop()
    if is_building() and page.url_path != LESSONS:
        with st.container(key="lesson", gap="small"):
            st.fragment(_draw)(page, home)


def _draw(page: Page, home: str) -> None:
    why = st.session_state.get("no link")
    try:
        own = {each.lesson.id: each for each in lessons.own_lessons()}
        view = View(page.url_path, address.view_values(page.keys))
        takes = not why and (st.session_state.pop(TAKES, False) or not own)
        if takes and _being_written(own, view) is None:
            own = _take(own, view)
    except UserError as error:
        forms.show_error(error)
        _close()
        return
    now = _being_written(own, view)
    row = own.get(now.lesson if now else _preferred(own))
    is_unfolded, heading = _bar()
    with st.container(key="lesson-unfolded" if is_unfolded else "lesson-folded", gap="small"):
        if why:
            st.caption(why)
        elif row and now:
            row = _write(row, now, view, home)
        else:
            _ask(own)
        _close()
    name = row.lesson.title if row else "A new lesson"
    said = f"Your step {now.number}" if now else f"Add this page as step {_n_steps(row) + 1}"
    heading.html(f"{HEADING}<small>{html.escape(name)}</small><b>{said}</b></div>")


def _being_written(own: Own, view: View) -> Written | None:
    """The step that the panel writes; None on another page, and for one that was changed elsewhere."""
    now: Written | None = st.session_state.get(WRITTEN)
    if now and now.lesson in own and now.step.view.page == view.page:
        stored = own[now.lesson].lesson
        if (stored.title, stored.steps[now.number - 1 : now.number]) == (now.title, (now.step,)):
            return now
    st.session_state[WRITTEN] = None
    return None


def _remember(lesson: Lesson, number: int, key: str) -> None:
    st.session_state[LAST] = lesson.id
    step = lesson.steps[number - 1]
    st.session_state[WRITTEN] = Written(lesson.id, number, lesson.title, step, key)


def _take(own: Own, view: View) -> Own:
    """The page as it is now becomes the last step of a lesson, or the first of a new one, which others may then open,
    as what Share shows.
    """
    id = _preferred(own)
    step = Step(_title(view), "", view)
    made = (
        lessons.add_step(id, step)
        if id
        else lessons.add_lesson(Lesson("new", TITLE, TITLE, lessons.MINUTES, (step,)))
    )
    if len(made.steps) == 1:
        lessons.share_lesson(made.id, is_shared=True)
    row = lessons.find_own(made.id)
    _remember(row.lesson, len(made.steps), f"step {secrets.token_hex(4)}")
    return {**own, made.id: row}


def _preferred(own: Own) -> str:
    """The lesson to add to: the last one, or the newest."""
    last = st.session_state.get(LAST)
    return str(last) if last == NEW or last in own else next(reversed(own), NEW)


def _bar() -> tuple[bool, DeltaGenerator]:
    """Draw, on a phone, the button that opens and folds the panel. Returns whether it is open there, and where the
    heading is, which names the lesson as it is saved.
    """
    is_unfolded = lesson.is_unfolded()
    with st.container(key="lesson-bar", horizontal=True, vertical_alignment="center", gap="xsmall"):
        heading = st.empty()
        if st.button(
            "Fold" if is_unfolded else "Open",
            key="fold lesson",
            icon=":material/expand_less:" if is_unfolded else ":material/expand_more:",
            type="tertiary",
        ):
            lesson.unfold(not is_unfolded)
            st.rerun(scope="fragment")
    return is_unfolded, heading


def _n_steps(row: OwnLesson | None) -> int:
    return 0 if row is None or lessons.is_empty(row.lesson) else len(row.lesson.steps)


def _title(view: View) -> str:
    """The title of a step until its maker says something else: `Attention: the red house`."""
    name = f"{page(view.page).title}: {view.values.get('src', '')}"
    return shortened(" ".join(name.split()).removesuffix(":"), MAX_TITLE)


def _ask(own: Own) -> None:
    """Draw the choice of the lesson to which this page is added."""
    names = {**unique_names({id: row.lesson.title for id, row in own.items()}), NEW: "A new lesson"}
    st.session_state[CHOSEN] = _preferred(own)
    chosen = st.selectbox(
        "Lesson", [*names], format_func=names.__getitem__, key=CHOSEN, on_change=_prefer
    )
    n_steps = _n_steps(own.get(chosen))
    if n_steps:
        _list_steps(own[chosen].lesson, 0)
    label = f"Add this page as step {n_steps + 1}"
    if st.button(label, key="add step", icon=":material/add:", type="primary"):
        build_lesson(chosen)
        st.rerun()


def _prefer() -> None:
    st.session_state[LAST] = st.session_state[CHOSEN]


def _write(row: OwnLesson, now: Written, view: View, home: str) -> OwnLesson:
    """Draw the fields of a step, what of them is saved, and the ways from here. Returns the lesson as it is saved."""
    before = row.lesson
    typed = st.text_input(
        "Title of the lesson",
        key=f"title {now.key}",
        max_chars=MAX_TITLE,
        placeholder=before.title,
        persist_state="session",
    )
    about_title = st.empty()
    make = step_text(now.key)
    said = st.container(key="step saved")
    why = None
    try:
        after = _changed(before, now, view, str(typed or "").strip(), make)
        if after != before:
            lessons.change_lesson(after, before)
            row = lessons.find_own(before.id)
            _remember(row.lesson, now.number, now.key)
    except UserError as error:
        why = error
    step = row.lesson.steps[now.number - 1]
    about_title.caption(UNTITLED if row.lesson.title == TITLE else TITLED)
    with said:
        if why:
            forms.show_error(UserError(f"Not saved. {why}"))
        else:
            st.success(_saved(step, now.number), icon=":material/check:")
        if not (why or step.question):
            st.caption("No question is saved yet: the line below the note says how to write one.")
    n_steps = len(row.lesson.steps)
    _list_steps(row.lesson, now.number)
    pages_to_add(before.id, n_steps + 1, besides=view.page, is_ready=why is None)
    lesson_sharing(row, home)
    step_link(OpenedStep(row.lesson, 1), "Open the lesson", ":material/play_arrow:")
    page_link(LESSONS, "Edit the lesson", ":material/edit:", set=f"view:own,edit:{before.id}")
    if st.button("Take this page back", key="take back", icon=":material/undo:"):
        _take_back(row.lesson, now.number)
    return row


def _changed(
    before: Lesson,
    now: Written,
    view: View,
    title: str,
    make: Callable[[], tuple[str, Question | None]],
) -> Lesson:
    """The lesson as the panel has it. Raises UserError for what cannot be saved."""
    note, question = make()
    is_named = now.step.title != _title(now.step.view)
    name = now.step.title if is_named else _title(view)
    step = replace(now.step, title=name, note=note, view=view, question=question)
    if before.title == TITLE:
        title = title or _first_sentence(note)
    title = title or before.title
    summary = title if before.summary == before.title else before.summary
    at = now.number - 1
    steps = (*before.steps[:at], step, *before.steps[at + 1 :])
    return replace(before, title=title, summary=summary, steps=steps)


def _first_sentence(note: str) -> str:
    """The note's first sentence: the name of a lesson whose maker gives it no title."""
    line = re.sub(r"[*`]", "", note).partition("\n")[0]
    return shortened(re.split(r"(?<=[.!?:])\s", line)[0].strip(" .:"), MAX_TITLE)


def _saved(step: Step, number: int) -> str:
    """A sentence on what of a step is stored, as Markdown."""
    parts = ["this page as you see it"] + ["your note"] * bool(step.note)
    if step.question:
        right = shortened(lessons.right_answer(step.question), 60)
        parts.append(f"your question, whose right answer is **{plain(right)}**")
    return f"Step {number} is saved: {listed(parts)}."


def _list_steps(lesson: Lesson, number: int) -> None:
    """What each step has, where there are others besides the one of this number."""
    rows = []
    for at, step in enumerate(lesson.steps, 1):
        has = ["note"] * bool(step.note) + ["question"] * bool(step.question)
        said = f"{', '.join(has)} :material/check:" if has else "no note yet"
        name = f"**{page(step.view.page).title}**" if at == number else page(step.view.page).title
        rows.append(f"{at}. {name}: {said}")
    if len(rows) > 1 or not number:
        st.caption("\n".join(rows))


def _take_back(lesson: Lesson, number: int) -> None:
    """Deletes the step; with the only one, the lesson."""
    steps = (*lesson.steps[: number - 1], *lesson.steps[number:])
    try:
        if steps:
            lessons.change_lesson(replace(lesson, steps=steps), lesson)
        else:
            lessons.delete_lesson(lesson.id)
            _stop()
    except UserError as error:
        forms.show_error(error)
    else:
        st.session_state[WRITTEN] = None
        st.rerun()


def _close() -> None:
    if st.button(
        "Close",
        key="stop building",
        icon=":material/close:",
        help="The lesson is saved: the page Lessons has it, under Make your own lesson.",
    ):
        _stop()
        st.rerun()
