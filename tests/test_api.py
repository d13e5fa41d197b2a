"""What a Python program or a notebook does: train on what it holds, evaluate, and find the run again."""

import contextlib
import importlib
import json
import signal
from pathlib import Path
from typing import Any

import datasets
import pandas as pd
import pytest

import s2s
from s2s import api
from s2s.cli import main
from s2s.config import UserError, asker, override
from s2s.data import as_corpus, as_references, saved_datasets
from s2s.jobs import training
from s2s.jobs.run_export import facts
from s2s.library.own import list_datasets, list_runs
from s2s.model import saved_steps
from s2s.runs import runs_folder
from s2s.training import Warned
from tests.conftest import TINY

PAIRS = [(f"a{i % 7} b{i % 5}", f"x{i % 7} y{i % 5}") for i in range(70)]
FEW_STEPS = {**TINY, "train.steps": 4, "train.watch.validate_every": 2}


def trained(data: Any, **more: Any) -> s2s.Run:
    """Four updates, without a progress bar."""
    return api.train(data, settings=FEW_STEPS, progress=False, **more)


def test_a_spec_is_read_and_rows_without_text_are_noted() -> None:
    assert len(as_corpus("builtin:first-steps")) == len(
        s2s.Corpus.from_datasets(as_corpus("builtin:first-steps").to_datasets())
    )
    assert "1 of 2 pairs" in as_corpus([("a", "b"), ("a", " ")]).notes[0]


def test_a_table_has_several_references(tmp_path: Path) -> None:
    table = pd.DataFrame({"source": ["a", "b"], "ref1": ["x", "y"], "ref2": ["z", None]})
    assert as_references(table).rows == [("a", ("x", "z")), ("b", ("y",))]
    lists = datasets.Dataset.from_dict({"source": ["a"], "references": [["x", "z"]]})
    assert as_references(lists).rows == [("a", ("x", "z"))]
    assert as_references([("a", "x")]).rows == [("a", ("x",))]
    pictures = datasets.Dataset.from_dict({"en": ["a"], "de": ["x"], "picture": [b"\xff\xd8"]})
    assert as_references(pictures, ("en", "de")).rows == [("a", ("x",))]
    numbered = pd.DataFrame([["id", "a", "x"]], columns=["0", "1", "2"])
    assert as_references(numbered, ("1", "2")).rows == [("a", ("x",))]
    path = str(tmp_path / "table.csv")
    table.to_csv(path, index=False)
    assert as_references(path).rows == [("a", ("x", "z")), ("b", ("y",))]
    assert as_references(f"{path}#rows=1").rows == [("a", ("x", "z"))]


@pytest.mark.parametrize(
    ("data", "columns", "sentence"),
    [
        (PAIRS, ("en", "fr"), "`columns` is for a Dataset or a DataFrame; leave it out"),
        ("pairs.csv", ("en", "fr"), r"write them in the SPEC, as in pairs\.csv#src=en,tgt=de"),
        (pd.DataFrame(PAIRS, columns=["en", "fr"]), ("en",), "give two names"),
        (pd.DataFrame(PAIRS, columns=["en", "fr"]), ("en", "frr"), "no text column `frr`"),
        (
            pd.DataFrame({"source": ["a", 1], "target": ["b", "c"]}),
            (),
            "DataFrame cannot be read|no text in both",
        ),
        ([("a", "b"), "a b"], (), "Item 2 of the list is 'a b'; each must be a"),
        ([("a", "b"), ("a", None)], (), r"Item 2 of the list is \('a', None\)"),
        ([(" ", "b")], (), "no pair with text on both sides"),
        (17, (), "The data is a int; give a datasets.Dataset, a pandas DataFrame"),
    ],
)
def test_what_is_no_data_is_said(data: Any, columns: Any, sentence: str) -> None:
    for read in (as_corpus, as_references):
        with pytest.raises(UserError, match=sentence):
            read(data, columns)


def test_splits_and_plain_text_have_no_references() -> None:
    splits = datasets.DatasetDict(
        {"test": datasets.Dataset.from_dict({"src": ["a"], "tgt": ["b"]})}
    )
    with pytest.raises(UserError, match=r"splits \(test\) was given"):
        as_references(splits)
    plain = as_corpus(datasets.Dataset.from_dict({"text": ["a b"]}))
    with pytest.raises(UserError, match="is plain text and has no references"):
        as_references(plain)


def test_a_run_trained_here_is_listed_resumable_and_its_dataset_saved() -> None:
    run = trained(pd.DataFrame(PAIRS, columns=["en", "fr"]), name="mine")
    assert [row.name for row in list_runs(asker.LOCAL)] == ["mine"]
    assert run.folder.path.parent == runs_folder()
    (saved,) = list_datasets(asker.LOCAL)
    assert saved.name == "mine"
    assert run.folder.about()["source"] == saved.spec
    options = ["--out", str(run.folder.path), "--set", "train.steps=6"]
    assert main(["train", "--resume", *options]) == 0
    assert s2s.load(run.folder.path, 6).step == 6


