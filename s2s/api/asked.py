"""Questions asked from Python: a script reads the answer and its numbers, a notebook shows the pictures."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from s2s.config import UserError, shortened
from s2s.faults import marked
from s2s.library import guests
from s2s.questions import RUN, Have, Question, Table
from s2s.questions.views import BY_NAME
from s2s.runs import Run

if TYPE_CHECKING:
    from s2s.plots import Picture

Answer = TypeVar("Answer")
SENTENCE, EVALUATION = "sentence", "evaluation"  # what a subject is of
LONG = 2.0  # seconds from which on progress is shown
LONGEST = 200  # characters of a finding in a repr
NO_PLOTLY = (
    "Pictures need plotly, which this environment lacks; in the project's folder, run: pip install"
    ' ".[app]"'
)


@dataclass(frozen=True, repr=False)
class Asked(Generic[Answer]):
    """A question with its answer. A notebook shows its pictures, and without Plotly its numbers."""

    question: Question[Answer]
    answer: Answer
    model: str  # the runs with their checkpoints, as titles name them

    @property
    def finding(self) -> str:
        """In words, what the answer shows; empty where it shows nothing that is worth a sentence."""
        return self.question.finding(self.answer)

    @property
    def table(self) -> Table:
        """The numbers that the question shows: `.csv()`, or `.columns` and `.rows`."""
        return self.question.table(self.answer)

    @property
    def pictures(self) -> list[Picture]:
        """What the dashboard draws, each with a title, a figure and a table. Raises UserError without Plotly."""
        if find_spec("plotly") is None:
            raise UserError(NO_PLOTLY)
        row = BY_NAME.get(self.question.name)
        return row.pictures(self.question, self.answer, self.model) if row else []

    def __repr__(self) -> str:
        return f"Asked({': '.join(filter(None, (self.question.name, shortened(self.finding, LONGEST))))})"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._html()}

    def _html(self) -> str:
        why_not = ""
        try:
            if drawn := self.pictures:
                from s2s.reports import pictures

                return pictures.embedded(self.model or self.question.name, drawn)
        except UserError as error:  # no Plotly, or too much data
            why_not = str(error)
        said = (
            f"<p>{escape(sentence)}</p>" if sentence else "" for sentence in (self.finding, why_not)
        )
        return self.table.html().join(said)


def ask(question: Question[Answer], *, progress: bool = True) -> Asked[Answer]:
    """Ask a question of `s2s.questions`: what a page of the dashboard shows, as its menu "Save, data, code" writes it.

    Runs are given by name: an id, a folder or a demo, each also as RUN@STEP. The result has `.answer` (arrays, numbers
    and texts), `.finding` (a sentence), `.table` and `.pictures`, which a notebook shows; they need the extra `app`.
    What takes longer than two seconds shows its `progress` on standard error. Equal questions are answered once per
    process. Raises UserError for what cannot be asked or answered.
    """
    from tqdm.auto import tqdm

    if not isinstance(question, Question):
        given = shortened(repr(question))
        raise UserError(
            f"`{given}` is no question; give one of s2s.questions, such as SameWord(...)."
        )
    _require_subjects(question)
    with tqdm(delay=LONG, leave=False, unit="step", file=sys.stderr, disable=not progress) as bar:

        def tell(done: int, of: int) -> None:
            bar.total = of
            if done < bar.n:  # the next search begins
                bar.n = bar.last_print_n = 0
            bar.update(done - bar.n)

        have = Have(tell)
        answer = have.answer(question)
    return Asked(question, answer, ", ".join(_model(have, name) for name in question.of(RUN)))


def _model(have: Have, name: str) -> str:
    try:
        return _named(have.run(name))
    except UserError:  # it has no checkpoint yet
        return have.titles([name])[name]


def _require_subjects(question: Question[Any]) -> None:
    if question.of(EVALUATION):  # which names its runs
        return
    for what in (RUN, SENTENCE):
        rows = [row for row in question.declared() if row.metadata["of"] == what]
        names = [row.name for row in rows if not row.metadata["is_optional"]]
        if names and not any(str(each).strip() for each in question.of(what)):
            raise UserError(
                f"`{question.name}` is asked of a {what}, and none is given; give one as `{names[0]}`."
            )


def _named(run: Run) -> str:
    about = guests.about_run(run.folder)
    name = marked(str(about.get("name") or run.folder.id), run.recipe.train.fault)
    is_published = not run.step and bool(about.get("imported"))
    step = "as published" if is_published else f"step {run.step:,}"
    return " · ".join(filter(None, (name, step, " → ".join(filter(None, run.key.languages)))))
