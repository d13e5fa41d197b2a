"""The sentences of an evaluation in buckets, and the score of each: where one system is better than another."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from s2s.analysis import BUCKETINGS, BucketScore, bucket_scores
from s2s.config import UserError
from s2s.questions.evaluate import EVALUATION, Evaluate
from s2s.questions.evaluated import Evaluated
from s2s.questions.have import Have
from s2s.questions.question import Question, setting, subject
from s2s.questions.table import Table

NONE = "none"  # stands in links
METRICS = ("bleu", "chrf", "ter", "rouge_l", "exact_match")


@dataclass(frozen=True)
class Buckets:
    """Scores by bucket of one system, or of two with differences, first minus second."""

    names: tuple[str, ...]  # of the systems
    n: int  # sentences of the test set
    metric: str  # its label
    is_given: bool  # in a file: of any scale
    has_several: bool  # references of a sentence
    found: tuple[BucketScore, ...]  # empty where no sentence has the value


@dataclass(frozen=True)
class ScoreBuckets(Question[Buckets]):
    """Scores by bucket: by default of the last system and the baseline, by source length. Systems count from 1."""

    evaluation: str = subject("evaluation")
    bucket_of: str = setting("", scope=EVALUATION, is_part=True, label="System")
    bucket_other: str = setting("", scope=EVALUATION, is_part=True, label="Compared with")
    bucket: str = setting("length", choices=BUCKETINGS, is_part=True, label="Buckets")
    bucket_score: str = setting("chrf", is_part=True, label="Score")

    def ask(self, have: Have) -> Buckets:
        """The scores. Raises UserError for a system or a score that there is not, and for a guest who may not see
        sentences.
        """
        whole = have.answer(Evaluate(evaluation=self.evaluation))
        if not whole.sentences:
            raise UserError(
                "There are no sentences to sort: it is not done, or its owner has not shared them."
            )
        ours, theirs = self.systems(whole)
        chosen = [whole.sentences[i] for i in (ours, theirs) if i is not None]
        offered = offered_scores(whole, (ours, theirs))
        if self.bucket_score not in offered:
            raise UserError(
                f"`bucket_score` is `{self.bucket_score[:40]}`; choose from {', '.join(offered)}."
            )
        found = bucket_scores(
            chosen[0],
            chosen[1] if len(chosen) > 1 else None,
            whole.references,
            by=self.bucket,
            metric=self.bucket_score,
            scoring=whole.evaluation.scoring,
        )
        return Buckets(
            tuple(whole.names[i] for i in (ours, theirs) if i is not None),
            whole.n,
            offered[self.bucket_score],
            self.bucket_score not in METRICS,
            whole.has_several,
            tuple(found),
        )

    def systems(self, whole: Evaluated) -> tuple[int, int | None]:
        """The index of the chosen system, from 0, and of the one that it is compared with."""
        names = whole.names
        ours = _number(self.bucket_of or str(len(names)), len(names), "bucket_of")
        baseline = whole.evaluation.baseline
        if self.bucket_other == NONE or (not self.bucket_other and baseline == ours):
            return ours, None
        other = self.bucket_other or str(baseline + 1)
        return ours, _number(other, len(names), "bucket_other")

    def stamp(self, have: Have) -> Hashable:
        return Evaluate(evaluation=self.evaluation).stamp(have)

    def table(self, answer: Buckets) -> Table:
        names = [f"{answer.metric} of {name}" for name in answer.names]
        if len(names) < 2:
            rows = [[one.name, one.n, one.score] for one in answer.found]
            return Table(("bucket", "sentences", *names), rows)
        pairs = [
            [
                *(one.name, one.n, one.score, one.other),
                *(one.difference.difference, one.difference.low, one.difference.high),
            ]
            for one in answer.found
            if one.difference
        ]
        head = ("bucket", "sentences", *names, "difference", "95 % from", "to")
        return Table(head, pairs)


def offered_scores(whole: Evaluated, chosen: tuple[int, int | None]) -> dict[str, str]:
    """The scores to choose from, labels by key: one of a file only where all these systems have it."""
    rows = [whole.sentences[i] for i in chosen if i is not None]
    given = [name for name in whole.given if all(name.key in each[0].scores for each in rows)]
    return {name.key: name.label for name in (*(whole.metrics[key] for key in METRICS), *given)}


def _number(text: str, n: int, name: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= n:
        raise UserError(f"`{name}` is `{text[:40]}`; give the number of a system, from 1 to {n}.")
    return int(text) - 1
