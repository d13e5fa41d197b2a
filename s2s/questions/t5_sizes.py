"""The five sizes of T5: their parameters written out as products, and beside the numbers that were published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.question import Question, view
from s2s.questions.table import Table
from s2s.sizing import T5_SIZES, BatchSizes, Term, arithmetic, rounded, t5_rows, t5_spec

MILLIONS = {"t5-small": 60, "t5-base": 220, "t5-large": 770, "t5-3b": 2_800, "t5-11b": 11_000}
NEAR = 0.03  # the paper rounds to two or three digits


@dataclass(frozen=True)
class FiveSizes:
    """A row per size of T5, and the terms that add up to its parameters."""

    rows: tuple[Mapping[str, object], ...]
    terms: Mapping[str, tuple[Term, ...]]


class OneSize(NamedTuple):
    """The parameter counts of one size of T5."""

    name: str
    counted: int
    twice: int  # with a second embedding table
    embedding: int
    published: str

    @property
    def total(self) -> str:
        return rounded(self.counted)

    @property
    def share(self) -> str:
        return f"{100 * self.embedding / self.counted:.2g}%"

    @property
    def with_two(self) -> str:
        return rounded(self.twice)

    def is_near(self, counted: int) -> bool:
        """Whether the paper's number of parameters is this one, rounded."""
        return abs(counted / 1e6 / MILLIONS[self.name] - 1) < NEAR


FINDINGS = (
    Finding(
        lambda one: one.is_near(one.counted),
        "{name} has {total} parameters, {share} of them in its one embedding table; the paper says {published}.",
    ),
    Finding(
        lambda one: one.is_near(one.twice),
        "{name} has {total} parameters, {share} of them in its one embedding table; the paper says {published},"
        " which counts that table twice: {with_two}.",
    ),
    Finding(
        lambda one: True,
        "{name} has {total} parameters, {share} of them in its one embedding table.",
    ),
)


@dataclass(frozen=True)
class T5Sizes(Question[FiveSizes]):
    """How the parameters of T5 add up, in its five sizes; `size` is the one that is written out."""

    size: str = view("t5-small", choices={name: name for name in T5_SIZES}, label="Size")

    def ask(self, have: Have) -> FiveSizes:
        whole = {name: t5_spec(name).components(BatchSizes(1, 1, 1)) for name in T5_SIZES}
        return FiveSizes(
            tuple(t5_rows()), {name: tuple(arithmetic(found)) for name, found in whole.items()}
        )

    def table(self, answer: FiveSizes) -> Table:
        terms = answer.terms[self.size]
        rows = [*map(list, terms), ["all together", "", sum(each.parameters for each in terms)]]
        return Table(("where", "product", "parameters"), rows)

    def all_sizes(self, answer: FiveSizes) -> Table:
        """A table with one row per size: its shape, its parameters as published and as counted here."""
        return Table(tuple(answer.rows[0]), [[*row.values()] for row in answer.rows])

    def finding(self, answer: FiveSizes) -> str:
        row = next(row for row in answer.rows if row["size"] == self.size)
        counted, twice = (int(str(row[key])) for key in ("our count", "embedding counted twice"))
        one = OneSize(self.size, counted, twice, twice - counted, str(row["published"]))
        return first(FINDINGS, one)