def test_data_without_a_name_is_called_after_what_it_was(tmp_path: Path) -> None:
    frame = pd.DataFrame(PAIRS, columns=["en", "fr"])
    run = trained(frame, columns=["en", "fr"], valid=[("a1 b1", "x1 y1")])
    names = {saved.spec: saved.name for saved in list_datasets(asker.LOCAL)}
    about = run.folder.about()
    assert names[about["source"]] == "DataFrame of 70 rows (en, fr)"
    assert names[about["valid"]] == "List of 1 pair (validation)"
    assert about["name"] == "small on DataFrame of 70 rows (en, fr)"
    assert facts(run, about)["Dataset"] == "DataFrame of 70 rows (en, fr)"
    frame.to_csv(tmp_path / "pairs.csv", index=False)
    assert trained(tmp_path / "pairs.csv").folder.about()["name"] == "small on pairs.csv"


def test_a_dataset_that_has_a_name_keeps_it() -> None:
    saved_datasets.save(as_corpus(PAIRS), name="numbers", owner=asker.LOCAL)
    assert trained(PAIRS).folder.about()["name"] == "small on numbers"
    assert [saved.name for saved in list_datasets(asker.LOCAL)] == ["numbers"]
    trained(PAIRS, name="mine")
    assert [saved.name for saved in list_datasets(asker.LOCAL)] == ["mine"]


def test_notes_are_printed_once_and_stay_with_the_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_all = training.run

    def warned(prepared: Any) -> Any:
        events = run_all(prepared)
        yield Warned(0, "Something is strange.")
        yield from events

    monkeypatch.setattr(training, "run", warned)
    few = {**FEW_STEPS, "train.warmup_steps": 9}
    run = api.train([("a", "x"), ("b", " ")], settings=few, progress=False)
    printed = capsys.readouterr()
    for words in ("1 of 2 pairs", "nothing is held out", "`train.warmup_steps` 9 is not less"):
        (note,) = [note for note in run.notes if words in note]
        assert printed.out.count(note) == 1
    assert printed.err.count("Something is strange.") == 1
    assert s2s.load(run.folder.path).notes == run.notes
    assert capsys.readouterr() == ("", "")


