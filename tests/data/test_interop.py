"""Corpora go to the `datasets` library and come back the same."""

import datasets
import pytest

from s2s.config import UserError
from s2s.data.corpus import Corpus
from s2s.data.pair import Pair

WORLD = (
    Pair("שלום עולם", "مرحبا بالعالم"),
    Pair("猫が寝ている", "แมวกำลังนอน"),
    Pair("e\u0301te\u0301 \u200f", "👩‍👩‍👧‍👦 🇫🇷"),
    Pair("a\u2028b", "=SUM(A1) \t 'x'"),
)


def test_there_and_back_again() -> None:
    corpus = Corpus("file.tsv", "train", WORLD, ("A note.",))
    table = corpus.to_datasets()
    assert table.column_names == ["src", "tgt"]
    assert "A note." in table.info.description
    back = Corpus.from_datasets(table)
    assert back.pairs == WORLD
    assert back.hash == corpus.hash


def test_a_translation_gives_both_directions() -> None:
    features = datasets.Features(
        {"translation": datasets.Translation(languages=["de", "en"]), "n": datasets.Value("int32")}
    )
    table = datasets.Dataset.from_dict(
        {"translation": [{"de": "ja", "en": "yes"}, {"de": "", "en": "no"}], "n": [1, 2]}, features
    )
    assert Corpus.from_datasets(table).pairs == (Pair("ja", "yes"),)
    assert Corpus.from_datasets(table, "translation.en", "translation.de").pairs == (
        Pair("yes", "ja"),
    )
    assert "1 pair with an empty side" in Corpus.from_datasets(table).notes[-1]


def test_a_list_of_turns_is_one_dialogue() -> None:
    talk = ["Hi!", "Hello.", "How are you?"]
    table = datasets.Dataset.from_dict({"dialog": [talk]})
    assert Corpus.from_datasets(table).pairs == (
        Pair(*2 * ["Hi! <turn> Hello. <turn> How are you?"]),
    )
    table = datasets.Dataset.from_dict({"dialogue": [talk], "summary": ["A greeting."]})
    (pair,) = Corpus.from_datasets(table).pairs
    assert pair == Pair("Hi! <turn> Hello. <turn> How are you?", "A greeting.")


def test_what_cannot_be_read_is_said() -> None:
    with pytest.raises(UserError, match="no text column `sorce`; the nearest are `source`"):
        Corpus.from_datasets(
            datasets.Dataset.from_dict({"source": ["a"], "target": ["b"]}), "sorce"
        )
    with pytest.raises(
        UserError, match="no row with text on both sides: `src` is the source, `tgt`"
    ):
        Corpus.from_datasets(datasets.Dataset.from_dict({"src": ["a", " "], "tgt": ["", "b"]}))


def test_splits_and_streams_are_refused_in_a_sentence() -> None:
    table = datasets.Dataset.from_dict({"source": ["a"], "target": ["b"]})
    with pytest.raises(UserError, match=r"splits \(train, test\) was given; give one of them"):
        Corpus.from_datasets(datasets.DatasetDict({"train": table, "test": table}))
    with pytest.raises(UserError, match=r"stream .* was given, .*; give a datasets\.Dataset"):
        Corpus.from_datasets(table.to_iterable_dataset())
