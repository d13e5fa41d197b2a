"""A .json that is one value: splits, rows in a field, columns, and every shape that pandas writes."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from s2s.config import UserError
from s2s.data import Corpus, Pair, load, splits
from s2s.data.files import from_bytes, offered

ROWS = [
    {"src": "the house", "tgt": "das Haus"},
    {"src": "the tree", "tgt": "der Baum"},
    {"src": "a cat", "tgt": "eine Katze"},
]
PAIRS = tuple(Pair(row["src"], row["tgt"]) for row in ROWS)
COLUMNS = {"en": [row["src"] for row in ROWS], "de": [row["tgt"] for row in ROWS]}
LABELLED = pd.DataFrame(ROWS, index=["x", "y", "z"])
Read = Callable[[Any], Corpus]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def of(value: Any) -> Corpus:
        (tmp_path / "a.json").write_text(json.dumps(value))
        return load(str(tmp_path / "a.json"))

    return of


@pytest.mark.parametrize("orient", ["columns", "index", "split", "records", "values", "table"])
@pytest.mark.parametrize("frame", [pd.DataFrame(ROWS), LABELLED], ids=["numbered", "labelled"])
def test_every_shape_that_pandas_writes(read: Read, frame: pd.DataFrame, orient: str) -> None:
    assert read(json.loads(frame.to_json(orient=orient))).pairs == PAIRS
    named = frame.rename(columns={"src": "foo", "tgt": "bar"})  # names that nobody knows
    assert read(json.loads(named.to_json(orient=orient))).pairs == PAIRS


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"version": "1", "data": ROWS}, "field `data` of one object; not read: `version`."),
        ({"corpus": {"name": "x", "rows": ROWS}}, "field `corpus`"),
        ({"data": [[*row.values()] for row in ROWS], "columns": ["en", "de"]}, "field `data`"),
        ({"rows": [{"row_idx": 0, "row": row} for row in ROWS], "features": [{"a": 1}]}, "`rows`"),
        (COLUMNS, "The fields of one object are columns"),
        ({"en": COLUMNS["en"], "references": [[text] for text in COLUMNS["de"]]}, "are columns"),
        ({"info": {"lang": "en-de"}, "data": COLUMNS}, "field `data` of one object; not read: `info`."),
        ({one.src: [one.tgt] if one.src == "a cat" else one.tgt for one in PAIRS}, "is a pair"),
        ({"name": "x", **COLUMNS}, "by position; not read: `name`"),
        ({row["src"]: row["tgt"] for row in ROWS}, "is a pair: its name and its text"),
        ({str(at): [*row.values()] for at, row in enumerate(ROWS)}, "is a row"),
        ({lang: {str(at): text for at, text in enumerate(of)} for lang, of in COLUMNS.items()}, "columns"),
        ({"translation": [{"en": one.src, "de": one.tgt} for one in PAIRS]}, "field `translation`"),
        ([["source", "target"], *([*row.values()] for row in ROWS)], "`source` is the source"),
    ],
)  # fmt: skip
def test_an_object_that_holds_the_rows(read: Read, value: Any, said: str) -> None:
    found = read(value)
    assert found.pairs == PAIRS
    assert any(said in note for note in found.notes), found.notes


def test_questions_on_paragraphs_are_rows(read: Read) -> None:
    answered = {"question": "Who?", "answers": [{"text": "I", "answer_start": 0}, {"text": "me"}]}
    asked = [answered, {"question": "Why?", "answers": [], "is_impossible": True}]
    articles = [{"title": "T", "paragraphs": [{"context": "I am.", "qas": asked}]}] * 2
    for value in ({"version": "v2.0", "data": articles}, {"train": articles}):
        found = read(value)
        assert found.pairs == (Pair("Who? I am.", "I"),) * 2
        assert any("Each question on a paragraph is a row" in note for note in found.notes)
        assert any("2 rows without a text in both fields" in note for note in found.notes)


def test_a_long_dictionary_may_have_names_of_languages_in_it(read: Read) -> None:
    words = {"am": "bin", "german": "deutsch", "no": "nein", **{f"w{at}": "x" for at in range(30)}}
    assert read(words).pairs == tuple(Pair(*entry) for entry in words.items())


@pytest.mark.parametrize(
    "row",
    [
        {"src": "a", "tgt": "b"},
        {"English": "a", "German": "b"},
        {"translation": {"en": "a", "de": "b"}},
        {"id": 7, "translation": {"en": "a", "de": "b"}},
    ],
)
def test_one_row_stays_one_row(read: Read, row: Any) -> None:
    assert read(row).pairs == (Pair("a", "b"),)


@pytest.mark.parametrize(
    ("value", "refused"),
    [
        ({"en": ["a", "b"], "de": ["c"]}, "different lengths .`en` 2, `de` 1.*make them equal"),
        ({"easy": ROWS, "hard": ROWS}, "several lists of rows .easy, hard.; name them train"),
        ({"p": {"q": "1a", "r": "b"}, "s": {"q": "c", "r": "d"}}, "object of objects.*records"),
        ([["a", "b"], ["c"]], "Row 2 of .* has 1 fields, and there are 2 columns"),
        ({"dev": ROWS, "valid": ROWS}, "both the split valid"),
    ],
)
def test_what_may_mean_several_things_is_refused(read: Read, value: Any, refused: str) -> None:
    with pytest.raises(UserError, match=refused):
        read(value)


def test_splits_in_one_object(tmp_path: Path) -> None:
    content = json.dumps({"version": 2, "train": ROWS, "dev": COLUMNS, "test": ROWS[:1]}).encode()
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress(content))
    assert splits(str(path)) == ("train", "valid", "test")
    assert [len(load(str(path), split)) for split in splits(str(path))] == [3, 3, 1]
    assert load(f"{path}#split=test").pairs == PAIRS[:1]
    assert "this is `train`; `dev`, `test` are other splits" in load(str(path)).notes[-1]
    offer = offered([path])
    assert (offer.kind, offer.splits) == ("splits", ("train", "valid", "test"))
    assert from_bytes([("a.json", content)]).pairs == PAIRS
    nested = tmp_path / "b.json"
    nested.write_text(json.dumps({"version": 2, "data": {"train": ROWS, "test": ROWS[:1]}}))
    assert splits(str(nested)) == ("train", "test")
    nested.write_text(json.dumps({"license": {"id": 1}, "data": {"train": ROWS, "test": ROWS[:1]}}))
    assert splits(str(nested)) == ("train", "test")


@pytest.mark.parametrize("size", [7, 100, 1 << 18])
def test_one_object_of_any_length_is_read(
    read: Read, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr("s2s.data.formats.streams.CHUNK", size)
    assert read({"data": ROWS * 30}).pairs == PAIRS * 30
    monkeypatch.setattr("s2s.data.formats.streams.CHUNK", 1 << 18)
    long = [{"src": "x " * 5000, "tgt": str(at)} for at in range(150)]
    assert len(read({"data": long})) == 150  # more than the limit of one line
