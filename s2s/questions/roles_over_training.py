"""How the roles of heads arise: measured at every checkpoint of a run, over the same sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from s2s.analysis import Floats, heads
from s2s.files import from_json
from s2s.jobs import head_roles_history
from s2s.model import saved_steps
from s2s.questions.finding import Finding, first
from s2s.questions.of_sample import OfSample, PlacedHead
from s2s.questions.question import view
from s2s.questions.table import Table
from s2s.runs import Run

CLEAR = 0.1  # a smaller change of a strength is not worth a sentence


@dataclass(frozen=True)
class RolesByStep:
    """The roles at each checkpoint, in the order of training, and the validation losses: steps, and nats per token."""

    checkpoints: tuple[head_roles_history.RolesAt, ...]
    loss: tuple[tuple[int, ...], tuple[float, ...]]
    n: int  # sentences
    note: str  # what a reader must know of these checkpoints
    sample: str = ""

    @property
    def steps(self) -> list[int]:
        return [at.step for at in self.checkpoints]

    def strengths(self, kind: str, role: str) -> Floats:
        """The strength of a role in all heads: (checkpoints, layers, heads)."""
        return np.stack([at.kinds[kind].strengths[role] for at in self.checkpoints])

    def most_changed(self, kind: str) -> str:
        """The role whose strength changes most in any head between the first checkpoint and the last."""
        before, after = (
            at.kinds[kind].strengths for at in self.checkpoints[:: len(self.steps) - 1]
        )
        return max(before, key=lambda slug: float(np.abs(after[slug] - before[slug]).max()))


class StrengthFacts(NamedTuple):
    """The head whose strength of a role changes most between the first checkpoint and the last."""

    label: str
    head: PlacedHead
    before: float
    after: float
    first_step: int
    last_step: int
    threshold: float
    holds_at: int | None  # the first of the steps from which on the rule holds

    @property
    def is_clear(self) -> bool:
        return abs(self.after - self.before) >= CLEAR


CHANGE = "“{label}” of {head} goes from {before:.0%} at step {first_step:,} to {after:.0%} at step {last_step:,}"
FINDINGS = (
    Finding(
        lambda found: found.is_clear and found.holds_at is not None,
        CHANGE + "; from step {holds_at:,} on the rule holds (from {threshold:.0%}).",
    ),
    Finding(
        lambda found: found.is_clear,
        CHANGE + "; at the end the rule, which holds from {threshold:.0%}, does not hold.",
    ),
    Finding(
        lambda found: True,
        "In no head of this attention does “{label}” change by more than 10 points between steps {first_step:,} and"
        " {last_step:,}.",
    ),
)


@dataclass(frozen=True)
class RolesOverTraining(OfSample[RolesByStep]):
    """The roles of all heads at each checkpoint that a run keeps, and the strength of one `role` in one `kind` of
    attention beside the loss; without them, those that change most.
    """

    experiment: ClassVar[str] = "roles-history"

    kind: str = view("", scope="run", label="Attention")
    role: str = view("", scope="run", label="Role")

    def answer_of(self, found: Mapping[str, Any]) -> RolesByStep:
        return from_json(RolesByStep, found)

    def step(self, run: Run) -> int:
        return max(saved_steps(run.folder.checkpoints))

    def shown(self, answer: RolesByStep) -> tuple[str, str]:
        """The kind of attention and the role whose curves are shown."""
        kinds = answer.checkpoints[0].kinds
        kind = self.kind if self.kind in kinds else next(iter(kinds))
        is_there = self.role in kinds[kind].strengths
        return kind, self.role if is_there else answer.most_changed(kind)

    def table(self, answer: RolesByStep) -> Table:
        rows = [
            {"Step": at.step} | row
            for at in answer.checkpoints
            for row in heads.role_rows(at.kinds)
        ]
        columns = [*dict.fromkeys(name for row in rows for name in row)]
        return Table(columns, [[row.get(name) for name in columns] for row in rows])

    def finding(self, answer: RolesByStep) -> str:
        return first(FINDINGS, strength_facts(answer, *self.shown(answer)))


def strength_facts(answer: RolesByStep, kind: str, role: str) -> StrengthFacts:
    """The facts for the sentence about the head whose strength changes most."""
    strengths = answer.strengths(kind, role)
    changes = np.abs(strengths[-1] - strengths[0])
    layer, head = map(int, np.unravel_index(int(changes.argmax()), changes.shape))
    of_head = strengths[:, layer, head]
    threshold = heads.CORPUS_ROLES[role].threshold
    holds = of_head >= threshold
    n_at_end = int(np.cumprod(holds[::-1]).sum())
    return StrengthFacts(
        heads.CORPUS_ROLES[role].label,
        PlacedHead(kind, layer, head),
        float(of_head[0]),
        float(of_head[-1]),
        answer.steps[0],
        answer.steps[-1],
        threshold,
        answer.steps[-n_at_end] if n_at_end else None,
    )
