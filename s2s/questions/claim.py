"""A paper's claim with what was measured of it on small models: as it ships, or on this computer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from s2s.lessons import claims
from s2s.questions.have import Have
from s2s.questions.question import Question, setting
from s2s.questions.table import Table


@dataclass(frozen=True)
class PaperClaim(Question[claims.Claim]):
    """What a paper claims, and what the numbers say of it."""

    live: ClassVar[str] = "parallel"  # the one that every computer can measure in a moment

    claim: str = setting(live, choices=lambda: {id: row.title for id, row in claims.CLAIMS.items()})
    here: bool = setting(
        False, in_set=False, help=f"Measure `{live}` now instead of showing what ships."
    )

    def ask(self, have: Have) -> claims.Claim:
        found = claims.CLAIMS[self.claim]
        if self.claim != self.live or not self.here:
            return found
        return replace(found, measured=claims.parallel.measure(have.run(claims.parallel.RUN).model))

    def table(self, answer: claims.Claim) -> Table:
        columns = answer.measured.table
        return Table(tuple(columns), [[*row] for row in zip(*columns.values(), strict=True)])

    def finding(self, answer: claims.Claim) -> str:
        return answer.measured.finding
