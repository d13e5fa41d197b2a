"""Roles at every checkpoint are those of each checkpoint on its own."""

from __future__ import annotations

import json

import numpy as np
import pytest

from s2s.config import UserError
from s2s.data import Pair
from s2s.files import from_json
from s2s.jobs.heads import roles
from s2s.jobs.heads.experiments import EXPERIMENTS
from s2s.jobs.heads.roles_history import RolesHistorySettings, measure
from s2s.library.checkpoints import load
from s2s.questions import RolesByStep
from s2s.runs import Run, encoded_pairs, runs_folder
from tests.analysis.heads.samples import finished
from tests.conftest import make_run

PAIRS = [Pair(f"{i} 2 3", f"3 2 {i}") for i in range(4, 8)] * 3


def run_with(changes: dict[str, object]) -> Run:
    return load(make_run(runs_folder() / "histories00000000", changes))


def test_each_checkpoint_has_the_roles_that_it_has_alone() -> None:
    run = run_with({})  # saved at 10, 20 and 30 steps
    content = json.loads(json.dumps(finished(measure(run, PAIRS, RolesHistorySettings()))))
    history = from_json(RolesByStep, content)
    steps, losses = history.loss
    assert [at.step for at in history.checkpoints] == [10, 20, 30]
    assert {10, 20, 30} <= {*steps}
    assert losses[0] > losses[-1] > 0
    for at in history.checkpoints:
        one = load(run.folder.path, at.step)
        sample = encoded_pairs(one, [(pair.src, pair.tgt) for pair in PAIRS])
        alone = finished(roles.measure_roles(one, sample))
        for kind, found in alone.kinds.items():
            np.testing.assert_array_equal(at.kinds[kind].role, found.role)
            for slug, strength in found.strengths.items():
                np.testing.assert_allclose(at.kinds[kind].strengths[slug], strength, atol=1e-4)
    first, last = (
        at.kinds["cross"].entropy for at in (history.checkpoints[0], history.checkpoints[-1])
    )
    assert not np.array_equal(first, last)  # three models, not one three times


def test_a_run_with_one_checkpoint_has_no_history() -> None:
    run = run_with({"train.steps": 2})
    with pytest.raises(UserError, match=r"single checkpoint; .* `train.watch.keep`"):
        next(measure(run, PAIRS, RolesHistorySettings()))


def test_the_forecast_counts_a_pass_per_checkpoint() -> None:
    run = run_with({})
    passes = EXPERIMENTS["roles-history"].passes(run.recipe, RolesHistorySettings())
    assert passes == 4  # three, and one for the best
