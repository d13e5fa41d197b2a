"""A text without a partner: passages, lines and dialogues of a file or of a column."""

import gzip
import json

import pytest

from s2s.config import UserError
from s2s.data import Pair, load, splits, write_split
from s2s.data.files import limited
from s2s.data.options import Caps
from s2s.data.text import TextOptions, dialogues, halves, opened, passages

BOOK = "It was the best of times,\r\nit was   the worst of times,\n\n\tit was the age of wisdom \n"
FLAT = "It was the best of times, it was the worst of times, it was the age of wisdom"


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "book.md"
    path.write_bytes(BOOK.encode())
    return path


def test_passages_have_the_length_asked_for():
    assert passages("to be or not", 6) == ("to be ", "or not")
    assert passages("abcde", 5) == ("abcde",)


@pytest.mark.parametrize("text", ["to be ", "abcde", "ab", "e\u0301x"])
def test_halves_lose_nothing(text):
    pair = halves(text)
    assert pair.src + pair.tgt == text
    assert len(pair.tgt) - len(pair.src) in (0, 1)


@pytest.mark.parametrize("length", [2, 3, 7, 20, 77, 78, 4096])
def test_passages_lose_nothing(length):
    cut = passages(BOOK, length)
    assert FLAT.startswith("".join(cut))
    assert len(FLAT) - len("".join(cut)) <= 1
    assert all(len(passage) == length for passage in cut[:-1])
    assert 2 <= len(cut[-1]) <= length


@pytest.mark.parametrize("stride", [1, 2, 3, 7, 20])
@pytest.mark.parametrize("length", [20, 40, 77])
def test_a_passage_begins_a_stride_after_the_one_before(length, stride):
    found = passages(BOOK, length, stride)
    assert found == tuple(FLAT[at : at + length] for at in range(0, len(found) * stride, stride))
    assert FLAT.endswith(found[-1])
    overlap = TextOptions(length=length, stride=stride).n_overlapping
    starts = [n * stride for n in range(len(found))]
    for n, start in enumerate(starts):
        shared = sum(other < start + length for other in starts[n + 1 :])
        assert shared == min(overlap, len(starts) - n - 1)


def test_a_stride_that_leaves_out_text_is_refused():
    with pytest.raises(UserError, match="would leave out text between passages of 10 characters"):
        TextOptions(length=10, stride=11)


@pytest.mark.parametrize("length", [2, 3, 10])
def test_line_breaks_are_spaces_like_others(length):
    words = "a bc def ghij klmno pqrstu"
    assert (
        passages(words.replace(" ", "\n"), length)
        == passages(words.replace(" ", " \n\n\t "), length)
        == passages(words, length)
    )


def test_the_default_is_passages_of_120_characters(book):
    assert splits(f"text:{book}") == ("train",)
    corpus = load(f"text:{book}")
    assert (corpus.pairs, corpus.is_plain) == ((Pair(FLAT, FLAT),), True)
    assert len(load(f"text:{book}#length=20")) == 4
    assert len(load(f"text:{book}#length=20,rows=2")) == 2


def test_a_text_is_read_as_lines_or_dialogues(tmp_path):
    path = tmp_path / "talk.txt"
    path.write_text("Hi!\n Hello. \n\n \nBye!\nSee you.\nNever.\n")
    assert [pair.src for pair in load(f"text:{path}#unit=line").pairs] == [
        "Hi!",
        "Hello.",
        "Bye!",
        "See you.",
        "Never.",
    ]
    assert [pair.tgt for pair in load(f"text:{path}#unit=dialogue").pairs] == [
        "Hi! <turn> Hello.",
        "Bye! <turn> See you. <turn> Never.",
    ]
    assert list(dialogues([])) == []


def test_a_text_that_is_a_table_is_said_to_be_one(tmp_path):
    path = tmp_path / "deu.txt"
    for text, n_said in (("Go.\tGeh.\tCC-BY\nHi.\tHallo.\tCC-BY\n", 1), ("a\tb\nc\n", 0)):
        path.write_text(text)
        notes = load(f"text:{path}#unit=line").notes
        assert sum("in a file named `.tsv`" in note for note in notes) == n_said


