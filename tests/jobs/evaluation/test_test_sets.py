import itertools
import os
from pathlib import Path

import datasets
import pytest

from s2s import settings
from s2s.config import UserError
from s2s.jobs import test_sets
from s2s.runs import RunFolder, Sentences
from tests.conftest import make_run

REFERENCES = [f"the number {'very ' * (i % 7)}{i} stands here" for i in range(60)]
PAIRS = [(f"source {i}", reference) for i, reference in enumerate(REFERENCES)]


@pytest.mark.parametrize(("n_all", "n"), [(10, 4), (7, 7), (1000, 1), (1000, 333)])
def test_sentences_are_spread_evenly(n_all: int, n: int) -> None:
    found = test_sets.even_indices(n_all, n)
    gaps = {later - earlier for earlier, later in itertools.pairwise(found)}
    assert len(set(found)) == n
    assert found[0] == 0
    assert gaps <= {n_all // n, -(-n_all // n)}


def test_a_runs_own_held_out_pairs_are_those_it_was_validated_on(tmp_path: Path) -> None:
    run = str(make_run(tmp_path / "one", {"data.task": "reverse_direction", "train.steps": 10}))
    found = test_sets.read(Sentences("", run=run))
    validated = [line["source"] for line in RunFolder(run).lines("samples")]
    assert {source for source, _ in found.pairs} >= set(validated)
    assert (len(found.pairs), len(found.train)) == (20, 80)
    assert test_sets.splits_of_run(run) == ("held out", "test")
    other = test_sets.read(Sentences("", run=run, split="test"))
    assert not set(other.pairs) & set(found.pairs)
    with pytest.raises(UserError, match="split"):
        test_sets.read(Sentences("", run=run, split="train"))


def test_two_files_keep_every_line() -> None:
    assert test_sets.from_uploads([("a.src", b"x\n\ny\n"), ("a.ref", b"1\n\n2\n")]) == (
        ("x", "1"),
        ("", ""),
        ("y", "2"),
    )


@pytest.mark.parametrize(
    ("src", "ref", "sentence"),
    [
        (b"x\ny\n", b"1\n", "`s.txt` has 2 lines and `r.txt` has 1, but line N"),
        (b"x\ny\n", b"1\n \n", "Line 2 of `r.txt` is empty and that of `s.txt` is not"),
        (b"\ny\n", b"1\n2\n", "Line 1 of `s.txt` is empty and that of `r.txt` is not"),
        (b"\n\n", b"\n\n", "`s.txt` is empty"),
        (b"\xff\xfe\x00", b"1\n", "s.txt"),
    ],
)
def test_files_that_do_not_fit_are_refused_in_a_sentence(
    src: bytes, ref: bytes, sentence: str
) -> None:
    with pytest.raises(UserError) as error:
        test_sets.from_uploads([("s.txt", src), ("r.txt", ref)])
    assert sentence in str(error.value)


def test_another_systems_lines_may_be_of_all_sentences_or_of_those_taken() -> None:
    some = PAIRS[::3]
    own = [reference for _, reference in some]
    assert test_sets.outputs("x.txt", REFERENCES, some, 60) == own
    assert test_sets.outputs("x.txt", own, some, 60) == own


def test_missing_lines_are_named() -> None:
    with pytest.raises(
        UserError,
        match=r"has 58 lines and needs 60: one per sentence.*lines 2\d to 2\d seem to be missing",
    ):
        test_sets.outputs("x.txt", REFERENCES[:23] + REFERENCES[25:], PAIRS, 60)
    with pytest.raises(
        UserError, match=r"has 7 lines and needs 20 .or 60, for the whole test set.: one"
    ):
        test_sets.outputs("x.txt", REFERENCES[:7], PAIRS[::3], 60)
    assert test_sets.empty_lines(["a", "", " ", "b"]) == "lines 2, 3"
    assert test_sets.empty_lines(["", *"abc"]) == "line 1"
    assert test_sets.empty_lines([""] * 7).endswith("5 and 2 more")
    assert test_sets.empty_lines(["a"]) == ""


def test_what_the_model_was_trained_on_is_counted() -> None:
    train = [("the cat sleeps", ""), ("the the", "")]
    assert test_sets.frequencies(["the cat", "a dog"], train) == {
        "a": 0,
        "cat": 1,
        "dog": 0,
        "the": 3,
    }
    assert test_sets.overlap_note(["the cat"], train) == ""
    assert test_sets.overlap_note(["the cat sleeps", "the dog"], train).startswith(
        "1 of the 2 sentences (50%) are in the training data"
    )


def test_a_text_that_a_grammar_writes_is_written_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = str(make_run(tmp_path / "one", {"train.steps": 10}))
    first = test_sets.read(Sentences("", run=run))
    monkeypatch.setattr(test_sets, "load_pairs_for_training", None)
    assert test_sets.read(Sentences("", run=run)) == first
    (kept,) = (settings.home() / "texts").iterdir()
    kept.write_text("[1")
    with pytest.raises(TypeError):
        test_sets.read(Sentences("", run=run))


def test_texts_of_days_before_are_forgotten(tmp_path: Path) -> None:
    runs = [
        str(make_run(tmp_path / str(seed), {"train.steps": 10, "train.seed": seed}))
        for seed in (1, 2)
    ]
    test_sets.read(Sentences("", run=runs[0]))
    (old,) = (settings.home() / "texts").iterdir()
    os.utime(old, (1e9, 1e9))
    test_sets.read(Sentences("", run=runs[1]))
    (new,) = (settings.home() / "texts").iterdir()
    assert new != old


def test_equal_sources_become_one_sentence_with_several_references() -> None:
    pairs, references = test_sets.grouped([("a", "x"), ("b", "y"), ("a", "z"), ("a", "x")])
    assert pairs == (("a", "x"), ("b", "y"))
    assert references == (("x", "z"), ("y",))


def test_further_reference_files_match_line_by_line() -> None:
    pairs = [("a", "x"), ("b", "y")]
    more = [("r2", ["", "w"]), ("r3", ["u", "v"])]
    assert test_sets.with_more_references(pairs, more, "r1") == (("x", "u"), ("y", "w", "v"))
    assert test_sets.with_more_references(pairs, [], "r1") == (("x",), ("y",))
    with pytest.raises(UserError, match="`r2` has 1 lines and the sources have 2"):
        test_sets.with_more_references(pairs, [("r2", ["w"])], "r1")


def test_an_empty_line_of_the_first_reference_file_is_left_out_as_in_the_others() -> None:
    contents = [("s", b"a\nb\n\n"), ("r1", b"\ny\n\n")]
    pairs = test_sets.from_uploads(contents, has_more=True)
    more = [("r2", ["w", "", ""]), ("r3", ["v", "", ""])]
    assert test_sets.with_more_references(pairs, more, "r1") == (("w", "v"), ("y",), ("",))
    with pytest.raises(UserError, match=r"Line 1 of `r1` and of every other .* is empty but has a"):
        test_sets.with_more_references(pairs, [("r2", ["", "", ""])], "r1")
    with pytest.raises(UserError, match="Line 1 of `r1` is empty but has a source"):
        test_sets.with_more_references(pairs, [], "r1")


def test_all_references_of_a_saved_dataset_and_of_a_folder_count(tmp_path: Path) -> None:
    rows = datasets.Dataset.from_list(
        [{"source": "a", "ref1": "b", "ref2": "c"}, {"source": "d", "ref1": "e", "ref2": ""}]
    )
    rows.save_to_disk(tmp_path / "saved")
    (tmp_path / "files").mkdir()
    rows.to_parquet(tmp_path / "files" / "test.parquet")
    for name in ("saved", "files"):
        found = test_sets.read(Sentences(name, spec=f"disk:{tmp_path}/{name}"))
        assert found.pairs == (("a", "b"), ("d", "e"))
        assert found.every_reference == (("b", "c"), ("e",))


def test_a_demo_without_its_training_pairs_is_tested_on_what_ships() -> None:
    assert test_sets.splits_of_run("demo-en-de") == ("test",)
    found = test_sets.read(Sentences("", split="test", run="demo-en-de"))
    assert (len(found.pairs), found.train) == (1000, ())
    assert any(len(each) > 1 for each in found.references)
    assert any("Tatoeba" in note for note in found.notes)
    with pytest.raises(UserError, match="do not ship"):
        test_sets.training_pairs("demo-en-de")


def test_sources_and_references_in_two_unicode_forms_are_one() -> None:
    composed, decomposed = "\u00e9t\u00e9", "e\u0301te\u0301"
    pairs = [(composed, "a"), ("x", composed), (decomposed, "b"), ("x", decomposed)]
    assert test_sets.grouped(pairs) == (
        ((composed, "a"), ("x", composed)),
        (("a", "b"), (composed,)),
    )


def test_words_of_training_are_counted_in_one_unicode_form() -> None:
    composed, decomposed = "\u00e9t\u00e9", "e\u0301te\u0301"
    assert test_sets.frequencies([decomposed], [(composed, ""), (decomposed, "")]) == {composed: 2}


def test_outputs_of_the_whole_test_set_are_drawn_as_its_sentences_were() -> None:
    rows = test_sets.chosen_indices(60, 20, 3)
    assert rows != test_sets.chosen_indices(60, 20, 4)
    assert test_sets.chosen_indices(60, 20, 0) == test_sets.even_indices(60, 20)
    assert test_sets.chosen_indices(60, 60, 3) == [*range(60)]
    pairs = [PAIRS[i] for i in rows]
    found = test_sets.outputs("x.txt", REFERENCES, pairs, 60, 3)
    assert found == [reference for _, reference in pairs]


def test_sentences_without_a_new_word_are_said_to_have_none() -> None:
    train = [("the red house", ""), ("the old dog", "")]
    assert "Every word of the 2 test sources" in test_sets.coverage_note(
        ["the old house", "The dog"], train
    )
    assert not test_sets.coverage_note(["the old cat"], train)
