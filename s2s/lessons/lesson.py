"""A lesson: views in an order, each with a note and, if wanted, a question. Knows nothing of screens or models."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from s2s.config import UserError, shortened
from s2s.lessons.question import Question
from s2s.links import share

MAX_TITLE = 80  # characters
MAX_SUMMARY = 200
MAX_NOTE = 1200
MOST_STEPS = 40
VALUES = tuple(key for key in share.KEYS if key not in share.BESIDE)  # of a view
NAME = re.compile(r"[a-z][a-z0-9_. -]{0,39}")  # of a control
ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*|[\w-]{16}")
MARKUP = (  # what a note may not contain, and how it is called
    (re.compile(r"!\[[^\]]*\][(\[]"), "an image"),
    (
        re.compile(r"\[[^\]]*\][(\[]|<[a-z][a-z0-9+.-]*:[^>]*>|https?://", re.IGNORECASE),
        "a link",
    ),
    (re.compile(r"</?[a-z][^>]*>|<!--|&#?\w+;", re.IGNORECASE), "HTML"),
)


RUN = "demo-en-fr"


@dataclass(frozen=True)
class View:
    """The view of a step, as a share link opens it: a page by its address ("" is Home) and its values.

    Without a run, it is RUN; on Train and Runs, the run that the reader has open.
    """

    page: str
    values: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for key, value in self.values.items():
            if key not in VALUES:
                raise UserError(
                    f"No view has the value `{shortened(key)}`; there are {', '.join(VALUES)}."
                )
            if share.printable(value)[: share.MAX_LENGTH] != value:
                raise UserError(
                    f"The view's `{key}` cannot be shown; give one line of at most {share.MAX_LENGTH} characters."
                )

    @property
    def run(self) -> str:
        """The run that the view shows on a page about a trained one."""
        column = share.Column.read(self.values.get("c1", "")).run
        return self.values.get("run") or column or RUN


@dataclass(frozen=True)
class Step:
    """One step of a lesson: a view, with what to notice. `hidden` names controls of its page that this step hides."""

    title: str
    note: str  # plain Markdown: paragraphs, **bold**, *italics*, `code`, lists
    view: View
    hidden: tuple[str, ...] = ()
    question: Question | None = None

    def __post_init__(self) -> None:
        _check_line("step's title", self.title, MAX_TITLE)
        check_note(self.note)
        for name in self.hidden:
            if not NAME.fullmatch(name):
                raise UserError(
                    f"No control is called `{shortened(name)}`; give names such as `layer` or `view`."
                )


@dataclass(frozen=True)
class Lesson:
    """A lesson: steps in their order. The id is in links that people keep: it stays."""

    id: str
    title: str
    summary: str  # one line
    minutes: int
    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        if not ID.fullmatch(self.id):
            raise UserError(f"`{shortened(self.id)}` is no lesson's id; give letters and hyphens.")
        _check_line("lesson's title", self.title, MAX_TITLE)
        _check_line("lesson's summary", self.summary, MAX_SUMMARY)
        if not 1 <= len(self.steps) <= MOST_STEPS:
            raise UserError(f"A lesson has {len(self.steps)} steps; give 1 to {MOST_STEPS}.")
        if not 1 <= self.minutes <= 600:
            raise UserError(f"A lesson takes {self.minutes} minutes; give 1 to 600.")

    @property
    def name(self) -> str:
        """The lesson's title up to a colon or comma, for links: `Five minutes`."""
        return re.split("[:,]", self.title)[0].strip() or self.title


def check_note(note: str) -> None:
    """Check a note of a step. Raises UserError for one that is too long, or has more than plain Markdown."""
    if len(note) > MAX_NOTE:
        raise UserError(f"A note has {len(note)} characters; give at most {MAX_NOTE}.")
    text = re.sub(r"`[^`\n]*`", "", note)  # code is shown as it is
    for pattern, name in MARKUP:
        if found := pattern.search(text):
            raise UserError(
                f"A note has {name}: `{shortened(found[0], 30)}`; write paragraphs, **bold**, *italics*, `code` and"
                " lists only."
            )


def _check_line(what: str, text: str, most: int) -> None:
    if not text.strip():
        raise UserError(f"A {what} is empty; give one line of 1 to {most} characters.")
    if share.printable(text) != text or len(text) > most:
        raise UserError(
            f"A {what} is `{shortened(share.printable(text), 30)}`; give one line of 1 to {most} characters."
        )
