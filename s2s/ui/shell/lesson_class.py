"""What a participant of a class sees in the lesson's panel: who sees their step and answers, if they agree.

`class=ID` in the address, beside `lesson`: it stays there until the visitor leaves the lesson.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import streamlit as st

from s2s import lessons
from s2s.config import UserError, asker
from s2s.lessons import Given, OpenedStep, Question
from s2s.links.share import CLASS, printable
from s2s.ui.kit import as_markdown, pickers
from s2s.ui.shell import lesson

REFUSED = "class: does not share"  # in the session: the class that the visitor has refused
FAILED = "class: failed"  # in the session: why nothing was written
WRITTEN = "class: written"  # in the session: what the teacher knows
MAX_ID = 16  # characters
QUESTION = (
    "This link belongs to a class. May its teacher see at which step you are, and what you answer to the questions? No"
    " sentence that you type is sent, and no name."
)


def read_from_url() -> None:
    """Read the class from the address while a lesson is open."""
    given = st.query_params.get(CLASS)
    if given is not None and given != st.session_state.get(CLASS):
        _open(printable(given)[:MAX_ID])
    known = str(st.session_state.get(CLASS) or "") if lesson.opened() else ""
    st.session_state[CLASS] = known
    if known:
        st.query_params[CLASS] = known
    elif CLASS in st.query_params:
        del st.query_params[CLASS]


def ask(at: OpenedStep) -> None:
    """Ask once whether the teacher may see the visitor's step."""
    id = _class()
    if not id:
        return
    if why := st.session_state.pop(FAILED, ""):
        st.error(as_markdown(why), icon=":material/error:")
    with contextlib.suppress(UserError):  # closed, or the database is away, as `draw` says
        if lessons.is_participant(id):
            return
        lessons.find_class(id)
        st.caption(QUESTION)
        with st.container(horizontal=True, gap="small"):
            st.button("Yes", key="join class", on_click=_join, args=(id, at))
            st.button("No", key="refuse class", on_click=_refuse, args=(id,))


def draw(at: OpenedStep) -> None:
    """Draw for participants that the teacher sees their step, with a button that ends it."""
    id = _class()
    if not id:
        return
    try:
        if lessons.is_participant(id):
            _note(id, at)
            st.caption("Your teacher sees at which step you are, and your answers.")
            st.button("Stop that", key="leave class", on_click=_do, args=(lessons.leave_class, id))
        else:
            lessons.find_class(id)
    except UserError as error:  # it is closed, or the database is away
        st.caption(as_markdown(str(error)))


def _class() -> str:
    id = str(st.session_state.get(CLASS) or "")
    return "" if st.session_state.get(REFUSED) == id else id


def _open(id: str) -> None:
    st.session_state[CLASS] = ""
    if not id or not asker.is_hosted():
        return
    try:
        st.session_state[CLASS] = lessons.find_class(id).id
    except UserError as error:
        pickers.notify(str(error))


def _note(id: str, at: OpenedStep) -> None:
    now = id, at.number, len(lesson.progress_of(at).right)
    if st.session_state.get(WRITTEN) == now:
        return
    if lessons.find_class(id).lesson == at.lesson.id:  # and not the lesson after it
        lessons.note_participant(*now)
        st.session_state[WRITTEN] = now


def note_answer(question: Question, given: Given, level: str) -> None:
    """Lets the teacher see an answer, where the visitor has agreed."""
    if id := _class():
        with contextlib.suppress(
            UserError
        ):  # it is closed, or the database is away, as `draw` says
            lessons.note_answer(id, question, given, level)


def _join(id: str, at: OpenedStep) -> None:
    _do(lambda id: lessons.join_class(id, at.number, len(lesson.progress_of(at).right)), id)


def _refuse(id: str) -> None:
    st.session_state[REFUSED] = id


def _do(act: Callable[[str], None], id: str) -> None:
    try:
        act(id)
    except UserError as error:
        st.session_state[FAILED] = str(error)  # a toast of a fragment would take the styles away
    if act is lessons.leave_class:
        _refuse(id)
