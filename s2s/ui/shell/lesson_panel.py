"""The slim panel of an open lesson, beside every page: the step's note and question, and the way to the next step."""

from __future__ import annotations

import contextlib
import html
import re

import streamlit as st

from s2s.config import UserError
from s2s.lessons import EXERCISES, LESSONS, Lesson, LessonProgress, OpenedStep, lesson_after
from s2s.ui.kit import note_markdown, plain
from s2s.ui.shell import lesson, lesson_class
from s2s.ui.shell.lesson_question import draw_question
from s2s.ui.shell.pages import LESSONS as LIST
from s2s.ui.shell.pages import Page, page_link, rows

NEXT = ":material/arrow_forward:"
HEADING = '<div class="lesson-heading" role="heading" aria-level="2">'


def lesson_panel(page: Page) -> None:
    """Draw the panel of the open lesson; nothing outside a lesson."""
    with st.container():  # so that opening a lesson moves no element below
        if (at := lesson.opened()) is None:
            return
        if page.url_path == at.step.view.page:
            _hide(page, at.step.hidden)
        with contextlib.suppress(UserError):  # the database is away, as the page Lessons says
            lesson.note(at)
        with st.container(key="lesson", gap="small"):
            st.fragment(_draw)(page, at)


def _draw(page: Page, at: OpenedStep) -> None:
    is_unfolded = lesson.is_unfolded()
    is_away = page.url_path != at.step.view.page
    with st.container(key="lesson-bar", horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.html(_heading(at, is_short=is_away and not is_unfolded))
        if is_away:
            step_link(at, "Back to the step", ":material/arrow_back:")
        if st.button(
            "Fold" if is_unfolded else "Open",
            key="fold lesson",
            icon=":material/expand_less:" if is_unfolded else ":material/expand_more:",
            type="tertiary",
        ):
            lesson.unfold(not is_unfolded)
            st.rerun(scope="fragment")
    lesson_class.ask(at)
    with st.container(key="lesson-unfolded" if is_unfolded else "lesson-folded", gap="small"):
        st.markdown(note_markdown(at.step.note))
        if not is_away and st.button(
            "Show the step's view again", key="lesson again", icon=":material/replay:"
        ):
            lesson.show_again()
            st.rerun()
        if at.step.question:
            draw_question(page, at)
        _ways(at)
        lesson_class.draw(at)


def _heading(at: OpenedStep, *, is_short: bool) -> str:
    n_steps = len(at.lesson.steps)
    if is_short:
        name = html.escape(at.lesson.name)
        return f"{HEADING}<small>{name}</small><b>Step {at.number} of {n_steps}</b></div>"
    done = lesson.progress_of(at)
    marks = "".join(f'<i class="{_mark(at, done, step)}"></i>' for step in range(1, n_steps + 1))
    return (
        f"{HEADING}<small>{html.escape(at.lesson.title)}</small>"
        f"<b>Step {at.number} of {n_steps}: {html.escape(at.step.title)}</b>"
        f'<div class="lesson-marks" aria-hidden="true">{marks}</div></div>'
    )


def _mark(at: OpenedStep, done: LessonProgress, step: int) -> str:
    if step == at.number:
        return "now"
    return "right" if step in done.right else "seen" if step in done.answers else ""


def _so_far(at: OpenedStep) -> str:
    done = lesson.progress_of(at)
    n_steps = len(at.lesson.steps)
    n_seen = sum(step <= n_steps for step in done.answers)
    n_questions = sum(step.question is not None for step in at.lesson.steps)
    unanswered = done.open_questions(at.lesson)
    said = _count(n_seen, n_steps, "step") + " seen"
    if n_questions:
        said += f", {_count(n_questions - len(unanswered), n_questions, 'question')} right"
    if unanswered:
        said += f"; open: step{'s' * (len(unanswered) > 1)} {', '.join(map(str, unanswered))}"
    return said[0].upper() + said[1:] + "."


def _count(n: int, most: int, noun: str) -> str:
    plural = "s" * (most > 1)
    return f"all {most} {noun}{plural}" if n == most > 1 else f"{n} of {most} {noun}{plural}"


def _ways(at: OpenedStep) -> None:
    """Draw the links to other steps. The next one comes first: a second press on the same spot never leads back."""
    is_finished = lesson.is_finished(at)
    if is_finished:
        st.success(f"**You have finished this lesson.** {_so_far(at)}", icon=lesson.DONE)
    elif not at.after:
        st.caption(f"This is the last step. {_so_far(at)}")
    with st.container(horizontal=True, gap="small", key="lesson-ways", vertical_alignment="center"):
        if at.after:
            with st.container(key="lesson-next", width="content"):
                step_link(at.after, "Next step", NEXT)
        else:
            _finish(at.lesson)
        if at.before:
            step_link(at.before, "Previous step", ":material/arrow_back:")
        if st.button(
            "Close lesson",
            key="leave lesson",
            type="secondary" if is_finished else "tertiary",
            icon=":material/close:",
        ):
            lesson.leave()
            st.rerun()


def _finish(finished: Lesson) -> None:
    kind = "exercise" if finished.id in EXERCISES else "lesson"
    with st.container(key="lesson-next", width="content"):
        if after := lesson_after(finished):
            step_link(OpenedStep(after, 1), f"Next {kind}: {plain(after.name)}", NEXT)
        elif finished.id in LESSONS:
            page_link(LIST, "Next: the exercises", NEXT, set="view:exercises", lesson="")
        else:
            page_link(LIST, "Finish", ":material/done:", set=f"view:{kind}s", lesson="")
    if after:
        page_link(LIST, f"All {kind}s", ":material/list:", set=f"view:{kind}s", lesson="")


def step_link(at: OpenedStep, label: str, icon: str) -> None:
    """Draw a link that opens a step on its page, with its view."""
    view = at.step.view
    row = next((row for row in rows() if row.url_path == view.page), None)
    if row is None:
        st.caption(f"{label}: the page `{plain(view.page)}` is not there (any more).")
        return
    values = dict(view.values)
    run = view.run if row.run == "trained" else str(st.session_state.get("run") or "")
    if row.run and run:
        values.setdefault("run", run)
    page_link(view.page, label, icon, **values, lesson=str(at))


def _hide(page: Page, names: tuple[str, ...]) -> None:
    if names:
        own = page.url_path or "home"
        slugs = [re.sub("[ .]", "-", name) for name in names]
        keys = [key for name in slugs for key in (name, f"{name}-box", f"{own}-{name}")]
        chosen = ", ".join(f".st-key-{key}" for key in keys)
        whole = f':is({chosen}), [data-testid="stLayoutWrapper"]:has(> :is({chosen}))'  # its margin, too
        st.html(f"<style>{whole} {{ display: none !important; }}</style>")
