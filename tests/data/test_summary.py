"""The counts of a corpus, against the slow and obvious way to count."""

import random
import statistics

import numpy as np
import pytest

from s2s.config import nfc
from s2s.data import Corpus, Pair, load
from s2s.data.summary import summarize

WORDS = ["a", "house", "Haus", "cafe\u0301", "café", "\u3000", "", "x\u2028y", "😀"]


def corpus(seed, n):
    draw = random.Random(seed)
    texts = [" ".join(draw.choices(WORDS, k=draw.randrange(1, 4))) for _ in range(2 * n)]
    return Corpus("test", "train", tuple(map(Pair, texts[:n], texts[n:])))


def test_the_counts_are_right():
    for seed in range(10):
        text = corpus(seed, 200)
        found = summarize(text)
        sources = [pair.src for pair in text.pairs]
        targets = [pair.tgt for pair in text.pairs]
        compared = [(nfc(pair.src), nfc(pair.tgt)) for pair in text.pairs]
        assert found.n_pairs == len(found.src_lengths) == len(found.tgt_lengths) == 200
        assert found.n_distinct_sources == len({source for source, _ in compared})
        assert found.n_duplicates == sum(
            pair in compared[:index] for index, pair in enumerate(compared)
        )
        assert found.n_same == sum(source == target for source, target in compared)
        assert found.src_lengths.tolist() == [len(source.split()) for source in sources]
        assert found.tgt_lengths.tolist() == [len(target.split()) for target in targets]
        assert found.src_median == statistics.median(found.src_lengths.tolist())
        assert found.tgt_median == statistics.median(found.tgt_lengths.tolist())
        assert (found.src_characters, found.tgt_characters) == (
            len("".join(sources)),
            len("".join(targets)),
        )
        assert found.src_lengths.dtype.kind == "i"


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_pairs_changes_the_order_of_the_lengths_alone(seed):
    text = corpus(seed, 100)
    one = summarize(text)
    other = summarize(Corpus("test", "train", text.pairs[::-1]))
    assert np.array_equal(one.src_lengths, other.src_lengths[::-1])
    for name in (
        "n_distinct_sources",
        "n_duplicates",
        "n_same",
        "src_words",
        "tgt_words",
        "src_median",
        "tgt_characters",
    ):
        assert getattr(one, name) == getattr(other, name)


def test_a_text_twice_has_each_pair_as_a_duplicate():
    text = load("builtin:mini-en-fr")
    once = summarize(text)
    twice = summarize(Corpus("test", "train", text.pairs * 2))
    assert (once.n_duplicates, twice.n_duplicates) == (0, 5)
    assert (once.src_words, once.tgt_words) == (twice.src_words, twice.tgt_words) == (9, 6)


def test_an_accent_written_apart_makes_no_other_word():
    assert summarize(Corpus("test", "train", (Pair("cafe\u0301 café", "x"),))).src_words == 1
