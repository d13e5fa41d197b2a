"""A text file as a task of continuing passages."""

import pytest

from s2s.config import UserError
from s2s.data import Pair, load, splits, write_split
from s2s.data.text import passages

BOOK = "It was the best of times,\r\nit was   the worst of times,\n\n\tit was the age of wisdom \n"
FLAT = "It was the best of times, it was the worst of times, it was the age of wisdom"


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "book.md"
    path.write_bytes(BOOK.encode())
    return path


def test_halves_of_passages():
    assert passages("to be or not", 6) == (Pair("to ", "be "), Pair("or ", "not"))
    assert passages("abcde", 5) == (Pair("ab", "cde"),)


@pytest.mark.parametrize("length", [2, 3, 7, 20, 4096])
def test_nothing_is_lost(length):
    pairs = passages(BOOK, length)
    joined = "".join(pair.src + pair.tgt for pair in pairs)
    assert FLAT.startswith(joined)
    assert len(FLAT) - len(joined) <= 1
    assert all(len(pair.src + pair.tgt) == length for pair in pairs[:-1])
    assert all(pair.src and pair.tgt for pair in pairs)


def test_a_last_passage_of_one_character_is_left_out():
    assert passages("abcd efgh i", 5) == (Pair("ab", "cd "), Pair("ef", "gh "))


def test_letters_and_their_accents_stay_together():
    assert passages("e\u0301e\u0301", 120) == (Pair("é", "é"),)


def test_the_default_is_120_characters(book):
    assert splits(f"text:{book}") == ("train",)
    assert load(f"text:{book}").pairs == (Pair(FLAT[:38], FLAT[38:]),)
    assert len(load(f"text:{book}#length=20")) == 4
    assert len(load(f"text:{book}#length=20,rows=2")) == 2


def test_blanks_at_the_cuts_survive_files(book, tmp_path):
    corpus = load(f"text:{book}#length=12")
    assert any(pair.src != pair.src.strip() for pair in corpus.pairs)
    src, tgt = write_split(corpus, tmp_path)
    assert load(f"{src},{tgt}").pairs == corpus.pairs


def test_a_text_without_text(tmp_path):
    path = tmp_path / "short.txt"
    path.write_text(" \n\n a \n")
    with pytest.raises(UserError, match=r"short\.txt` has fewer than 2 characters of text; give a longer text"):
        load(f"text:{path}")


def test_a_missing_text():
    with pytest.raises(UserError, match=r"There is no file `none\.txt`"):
        splits("text:none.txt")


@pytest.mark.parametrize(
    ("option", "message"), [("length=1", "`length` 1 is out of range"), ("lenght=9", "no setting `lenght`; the nearest are `length`")]
)
def test_a_wrong_option(option, message, book):
    with pytest.raises(UserError, match=message):
        load(f"text:{book}#{option}")
