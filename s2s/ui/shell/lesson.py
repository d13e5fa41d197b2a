"""The lesson that is open beside the pages: `lesson=ID.STEP` in the address, kept until the visitor leaves it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

import streamlit as st

from s2s import lessons
from s2s.config import UserError
from s2s.lessons import LessonProgress, OpenedStep
from s2s.links import share
from s2s.links.share import LESSON
from s2s.ui.kit import address, cached, pickers, plain
from s2s.ui.shell import visitors
from s2s.ui.shell.pages import Page

IN_ADDRESS = "lesson in the address"  # in the session: what it said when it was last read
SEEN = "lesson progress"  # in the session: what it has seen and answered since it began
OPENED = "lessons opened"  # in the session: their ids
READ = "lesson progress was read"  # in the session
ADOPTED = "lesson progress was adopted"  # in the session
IS_UNFOLDED = "lesson unfolded"  # in the session: on a phone, where the panel is a bar
MAX_WRITTEN = 100  # characters
DONE = ":material/done_all:"


def read_from_url(page: Page, *, is_other_page: bool) -> None:
    """Read the open lesson step from the address; a newly opened step shows its view.

    Links within a page and the menu drop the lesson from the address; it stays open, unless it is finished and another
    page opens. Back and Forward do not.
    """
    before = st.session_state.get(IN_ADDRESS)
    is_first = IN_ADDRESS not in st.session_state
    is_history = address.is_history_navigation()
    given = st.query_params.get(LESSON)
    if given is None and before is not None and is_history:
        st.session_state[LESSON] = ""
    elif given is not None and (given != before or (is_other_page and not is_history)):
        _open(given)
        if not is_history:
            unfold(True)
        has_view = any(key in st.query_params for key in page.keys)
        if not is_history and not (is_first and has_view):
            _show_view(page)
    elif is_other_page and (at := opened()) and at.step.view.page != page.url_path:
        unfold(False)
        if is_finished(at) and not is_history:
            leave()
            st.toast(
                f"You have finished “{plain(at.lesson.title)}”. Its panel is closed.", icon=DONE
            )
    _write()


def opened() -> OpenedStep | None:
    if not (written := st.session_state.get(LESSON)):
        return None
    try:
        return lessons.find_step(written)
    except UserError as error:  # its owner has just deleted it, or the database is away
        pickers.notify(str(error))
        leave()
        return None


def is_finished(at: OpenedStep) -> bool:
    """Whether this is the last step, every step was seen, and every question answered right."""
    seen = progress_of(at).answers
    is_all = all(number in seen for number in range(1, len(at.lesson.steps) + 1))
    return at.after is None and is_all and not progress_of(at).open_questions(at.lesson)


def is_unfolded() -> bool:
    """Whether a phone shows the step's note, and not its heading alone."""
    return bool(st.session_state.get(IS_UNFOLDED))


def unfold(is_unfolded: bool) -> None:
    """Open or fold the panel on a phone; one that a link opens is open at first."""
    st.session_state[IS_UNFOLDED] = is_unfolded


def leave() -> None:
    """Close the lesson; the page stays as it is."""
    st.session_state[LESSON] = ""


def show_again() -> None:
    """Show the open step's view again, on its own page."""
    st.session_state[IN_ADDRESS] = address.UNREAD


def with_lesson(view: Mapping[str, str]) -> dict[str, str]:
    """The values of a view together with the open step: who opens its link gets the lesson, too."""
    written = str(st.session_state.get(LESSON) or "")
    return {**view, LESSON: written} if written else {**view}


def note(at: OpenedStep, answer: str = "") -> None:
    """Store that a step was seen or answered. Raises UserError if the database is unreachable."""
    known = _in_session()
    mine = known.get(at.lesson.id, LessonProgress())
    is_known = mine.answers.get(at.number) == mine.with_answer(at.number, answer).answers[at.number]
    opened: set[str] = st.session_state.setdefault(OPENED, set())
    if is_known and at.lesson.id in opened:
        return
    opened.add(at.lesson.id)
    st.session_state[SEEN] = {**known, at.lesson.id: mine.with_answer(at.number, answer)}
    lessons.note_step(at.lesson.id, at.number, answer, browser=visitors.browser())


def lesson_progress() -> dict[str, LessonProgress]:
    """The visitor's progress by lesson: what is stored and what this session has seen. Raises UserError where the
    database is away.
    """
    if ADOPTED not in st.session_state:
        st.session_state[ADOPTED] = True
        lessons.adopt_progress(visitors.browser())
    found = lessons.all_progress(visitors.browser())
    for id, mine in _in_session().items():
        for step, answer in mine.answers.items():
            found[id] = found.get(id, LessonProgress()).with_answer(step, answer)
    st.session_state[SEEN] = found
    return found


def progress_of(at: OpenedStep) -> LessonProgress:
    """The progress in the open lesson, read from the database once per session."""
    if READ not in st.session_state:
        st.session_state[READ] = True
        with contextlib.suppress(UserError):  # as the page Lessons says
            lesson_progress()
    return _in_session().get(at.lesson.id, LessonProgress())


def _in_session() -> dict[str, LessonProgress]:
    known: dict[str, LessonProgress] = st.session_state.get(SEEN, {})
    return known


def _open(given: str) -> None:
    written = share.printable(given)[:MAX_WRITTEN]
    st.session_state[LESSON] = ""
    if not written:
        return
    try:
        st.session_state[LESSON] = str(lessons.find_step(written))
    except UserError as error:
        pickers.notify(str(error))
        _open_first(written)


def _open_first(written: str) -> None:
    try:
        lesson = lessons.find_lesson(written.rpartition(".")[0])
    except UserError:  # it has been said
        return
    st.session_state[LESSON] = str(OpenedStep(lesson, 1))


def _show_view(page: Page) -> None:
    at = opened()
    if at is None or at.step.view.page != page.url_path:
        return
    values = dict(at.step.view.values)
    if page.run == "trained":
        values["run"] = at.step.view.run
    if run := values.get("run"):
        cached.follow_link(run)
    address.open_view(page.keys, values)


def _write() -> None:
    written = str(st.session_state.get(LESSON) or "")
    if written:
        if st.query_params.get(LESSON) != written:
            st.query_params[LESSON] = written
    elif LESSON in st.query_params:
        del st.query_params[LESSON]
    st.session_state[IN_ADDRESS] = written or None
