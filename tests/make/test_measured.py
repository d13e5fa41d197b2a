import json
from pathlib import Path

import pytest

from benchmarks.make import measured
from benchmarks.make.measured import Cell, main, planned
from s2s.data import Preview, load_preview
from s2s.files import from_json
from s2s.jobs.plan.cost import forecast
from s2s.jobs.plan.measured_runs import MeasuredRun

FEW = [
    Cell(f"mini/{n}", "phrases", "builtin:mini-en-fr", None, preset)
    for n, preset in ((1, "mini-t5"), (2, "mini-t5"))
]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(measured, "MEASURED_FILE", tmp_path / "measured.json")
    monkeypatch.setattr(measured, "cells", lambda: FEW)
    return tmp_path / "measured.json"


def names(file: Path) -> list[str]:
    return [row["name"] for row in json.loads(file.read_bytes())["runs"]]


def test_what_is_measured_can_be_read_back_and_it_resumes_where_it_stopped(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main(["mini/2", "seconds=1"])
    assert names(file) == ["mini/2/mini-t5"]
    (row,) = json.loads(file.read_bytes())["runs"]
    one = from_json(MeasuredRun, row)
    assert one.points[0].step == 0
    assert one.points[-1].step == row["steps"]
    assert one.points[-1].bleu is not None
    assert one.points[0].bleu is None
    assert one.points[-1].tokens > 0
    assert one.n_pairs == 5
    assert not [
        value for value in row.values() if isinstance(value, str) and value.startswith("/")
    ]  # no path of this machine
    done: list[str] = []

    def noted(cell: Cell, seconds: float) -> dict[str, object]:
        done.append(cell.name)
        return {"name": cell.name, "points": [{"minutes": 1}]}

    monkeypatch.setattr(measured, "measure", noted)
    main(["seconds=1"])
    assert done == ["mini/1/mini-t5"]
    assert names(file) == ["mini/1/mini-t5", "mini/2/mini-t5"]


def test_a_run_takes_the_time_it_may() -> None:
    preview: Preview = load_preview("builtin:en-fr")
    for preset in measured.OURS:
        recipe = planned(preset, preview, 240)
        assert forecast(recipe, preview).seconds < 300
        assert recipe.train.steps // recipe.train.watch.validate_every in (10, 11)
        assert recipe.train.watch.scores
