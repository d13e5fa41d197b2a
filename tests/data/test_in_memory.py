"""Tables and lists of a Python program: what is read, what is refused, and what they are called."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from s2s.config import UserError
from s2s.data import Corpus, as_corpus, as_references, dataset_title, held, load
from s2s.data.formats.reference_columns import read_references
from s2s.data.pair import Pair

ROWS = [("a", "x"), ("b", "y")]
NAMES = ("en", "de")


def columns(rows: Any = ROWS) -> dict[str, list[str]]:
    return {name: [row[at] for row in rows] for at, name in enumerate(NAMES)}


def unchecked(texts: list[str]) -> pa.Array:
    """A column as a careless program writes it: Arrow does not check that its texts are UTF-8."""
    return pa.array([text.encode(errors="surrogatepass") for text in texts]).view(pa.utf8())


def table(rows: Any = ROWS) -> pa.Table:
    return pa.table({name: unchecked(texts) for name, texts in columns(rows).items()})


CONTAINERS: dict[str, Callable[[Any], Any]] = {
    "list of pairs": list,
    "iterator": iter,
    "list of dictionaries": lambda rows: [dict(zip(NAMES, row, strict=True)) for row in rows],
    "dictionary": columns,
    "DataFrame": lambda rows: pd.DataFrame(rows, columns=NAMES, dtype=object),
    "Table": table,
    "Dataset": lambda rows: datasets.Dataset(table(rows)),
    "Corpus": lambda rows: Corpus("mine", "train", tuple(Pair(*row) for row in rows)),
}


@pytest.mark.parametrize("make", CONTAINERS.values(), ids=CONTAINERS)
def test_every_container_gives_the_same(make: Callable[[Any], Any]) -> None:
    assert as_corpus(make(ROWS)).pairs == (Pair("a", "x"), Pair("b", "y"))
    assert as_references(make(ROWS)).rows == [("a", ("x",)), ("b", ("y",))]


def test_iterators_can_be_read_twice() -> None:
    for given in (iter(ROWS), {name: map(str, texts) for name, texts in columns().items()}):
        again = held(given)
        assert as_corpus(again) == as_corpus(again)


@pytest.mark.parametrize("character", ["\0", "\ud800"])
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("make", CONTAINERS.values(), ids=CONTAINERS)
def test_a_character_that_no_text_has_is_refused_with_its_row(
    make: Callable[[Any], Any], side: int, character: str
) -> None:
    bad = ["b", "y"]
    bad[side] += character
    said = "NUL character" if character == "\0" else "half of a character"
    for read in (as_corpus, as_references):
        with pytest.raises(UserError, match=rf"\b2\b.*{said}"):
            read(make([ROWS[0], tuple(bad)]))


@pytest.mark.parametrize("character", ["\0", "\ud800"])
@pytest.mark.parametrize("suffix", ["jsonl", "json", "parquet"])
def test_a_file_is_refused_for_it_too(suffix: str, character: str, tmp_path: Path) -> None:
    rows = [*ROWS, ("c", f"z{character}")]
    path = tmp_path / f"table.{suffix}"
    if suffix == "parquet":
        pq.write_table(table(rows), path)
    else:
        objects = [json.dumps(dict(zip(NAMES, row, strict=True))) for row in rows]
        path.write_text("\n".join(objects))
    for read in (load, as_references, lambda name: read_references(name, path.read_bytes())):
        with pytest.raises(
            UserError, match=rf"3 of `.*table\.{suffix}` has (a NUL|half of a) character"
        ):
            read(str(path))


def test_a_cell_that_is_not_read_may_hold_anything(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pq.write_table(table().append_column("note", pa.array(["c\0", "d"])), path)
    assert as_corpus(str(path)).pairs == (Pair("a", "x"), Pair("b", "y"))


def test_two_columns_of_one_name_are_refused_by_name(tmp_path: Path) -> None:
    names = ["en", "de", "de"]
    frame = pd.DataFrame([["a", "x", "y"]], columns=names)
    arrays = [pa.array([text]) for text in "axy"]
    arrow = pa.Table.from_arrays(arrays, names)
    pq.write_table(arrow, tmp_path / "a.parquet")
    (tmp_path / "a.csv").write_text("en,de,de\na,x,y\n")
    (tmp_path / "a.tsv").write_text("en\tde\tde\na\tx\ty\n")
    files = [str(tmp_path / f"a.{suffix}") for suffix in ("parquet", "csv", "tsv")]
    for given in (frame, arrow, *files, f"{files[1]}#src=en,tgt=de", f"disk:{tmp_path}"):
        for read in (as_corpus, as_references):
            with pytest.raises(UserError, match="has 2 columns named `de`; give each"):
                read(given)
    (tmp_path / "a.jsonl").write_text('{"en": "a", "de": "x", "de": "y"}')
    with pytest.raises(UserError, match=r"Line 1 of `.*` has the key `de` twice"):
        load(str(tmp_path / "a.jsonl"))


def test_repeated_columns_of_a_csv_can_be_chosen_by_number_or_left_unread(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("en,note,note,de\na,b,c,x\n")
    assert load(str(path)).pairs == (Pair("a", "x"),)
    assert load(f"{path}#src=1,tgt=3").pairs == (Pair("a", "c"),)


@pytest.mark.parametrize(
    "named", [["de", "en"], ("de", "en"), pd.Index(["de", "en"]), np.array(["de", "en"])]
)
@pytest.mark.parametrize(
    "kind", ["DataFrame", "Dataset", "Table", "list of dictionaries", "dictionary"]
)
def test_columns_come_in_any_sequence(kind: str, named: Any) -> None:
    given = CONTAINERS[kind](ROWS)
    assert as_corpus(given, named).pairs[0] == Pair("x", "a")
    assert as_references(given, named).rows[0] == ("x", ("a",))
    assert as_corpus(given, None).pairs[0] == Pair("a", "x")


@pytest.mark.parametrize(
    "named", ["en", 5, ["en"], ["en", None], [b"en", "de"], {"en": 1, "de": 2}]
)
def test_columns_that_are_no_two_names_are_refused(named: Any) -> None:
    with pytest.raises(UserError, match=r"`columns` is .*; give two names"):
        as_corpus(columns(), named)


def test_numbers_name_the_columns_of_a_frame_without_names() -> None:
    assert as_corpus(pd.DataFrame(ROWS), [1, 0]).pairs[0] == Pair("x", "a")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            [{"en": "a", "de": "x"}, ("b", "y")],
            r"Item 2 of the list is \('b', 'y'\), and item 1 a dictionary",
        ),
        ({"en": ["a"], "de": ["x", "y"]}, r"different lengths \(`en` 1, `de` 2\)"),
        ({"en": "a", "de": ["x"]}, "The dictionary has 'a' as `en`; give a list of texts"),
        ({"en": ["a", 1], "de": ["x", "y"]}, "The dictionary cannot be read"),
        (None, "The data is a NoneType; give a"),
    ],
)
def test_what_is_no_table_is_said(given: Any, said: str) -> None:
    with pytest.raises(UserError, match=said):
        as_corpus(given)


def test_views_of_strings_are_read_as_polars_exports_them() -> None:
    views = pa.string_view()
    given = {
        "en": pa.array(["a"], views),
        "references": pa.array([["x", "y"]], pa.large_list(views)),
    }
    assert as_references(pa.table(given)).rows == [("a", ("x", "y"))]


def published(name: str, config: str, split: str) -> datasets.Dataset:
    info = datasets.DatasetInfo(dataset_name=name, config_name=config)
    return datasets.Dataset(table(), info=info, split=datasets.NamedSplit(split))


@pytest.mark.parametrize(
    ("given", "title"),
    [
        (pd.DataFrame(columns(ROWS * 600)), "DataFrame of 1,200 rows (en, de)"),
        (pd.DataFrame([["a"] * 6], columns=list("abcdef")), "DataFrame of 1 row (a, b, c, d, …)"),
        (pd.DataFrame({"e\nn\u202e": ["a"], "de": ["x"]}), "DataFrame of 1 row (e n, de)"),
        (ROWS, "List of 2 pairs"),
        (CONTAINERS["list of dictionaries"](ROWS), "List of 2 rows (en, de)"),
        (table(), "Table of 2 rows (en, de)"),
        (datasets.Dataset(table()), "Dataset of 2 rows (en, de)"),
        (published("opus_books", "en-fr", "train"), "opus_books (en-fr, train)"),
        (published("opus_books", "default", "test"), "opus_books (test)"),
        (published("csv", "default", "train"), "Dataset of 2 rows (en, de)"),
        (Corpus("/home/me/pairs.csv#src=en,tgt=de", "valid", ()), "pairs.csv (valid)"),
        (as_corpus(ROWS), "Corpus of 2 pairs"),
        ("builtin:en-fr#rows=5", "builtin:en-fr"),
        ("text:/home/me/book.txt", "book.txt"),
    ],
)
def test_data_is_called_after_what_it_was(given: Any, title: str) -> None:
    assert dataset_title(given) == title


def test_the_title_names_the_columns_that_are_read() -> None:
    frame = pd.DataFrame({"id": ["1"], "en": ["a"], "de": ["x"]})
    assert dataset_title(frame, ["en", "de"]) == "DataFrame of 1 row (en, de)"


def test_columns_with_levels_of_names_are_named_by_tuples() -> None:
    levels = pd.MultiIndex.from_tuples([("text", "en"), ("text", "de")])
    frame = pd.DataFrame(ROWS, columns=levels)
    pairs = as_corpus(frame, [("text", "de"), ("text", "en")]).pairs
    assert [(pair.src, pair.tgt) for pair in pairs] == [(tgt, src) for src, tgt in ROWS]
    assert len(as_corpus(pd.DataFrame(ROWS), np.array([1, 0]))) == 2  # type: ignore[arg-type]
    with pytest.raises(UserError, match="give two names"):
        as_corpus(pd.DataFrame(ROWS, columns=NAMES), set(NAMES))  # type: ignore[arg-type]


def test_what_a_transform_makes_is_refused() -> None:
    made = datasets.Dataset.from_dict(columns()).with_transform(lambda rows: {"x": rows["en"]})
    with pytest.raises(UserError, match=r"has a transform .*with_format\(None\)"):
        as_corpus(made)
    assert len(as_corpus(made.with_format(None))) == 2


@pytest.mark.parametrize("name", ["ref", "reference", "references"])
def test_a_list_of_references_is_several(name: str) -> None:
    given = [{"src": "a", name: ["x", "y"]}, {"src": "b", name: ["z"]}]
    assert as_references(given).rows == [("a", ("x", "y")), ("b", ("z",))]
