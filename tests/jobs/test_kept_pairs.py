"""A run on a dataset of the Hub: its rows are drawn with its seed, recorded, and not downloaded twice."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from s2s.cli import main
from s2s.config import Recipe, UserError, override
from s2s.data import Corpus, Pair, load
from s2s.jobs import kept_pairs, training
from s2s.jobs.evaluation import test_sets as sets
from s2s.runs import RunFolder, Sentences
from tests.hub.standin import Fault, Hub, Repo

ROWS = [(f"the house {at % 40} of {at}", f"la maison {at % 40} de {at}") for at in range(400)]
NAME = "team/pairs"


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    lines = b"".join(json.dumps({"en": src, "fr": tgt}).encode() + b"\n" for src, tgt in ROWS)
    with Hub({NAME: Repo({"train.jsonl": lines})}) as standin:
        monkeypatch.setenv("HF_ENDPOINT", standin.url)
        yield standin


def train(recipe: Recipe, out: Path, *more: str) -> int:
    path = out.parent / "recipe.json"
    path.write_text(json.dumps(recipe.to_json()))
    given = (
        [] if "--resume" in more else ["--recipe", str(path), "--source", f"hub:{NAME}#rows=100"]
    )
    return main(["train", *given, "--out", str(out), *more])


def test_a_run_draws_its_rows_with_its_seed_and_resumes_without_the_hub(
    served: Hub, tiny: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "run"
    tiny = override(tiny, {"train.steps": 4})
    assert train(tiny, out) == 0
    folder = RunFolder(out)
    about = folder.about()
    assert f"rows=100,sample={tiny.train.seed},revision=" in about["source"]
    assert any(
        "100 of 400 rows, drawn at random with seed" in note for note in about["data"]["notes"]
    )
    assert f"sample={tiny.train.seed}" in about["command"]

    served.repos[NAME] = Repo({}, fault=Fault(status=503))
    n_asked = len(served.log)
    steps = tiny.train.steps + 2
    assert train(tiny, out, "--resume", "--set", f"train.steps={steps}") == 0
    assert folder.status()["step"] == steps
    held_out = sets.read(Sentences("", run=str(out)))
    assert held_out.pairs
    assert "held out for validation" in held_out.notes[0]
    assert len(served.log) == n_asked, "nothing was downloaded again"

    (out / kept_pairs.FILE).write_bytes(b"damaged")
    with pytest.raises(UserError, match="The Hub failed"):
        training.resume(out, training.Continuation(steps + 2))


def test_a_run_that_recorded_no_sample_keeps_the_first_rows(
    served: Hub, tiny: Recipe, tmp_path: Path
) -> None:
    first = load(f"hub:{NAME}#rows=100")
    assert [pair.src for pair in first.pairs] == [src for src, _ in ROWS[:100]]
    request = training.RunRequest(tiny, f"hub:{NAME}#rows=100", name="old")
    training.start(request, tmp_path / "old")
    folder = RunFolder(tmp_path / "old")
    about = folder.about()
    assert "sample" not in about["source"]
    (folder.path / kept_pairs.FILE).unlink()  # as older versions left it
    assert load(about["source"]).pairs == first.pairs
    assert kept_pairs.kept(folder, about) is None


def test_pairs_of_other_sources_are_not_copied(tiny: Recipe, tmp_path: Path) -> None:
    training.start(training.RunRequest(tiny, "synthetic:reverse#rows=80"), tmp_path / "run")
    assert not (tmp_path / "run" / kept_pairs.FILE).exists()


def test_a_dataset_that_has_moved_is_sampled_as_it_was() -> None:
    assert kept_pairs.moved("disk:new", "disk:old#sample=3", 3) == "disk:new#sample=3"
    assert kept_pairs.moved("disk:new", "disk:old", 3) == "disk:new"
    assert kept_pairs.moved(None, "disk:old#sample=3", 3) == "disk:old#sample=3"
    assert kept_pairs.moved(None, None, 3) is None


def test_kept_pairs_of_something_else_are_read_again(tmp_path: Path) -> None:
    """The hashes of a run that somebody else wrote may be those of anything."""
    for row in ([1, 2], ["a", "b", 3]):
        pair = Pair(*row[:2], more=tuple(row[2:]))
        hashes = {
            f"{split}_hash": Corpus("hub:a/b", split, pairs).hash
            for split, pairs in (("train", (pair,)), ("valid", ()))
        }
        lines = "\n".join(map(json.dumps, [[1, ""], row]))
        (tmp_path / kept_pairs.FILE).write_bytes(gzip.compress(lines.encode()))
        about = {"source": "hub:a/b", "data": hashes}
        assert kept_pairs.kept(RunFolder(tmp_path), about) is None
    good = Pair("a", "b", more=("c",))
    about["data"]["train_hash"] = Corpus("hub:a/b", "train", (good,)).hash
    lines = '[1, ""]\n["a", "b", "c"]'
    (tmp_path / kept_pairs.FILE).write_bytes(gzip.compress(lines.encode()))
    found = kept_pairs.kept(RunFolder(tmp_path), about)
    assert found
    assert found.train.pairs[0].more == ("c",)
    packed = bytearray((tmp_path / kept_pairs.FILE).read_bytes())
    packed[10] ^= 0xFF  # the first byte after the header
    (tmp_path / kept_pairs.FILE).write_bytes(packed)
    assert kept_pairs.kept(RunFolder(tmp_path), about) is None
