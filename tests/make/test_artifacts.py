"""What ships is what would be made now."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.make import artifacts, trained
from benchmarks.make.artifacts import ARTIFACTS, Artifact, Inputs
from benchmarks.make.command import main
from s2s.config import Recipe, UserError, override
from s2s.data import GENERATED, Preview, load, load_preview
from s2s.demo import DEMOS
from s2s.runs import RunFolder


def test_no_shipped_artifact_is_stale() -> None:
    assert artifacts.stale() == [], "`python -m s2s.demo stale` makes them again."


@pytest.mark.parametrize("spec", GENERATED)
def test_the_shipped_preview_is_what_the_generator_writes(spec: str) -> None:
    assert load_preview(spec) == Preview.of(load(spec))


@pytest.mark.parametrize("name", DEMOS)
def test_a_demo_was_trained_as_it_would_be_now(name: str) -> None:
    shipped = RunFolder(trained.RUNS / name).recipe()
    assert artifacts.portable(shipped) == artifacts.portable(trained.recipe_of(name))


@pytest.fixture
def one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Inputs]:
    """A single artifact, made of what the test says."""
    now = {"thing": Inputs("abc", {"demo": Recipe()})}
    made = Artifact(lambda: None, lambda: now["thing"])
    monkeypatch.setattr(artifacts, "ARTIFACTS", {"thing": made})
    monkeypatch.setattr(artifacts, "FILE", tmp_path / "inputs.json")
    return now


def test_other_pairs_or_another_recipe_make_it_stale_and_making_it_does_not(
    one: dict[str, Inputs],
) -> None:
    main(["all"])
    assert artifacts.stale() == []
    one["thing"] = replace(one["thing"], pairs="abd")
    assert artifacts.stale() == ["thing"]
    main(["stale"])
    assert artifacts.stale() == []
    recipe = override(Recipe(), {"train.lr": 0.01})
    one["thing"] = replace(one["thing"], recipes={"demo": recipe})
    assert artifacts.stale() == ["thing"]


def test_a_setting_that_is_new_since_then_does_not(one: dict[str, Inputs]) -> None:
    main(["thing"])
    saved = json.loads(artifacts.FILE.read_bytes())
    del saved["thing"]["recipes"]["demo"]["model"]["init"]
    artifacts.FILE.write_text(json.dumps(saved))
    assert artifacts.stale() == []


def test_how_many_threads_there_are_does_not() -> None:
    other = override(Recipe(), {"train.threads": 3, "data.clean.empty": False})
    assert artifacts.portable(other) == artifacts.portable(Recipe())


def test_an_unknown_artifact_is_a_sentence_with_what_there_is() -> None:
    with pytest.raises(UserError, match="no artifact `preview`; the nearest are `previews`"):
        artifacts.make("preview")
    with pytest.raises(SystemExit, match="no artifact"):
        main(["nothing"])
    assert {"previews", *DEMOS} <= set(ARTIFACTS)
