"""A lesson on paper: its notes, pictures, questions with room for answers, and the address of each view."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator

from s2s.config import UserError
from s2s.jobs import run_archives
from s2s.lessons import (
    ChoiceQuestion,
    Context,
    HeadQuestion,
    Lesson,
    NumberQuestion,
    OpenedStep,
    Question,
    saved_run,
)
from s2s.links import share
from s2s.reports import document
from s2s.reports.lesson_pictures import pictures
from s2s.runs import Run

MARKS = re.compile(r"(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*)")
ITEM = re.compile(r"\s*(?:[-*]|\d{1,3}\.)\s+")
Opener = Callable[[str, int | None], Run]
STYLE = "section { break-inside: avoid } .answer { border-bottom: 1px dotted; height: 2.2em }"


def lesson_handout(lesson: Lesson, home: str) -> str:
    """One HTML file to print; `home` is the full address of the dashboard, which ends in a slash.

    What a view shows is computed here; of a run that this workspace may not see, the file says so.
    """
    opener = functools.cache(saved_run)  # most steps show the same run
    with run_archives.ONE_AT_A_TIME:
        sections = [
            document.section(f"{number}. {step.title}", *_step(lesson, number, home, opener))
            for number, step in enumerate(lesson.steps, 1)
        ]
    about = f"{lesson.summary} · {lesson.minutes} minutes"
    top = document.header(lesson.title, about, document.made_at(), home)
    return document.page(lesson.title, f"{top}{''.join(sections)}", style=STYLE)


def _step(lesson: Lesson, number: int, home: str, opener: Opener) -> Iterator[str]:
    at = OpenedStep(lesson, number)
    yield from map(_paragraph, at.step.note.split("\n\n"))
    view = at.step.view
    try:
        yield from pictures(Context(view.run, view.page, view.values, opener=opener))
    except UserError as error:
        yield f'<p class="note">{_marked(f"There is no picture of this view: {error}")}</p>'
    if at.step.question:
        yield from _question(at.step.question)
    url = share.link(f"{home}{view.page}", {**view.values, share.LESSON: str(at)})
    yield f'<p><small><a href="{document.text(url)}">{document.text(url)}</a></small></p>'


def _paragraph(words: str) -> str:
    lines = words.splitlines()
    if lines and all(map(ITEM.match, lines)):
        items = (f"<li>{_marked(ITEM.sub('', line, count=1))}</li>" for line in lines)
        return f"<ul>{''.join(items)}</ul>"
    return f"<p>{_marked(' '.join(lines))}</p>"


def _marked(words: str) -> str:
    return "".join(
        _mark(part) if i % 2 else document.text(part) for i, part in enumerate(MARKS.split(words))
    )


def _mark(part: str) -> str:
    tag = "code" if part[0] == "`" else "b" if part.startswith("**") else "i"
    return f"<{tag}>{document.text(part.strip('`*'))}</{tag}>"


def _question(question: Question) -> Iterator[str]:
    yield f"<p><b>Question.</b> {_marked(question.prompt)}</p>"
    if isinstance(question, ChoiceQuestion):
        yield f"<ul>{''.join(f'<li>&#9744; {_marked(one)}</li>' for one in question.options)}</ul>"
    elif isinstance(question, (NumberQuestion, HeadQuestion)):
        yield '<p class="answer"></p>'