def test_a_column_of_a_table_is_read_as_text(tmp_path):
    path = tmp_path / "talk.jsonl.gz"
    rows = [
        {"id": at, "turns": turns, "topic": "greeting"}
        for at, turns in enumerate([["Hi!", "Hello."], [], ["Bye!"]])
    ]
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    assert [pair.src for pair in load(f"text:{path}#unit=dialogue,column=turns").pairs] == [
        "Hi! <turn> Hello.",
        "Bye!",
    ]
    assert [pair.src for pair in load(f"text:{path}#unit=line,column=3").pairs] == ["greeting"] * 3
    with pytest.raises(
        UserError, match=r"has 2 text columns \(`turns`, `topic`\); choose one with #column=NAME\."
    ):
        load(f"text:{path}")
    lone = tmp_path / "lone.csv"
    lone.write_text("text\none\ntwo\n")
    assert [pair.src for pair in load(f"text:{lone}#unit=line").pairs] == ["text", "one", "two"]
    assert [pair.src for pair in load(f"text:{lone}#unit=line,column=text").pairs] == ["one", "two"]


def test_rows_of_a_column_that_cannot_be_read_are_counted(tmp_path):
    path = tmp_path / "lines.csv"
    path.write_text("text\nHello world\nYes, I do\nNo, thanks\nBye\n")
    corpus = load(f"text:{path}#unit=line")
    assert [pair.src for pair in corpus.pairs] == ["text", "Hello world", "Bye"]
    assert any(note.startswith("2 rows ") and note.endswith(" dropped.") for note in corpus.notes)


def test_other_encodings_are_read_and_limits_are_noted(tmp_path):
    path = tmp_path / "old.txt"
    path.write_bytes("été\nhiver\nmai\n".encode("latin-1"))
    assert load(f"text:{path}#unit=line").notes[0].startswith(f"`{path}` was read as Latin-1")
    corpus = opened(str(path), TextOptions(unit="line"), Caps(rows=2, cell=3))["train"]()
    assert [pair.src for pair in corpus.pairs] == ["été", "hiv"]
    assert corpus.notes[-1] == "Only the first 2 texts were read, the limit (`rows`)."


def test_spaces_where_texts_are_split_survive_files(book, tmp_path):
    corpus = load(f"text:{book}#length=12")
    assert any(pair.src != pair.src.strip() for pair in corpus.pairs)
    src, tgt = write_split(corpus, tmp_path)
    assert load(f"{src},{tgt}").pairs == corpus.pairs


@pytest.mark.parametrize("content", [" \n\n a \n", ""])
def test_a_text_without_text_is_refused(tmp_path, content):
    path = tmp_path / "short.txt"
    path.write_text(content)
    with pytest.raises(
        UserError, match=r"short\.txt` has fewer than 2 characters of text; give a longer text"
    ):
        load(f"text:{path}")


def test_a_missing_or_binary_text_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"There is no file `none\.txt`"):
        splits("text:none.txt")
    (tmp_path / "a.txt").write_bytes(b"abc\0")
    with pytest.raises(UserError, match="it has a NUL byte at offset 3"):
        load(f"text:{tmp_path / 'a.txt'}")


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("length=1", "`length` 1 is out of range"),
        ("lenght=9", "no setting `lenght`; the nearest are `length`"),
        ("unit=word", "no choice of `unit` `word`"),
    ],
)
def test_a_wrong_option_is_refused(option, message, book):
    with pytest.raises(UserError, match=message):
        load(f"text:{book}#{option}")


def test_a_sample_of_a_text_above_the_limit_says_what_it_is_of(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("".join(f"a line {n} of this text\n" for n in range(9)))
    corpus = opened(str(path), TextOptions(unit="line"), Caps(rows=6))["train"]()
    assert limited(corpus, 2, 1).notes[-1] == "2 of the first 6 pairs, drawn at random with seed 1."
    assert limited(corpus, 2).notes[-1] == "The first 2 of 6 pairs are used."
