"""Whether heads matter because of a role: how strongly each has it, against the loss without that head."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from s2s.analysis import correlation, heads
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.head_importance import HeadImportance, Importance, OfIntervention, of_head, parts
from s2s.questions.head_roles import HeadRoles, Roles
from s2s.questions.of_sample import PlacedHead
from s2s.questions.question import view
from s2s.questions.table import Table

DEFAULT_ROLE = "previous"  # of CORPUS_ROLES
SIGNIFICANT = 0.05
SHUFFLES = 2_000
SEED = 1


@dataclass(frozen=True)
class ImportanceWithRoles:
    """How much each head matters, and its roles over the same sentences."""

    importance: Importance
    roles: Roles

    @property
    def offered(self) -> dict[str, str]:
        return {
            slug: row.label
            for slug, row in heads.CORPUS_ROLES.items()
            if any(slug in found.strengths for found in self.roles.kinds.values())
        }

    @property
    def default(self) -> str:
        return DEFAULT_ROLE if DEFAULT_ROLE in self.offered else next(iter(self.offered))


class RoleEffect(NamedTuple):
    """Rank correlation of the strength of a role with importance, and the share of shuffled heads that reach it."""

    label: str
    n: int  # heads
    rho: float
    p: float

    @property
    def is_clear(self) -> bool:
        return self.p < SIGNIFICANT

    @property
    def chance(self) -> str:
        return "p < 0.001" if self.p < 0.001 else f"p = {self.p:.2g}"

    @property
    def correlation(self) -> str:
        return f"{self.rho:.2f}".replace("-", "−")


ROLE_EFFECTS = (
    Finding(
        lambda found: found.is_clear and found.rho > 0,
        "The stronger “{label}” is in a head, the more that head matters: rank correlation {correlation} over {n}"
        " heads, {chance}.",
    ),
    Finding(
        lambda found: found.is_clear,
        "The stronger “{label}” is in a head, the less that head matters: rank correlation {correlation} over {n}"
        " heads, {chance}.",
    ),
    Finding(
        lambda found: True,
        "Whether a head matters does not go with “{label}”: rank correlation {correlation} over {n} heads, {chance}.",
    ),
)


@dataclass(frozen=True)
class RoleAndImportance(OfIntervention[ImportanceWithRoles]):
    """The importance of each head as in `HeadImportance`, and the `strength` of a role as in `HeadRoles`."""

    strength: str = view("", scope="run", label="Role")

    @property
    def importance(self) -> HeadImportance:
        return HeadImportance(self.run, self.test, self.n, self.how)

    @property
    def roles(self) -> HeadRoles:
        return HeadRoles(self.run, self.test, self.n)

    def ask(self, have: Have) -> ImportanceWithRoles:
        """Ask for importance and roles. Raises UserError as both do."""
        return ImportanceWithRoles(have.answer(self.importance), have.answer(self.roles))

    def stamp(self, have: Have) -> Hashable:
        return self.importance.stamp(have), self.roles.stamp(have)

    def role(self, answer: ImportanceWithRoles) -> str:
        """The slug of the role that is shown."""
        return self.strength if self.strength in answer.offered else answer.default

    def strengths(self, answer: ImportanceWithRoles) -> dict[PlacedHead, float]:
        role = self.role(answer)
        return {
            at: of_head(strengths, at)
            for at in answer.importance.heads
            if at.kind in (strengths := _by_kind(answer.roles, role))
        }

    def table(self, answer: ImportanceWithRoles) -> Table:
        rows = [
            [
                str(at),
                strength,
                *(of_head(values, at) for values in parts(answer.importance.measured)),
            ]
            for at, strength in self.strengths(answer).items()
        ]
        return Table(("head", "strength", "importance", "low", "high"), rows)

    def finding(self, answer: ImportanceWithRoles) -> str:
        strengths = self.strengths(answer)
        changes = [of_head(answer.importance.measured.value, at) for at in strengths]
        found = correlation([*strengths.values()], changes)
        if found is None:  # equal in all heads, or too few
            return ""
        label = heads.CORPUS_ROLES[self.role(answer)].label
        p = _chance([*strengths.values()], changes, abs(found.spearman))
        return first(ROLE_EFFECTS, RoleEffect(label, len(changes), found.spearman, p))


def _by_kind(roles: Roles, role: str) -> dict[str, np.ndarray]:
    return {
        kind: found.strengths[role]
        for kind, found in roles.kinds.items()
        if role in found.strengths
    }


def _chance(strengths: list[float], changes: list[float], rho: float) -> float:
    shuffled = np.random.default_rng(SEED)
    each = (correlation(strengths, shuffled.permutation(changes).tolist()) for _ in range(SHUFFLES))
    n_as_large = sum(abs(one.spearman) >= rho - 1e-9 for one in each if one)
    return (n_as_large + 1) / (SHUFFLES + 1)
