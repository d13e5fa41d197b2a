"""Columns of lists: one rule in every format, said in the notes, and chosen by `#lists=`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import pandas as pd
import pytest

from s2s.config import UserError
from s2s.data import Corpus, Pair, load
from s2s.data.in_memory import as_corpus

SOURCES = [["The house", "is big ."], ["It sleeps ."]]
TARGETS = [["Das Haus", "ist groß ."], ["Es schläft ."]]
FRAME = pd.DataFrame({"source": SOURCES, "target": TARGETS})
JOINED = (Pair("The house is big .", "Das Haus ist groß ."), Pair("It sleeps .", "Es schläft ."))
SAID = "`source`, `target` hold lists of texts: each was joined by spaces"
WRITERS: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "json": lambda frame, path: frame.to_json(path, orient="records"),
    "parquet": lambda frame, path: frame.to_parquet(path),
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "tsv": lambda frame, path: path.write_text(
        "source\ttarget\n"
        + "".join(
            f"{json.dumps(a)}\t{json.dumps(b)}\n" for a, b in zip(SOURCES, TARGETS, strict=True)
        )
    ),
}


@pytest.mark.parametrize("name", WRITERS)
def test_lists_are_joined_by_spaces_or_by_choice_in_every_format(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"a.{name}"
    WRITERS[name](FRAME, path)
    corpus = load(str(path))
    assert corpus.pairs == JOINED
    assert any(note.startswith(SAID) for note in corpus.notes), corpus.notes
    turns = load(f"{path}#lists=turn")
    assert turns.pairs[0] == Pair("The house <turn> is big .", "Das Haus <turn> ist groß .")
    assert any("joined by `<turn>`" in note for note in turns.notes)
    lines = load(f"{path}#lists=line")
    assert [(pair.src, pair.tgt) for pair in lines.pairs] == [
        (one, other)
        for src, tgt in zip(SOURCES, TARGETS, strict=True)
        for one, other in zip(src, tgt, strict=True)
    ]


def test_each_text_of_the_only_list_is_a_pair_with_the_text_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"source": ["a", "b"], "target": "c"}))
    corpus = load(f"{path}#lists=line")
    assert [(pair.src, pair.tgt) for pair in corpus.pairs] == [("a", "c"), ("b", "c")]
    assert any("a pair with the text beside the list" in note for note in corpus.notes)


@pytest.mark.parametrize(
    "given", [FRAME, datasets.Dataset.from_pandas(FRAME), FRAME.to_dict("records")]
)
def test_lists_that_python_holds(given: Any) -> None:
    corpus = as_corpus(given)
    assert corpus.pairs == JOINED
    assert any(note.startswith(SAID) for note in corpus.notes), corpus.notes


def test_a_folder_of_files_joins_its_sources(tmp_path: Path) -> None:
    frame = pd.DataFrame({"source": SOURCES, "target": ["a", "b"]})
    frame.to_parquet(tmp_path / "train.parquet")
    corpus = load(f"disk:{tmp_path}")
    assert corpus.pairs == (Pair("The house is big .", "a"), Pair("It sleeps .", "b"))
    assert any("joined by spaces" in note for note in corpus.notes)
    (tmp_path / "train.parquet").unlink()
    datasets.Dataset.from_pandas(FRAME).save_to_disk(tmp_path / "saved")
    FRAME.to_parquet(tmp_path / "train.parquet")
    for folder in (tmp_path, tmp_path / "saved"):
        turns = load(f"disk:{folder}#lists=turn").pairs[0]
        assert turns == Pair("The house <turn> is big .", "Das Haus <turn> ist groß .")
        lines = load(f"disk:{folder}#lists=line").pairs
        assert [pair.src for pair in lines] == ["The house", "is big .", "It sleeps ."]
        assert load(f"disk:{folder}#lists=space").pairs == JOINED


def test_dialogues_stay_turns_and_references_references(tmp_path: Path) -> None:
    row = {"dialogue": ["Hi!", "Hello."], "references": ["A.", "B."]}
    (tmp_path / "a.jsonl").write_text(f"{json.dumps(row)}\n")
    frame = datasets.Dataset.from_list([row])
    for corpus in (load(str(tmp_path / "a.jsonl")), Corpus.from_datasets(frame)):
        assert corpus.pairs == (Pair("Hi! <turn> Hello.", "A.", more=("B.",)),)
        assert any("`dialogue` holds lists of texts" in note for note in corpus.notes)


def test_lists_of_other_lengths_are_no_lines(tmp_path: Path) -> None:
    rows = [{"src": ["a", "b"], "tgt": ["x"]}, {"src": ["c"], "tgt": ["z"]}]
    (tmp_path / "a.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    corpus = load(f"{tmp_path / 'a.jsonl'}#lists=line")
    assert corpus.pairs == (Pair("c", "z"),)
    assert any("1 row without a text in both fields or with lists" in note for note in corpus.notes)


def test_plain_text_in_lists_is_joined_and_said(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": ["one", "two"]}))
    corpus = load(f"text:{tmp_path / 'a.jsonl'}#unit=line")
    assert corpus.pairs == (Pair("one two", "one two"),)
    assert "`text` holds lists of texts: each was joined by spaces." in corpus.notes
    assert load(f"text:{tmp_path / 'a.jsonl'}#unit=dialogue").pairs[0].src == "one <turn> two"


WORDS = [{"id": 1, "tokens": ["It", "is"], "tags": ["PRON", "VERB"]}] * 3
NUMBERS = [{"tokens": ["It", "is"], "ner_tags": [0, 12]}] * 3
SENTENCES = [{"src": [["It", "is", "."], ["So", "."]], "tgt": [["It", "."]]}] * 3


@pytest.mark.parametrize(
    ("rows", "pair"),
    [
        (WORDS, Pair("It is", "PRON VERB")),
        (NUMBERS, Pair("It is", "0 12")),
        (SENTENCES, Pair("It is . So .", "It .")),
    ],
)
def test_words_with_tags_and_lists_of_lists_are_joined(
    tmp_path: Path, rows: list[dict[str, Any]], pair: Pair
) -> None:
    frame = pd.DataFrame(rows)
    for name in ("jsonl", "json", "parquet"):
        WRITERS[name](frame, tmp_path / f"train.{name}")
        assert load(str(tmp_path / f"train.{name}")).pairs == (pair,) * 3, name
    for name in ("json", "parquet"):
        (tmp_path / f"train.{name}").unlink()
    assert load(f"disk:{tmp_path}").pairs == (pair,) * 3
    assert as_corpus(frame).pairs == as_corpus(rows).pairs == (pair,) * 3


def test_a_single_column_of_text_is_no_pair(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"dialog": ["Hi!", "Hello."], "act": [1, 2], "emotion": [0, 0]}))
    with pytest.raises(UserError, match=r"`dialog` is the only column of text .*unit=dialogue"):
        load(str(path))
    assert load(f"text:{path}#column=dialog,unit=dialogue").pairs[0].src == "Hi! <turn> Hello."


def test_a_text_beside_codes_and_objects_is_no_pair(tmp_path: Path) -> None:
    spoken = [{"no": 1, "en_sentence": "Hi!", "ja_sentence": "やあ"}]
    rows = [
        {"title": f"Call {at}", "original_language": "en", "conversation": spoken} for at in "abcd"
    ]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(rows))
    with pytest.raises(UserError, match="`title` is the only column of text"):
        load(str(path))
    assert load(f"{path}#src=title,tgt=original_language").pairs[0].tgt == "en"
