"""Words counted, against the slow and obvious way to count them."""

import json
import random
import unicodedata
from collections import Counter

import numpy as np
import pytest

from s2s.data import Corpus, Pair
from s2s.data.split import hold_out
from s2s.data.statistics import SEED, Statistics, ratio_edges
from s2s.files import from_json, to_json

WORDS = ["café", "cafe\u0301", "Haus", "😀", "房子", *(f"w{n}" for n in range(300))]


def corpus(seed: int, n: int) -> Corpus:
    """Frequent words and rare ones, and texts without any."""
    draw = random.Random(seed)
    texts = [
        " ".join(
            draw.choices(
                WORDS, [1 / rank for rank in range(1, len(WORDS) + 1)], k=draw.randrange(9)
            )
        )
        for _ in range(2 * n)
    ]
    return Corpus("t", "train", tuple(map(Pair, texts[:n], texts[n:])))


def words(texts: list[str]) -> list[str]:
    return [word for text in texts for word in unicodedata.normalize("NFC", text).split()]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("block", [7, 10_000])
def test_the_counts_are_right(seed: int, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("s2s.data.statistics.BLOCK", block)
    text = corpus(seed, 200)
    valid = corpus(seed + 100, 30)
    found = Statistics.of(text, valid)
    for side in ("src", "tgt"):
        known = words([getattr(pair, side) for pair in text.pairs])
        seen = getattr(found, side)
        counts = Counter(known)
        held = Counter(words([getattr(pair, side) for pair in valid.pairs]))
        assert (seen.n_running, seen.n_distinct) == seen.growth[-1] == (len(known), len(counts))
        assert all(distinct == len(set(known[:running])) for running, distinct in seen.growth)
        assert seen.frequent == tuple(counts.most_common(20))
        assert seen.n_once == sum(n == 1 for n in counts.values())
        assert all(counts[word] == 1 for word in seen.once)
        for least, running, distinct in seen.covered:
            covered = [word for word in held if counts[word] >= least]
            assert running == pytest.approx(
                sum(held[word] for word in covered) / held.total(), abs=1e-6
            )
            assert distinct == pytest.approx(len(covered) / len(held), abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_every_ratio_lies_in_its_bin(seed: int) -> None:
    text = corpus(seed, 300)
    found = Statistics.of(text, text)
    lengths = [(len(pair.src.split()), len(pair.tgt.split())) for pair in text.pairs]
    ratios = np.array([tgt / src for src, tgt in lengths if src and tgt])
    inside = np.clip(ratios, ratio_edges()[0] * 1.001, ratio_edges()[-1] * 0.999)
    assert np.array_equal(np.histogram(inside, ratio_edges())[0], found.ratio_counts)
    assert found.ratio_median == pytest.approx(np.median(ratios))


def test_heaps_exponent_is_found_again() -> None:
    """New words come as the law says: the n-th word is new where floor(n ** 0.6) grows."""
    stream = [f"w{int(n**0.6)}" for n in range(1, 20_001)]
    text = Corpus(
        "t",
        "train",
        tuple(Pair(" ".join(stream[at : at + 10]), "a b") for at in range(0, 20_000, 10)),
    )
    found = Statistics.of(text, text)
    assert found.src.heaps == pytest.approx(0.6, abs=0.02)
    assert Statistics.of(corpus(0, 5)).src.heaps is None  # too short to say


def test_without_a_validation_text_the_share_is_held_out_that_training_holds_out() -> None:
    text = corpus(0, 400)
    train, valid, _ = hold_out(text, SEED)
    assert Statistics.of(text) == Statistics.of(train, valid)
    assert (len(train), len(valid)) == (Statistics.of(text).n_pairs, Statistics.of(text).n_valid)


@pytest.mark.parametrize("pairs", [(), (Pair("", ""),), (Pair("a", ""),) * 60])
def test_a_dataset_without_words_has_zero_counts(pairs: tuple[Pair, ...]) -> None:
    found = Statistics.of(Corpus("t", "train", pairs))
    assert (
        found.ratio_median,
        sum(found.ratio_counts),
        found.tgt.n_distinct,
        found.tgt.covered,
    ) == (0.0, 0, 0, ())


def test_statistics_survive_json_and_are_small() -> None:
    text = Corpus(
        "t",
        "train",
        (*corpus(1, 1000).pairs, *(Pair(f"{'long' * 1000}{n} \ud800", "b") for n in range(30))),
    )
    found = Statistics.of(text, text)
    content = json.dumps(to_json(found), ensure_ascii=False)
    content.encode()  # no half characters
    assert from_json(Statistics, json.loads(content)) == found
    assert len(content) < 10_000
