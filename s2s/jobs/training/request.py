"""A run as somebody requests it, and as the queue keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from s2s.config import Recipe, asker
from s2s.data import absolute
from s2s.files import from_json
from s2s.jobs.training.initialization import InitialCheckpoint
from s2s.processes import queue
from s2s.runs import LONGEST_NAME, clean_name


@dataclass(frozen=True)
class RunRequest:
    """What to train, on what, for whom."""

    recipe: Recipe
    source: str
    valid: str | None = None
    preset: str = ""
    name: str = ""
    owner: str = asker.LOCAL
    init_from: str = ""  # RUN or RUN@STEP, whose weights and vocabulary it starts with
    tags: tuple[str, ...] = ()
    # Settings that the preset quick keeps, even where they have its own values.
    given: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The name that people see."""
        return (clean_name(self.name) or self.preset or self.source)[:LONGEST_NAME].rstrip()

    def to_spec(self) -> dict[str, Any]:
        """The request as a job's `spec`."""
        train = self.recipe.train
        return {
            "recipe": self.recipe.to_json(),
            "source": absolute(self.source),
            "valid": self.valid and absolute(self.valid),
            "preset": self.preset,
            "name": self.title,
            "threads": train.threads,
            "spins": train.adapts_threads,  # whether its threads spin while they wait for each other
            "init_from": self.init_from,
            "tags": list(self.tags),
            "given": list(self.given),
        }

    @staticmethod
    def from_job(job: queue.Job) -> RunRequest:
        """The request in a job, as `to_spec` wrote it; older jobs have no `init_from`, tags or given settings."""
        return from_json(RunRequest, {**job.spec, "owner": job.owner})


def initial_checkpoint(about: Mapping[str, Any]) -> str:
    """`RUN@STEP` of recipe.json or of a job's spec, where it is a string already; empty for a run from scratch."""
    given = about.get("init_from") or ""
    return given if isinstance(given, str) else str(InitialCheckpoint(**given))
