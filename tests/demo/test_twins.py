import json
from pathlib import Path

import pytest

from s2s.config import POSITION_KINDS
from s2s.demo import twins
from s2s.jobs.training import Asked
from s2s.jobs.twins import EACH, LENGTHS, TRAINED, Twins, read


@pytest.mark.parametrize("task", twins.TASKS)
def test_what_ships_is_whole_and_of_the_settings_that_one_finds(task: str) -> None:
    found = twins.shipped(task)
    seeds = {one.seed for one in found}
    assert seeds
    assert {(one.kind, one.seed) for one in found} == {
        (kind, seed) for kind in POSITION_KINDS for seed in seeds
    }
    assert {one.lengths for one in found} == {LENGTHS}
    assert all(0 <= share <= 1 for one in found for share in (*one.whole, *one.digits))
    told = json.loads(twins.FILE.read_bytes())
    assert (told["steps"], told["trained"], told["each"]) == (Twins().steps, list(TRAINED), EACH)
    assert told["command"] == "python -m s2s.demo twins"
    assert not [row for row in told["runs"] if "/" in json.dumps(row)]  # no place on this machine


def test_what_ships_was_learned_where_there_are_positions() -> None:
    inside = [place for place, length in enumerate(LENGTHS) if length <= TRAINED[1]]
    for one in [one for task in twins.TASKS for one in twins.shipped(task)]:
        mean = sum(one.digits[place] for place in inside) / len(inside)
        assert (mean > 0.8) == (one.kind != "none")


def test_it_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(twins, "FILE", tmp_path / "twins.json")
    made: list[tuple[str, int]] = []

    def noted(order: Asked, task: str) -> dict[str, object]:
        made.append((order.recipe.model.positions.kind, order.recipe.train.seed))
        shares = {"lengths": [4], "whole": [0.5], "digits": [0.75]}
        return {
            "kind": order.recipe.model.positions.kind,
            "seed": order.recipe.train.seed,
            "cpu_seconds": 1.0,
            **shares,
        }

    monkeypatch.setattr(twins, "made", noted)
    twins.main(["copy, rotary, seed 2"])
    assert made == [("rotary", 2)]
    twins.main(["copy, rotary"])
    assert made == [("rotary", 2), ("rotary", 1), ("rotary", 3)]
    assert [one.seed for one in twins.shipped("copy")] == [1, 2, 3]
    assert twins.shipped("reverse") == []
    assert read(twins.shipped_rows()[0]).digits == (0.75,)
