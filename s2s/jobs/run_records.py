"""A run in a few kilobytes: its recipe and its curve, for links that outlive it.

Only what anyone may know of a run is recorded; knows nothing of links and screens.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from s2s.config import Recipe, UserError, asker
from s2s.files import from_json, to_json
from s2s.jobs import run_copies
from s2s.library import Library, rights, sharing
from s2s.runs import Metrics, RunFolder, runs_folder

FORMAT = 2
READABLE = (*sharing.SHIPPED_SOURCES, "hub:")  # sources that others can read, too
MAX_POINTS = 100  # of the curve
MAX_BYTES = 20_000  # of a record as JSON


class LossPoint(NamedTuple):
    """The loss of one validation in a recorded curve."""

    step: int
    loss: float  # nats per token


@dataclass(frozen=True)
class RunRecord:
    run: str
    name: str
    preset: str
    source: str
    valid: str | None
    recipe: Recipe
    train_hash: str
    valid_hash: str
    versions: Mapping[str, str]
    machine: str
    is_changed: bool  # while it trained, which its recipe does not repeat
    curve: tuple[LossPoint, ...]  # ascending, at most MAX_POINTS


def record(run_id: str) -> dict[str, Any] | None:
    """A run of this workspace as it is now, as `read` reads it; None for one that may not be recorded, or has not been
    validated yet.

    Raises UserError where this workspace may see no such run, or its files are damaged.
    """
    if not may_record(run_id):
        return None
    folder = Library().run(run_id)
    about = folder.about()
    curve = _thinned(_curve(folder))
    if not curve:
        return None
    made = RunRecord(
        run=folder.id,
        name=str(about.get("name") or ""),
        preset=str(about.get("preset") or ""),
        source=about["source"],
        valid=about.get("valid"),
        recipe=folder.recipe(),
        train_hash=str((about.get("data") or {}).get("train_hash", "")),
        valid_hash=str((about.get("data") or {}).get("valid_hash", "")),
        versions=about.get("versions") or {},
        machine=str(about.get("machine") or ""),
        is_changed=bool(about.get("changes")),
        curve=curve,
    )
    content = {"format": FORMAT, **to_json(made)}
    return content if len(json.dumps(content)) <= MAX_BYTES else None


def may_record(run_id: str) -> bool:
    """Whether a run's recipe may be handed on: one's own, trained from scratch here on what anyone can read.

    On a hosted server its owner shares it, and hides nothing of it. Raises UserError where there is no such run.
    """
    folder = Library().run(run_id)
    if (
        folder.path.parent != runs_folder()
    ):  # a demo run, which is never gone, or a folder elsewhere
        return False
    about = folder.about()
    specs = [str(about.get("source") or ""), *filter(None, [about.get("valid")])]
    is_from_scratch = not about.get("init_from") and not about.get("imported")
    is_own = rights.is_own(sharing.run_in(folder))
    if not (is_own and is_from_scratch and all(str(spec).startswith(READABLE) for spec in specs)):
        return False
    is_shared = sharing.sharing("run", folder.id).link and not run_copies.why_private(folder.id)
    return is_shared or not asker.is_hosted()


def read(content: Mapping[str, Any]) -> RunRecord:
    """A stored record. Raises UserError for one by a newer version, and a damaged one."""
    if content.get("format") not in (1, FORMAT):
        raise UserError(
            "The recipe in this link was recorded by a newer version of this program, which this one cannot read;"
            " update this program."
        )
    try:
        return from_json(RunRecord, content)
    except UserError as error:
        raise UserError(
            f"The recipe in this link does not fit this version of the program: {error}"
        ) from error
    except ValueError as error:
        raise UserError(
            "The recipe in this link is damaged; ask who sent it for a new link."
        ) from error


def _curve(folder: RunFolder) -> list[LossPoint]:
    curves = Metrics(folder.path / "metrics.jsonl").read()
    pairs = zip(curves.valid_steps.tolist(), curves.valid_loss.tolist(), strict=True)
    return [LossPoint(step, loss) for step, loss in pairs if np.isfinite(loss)]


def _thinned(points: list[LossPoint]) -> tuple[LossPoint, ...]:
    kept = np.linspace(0, len(points) - 1, min(len(points), MAX_POINTS)).round().astype(int)
    return tuple(points[i] for i in kept.tolist())
