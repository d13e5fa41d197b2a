"""Segment scores that a visitor gives for a system of an evaluation, of a metric that is not computed here.

external-NAME-0.json holds those of system 0: what they are and `values`, one per sentence of test.jsonl. Each file is
written as a whole and never changed. Knows nothing of queues or screens.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from s2s import files
from s2s.config import UserError
from s2s.runs.evaluations import EvaluationFolder

FORMAT = 1
DIRECTIONS = ("higher", "lower")


@dataclass(frozen=True)
class ExternalScores:
    """The scores of one metric for one system. `hash`: 16 hexadecimal digits of the file's content."""

    metric: str  # its name, as people read it
    better: str  # from DIRECTIONS
    system: int
    file: str
    column: str  # of the file, empty for the only one
    hash: str
    added: str  # UTC, to the second
    values: tuple[float, ...]


def write(place: EvaluationFolder, scores: ExternalScores) -> None:
    """Store external scores, in place of earlier ones of this metric and system."""
    files.write_json(
        _path(place, scores.metric, scores.system), {"format": FORMAT, **files.to_json(scores)}
    )


def read(place: EvaluationFolder) -> list[ExternalScores]:
    """The external scores of an evaluation, by metric in the order in which they were added, then by system.

    Raises UserError for a file that is not one of ours.
    """
    found = [_read(path) for path in place.path.glob("external-*-*.json")]
    first: dict[str, str] = {}
    for one in found:
        first[one.metric] = min(one.added, first.get(one.metric, one.added))
    return sorted(found, key=lambda one: (first[one.metric], one.metric, one.system))


def delete(place: EvaluationFolder, metric: str, system: int) -> None:
    """Delete the external scores of one metric and system, if they are there."""
    _path(place, metric, system).unlink(missing_ok=True)


def _path(place: EvaluationFolder, metric: str, system: int) -> Path:
    name = hashlib.sha256(metric.encode()).hexdigest()[:16]  # a name may hold what a path must not
    return place.path / f"external-{name}-{system}.json"


def _read(path: Path) -> ExternalScores:
    try:
        content = json.loads(path.read_bytes())
        if int(content["format"]) > FORMAT:
            raise UserError(
                f"The scores in `{path.name}` have a newer format than the {FORMAT} known here; update this program."
            )
        return files.from_json(ExternalScores, content)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        if isinstance(error, UserError):
            raise
        raise UserError(
            f"The scores in `{path.name}` of the evaluation `{path.parent.name}` cannot be read; delete that file."
        ) from error
