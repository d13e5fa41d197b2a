import json

import pytest

from s2s.config import UserError
from s2s.data import load
from s2s.data.corpus import Corpus
from s2s.data.pair import Pair
from s2s.data.preview import ROWS, Preview, load_preview


def test_a_preview_counts_what_is_there() -> None:
    pairs = (Pair("a b", "x"), Pair("a b", "x"), Pair("c", "c"), Pair("a b c d", "é"))
    seen = Preview.of(Corpus("t", "train", pairs, ("A note.",)))
    assert (seen.n_pairs, seen.n_distinct_sources, seen.n_duplicates, seen.n_same) == (4, 3, 1, 1)
    assert seen.src_counts == (0, 1, 2, 0, 1)
    assert (seen.src_longest, seen.tgt_longest) == (4, 1)
    assert (seen.src_words, seen.tgt_words) == (4, 3)
    assert (seen.src_alphabet, seen.tgt_alphabet) == (5, 3)
    assert seen.rows[3] == ("a b c d", "é")
    assert seen.notes == ("A note.",)


def test_long_texts_are_cut_in_the_rows_and_counted_whole() -> None:
    seen = Preview.of(Corpus("t", "train", (Pair("x " * 300, "y" * 500),)))
    ((src, tgt),) = seen.rows
    assert (len(src), src[-3:], tgt) == (500, " x…", "y" * 500)
    assert (seen.src_longest, seen.src_characters) == (300, 600)


@pytest.mark.parametrize("spec", ["builtin:mini-en-fr", "synthetic:copy"])
def test_a_preview_survives_json(spec: str) -> None:
    seen = load_preview(spec)
    assert Preview.from_json(json.loads(json.dumps(seen.to_json()))) == seen
    assert len(seen.rows) == min(ROWS, seen.n_pairs)
    assert sum(seen.src_counts) == sum(seen.tgt_counts) == seen.n_pairs == len(load(spec))


def test_what_cannot_be_read_is_a_sentence() -> None:
    with pytest.raises(UserError, match="no saved dataset"):
        load_preview("corpus:0123456789abcdef")
