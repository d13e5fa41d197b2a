"""The experiment `roles-history`: the roles of heads at every checkpoint of a run, over the same sentences."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2s.analysis import heads
from s2s.config import Config, Recipe, UserError
from s2s.data import Pair
from s2s.files import to_json
from s2s.jobs.heads.measuring import stage
from s2s.jobs.heads.roles import measure_roles, rounded
from s2s.library.checkpoints import load
from s2s.model import saved_steps
from s2s.runs import Metrics, Run, RunFolder, encoded_pairs

FEWEST = 2  # checkpoints


@dataclass(frozen=True)
class RolesHistorySettings(Config):
    """The settings of `roles-history`: nothing to choose."""


@dataclass(frozen=True)
class RolesAt:
    """The roles of the heads at one checkpoint, by kind of attention."""

    step: int
    kinds: Mapping[str, heads.KindRoles]


def measure(
    run: Run, pairs: Sequence[Pair], settings: RolesHistorySettings
) -> Generator[float, None, dict[str, Any]]:
    """Roles at each checkpoint that is saved, and the run's validation losses. Raises UserError where there are fewer
    than FEWEST.
    """
    steps = checkpoints(run.folder)
    sample = encoded_pairs(run, [(pair.src, pair.tgt) for pair in pairs])
    found = []
    for number, step in enumerate(steps):
        measuring = measure_roles(
            load(run.folder.path, step).in_languages(*run.key.languages), sample
        )
        ends = number / len(steps), (number + 1) / len(steps)
        roles = yield from stage(*ends, measuring)
        found.append(to_json(rounded(RolesAt(step, roles.kinds))))
    curves = Metrics(run.folder.path / "metrics.jsonl").read()
    loss = [curves.valid_steps.tolist(), np.round(curves.valid_loss, 4).tolist()]
    return {"n": len(sample), "checkpoints": found, "loss": loss, "note": ""}


def checkpoints(folder: RunFolder) -> list[int]:
    """The steps that are measured. Raises UserError where there are fewer than FEWEST."""
    steps = saved_steps(folder.checkpoints)
    if len(steps) < FEWEST:
        raise UserError(
            "This run has a single checkpoint; to see how roles arise, train with `train.watch.keep` at 10 or more."
        )
    return steps


def passes(recipe: Recipe, settings: RolesHistorySettings) -> float:
    """The most forward passes per sentence: one per checkpoint that a run keeps, and one for the best."""
    watch = recipe.train.watch
    return float(min(watch.keep, recipe.train.steps // watch.save_every) + 1)
