"""A corpus knows its texts by hash and writes them to files that read back."""

import dataclasses

import pytest

from s2s.config import UserError
from s2s.data import Corpus, Gold, Link, Pair, load, write_split

PAIRS = (Pair("a b", "x y"), Pair(" leading", "trailing "))


def corpus(pairs, split="train"):
    return Corpus("test", split, tuple(pairs))


def test_the_hash_is_of_the_texts_in_order():
    assert len(corpus(PAIRS).hash) == 64
    assert (
        corpus(PAIRS).hash
        == dataclasses.replace(corpus(PAIRS), spec="other", split="valid", notes=("a note",)).hash
    )
    assert corpus(PAIRS).hash != corpus(PAIRS[::-1]).hash
    assert corpus([Pair("a", "b")]).hash == corpus([Pair("a", "b", Gold((Link(0, 0),)))]).hash


def test_the_hash_stays_what_it_was():
    assert (
        corpus([Pair("é", "1\t2")]).hash
        == "2d24591b41121001e6b17bcbdb1104728647a6c3286eb6e8624b382c26fa9c3b"
    )


def test_no_two_texts_share_a_hash_by_where_they_are_cut():
    cut = [
        [Pair("a", "b\tc")],
        [Pair("a\tb", "c")],
        [Pair("a\nb", "c")],
        [Pair("a", "b"), Pair("c", "")],
        [Pair("a", 'b", "c')],
    ]
    assert len({corpus(pairs).hash for pairs in cut}) == len(cut)


def test_a_split_is_written_and_read_back(tmp_path):
    paths = write_split(corpus(PAIRS), tmp_path / "new")
    assert (
        [path.name for path in paths]
        == ["train.src", "train.tgt"]
        == sorted(path.name for path in (tmp_path / "new").iterdir())
    )
    assert load(",".join(map(str, paths))).pairs == PAIRS


def test_gold_links_are_written_a_line_a_pair(tmp_path):
    gold = Pair("a b", "y x", Gold((Link(0, 1), Link(1, 0))))
    *_, align = write_split(corpus([gold, Pair("c", "z")], "valid"), tmp_path)
    assert align.name == "valid.align"
    assert align.read_bytes() == b"0-1 1-0\n\n"


def test_links_of_other_pairs_do_not_stay(tmp_path):
    write_split(corpus([Pair("a", "x", Gold((Link(0, 0),)))]), tmp_path)
    write_split(corpus(PAIRS), tmp_path)
    assert not (tmp_path / "train.align").exists()


def test_a_text_with_line_breaks_stays_one_line(tmp_path):
    src, tgt = write_split(corpus([Pair("a\r\nb", "x\ny"), Pair("c\u2028d", "z\x85")]), tmp_path)
    assert src.read_bytes() == "a b\nc\u2028d\n".encode()
    assert tgt.read_bytes() == "x y\nz\x85\n".encode()


@pytest.mark.parametrize("place", ["taken", "taken/inside"])
def test_a_folder_that_cannot_be_written(place, tmp_path):
    (tmp_path / "taken").write_text("a file, no folder")
    with pytest.raises(
        UserError,
        match=r"train\.src` cannot be written \(.*\); choose another folder or free some space\.",
    ):
        write_split(corpus(PAIRS), tmp_path / place)


def test_a_failed_write_leaves_nothing(tmp_path):
    (tmp_path / "train.src").mkdir()
    with pytest.raises(UserError, match="cannot be written"):
        write_split(corpus(PAIRS), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["train.src"]
