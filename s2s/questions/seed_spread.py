"""Runs that differ only in their seed, together: mean and spread of their scores per setting."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from s2s.config import unique_names
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have, about
from s2s.questions.question import RUN, Question, subject, view
from s2s.questions.runs_compared import RunsCompared
from s2s.questions.table import Table
from s2s.runs import seeds
from s2s.runs.seeds import Described, Difference, Spread
from s2s.words import format_value

DATA = frozenset(
    {"dataset", "validation", "data hash"}
)  # runs of which these differ do not compare
SCORES = MappingProxyType({"validation loss": "loss", "accuracy": "accuracy", "BLEU": "bleu"})
FORMS = MappingProxyType({"validation loss": ".3g", "accuracy": ".1%", "BLEU": ".1f"})
CERTAIN = 0.05  # of p


@dataclass(frozen=True)
class SeedGroup:
    """Runs with one setting, which differ only in their seed."""

    name: str  # `lr 0.001, n_layers 2`
    settings: tuple[str, ...]  # the values of `SeedGroups.keys`
    runs: tuple[str, ...]
    seeds: tuple[int, ...]
    scores: dict[str, tuple[float | None, ...]]  # of each run, by a name of SCORES

    def spread(self, score: str) -> Spread | None:
        """Mean and spread of one score over the runs; None where no run has it."""
        return Spread.of(self.scores[score])

    def text(self, score: str) -> str:
        """Mean and spread of a score as text: `1.100 ± 0.141`."""
        spread = self.spread(score)
        return spread.text(FORMS[score]) if spread else ""


@dataclass(frozen=True)
class SeedGroups:
    """The finished runs, grouped by setting."""

    keys: tuple[str, ...]  # the settings that differ
    groups: tuple[SeedGroup, ...]
    draws_pairs: bool  # whether the seed also decides on which pairs a run is validated

    @property
    def has_seeds(self) -> bool:
        """Whether the runs have more than one seed."""
        return len({seed for group in self.groups for seed in group.seeds}) > 1

    @property
    def is_averaged(self) -> bool:
        """Whether two runs differ in their seed alone."""
        return any(len(group.runs) > 1 for group in self.groups)

    @property
    def scores(self) -> list[str]:
        """The scores that some run has."""
        return [
            score
            for score in SCORES
            if any(group.spread(score) is not None for group in self.groups)
        ]


class Leading(NamedTuple):
    """The setting with the best mean, and the next one; `difference` is None where one of the two has a single run."""

    name: str
    score: str
    mean: str  # with its spread
    n: int
    other: str
    other_mean: str
    difference: Difference | None

    @property
    def over(self) -> str:
        """How many runs the mean is over, as text."""
        return f"over {self.n} seeds" if self.n > 1 else "of a single run"

    @property
    def interval(self) -> str:
        """The interval of the difference of the means, as text."""
        low, high = self.difference[1:3] if self.difference else (0.0, 0.0)
        return f"{low:.3g} to {high:.3g}".replace("-", "−")

    @property
    def p(self) -> str:
        """The p-value of the difference as text; two digits are enough."""
        p = self.difference.p if self.difference else 1.0
        return f"p = {p:.2g}" if p >= 0.001 else "p < 0.001"


BEST = "Best mean: “{name}”, {score} {mean} {over}"
TESTED = "difference from “{other}” ({other_mean}): 95% interval {interval}, {p}, Welch's t-test."
FINDINGS = (
    Finding(lambda leading: not leading.other, BEST + "."),
    Finding(
        lambda leading: leading.difference is None,
        BEST
        + "; next “{other}” ({other_mean}). With a single run on a side, the difference has no interval.",
    ),
    Finding(lambda leading: leading.difference.p < CERTAIN, BEST + "; " + TESTED),
    Finding(lambda leading: True, BEST + ", which may be chance; " + TESTED),
)


@dataclass(frozen=True)
class SeedSpread(Question[SeedGroups]):
    """Mean and sample standard deviation of scores, over the finished ones of these runs that differ in their seed."""

    name: ClassVar[str] = "seed-spread"

    runs: tuple[str, ...] = subject(RUN, ())
    seed_score: str = view("", lambda score: not score or score in SCORES, label="Score")

    def ask(self, have: Have) -> SeedGroups:
        """Group the runs. Raises UserError for a run that the asker may not open."""
        compared = {run.id: run for run in have.answer(RunsCompared(self.runs)).runs}
        described = {
            run: Described(recipe, known)
            for run in compared
            if have.summary(run).state == "done"
            and (recipe := have.recipe(run))
            and (known := about(run))
        }
        groups = seeds.groups(described)
        settings = seeds.varied([described[ids[0]] for ids in groups]) if groups else {}
        values = [
            [format_value(column[at]) for column in settings.values()] for at in range(len(groups))
        ]
        named = {
            str(at): ", ".join(
                f"{key.rpartition('.')[2]} {value}"
                for key, value in zip(settings, row, strict=True)
            )
            or "all runs"
            for at, row in enumerate(values)
        }
        return SeedGroups(
            tuple(settings),
            tuple(
                SeedGroup(
                    name,
                    tuple(row),
                    ids,
                    tuple(described[run].recipe.train.seed for run in ids),
                    {
                        score: tuple(getattr(compared[run], field) for run in ids)
                        for score, field in SCORES.items()
                    },
                )
                for name, row, ids in zip(unique_names(named).values(), values, groups, strict=True)
            ),
            seeds.draws_pairs(described.values()),
        )

    def stamp(self, have: Have) -> Hashable:
        """What the key has beside the fields: the state of the runs."""
        return RunsCompared(self.runs).stamp(have)

    def score(self, answer: SeedGroups) -> str:
        """The score that is shown: of several tokenizers BLEU, because their losses per token do not compare."""
        has_tokenizers = any(key.startswith("tokenizer.") for key in answer.keys)
        usual = "BLEU" if has_tokenizers and "BLEU" in answer.scores else "validation loss"
        return self.seed_score or usual

    def table(self, answer: SeedGroups) -> Table:
        """A table with one row per setting, each number in a column of its own, every digit."""
        scores = [f"{score} {what}" for score in answer.scores for what in ("mean", "sd", "n")]
        rows = []
        for group in answer.groups:
            row: list[Any] = [*group.settings, len(group.runs), " ".join(map(str, group.seeds))]
            for score in answer.scores:
                row += group.spread(score) or (None, None, 0)
            rows.append([*row, " ".join(group.runs)])
        return Table((*answer.keys, "n", "seeds", *scores, "runs"), rows)

    def finding(self, answer: SeedGroups) -> str:
        """A sentence on which setting has the best mean; empty where nothing was averaged, or two share it, and for
        runs of different data, whose scores do not compare.
        """
        score = self.score(answer)
        spreads = [(group, spread) for group in answer.groups if (spread := group.spread(score))]
        if DATA & {*answer.keys} or all(spread.n < 2 for _, spread in spreads):
            return ""
        sign = 1 if score == "validation loss" else -1
        (best, mean), *others = sorted(spreads, key=lambda each: sign * each[1].mean)
        if not others:
            return first(
                FINDINGS, Leading(best.name, score, best.text(score), mean.n, "", "", None)
            )
        other, next_mean = others[0]
        if next_mean.mean == mean.mean:
            return ""
        return first(
            FINDINGS,
            Leading(
                best.name,
                score,
                best.text(score),
                mean.n,
                other.name,
                other.text(score),
                seeds.difference(mean, next_mean),
            ),
        )
