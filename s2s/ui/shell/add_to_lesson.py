"""Below Share: the page's view as a step of a lesson of one's own."""

from __future__ import annotations

import streamlit as st

from s2s import lessons
from s2s.config import UserError, shortened
from s2s.lessons import MAX_NOTE, MAX_TITLE, Lesson, OpenedStep, OwnLesson, Step, View
from s2s.ui.kit import address, forms, new_question, plain, unique_names
from s2s.ui.shell.lesson_panel import step_link
from s2s.ui.shell.lesson_sharing import lesson_sharing
from s2s.ui.shell.pages import LESSONS, Page, page_link

# in the session
LAST = "lesson last added to"  # its id
NUMBER = "n steps added"  # each has fields of its own
ADDED = "step added"  # the lesson's id, the step's number and its view

NEW = ""  # in the list, in place of a lesson's id
TITLE = "My lesson"  # of a new one


def prefer_lesson(id: str) -> None:
    """The next step is added to this lesson, unless the visitor chooses another."""
    st.session_state[LAST] = id
    st.session_state[NUMBER] = int(st.session_state.get(NUMBER, 0)) + 1


@st.fragment
def add_to_lesson(page: Page, home: str) -> None:
    """The form, or what was added by it, while the same view is on the screen. `home`: the first page's address."""
    try:
        own = {each.lesson.id: each for each in lessons.own_lessons()}
        view = View(page.url_path, address.view_values(page.keys))
    except UserError as error:
        forms.show_error(error)
        return
    id, number, added = st.session_state.get(ADDED) or ("", 0, None)
    if id in own and added == view:
        _show_added(own[id], number, home)
        return
    _form(view, own, _title_of(page))


def _title_of(page: Page) -> str:
    """What a step is called whose maker says nothing: `Attention: the red house`."""
    sentence = str(st.session_state.get("src") or "") if "src" in page.keys else ""
    name = f"{page.title}: {sentence}" if sentence else page.title
    return shortened(" ".join(name.split()), MAX_TITLE)


def _form(view: View, own: dict[str, OwnLesson], title: str) -> None:
    key = f"new step {st.session_state.get(NUMBER, 0)} {view.page}"  # a draft stays on its page
    chosen, name = _lesson_fields(key, {id: row.lesson.title for id, row in own.items()})
    note = str(
        st.text_area(
            "Note: what the student should look at",
            key=f"{key} note",
            max_chars=MAX_NOTE,
            height=82,
            help="Paragraphs, lists, **bold**, *italics* and `code`.",
            persist_state="session",
        )
        or ""
    )
    question = new_question(key)
    title = _line("Title of the step", f"{key} title", title)
    with st.container(key="add-step", gap="xsmall"):
        said = st.container()
        is_asked = st.button("Add", key="add step", icon=":material/add:", type="primary")
    if not is_asked:
        return
    try:
        lesson = _add(chosen, name, Step(title, note, view, question=question()))
    except UserError as error:
        with said:
            forms.show_error(error)
        return
    prefer_lesson(lesson.id)
    st.session_state[ADDED] = (lesson.id, len(lesson.steps), view)
    st.rerun()


def _lesson_fields(key: str, titles: dict[str, str]) -> tuple[str, str]:
    """The id of the lesson that is added to, and the title of a new one."""
    names = {**unique_names(titles), NEW: "A new lesson"}
    ids = list(names)
    last = st.session_state.get(LAST)
    first = last if last in ids else ids[-2] if titles else NEW  # the newest
    with st.container(horizontal=True, gap="small"):
        chosen = st.selectbox(
            "Lesson",
            ids,
            ids.index(first),
            format_func=names.__getitem__,
            key=f"{key} lesson",
            persist_state="session",
        )
        name = "" if chosen else _line("Title of the lesson", f"{key} name", TITLE)
    return chosen, name


def _line(label: str, key: str, otherwise: str) -> str:
    """What is typed, or what the empty field shows."""
    typed = st.text_input(
        label, key=key, max_chars=MAX_TITLE, placeholder=otherwise, persist_state="session"
    )
    return str(typed or "").strip() or otherwise


def _add(id: str, name: str, step: Step) -> Lesson:
    """Appends the step to a lesson, or begins one with it, which is shared as what Share shows."""
    if id:
        return lessons.add_step(id, step)
    made = lessons.add_lesson(Lesson("new", name, name, lessons.MINUTES, (step,)))
    lessons.share_lesson(made.id, is_shared=True)
    return made


def _show_added(row: OwnLesson, number: int, home: str) -> None:
    """What was done, and the ways from here: the lesson's link, the lesson, one more step."""
    lesson = row.lesson
    st.success(
        f"This view is step {number} of “{plain(lesson.title)}”. For the next step, open another page or change this"
        " view, and press Share again.",
        icon=":material/check:",
    )
    lesson_sharing(row, home)
    step_link(OpenedStep(lesson, 1), "Open the lesson", ":material/play_arrow:")
    page_link(LESSONS, "Edit the lesson", ":material/edit:", set=f"view:own,edit:{lesson.id}")