def test_a_reopened_run_has_its_warnings_and_its_fault(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = trained(PAIRS, valid=PAIRS[:2])
    recipe = override(run.recipe, {"train.fault": "no-causal-mask"}).to_json()
    run.folder.amend(lambda about: {"warnings": ["The loss is high."], "recipe": recipe})
    capsys.readouterr()
    *_, warning, fault = s2s.load(run.folder.path).notes
    assert warning == "The loss is high."
    assert fault.startswith("This run was trained with a fault, on purpose: ")
    assert capsys.readouterr() == ("", f"{fault}\n")


def test_evaluate_and_translate_say_what_the_command_line_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = s2s.load("demo-en-fr")
    table = [("the zebu", "le zébu"), ("the zebu", "un zébu"), ("the house", " ")]
    notes = run.evaluate(table, "greedy").attrs["notes"]
    assert len(notes) == 2
    unknown = "Unknown words, read as <unk>: zebu"
    assert capsys.readouterr().err.splitlines() == [*notes, unknown]
    run.translate("the zebu")
    assert capsys.readouterr() == ("", f"{unknown}\n")


def test_an_early_end_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    settings = {**FEW_STEPS, "train.lr": 1e-12, "train.watch.validate_every": 1}
    run = api.train(
        PAIRS, settings={**settings, "train.watch.patience": 1}, valid=PAIRS, progress=False
    )
    *_, ended = run.notes
    assert ended.startswith("Early stopping ended it at step 1 of 4")
    assert ended in capsys.readouterr().err


def test_valid_out_preset_and_initial_weights(tmp_path: Path) -> None:
    first = trained(PAIRS, valid=[("a1 b1", "x1 y1")], out=tmp_path / "first", preset="mini-t5")
    about = first.folder.about()
    assert (about["preset"], about["name"], about["data"]["n_valid"]) == ("mini-t5", "first", 1)
    second = trained(PAIRS, init_from=str(first.folder.path), out=tmp_path / "second")
    assert second.folder.about()["init_from"]["step"] == first.step
    assert second.recipe.model == first.recipe.model
    third = trained(PAIRS, preset=first.recipe, out=tmp_path / "third")
    assert third.folder.about()["preset"] == ""
    with pytest.raises(UserError, match="already holds a trained run"):
        trained(PAIRS, out=tmp_path / "first")
    with pytest.raises(UserError, match="no preset `smal`; the nearest are `small`"):
        trained(PAIRS, preset="smal")


def test_nothing_is_written_for_a_wrong_setting() -> None:
    with pytest.raises(UserError, match=r"`train\.stepps`"):
        api.train(PAIRS, settings={"train.stepps": 3})
    assert not runs_folder().exists()
    assert not list_datasets(asker.LOCAL)


@pytest.mark.parametrize(
    ("at", "said"), [("Validation", "before its first update"), ("Step", "--resume --out")]
)
def test_an_interrupt_saves_before_it_is_raised(
    at: str, said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupted(prepared: Any) -> Any:
        with contextlib.closing(run(prepared)) as events:
            for event in events:
                if type(event).__name__ == at:
                    signal.raise_signal(signal.SIGINT)
                yield event

    run = training.run
    monkeypatch.setattr(training, "run", interrupted)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt, match=said):
        api.train(PAIRS, settings=FEW_STEPS, out=tmp_path / "run")
    assert signal.getsignal(signal.SIGINT) is before
    assert saved_steps(tmp_path / "run" / "checkpoints") == ([1] if at == "Step" else [])


def test_evaluate_gives_the_numbers_of_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = as_corpus("builtin:mini-en-fr")
    (tmp_path / "src").write_text("".join(f"{pair.src}\n" for pair in corpus.pairs))
    (tmp_path / "ref").write_text("".join(f"{pair.tgt}\n" for pair in corpus.pairs))
    files = ["--src", str(tmp_path / "src"), "--ref", str(tmp_path / "ref")]
    assert main(["evaluate", "demo-en-fr", "--strategy", "greedy", *files]) == 0
    printed = capsys.readouterr().out
    expected = json.loads(printed.splitlines()[-1])
    run = s2s.load("demo-en-fr")
    found = run.evaluate(corpus, "greedy")
    for key in ("bleu", "chrf", "ter", "rouge_l", "exact_match", "loss", "token_accuracy"):
        assert found.loc[key, "value"] == pytest.approx(expected[key], abs=1e-9), key
        assert found.loc[key, "low"] <= found.loc[key, "value"] <= found.loc[key, "high"]
    for metric in ("bleu", "perplexity"):
        assert found.loc[metric, "signature"] == expected["signature"][metric]
    assert found.attrs["step"] == run.step
    rows = run.evaluate(corpus.to_datasets(), "greedy", by="sentence")
    assert list(rows["source"]) == [pair.src for pair in corpus.pairs]
    assert rows["exact_match"].mean() == pytest.approx(expected["exact_match"])
    assert found.attrs["scoring"]["tokenize"] == "13a"
    counted = run.evaluate(
        corpus, "greedy", bleu_tokenize="char", rouge_tokenize="rouge_score", stemmer=True
    )
    assert "|tok:char|" in counted.loc["bleu", "signature"]
    assert "|stem:porter|" in counted.loc["rouge_1", "signature"]
    with pytest.raises(UserError, match="`13b` is not a tokenizer of BLEU"):
        run.evaluate(corpus, bleu_tokenize="13b")
    with pytest.raises(UserError, match=r"and columns as columns=\['en', 'fr'\]"):
        run.evaluate(corpus, ["en", "fr"])  # type: ignore[arg-type]
    with pytest.raises(UserError, match="no table `word`"):
        run.evaluate(corpus, by="word")


def test_public_names_are_listed_and_a_wrong_one_is_an_attribute_error() -> None:
    assert set(s2s.__all__) <= set(dir(s2s))
    assert not {"os", "importlib", "TYPE_CHECKING"} & set(dir(s2s))
    names: dict[str, Any] = {}
    exec("from s2s import *", names)
    assert set(s2s.__all__) <= set(names)
    assert callable(names["train"])
    with pytest.raises(AttributeError, match="no attribute `trian`") as caught:
        s2s.trian  # noqa: B018
    assert (caught.value.name, caught.value.obj) == ("trian", s2s)  # from which Python suggests


def test_s2s_train_is_a_function_even_after_its_folder_was_imported() -> None:
    importlib.import_module("s2s.training.loop")
    with pytest.raises(UserError, match="no preset `no such preset`"):
        s2s.train(PAIRS, preset="no such preset")


def test_train_has_the_help_of_the_function() -> None:
    import inspect

    from s2s import api

    assert s2s.train.__doc__ == api.train.__doc__
    assert inspect.signature(s2s.train) == inspect.signature(api.train)
    with pytest.raises(UserError, match="`name` is 5; give a string"):
        s2s.train([("a", "b")], name=5)  # type: ignore[arg-type]
