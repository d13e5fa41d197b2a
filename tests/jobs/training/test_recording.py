import math
from pathlib import Path

import pytest

from s2s.config import Recipe, UserError, override
from s2s.jobs import training
from s2s.runs import RunFolder, attention_history
from tests.conftest import make_run
from tests.jobs.training.test_runs import request_for


def lines(path: Path, kind: str) -> list[dict[str, float]]:
    return [line for line in RunFolder(path).lines("metrics") if line["kind"] == kind]


def test_what_a_screen_shows_is_in_the_metrics(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", {"train.watch.scores": 5, "train.steps": 10})
    valid = lines(path, "valid")
    assert [line["step"] for line in valid] == [0, 10]
    assert all(2**27 < line["memory"] < 2**36 for line in valid)
    assert "bleu" not in valid[0]
    assert all(0 <= line[key] <= 100 for line in valid[1:] for key in ("bleu", "chrf"))
    assert (
        [line["step"] for line in lines(path, "attention")]
        == attention_history.saved_steps(RunFolder(path))
        == [0, 10]
    )
    assert [line["step"] for line in lines(path, "train") if line.get("first")] == [1]
    assert all(math.isfinite(line["time"]) for line in RunFolder(path).lines("metrics"))


def test_measurements_that_are_not_requested_are_not_made(tmp_path: Path) -> None:
    changes = {"train.watch.scores": 0, "train.watch.attention": False, "train.steps": 5}
    path = make_run(tmp_path / "run", changes)
    assert not any("bleu" in line for line in lines(path, "valid"))
    assert not lines(path, "attention")
    assert not (path / "attention").exists()


def test_going_on_takes_back_what_was_kept_later(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", {})
    for file in (path / "checkpoints").glob("step-00000030*"):
        file.unlink()
    list(training.run(training.resume(path, training.Continuation(steps=22))))
    assert (
        [line["step"] for line in lines(path, "attention")]
        == attention_history.saved_steps(RunFolder(path))
        == [0, 10, 20, 22]
    )


def test_what_is_too_much_for_this_place_is_refused(
    tiny: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_MAX_STEPS", "29")
    with pytest.raises(
        UserError,
        match=r"`train.steps` 30 is more than the 29 allowed here; request at most that many",
    ):
        training.submit(request_for(tiny))
    training.submit(request_for(override(tiny, {"train.minutes": 1.0})))  # minutes have their own
    monkeypatch.setenv("S2S_MAX_PARAMETERS", "1000")
    with pytest.raises(
        UserError, match=r"This model has [\d,]+ parameters and at most 1,000 may be trained here"
    ):
        training.start(request_for(override(tiny, {"train.steps": 5})), tmp_path / "run")
    assert not (tmp_path / "run" / "recipe.json").exists()
