"""The panel in which a visitor makes a lesson: beside every page, it adds the page's view as the next step."""

from __future__ import annotations

import html
from collections.abc import Iterable

import streamlit as st

from s2s import lessons
from s2s.config import UserError, shortened
from s2s.lessons import MAX_NOTE, MAX_TITLE, Lesson, OpenedStep, OwnLesson, Step, View
from s2s.links.share import LESSON, greedy_and_beam
from s2s.ui.kit import address, forms, new_question, plain, unique_names
from s2s.ui.shell import lesson
from s2s.ui.shell.lesson_panel import HEADING, step_link
from s2s.ui.shell.lesson_sharing import lesson_sharing
from s2s.ui.shell.pages import LESSONS, Page, page, page_link

# in the session
IS_OPEN = "lesson builder is open"
LAST = "lesson last added to"  # its id
CHOSEN = "lesson to add to"  # the same, of the widget
NUMBER = "n steps added"  # each has fields of its own
ADDED = "step added"  # the lesson's id, the step's number and its view

NEW = ""  # in the list, in place of a lesson's id
TITLE = "My lesson"  # of a new one
HOW = (
    "A step is a page as you set it, with your note. Open a page: beside it, or above it in a narrow window, **Add"
    " this page** makes it a step."
)
OFFERED = ("", "compare", "steps", "attention", "heads", "walkthrough")  # pages for a step


def build_lesson(id: str | None = None) -> None:
    """Opens the panel, in place of a lesson that is open.

    The next step is added to this lesson, or begins a new one where it is empty; without it, to the last one.
    """
    if id is not None:
        st.session_state[LAST] = id
    lesson.leave()
    lesson.unfold(True)
    st.session_state[IS_OPEN] = True


def is_building(id: str = "") -> bool:
    """Whether the panel is open, for this lesson if one is named."""
    return bool(st.session_state.get(IS_OPEN)) and id in ("", st.session_state.get(LAST))


def stop_building() -> None:
    """Closes the panel; the lesson stays in Make your own."""
    st.session_state[IS_OPEN] = False


def offer_next_step(own: Iterable[OwnLesson]) -> None:
    """On the page Lessons: says how a step is added to the lesson that is being made, with links to pages."""
    rows = {row.lesson.id: row for row in own}
    row = rows.get(_preferred(rows))
    with st.container(border=True, key="next-step"):
        st.markdown(f"**{plain(row.lesson.title if row else TITLE)}**")
        st.markdown(HOW)
        _offer_pages(_n_steps(row) + 1)
        _close()


def _offer_pages(number: int, besides: str = LESSONS) -> None:
    st.markdown(f"**Open a page to add as step {number}:**")
    with st.container(horizontal=True, gap="xsmall", key="pages to add"):
        for url_path in OFFERED:
            if url_path != besides:
                page_link(url_path, page(url_path).title, **_columns(url_path))


def _columns(url_path: str) -> dict[str, str]:
    run = str(st.session_state.get("run") or "")
    return greedy_and_beam(run) if run and url_path == "compare" else {}


def lesson_builder(page: Page, home: str) -> None:
    """Draws nothing unless a lesson is being made, on a page that has views. `home`: the first page's address.

    A lesson that is opened ends it: it has the same panel.
    """
    if st.session_state.get(LESSON):
        stop_building()
    if is_building() and page.url_path != LESSONS:
        with st.container(key="lesson", gap="small"):
            st.fragment(_draw)(page, home)


def _draw(page: Page, home: str) -> None:
    try:
        own = {each.lesson.id: each for each in lessons.own_lessons()}
        view = View(page.url_path, address.view_values(page.keys))
    except UserError as error:
        forms.show_error(error)
        _close()
        return
    added = _added(own, view)
    chosen = added.lesson.id if added else _preferred(own)
    is_unfolded = _bar(own.get(chosen), is_added=added is not None)
    with st.container(key="lesson-unfolded" if is_unfolded else "lesson-folded", gap="small"):
        if why := st.session_state.get("no link"):
            st.caption(why)
        elif added:
            _show_added(added, page, home)
        else:
            _form(view, own, chosen, _title_of(page))
        _close()


def _added(own: dict[str, OwnLesson], view: View) -> OwnLesson | None:
    id, _, added = st.session_state.get(ADDED) or ("", 0, None)
    return own.get(id) if added == view else None


def _preferred(own: dict[str, OwnLesson]) -> str:
    last = st.session_state.get(LAST)
    return str(last) if last == NEW or last in own else next(reversed(own), NEW)


