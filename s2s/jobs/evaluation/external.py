"""Segment scores of a metric that is not computed here, such as COMET or human ratings: checked, stored, and joined
with the scores of an evaluation. Knows nothing of screens.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from s2s.config import UserError, asker, shortened
from s2s.data import format_size, opening
from s2s.files import stored
from s2s.jobs.evaluation.test_sets import MAX_SENTENCES, chosen_indices
from s2s.library import Library
from s2s.runs import (
    EvaluationFolder,
    ExternalScores,
    Sentences,
    clean_name,
    external_scores,
)
from s2s.scores import METRIC_NAMES, mean_differences, mean_intervals

LONGEST_METRIC = 40  # characters
MOST_METRICS = 8  # of one evaluation
MEGABYTES = 20  # of one file
SIGNATURE = "mean of segment scores that were given, not computed|better:{better}"
# The columns of the tables that they join.
RESERVED = frozenset(
    "system number source reference translation log_prob rarest rarest_count repeats hints run checkpoint settings gap"
    " no. score value seed n".split()
) | {"rarest word"}


@dataclass(frozen=True)
class GivenScores:
    """A file of segment scores as somebody gives it. `column`: a name, or a number from 1; empty for the only one."""

    metric: str
    better: str  # higher or lower
    system: int
    file: str
    content: bytes
    column: str = ""


def add(evaluation: str, given: GivenScores, owner: str = asker.LOCAL) -> ExternalScores:
    """Check and store them. Raises UserError for what is wrong with them, in one sentence."""
    place = Library(owner).evaluation(evaluation, "change")
    what = place.evaluation()
    scores = place.scores()
    if not scores.get("is_final"):
        raise UserError(
            f"The evaluation `{what.name}` is not done yet; add scores when all its sentences are translated."
        )
    metric = checked_metric(given.metric)
    if given.better not in external_scores.DIRECTIONS:
        raise UserError(f"`{given.better[:40]}` is no direction of a metric; give higher or lower.")
    if not 0 <= given.system < len(what.systems):
        raise UserError(
            f"There is no system {given.system} in `{what.name}`; it has {len(what.systems)}, counted from 0."
        )
    _check_known(external_scores.read(place), metric, given, what.systems[given.system].name)
    values = _values(given, int(scores["n"]), what.test)
    found = ExternalScores(
        metric=metric,
        better=given.better,
        system=given.system,
        file=shortened(clean_name(given.file), 100),
        column=shortened(clean_name(given.column), 100),
        hash=hashlib.sha256(given.content).hexdigest()[:16],
        added=stored.now(),
        values=tuple(values),
    )
    external_scores.write(place, found)
    return found


def delete(evaluation: str, metric: str, system: int, owner: str = asker.LOCAL) -> None:
    """Delete the scores of a metric for a system. Raises UserError where the evaluation is not that owner's."""
    external_scores.delete(Library(owner).evaluation(evaluation, "change"), metric, system)


def checked_metric(name: str) -> str:
    """The cleaned name of a metric. Raises UserError for a name that is empty, too long, or that of a metric here."""
    name = clean_name(name)
    if not 0 < len(name) <= LONGEST_METRIC:
        raise UserError(
            f"The name of a metric has 1 to {LONGEST_METRIC} characters and this one has {len(name)}; give one such as"
            " `COMET`."
        )
    taken = {each.casefold() for key, row in METRIC_NAMES.items() for each in (key, row.label)}
    if name.casefold() in taken | RESERVED:
        raise UserError(
            f"`{name}` is already the name of a number here; give another, such as `{name[:30]} (mine)`."
        )
    return name


def _check_known(
    known: Sequence[ExternalScores], metric: str, given: GivenScores, system: str
) -> None:
    same = [one for one in known if one.metric == metric]
    if any(one.system == given.system for one in same):
        raise UserError(
            f"`{system}` has scores of `{metric}`; delete those first, or give another name."
        )
    if same and same[0].better != given.better:
        raise UserError(
            f"`{metric}` of another system was added with {same[0].better} is better; choose the same, or give another"
            " name."
        )
    metrics = {one.metric for one in known} | {metric}
    if len(metrics) > MOST_METRICS:
        raise UserError(
            f"An evaluation has at most {MOST_METRICS} metrics of files, and this is one more; delete one first."
        )


def _values(given: GivenScores, n: int, test: Sentences) -> list[float]:
    if len(given.content) > MEGABYTES * 1_000_000:
        raise UserError(
            f"`{shortened(given.file)}` has {format_size(len(given.content))}, more than the limit of {MEGABYTES} MB;"
            " give the column of the scores alone."
        )
    allowed = sorted({n, test.n, test.n_all})
    most = max(*allowed, MAX_SENTENCES)
    (found,) = opening.opened(
        opening.numbers, [(given.file, given.content)], column=given.column, most=most
    )
    if len(found) in (n, test.n):
        return found
    if len(found) == test.n_all:
        return [found[i] for i in chosen_indices(test.n_all, test.n, test.seed)]
    needed = f"{n:,}" if allowed == [n] else f"{n:,} (or {allowed[-1]:,}, for the whole test set)"
    raise UserError(
        f"`{shortened(given.file)}` has {len(found):,} scores and needs {needed}: one per sentence, in the order of the"
        " test set."
    )


def covering(place: EvaluationFolder, n: int) -> list[ExternalScores]:
    """External scores that cover each of the first `n` sentences: after a resumption, earlier ones may not."""
    return [one for one in external_scores.read(place) if len(one.values) >= n]


def joined(
    scores: Mapping[str, Any], given: Sequence[ExternalScores], baseline: int
) -> dict[str, Any]:
    """The content of scores.json with the means of `given` by metric: intervals, and differences from the baseline.

    `external` in it says of each of these metrics whether higher or lower is better.
    """
    n = int(scores["n"])
    own = {(one.metric, one.system): one.values[:n] for one in given}
    theirs = {key: own[key[0], baseline] for key in own if (key[0], baseline) in own}
    pairs = {key: values for key, values in own.items() if key in theirs and key[1] != baseline}
    intervals = mean_intervals(own)
    differences = mean_differences(pairs, {key: theirs[key] for key in pairs})
    systems = []
    for number, system in enumerate(scores["systems"]):
        mine = [one for one in given if one.system == number]
        keys = {one.metric: (one.metric, number) for one in mine}
        systems.append(
            {
                **system,
                "scores": system["scores"]
                | {name: asdict(intervals[key]) for name, key in keys.items()},
                "paired": system.get("paired", {})
                | {
                    name: asdict(differences[key])
                    for name, key in keys.items()
                    if key in differences
                },
                "signature": system["signature"]
                | {one.metric: SIGNATURE.format(better=one.better) for one in mine},
            }
        )
    return {**scores, "systems": systems, "external": {one.metric: one.better for one in given}}
