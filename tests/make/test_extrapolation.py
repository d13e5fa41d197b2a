import json

import pytest

from benchmarks.make import extrapolation
from s2s.config import POSITION_KINDS
from s2s.demo import shipped_results
from s2s.jobs.extrapolation import (
    EACH,
    LENGTHS,
    TRAINED,
    ExtrapolationSettings,
)


@pytest.mark.parametrize("task", extrapolation.TASKS)
def test_the_shipped_results_are_complete_and_have_the_default_settings(task: str) -> None:
    found = shipped_results(task)
    seeds = {one.seed for one in found}
    kinds = {one.kind for one in found}
    assert seeds
    assert {"sinusoidal", "none"} <= kinds <= {*POSITION_KINDS}
    assert {(one.kind, one.seed) for one in found} == {
        (kind, seed) for kind in kinds for seed in seeds
    }
    assert {one.lengths for one in found} == {LENGTHS}
    assert all(0 <= share <= 1 for one in found for share in (*one.whole, *one.digits))
    saved = json.loads(extrapolation.EXTRAPOLATION_FILE.read_bytes())
    assert (saved["steps"], saved["trained"], saved["each"]) == (
        ExtrapolationSettings().steps,
        list(TRAINED),
        EACH,
    )
    assert saved["command"] == "python -m s2s.demo extrapolation"
    assert not [row for row in saved["runs"] if "/" in json.dumps(row)]  # no path of this machine


def test_every_encoding_but_none_learned_the_trained_lengths() -> None:
    inside = [place for place, length in enumerate(LENGTHS) if length <= TRAINED[1]]
    for one in [one for task in extrapolation.TASKS for one in shipped_results(task)]:
        mean = sum(one.digits[place] for place in inside) / len(inside)
        assert (mean > 0.8) == (one.kind != "none")
