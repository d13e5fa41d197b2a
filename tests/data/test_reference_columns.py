"""A test set in one table: several references per source, in columns or in lists."""

import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from s2s.config import UserError
from s2s.data import is_table, load
from s2s.data.formats.reference_columns import read_references

HEAD = ["mr", "ref1", "ref2", "ref3"]
ROWS = [["a x", "b", "c d", "e"], ["f", "g", "", "h"], ["i", "j", "k", "l"], ["m", "n", "", ""]]
FOUND = [("a x", ("b", "c d", "e")), ("f", ("g", "h")), ("i", ("j", "k", "l")), ("m", ("n",))]


def delimited(mark: str) -> Callable[[Sequence[str]], bytes]:
    return lambda head: "".join(f"{mark.join(row)}\n" for row in [head, *ROWS]).encode()


def jsonl(head: Sequence[str]) -> bytes:
    rows = [{key: text or None for key, text in zip(head, row, strict=True)} for row in ROWS]
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def parquet(head: Sequence[str]) -> bytes:
    out = io.BytesIO()
    columns = {key: [row[at] for row in ROWS] for at, key in enumerate(head)}
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


FORMATS = {
    "t.tsv": delimited("\t"),
    "t.csv": delimited(","),
    "t2.csv": delimited(";"),
    "t.jsonl": jsonl,
    "t.parquet": parquet,
}


def test_numbered_columns_are_references() -> None:
    for head in [
        HEAD,
        ["source", "reference_1", "reference_2", "reference_3"],
        ["src", "Ref", "Ref 2", "Ref 3"],
        ["en", "de.1", "de.2", "de.3"],
    ]:
        for name, write in FORMATS.items():
            found = read_references(name, write(head))
            assert found.rows == FOUND
            assert found.notes[0] == (
                f"`{head[0]}` is the source, `{head[1]}`, `{head[2]}`, `{head[3]}` are its 3 references."
            )


def test_a_list_is_several_references(tmp_path: Path) -> None:
    rows = [{"source": "a", "references": ["b", " ", "c"]}, {"source": "d", "references": ["e"]}]
    content = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    assert read_references("t.jsonl", content).rows == [("a", ("b", "c")), ("d", ("e",))]
    (tmp_path / "t.jsonl").write_bytes(content)  # as training and evaluation read it
    pairs = load(str(tmp_path / "t.jsonl")).pairs
    assert [(pair.src, pair.tgt, *pair.more) for pair in pairs] == [("a", "b", "c"), ("d", "e")]


def test_turns_of_a_dialogue_stay_one_text() -> None:
    rows = [{"source": "a", "dialog": ["b", "c"]}, {"source": "d", "dialog": ["e", "f"]}]
    content = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    assert read_references("t.jsonl", content).rows[0] == ("a", ("b <turn> c",))


def test_rows_without_a_reference_are_dropped_and_counted() -> None:
    text = "mr,ref1,ref2\na,,\n,b,c\nd,,e\nx\n"
    found = read_references("t.csv", text.encode())
    assert found.rows == [("d", ("e",))]
    assert "3 rows without a source or a reference dropped." in found.notes
    with pytest.raises(UserError, match=r"`t\.csv` has no row with a source and a reference"):
        read_references("t.csv", b"mr,ref1,ref2\na,,\n")


def test_tables_are_known_by_their_names() -> None:
    assert all(map(is_table, [*FORMATS, "T.TSV.gz"]))
    assert not any(map(is_table, ["t.txt", "t.zip", "t"]))