def _bar(row: OwnLesson | None, *, is_added: bool) -> bool:
    is_unfolded = lesson.is_unfolded()
    name = row.lesson.title if row else "A new lesson"
    number = _n_steps(row) + 1
    said = f"Step {number - 1} is added" if is_added else f"Add this page as step {number}"
    with st.container(key="lesson-bar", horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.html(f"{HEADING}<small>{html.escape(name)}</small><b>{said}</b></div>")
        if st.button(
            "Fold" if is_unfolded else "Open",
            key="fold lesson",
            icon=":material/expand_less:" if is_unfolded else ":material/expand_more:",
            type="tertiary",
        ):
            lesson.unfold(not is_unfolded)
            st.rerun(scope="fragment")
    return is_unfolded


def _n_steps(row: OwnLesson | None) -> int:
    return 0 if row is None or lessons.is_empty(row.lesson) else len(row.lesson.steps)


def _title_of(page: Page) -> str:
    """What a step is called whose maker says nothing: `Attention: the red house`."""
    sentence = str(st.session_state.get("src") or "") if "src" in page.keys else ""
    name = f"{page.title}: {sentence}" if sentence else page.title
    return shortened(" ".join(name.split()), MAX_TITLE)


def _form(view: View, own: dict[str, OwnLesson], preferred: str, title: str) -> None:
    key = (
        f"new step {st.session_state.get(NUMBER, 0)} {view.page}"  # what is typed stays on its page
    )
    titles = {id: row.lesson.title for id, row in own.items()}
    chosen, name = _lesson_fields(key, titles, preferred)
    note = str(
        st.text_area(
            "Note: what to look at on this page",
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
    said = st.container()
    label = f"Add this page as step {_n_steps(own.get(chosen)) + 1}"
    is_added = st.button(label, key="add step", icon=":material/add:", type="primary")
    after = _page_after(view.page)
    if not is_added and after is None:
        return
    try:
        made = _add(chosen, name, Step(title, note, view, question=question()))
    except UserError as error:
        with said:
            forms.show_error(error)
        return
    st.session_state[LAST] = made.id
    st.session_state[NUMBER] = int(st.session_state.get(NUMBER, 0)) + 1
    st.session_state[ADDED] = (made.id, len(made.steps), view)
    if after is not None:
        st.switch_page(page(after).screen(), query_params=_columns(after))
    st.rerun()


def _page_after(besides: str) -> str | None:
    st.caption("Add it, and continue with:")
    others = [path for path in OFFERED if path != besides]
    with st.container(horizontal=True, gap="xsmall", key="add and continue"):
        pressed = [
            path
            for path in others
            if st.button(page(path).title, key=f"add and open {path}", type="tertiary")
        ]
    return next(iter(pressed), None)


def _lesson_fields(key: str, titles: dict[str, str], preferred: str) -> tuple[str, str]:
    names = {**unique_names(titles), NEW: "A new lesson"}
    ids = list(names)
    chosen = NEW
    if titles:
        st.session_state[CHOSEN] = preferred
        chosen = st.selectbox(
            "Lesson", ids, format_func=names.__getitem__, key=CHOSEN, on_change=_prefer
        )
    return chosen, "" if chosen else _line("Title of the lesson", f"{key} name", TITLE)


def _prefer() -> None:
    st.session_state[LAST] = st.session_state[CHOSEN]


def _line(label: str, key: str, otherwise: str) -> str:
    typed = st.text_input(
        label, key=key, max_chars=MAX_TITLE, placeholder=otherwise, persist_state="session"
    )
    return str(typed or "").strip() or otherwise


def _add(id: str, name: str, step: Step) -> Lesson:
    if id and not lessons.is_empty(lessons.find_own(id).lesson):
        return lessons.add_step(id, step)
    made = (
        lessons.add_step(id, step)
        if id
        else lessons.add_lesson(Lesson("new", name, name, lessons.MINUTES, (step,)))
    )
    lessons.share_lesson(made.id, is_shared=True)
    return made


def _show_added(row: OwnLesson, page: Page, home: str) -> None:
    number = _n_steps(row)
    st.success(
        f"This page, as you see it, is step {number}. The lesson is saved under Lessons, Make your own.",
        icon=":material/check:",
    )
    _offer_pages(number + 1, page.url_path)
    st.caption("Or change what this page shows, to add it once more.")
    lesson_sharing(row, home, is_short=True)
    step_link(OpenedStep(row.lesson, 1), "Open the lesson", ":material/play_arrow:")
    page_link(LESSONS, "Edit the lesson", ":material/edit:", set=f"view:own,edit:{row.lesson.id}")


def _close() -> None:
    if st.button(
        "Close",
        key="stop building",
        icon=":material/close:",
        help="The lesson stays on the page Lessons, under Make your own.",
    ):
        stop_building()
        st.rerun()
