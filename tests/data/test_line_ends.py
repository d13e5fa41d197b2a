"""Line ends of every program, line breaks inside of texts, and the first line that Excel writes."""

import json

import pandas as pd
import pytest

from s2s.data import load
from s2s.data.files import decode_lines
from s2s.data.formats.streams import CHUNK
from s2s.data.formats.table import one_line
from s2s.data.in_memory import as_corpus

BROKEN = "Line breaks in 1 row: each became one space, with the white space around it."
WANTED = [("the house", "das Haus"), ("a cat", "eine Katze")]


def read(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    corpus = load(str(path))
    return [(pair.src, pair.tgt) for pair in corpus.pairs], list(corpus.notes)


@pytest.mark.parametrize("codec", ["utf-8", "utf-16", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r\r\n", "\r"])
def test_every_line_end_ends_a_row(tmp_path, end, codec):
    lines = [f"{src}\t{tgt} ä" for src, tgt in WANTED]
    pairs, notes = read(tmp_path, "a.tsv", (end.join(lines) + end).encode(codec))
    assert pairs == [(src, f"{tgt} ä") for src, tgt in WANTED]
    assert any("carriage return" in note for note in notes) == (end == "\r")


def test_two_files_with_carriage_returns_are_aligned(tmp_path):
    for at, name in enumerate(["a.en", "a.de"]):
        (tmp_path / name).write_bytes("\r".join(pair[at] for pair in WANTED).encode())
    corpus = load(f"{tmp_path}/a.en,{tmp_path}/a.de")
    assert [(pair.src, pair.tgt) for pair in corpus.pairs] == WANTED


def test_a_carriage_return_in_a_line_is_a_space(tmp_path):
    pairs, notes = read(tmp_path, "a.tsv", "the\rhouse\tdas Haus\na cat\teine Katze\n")
    assert pairs == WANTED
    assert BROKEN in notes


def test_lone_carriage_returns_end_lines():
    assert decode_lines(b"one\rtwo\r", "a") == decode_lines(b"one\r\r\ntwo", "a") == ["one", "two"]


ROWS = [{"src": "the\n        house\n", "tgt": "das Haus"}, {"src": "a cat", "tgt": "eine Katze"}]


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json", "a.parquet"])
def test_indentation_in_a_cell_becomes_one_space(tmp_path, name):
    frame = pd.DataFrame(ROWS)
    if name == "a.parquet":
        frame.to_parquet(tmp_path / name)
        content = (tmp_path / name).read_bytes()
    elif name == "a.csv":
        content = frame.to_csv(index=False).encode()
    else:
        content = "\n".join(map(json.dumps, ROWS)).encode()
    pairs, notes = read(tmp_path, name, content)
    assert pairs == WANTED
    assert BROKEN in notes


@pytest.mark.parametrize(
    "given", [pd.DataFrame(ROWS), [tuple(row.values()) for row in ROWS]], ids=["frame", "pairs"]
)
def test_indentation_in_python_becomes_one_space(given):
    corpus = as_corpus(given)
    assert [(pair.src, pair.tgt) for pair in corpus.pairs] == WANTED
    assert BROKEN in corpus.notes


def test_white_space_around_line_breaks_becomes_one_space():
    assert one_line("  a\r\n\r\n\t b \n") == "a b"
    assert one_line("  a  b ") == "  a  b "


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", "sep=;\r\nthe house;das Haus\r\na cat;eine Katze\r\n", "a semicolon"),
        ("a.csv", '\ufeff"sep=,"\nthe house,das Haus\na cat,eine Katze\n', "a comma"),
        ("a.csv", "SEP=\t\nthe house\tdas Haus\na cat\teine Katze\n", "a tab"),
        ("a.csv", "sep=^\nthe house^das Haus\na cat^eine Katze\n", "`^`"),
        ("a.tsv", "sep=\t\nthe house\tdas Haus\na cat\teine Katze\n", "a tab"),
        ("a.tsv", "sep=;\nsrc;tgt\nthe house;das Haus\na cat;eine Katze\n", "a semicolon"),
    ],
)
def test_excels_first_line_names_the_delimiter(tmp_path, name, content, said):
    pairs, notes = read(tmp_path, name, content)
    assert pairs == WANTED
    assert any(f"names the delimiter, as Excel writes it: {said}." in note for note in notes)


def test_lines_keep_their_numbers_after_excels_first_line(tmp_path):
    (tmp_path / "a.csv").write_text('sep=;\n"a\nb";c\nd;e\n')
    assert [pair.line for pair in load(str(tmp_path / "a.csv")).pairs] == [2, 4]


@pytest.mark.parametrize(
    "content",
    [
        "the\rhouse,das Haus\na cat,eine Katze\n",
        'the\rhouse,"das Haus"\na cat,eine Katze\n',
        'src,tgt\nthe house,"das\rHaus"\n"a cat",eine Katze\n',
        "src,tgt\nthe house,das\rHaus\na cat,eine Katze\n",
    ],
)
def test_a_carriage_return_in_a_cell_of_csv_is_a_space(tmp_path, content):
    pairs, notes = read(tmp_path, "a.csv", content)
    assert pairs == WANTED
    assert BROKEN in notes


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_joined_files_of_two_systems_lose_no_row(tmp_path, name):
    """The first rows, more than one chunk, end as on Linux, and the others as on Mac OS 9."""
    mark = "," if name == "a.csv" else "\t"
    rows = [f"source {at}{mark}target {at}" for at in range(20_000)]
    content = "\n".join(rows[:14_000]) + "\n" + "\r".join(rows[14_000:]) + "\r"
    assert len("\n".join(rows[:14_000])) > CHUNK
    pairs, _ = read(tmp_path, name, content)
    assert pairs == [(f"source {at}", f"target {at}") for at in range(20_000)]


@pytest.mark.parametrize(
    ("first", "mark"),
    [("sep=tab", "\t"), ("sep=\\t", "\t"), ("Sep = ;", ";"), ("\n\nsep=;", ";"), ("sep=|||", "|")],
)
def test_other_spellings_of_excels_first_line_name_it_too(tmp_path, first, mark):
    rows = [mark.join(pair) for pair in [("src", "tgt"), *WANTED]]
    pairs, notes = read(tmp_path, "a.csv", "\n".join([first, *rows]))
    assert pairs == WANTED
    assert any("names the delimiter" in note for note in notes)


def test_a_first_line_that_names_no_delimiter_is_no_pair(tmp_path):
    pairs, notes = read(tmp_path, "a.csv", "sep=\nsrc;tgt\nthe house;das Haus\na cat;eine Katze\n")
    assert pairs == WANTED
    assert "Line 1 of" in "".join(notes)


@pytest.mark.parametrize("mark", [",", ";", "|", "|||"])
def test_spaces_around_the_fields_of_csv_are_removed(tmp_path, mark):
    content = f'the house {mark} "das Haus"\na cat {mark} eine Katze\n'
    assert read(tmp_path, "a.csv", content)[0] == WANTED
