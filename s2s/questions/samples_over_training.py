"""A few validation sentences as a run translated them while it trained: at its newest step and at an earlier one."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

from s2s.questions.finding import Finding, first
from s2s.questions.have import Have, are_held_out
from s2s.questions.question import RUN, Question, setting, subject
from s2s.questions.table import Table


class ProbeTranslation(NamedTuple):
    """A sentence's translations; `earlier` is empty without an earlier step."""

    source: str
    earlier: str
    newest: str
    reference: str


@dataclass(frozen=True)
class ProbeTranslations:
    """The run's name, the steps at which it translated, the earlier one that is shown, and the sentences."""

    run: str
    steps: tuple[int, ...]
    earlier: int | None
    rows: tuple[ProbeTranslation, ...]
    are_held_out: bool

    @property
    def newest(self) -> int:
        return self.steps[-1]

    @property
    def right_now(self) -> int:
        return sum(row.newest == row.reference for row in self.rows)

    @property
    def right_before(self) -> int:
        return sum(row.earlier == row.reference for row in self.rows)

    @property
    def n(self) -> int:
        return len(self.rows)


FINDINGS = (
    Finding(lambda found: not found.rows, ""),
    Finding(
        lambda found: not found.newest,
        "Nothing is learned yet: the weights are random, and so are these outputs.",
    ),
    Finding(
        lambda found: found.earlier is None,
        "At step {newest:,}, {right_now} of {n} translations equal their references.",
    ),
    Finding(
        lambda found: True,
        "At step {newest:,}, {right_now} of {n} translations equal their references; at step {earlier:,},"
        " {right_before}.",
    ),
)


@dataclass(frozen=True)
class SamplesOverTraining(Question[ProbeTranslations]):
    """Greedy translations, over training, of the sentences that a run translates while it trains."""

    run: str = subject(RUN)
    sample: str = setting(
        "",
        lambda step: not step or step.isdecimal(),
        scope="run",
        help="The earlier step, a number; empty for the first.",
    )

    def ask(self, have: Have) -> ProbeTranslations:
        """Read the translations. Raises UserError for a run that the asker may not open."""
        lines = have.samples(self.run)
        steps = tuple(sorted({line["step"] for line in lines}))
        others = steps[:-1]
        wanted = int(self.sample or 0)
        earlier = (wanted if wanted in others else others[0]) if others else None
        before = {
            str(line["source"]): str(line["text"]) for line in lines if line["step"] == earlier
        }
        rows = [
            ProbeTranslation(
                str(line["source"]),
                before.get(str(line["source"]), ""),
                str(line["text"]),
                str(line["reference"]),
            )
            for line in lines
            if line["step"] == steps[-1]
        ]
        name = have.titles([self.run])[self.run]
        return ProbeTranslations(name, steps, earlier, tuple(rows), are_held_out(self.run))

    def stamp(self, have: Have) -> Hashable:
        lines = have.samples(self.run)
        return have.titles([self.run])[self.run], len(lines), lines[-1]["step"] if lines else None

    def table(self, answer: ProbeTranslations) -> Table:
        names = [column for column, _ in columns(answer)]
        return Table(
            names, [[getattr(row, key) for _, key in columns(answer)] for row in answer.rows]
        )

    def finding(self, answer: ProbeTranslations) -> str:
        return first(FINDINGS, answer)


def columns(answer: ProbeTranslations) -> list[tuple[str, str]]:
    """The names of the table's columns, each with the field that it shows."""
    earlier = [] if answer.earlier is None else [(step_name(answer.earlier), "earlier")]
    return [("source", "source"), *earlier, ("now", "newest"), ("reference", "reference")]


def step_name(step: int) -> str:
    """A step as text, `step 1,500`; the first says that it is untrained."""
    return f"step {step:,}" if step else "step 0 (untrained)"
