"""What ships is what would be made now. These tests stand together: the grammar takes seconds in every process."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from s2s.config import Recipe, UserError, override
from s2s.data import GENERATED, Preview, load, load_preview
from s2s.demo import ALIGNED, DEMOS, EXAMPLES, GOLD_LINKS, artifacts, sentences, trained
from s2s.demo.__main__ import main
from s2s.demo.artifacts import ARTIFACTS, Artifact, Inputs
from s2s.runs import RunFolder


def test_no_shipped_artifact_is_stale() -> None:
    assert artifacts.stale() == [], "`python -m s2s.demo stale` makes them again."


@pytest.mark.parametrize("spec", GENERATED)
def test_the_shipped_preview_is_what_the_generator_writes(spec: str) -> None:
    assert load_preview(spec) == Preview.of(load(spec))


@pytest.mark.parametrize("source", ["builtin:en-fr", "builtin:en-es", "builtin:tasks"])
def test_the_shipped_links_are_those_of_the_generator(source: str) -> None:
    """When the grammar changes, `python -m s2s.demo sentences` writes them again: examples, then split `random`."""
    assert set(ALIGNED) == {f"builtin:{path.stem}" for path in GOLD_LINKS.glob("*.tsv")}
    train = {pair.src: pair for pair in reversed(load(source).pairs)}
    pairs = [*(train[text] for text in EXAMPLES[source]), *load(source, "random").pairs]
    lines = [
        f"{pair.tgt}\t{' '.join(f'{link.src}-{link.tgt}' for link in pair.gold.links)}"
        for pair in pairs
        if pair.gold
    ]
    assert (GOLD_LINKS / f"{source.removeprefix('builtin:')}.tsv").read_text().splitlines() == lines


@pytest.mark.parametrize("name", DEMOS)
def test_a_demo_was_trained_as_it_would_be_now(name: str) -> None:
    shipped = RunFolder(trained.RUNS / name).recipe()
    assert artifacts.portable(shipped) == artifacts.portable(trained.recipe_of(name))


def test_the_files_of_sentences_are_those_that_would_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = [path.read_bytes() for path in files_of(sentences)]
    monkeypatch.setattr(sentences, "RANDOM_SENTENCES", tmp_path / "random")
    monkeypatch.setattr(sentences, "HELD_OUT_SENTENCES", tmp_path / "held out")
    monkeypatch.setattr(sentences, "GOLD_LINKS", tmp_path / "gold")
    sentences.write()
    assert [path.read_bytes() for path in files_of(sentences)] == shipped


def files_of(module: object) -> list[Path]:
    names = ("RANDOM_SENTENCES", "HELD_OUT_SENTENCES", "GOLD_LINKS")
    folders = (getattr(module, name) for name in names)
    return sorted(path for folder in folders for path in folder.iterdir())


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
    assert {"previews", "sentences", *DEMOS} <= set(ARTIFACTS)
