"""SPECs: which source, which split, which options; and what is said when one is wrong."""

import shutil

import pytest

from s2s.config import Config, UserError
from s2s.data import SOURCES, load, splits
from s2s.data.files import FileOptions
from s2s.data.sources import parse_spec
from s2s.data.text import TextOptions
from tests.samples import sample, sample_lines


@pytest.fixture
def tsv(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("en\tde\nhouse\tHaus\ntree\tBaum\ndog\tHund\n")
    return path


@pytest.mark.parametrize("name", SOURCES)
def test_each_source_is_one_row(name):
    row = SOURCES[name]
    assert issubclass(row.config, Config)
    assert row.summary.endswith(".")
    assert {"rows", "split"} <= set(row.config().to_json())


def test_a_spec_is_taken_apart():
    assert parse_spec("text:book.txt#length=80,rows=3") == (
        "text",
        "book.txt",
        TextOptions(length=80, rows=3),
    )
    assert parse_spec("a.csv#src=en,tgt=2") == ("file", "a.csv", FileOptions(src="en", tgt="2"))
    assert parse_spec(r"C:\pairs.tsv").location == r"C:\pairs.tsv"
    assert parse_spec("file:a.csv").location == "a.csv"


def test_the_corpus_carries_its_spec_and_split(tsv):
    corpus = load(f"{tsv}#rows=2", "train")
    assert (corpus.spec, corpus.split, len(corpus)) == (f"{tsv}#rows=2", "train", 2)
    assert corpus.notes[-1] == "The first 2 of 3 pairs are used."
    assert len(load(f"{tsv}#rows=3").notes) == 1


def test_without_a_split_train_is_read():
    assert splits("synthetic:copy") == ("train", "valid", "test")
    assert load("synthetic:copy").split == "train"


def test_a_split_named_in_the_spec_is_the_only_one():
    assert splits("synthetic:copy#split=test") == ("test",)
    assert load("synthetic:copy#split=test").hash == load("synthetic:copy", "test").hash
    with pytest.raises(
        UserError, match=r"no split of `synthetic:copy#split=test` `train`; the nearest are `test`"
    ):
        load("synthetic:copy#split=test", "train")


def test_a_hash_in_the_name_of_a_file(tsv):
    odd = tsv.with_name("rows=1#of=2.tsv")
    shutil.copy(tsv, odd)
    assert len(load(str(odd))) == 3
    assert len(load(f"{odd}#rows=1")) == 1
    assert len(load(f"file:{odd}#rows=1")) == 1


def test_a_wrong_spec_is_answered_in_a_sentence():
    for spec, message in [
        ("bultin:en-fr", r"There is no source `bultin`; the nearest are `builtin`"),
        ("hubb:a/b", r"There is no source `hubb`"),
        (
            "corpus:123",
            r"There is no saved dataset `123` here; choose another one, or upload the dataset again\.",
        ),
        ("synthetic:copy#split=tset", r"no split of `copy` `tset`; the nearest are `test`"),
        ("synthetic:copy#row=3", r"no setting `row`; the nearest are `rows`"),
        ("synthetic:copy#rows=0", r"`rows` 0 is out of range; give a number at least 1"),
        ("synthetic:copy#rows=many", r"`rows` is 'many'; give a whole number or null"),
        (
            "synthetic:copy#rows",
            r"`#rows` has no key and value in `rows`; write it like #src=en,tgt=de or #rows=20000",
        ),
        ("synthetic:copy#rows=", r"has no key and value in `rows=`"),
        ("en-fr", r"There is no file `en-fr`; did you mean `builtin:en-fr`\?"),
        ("copy", r"did you mean `synthetic:copy`\?"),
        ("", r"There is no file ``"),
    ]:
        with pytest.raises(UserError, match=message):
            load(spec)


def test_a_source_is_known_from_its_file_first(tmp_path, monkeypatch, tsv):
    monkeypatch.chdir(tmp_path)
    shutil.copy(tsv, "mine:of.tsv")
    assert len(load("mine:of.tsv")) == 3


def test_real_tables():
    corpus = load(str(sample("forms.tsv")))
    assert len(corpus) == len(sample_lines("forms.tsv"))
    assert corpus.notes == (
        "Row 1 is data, not a header: column 1 is the source, column 2 the target, and 1 more is not read.",
    )
    corpus = load(str(sample("restaurants.csv")))
    assert len(corpus) >= 10
    assert corpus.notes == ("Row 1 is a header: `mr` is the source, `ref` the target.",)
