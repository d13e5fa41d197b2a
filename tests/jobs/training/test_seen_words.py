"""The words that a run has read in training, as its folder lists them."""

import json
from pathlib import Path

import pytest

import s2s
from s2s.cli import main
from s2s.config import Recipe, override
from s2s.jobs import training
from s2s.runs import RunFolder, source_words

ROWS = [(f"{one} {two}", f"{two} {one}") for one in ("red", "old", "big") for two in ("Cat", "dog")]


def written(path: Path, rows: list[tuple[str, str]]) -> str:
    path.write_text("src\ttgt\n" + "".join(f"{src}\t{tgt}\n" for src, tgt in rows))
    return str(path)


def started(recipe: Recipe, path: Path, source: str, **more: str) -> training.PreparedRun:
    return training.start(training.RunRequest(recipe, source, **more), path)


@pytest.mark.parametrize("kind", ["word", "char", "byte", "bpe", "unigram"])
def test_a_run_lists_the_words_it_was_trained_on_whatever_its_tokenizer(
    kind: str, tiny: Recipe, tmp_path: Path
) -> None:
    rows = [*ROWS, (" ".join(["long"] * 40), "long")]
    source, valid = written(tmp_path / "a.tsv", rows), written(tmp_path / "b.tsv", ROWS[:2])
    recipe = override(tiny, {"tokenizer.kind": kind, "data.max_length": 30})
    run = started(recipe, tmp_path / "run", source, valid=valid)
    words = source_words.read(run.folder.path)
    assert words == {"red", "old", "big", "cat", "dog"}
    assert any(note.startswith("Every word of the 2 validation sources") for note in run.notes)
    other = written(tmp_path / "c.tsv", [("a red fox", "x")])
    run = started(recipe, tmp_path / "other", source, valid=other)
    assert not any("Every word" in note for note in run.notes)


def test_a_run_that_starts_from_another_knows_its_words_too(tiny: Recipe, tmp_path: Path) -> None:
    source, more = (
        written(tmp_path / "a.tsv", ROWS),
        written(tmp_path / "b.tsv", [(f"new {src}", tgt) for src, tgt in ROWS[:2]]),
    )
    recipe = override(tiny, {"train.steps": 2, "tokenizer.kind": "byte", "data.max_length": 60})
    first = started(recipe, tmp_path / "first", source)
    list(training.run(first))
    folder = RunFolder(tmp_path / "second")
    initial = str(first.folder.path)
    started(recipe, folder.path, more, init_from=initial)
    assert source_words.read(folder.path) == {"new", "red", "old", "big", "cat", "dog"}
    (first.folder.path / source_words.FILE).unlink()  # as older versions left it
    started(recipe, folder.path, more, init_from=initial)
    assert source_words.read(folder.path) == frozenset()
    list(training.run(training.resume(first.folder.path, training.Continuation(steps=3))))
    assert source_words.read(first.folder.path) == {"red", "old", "big", "cat", "dog"}


def test_translate_names_new_words_and_characters(
    tiny: Recipe,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recipe = override(tiny, {"train.steps": 2, "tokenizer.kind": "char"})
    run = started(recipe, tmp_path / "run", written(tmp_path / "a.tsv", ROWS))
    list(training.run(run))
    monkeypatch.setattr("s2s.cli.decoding._stdin_lines", lambda: ["the red Ж Cat", "bold jay"])
    assert main(["translate", str(tmp_path / "run")]) == 0
    assert capsys.readouterr().err.splitlines() == [
        "Unknown characters, read as <unk>: h Ж j y",
        "Words that no training sentence had: the bold jay",
    ]


@pytest.mark.parametrize(("source", "is_said"), [("the red house", True), ("the red zebra", False)])
def test_evaluate_says_where_no_source_has_a_new_word(
    source: str, is_said: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "src").write_text(f"{source}\n")
    (tmp_path / "ref").write_text("la maison rouge\n")
    files = [f"--{name}={tmp_path / name}" for name in ("src", "ref")]
    assert main(["evaluate", "demo-en-fr", *files, "--strategy", "greedy"]) == 0
    out, err = capsys.readouterr()
    note = "Every word of the source is in the training sources"
    assert (note in err) == is_said
    table = s2s.load("demo-en-fr").evaluate([(source, "la maison rouge")], "greedy")
    assert table.attrs["notes"] == json.loads(out.splitlines()[-1])["notes"]
    assert len(table.attrs["notes"]) == is_said
