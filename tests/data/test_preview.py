import json

import pytest

from s2s.config import UserError
from s2s.data import load
from s2s.data.corpus import Corpus
from s2s.data.pair import Pair
from s2s.data.preview import ROWS, Preview, load_preview
from s2s.files import to_json


def test_a_preview_counts_what_is_there() -> None:
    pairs = (Pair("a b", "x"), Pair("a b", "x"), Pair("c", "c"), Pair("a b c d", "é"))
    preview = Preview.of(Corpus("t", "train", pairs, ("A note.",)))
    assert (preview.n_pairs, preview.n_distinct_sources, preview.n_duplicates, preview.n_same) == (
        4,
        3,
        1,
        1,
    )
    assert preview.src_counts == (0, 1, 2, 0, 1)
    assert (preview.src_longest, preview.tgt_longest) == (4, 1)
    assert (preview.src_words, preview.tgt_words) == (4, 3)
    assert (preview.src_alphabet, preview.tgt_alphabet) == (5, 3)
    assert preview.rows[3] == ("a b c d", "é")
    assert preview.notes == ("A note.",)


def test_long_texts_are_truncated_in_the_rows_and_counted_completely() -> None:
    preview = Preview.of(Corpus("t", "train", (Pair("x " * 300, "y" * 500),)))
    ((src, tgt),) = preview.rows
    assert (len(src), src[-3:], tgt) == (500, " x…", "y" * 500)
    assert (preview.src_longest, preview.src_characters) == (300, 600)


@pytest.mark.parametrize("spec", ["builtin:mini-en-fr", "synthetic:copy"])
def test_a_preview_survives_json(spec: str) -> None:
    preview = load_preview(spec)
    assert Preview.read(json.loads(json.dumps(to_json(preview)))) == preview
    assert len(preview.rows) == min(ROWS, preview.n_pairs)
    assert sum(preview.src_counts) == sum(preview.tgt_counts) == preview.n_pairs == len(load(spec))


def test_what_cannot_be_read_is_a_sentence() -> None:
    with pytest.raises(UserError, match="no saved dataset"):
        load_preview("corpus:0123456789abcdef")
