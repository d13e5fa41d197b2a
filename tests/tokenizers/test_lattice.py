"""The sums over all segmentations, against segmentations listed one by one."""

import itertools
import math
import random

import numpy as np
import pytest

from s2s.tokenizers.lattice import LONGEST, LONGEST_WORD, Paths, learn, seeds_of

RNG = random.Random(3)
WORDS = sorted(
    {"".join(RNG.choice("abc") for _ in range(RNG.randrange(1, 8))) for _ in range(40)},
    key=lambda word: (-len(word), word),
)
COUNTS = np.array([RNG.randrange(1, 9) for _ in WORDS], np.float64)


def segmentations(word):
    """`ab` -> (ab), (a, b)."""
    for n in range(len(word)):
        for places in itertools.combinations(range(1, len(word)), n):
            edges = (0, *places, len(word))
            yield [word[start:stop] for start, stop in itertools.pairwise(edges)]


def spellings(seeds):
    text = "".join(WORDS)
    return [text[start : start + n] for start, n in zip(seeds.first, seeds.length, strict=True)]


def test_seeds_are_counted_as_they_stand():
    seeds = seeds_of(WORDS, COUNTS)
    names = spellings(seeds)
    assert len(set(names)) == len(names)
    for token, total in zip(names, seeds.total, strict=True):
        real = sum(
            count * sum(word.startswith(token, at) for at in range(len(word)))
            for word, count in zip(WORDS, COUNTS, strict=True)
        )
        if total:
            assert total == real >= (1 if len(token) == 1 else 2)
        else:
            longer = [other for other in names if len(other) == len(token) + 1 and token in other]
            assert longer, "only what always stands in one longer token is left out"


def test_expected_uses_are_those_of_all_segmentations():
    seeds = seeds_of(WORDS, COUNTS)
    p = np.where(seeds.total > 0, np.random.default_rng(1).random(len(seeds.total)), 0)
    p /= p.sum()
    chance = dict(zip(spellings(seeds), p, strict=True))
    wanted = dict.fromkeys(chance, 0.0)
    for word, count in zip(WORDS, COUNTS, strict=True):
        ways = [
            (segmentation, math.prod(chance.get(token, 0.0) for token in segmentation))
            for segmentation in segmentations(word)
        ]
        for segmentation, weight in ways:
            for token in segmentation if weight else ():
                wanted[token] += count * weight / sum(other for _, other in ways)
    found = Paths.of(WORDS, COUNTS, seeds).expected(p)
    np.testing.assert_allclose(found, list(wanted.values()), rtol=1e-9)


def test_dropped_tokens_leave_the_paths():
    seeds = seeds_of(WORDS, COUNTS)
    single = seeds.length == 1
    p = np.where(single, 1.0, 0.0) / single.sum()
    found = Paths.of(WORDS, COUNTS, seeds).only(single).expected(p)
    np.testing.assert_allclose(found[single], seeds.total[single])


@pytest.mark.parametrize("size", [1, 3, 5, 10, 40, 10_000])
def test_at_most_the_requested_tokens_but_every_character(size):
    found = learn(dict(zip(WORDS, map(int, COUNTS), strict=True)), size)
    assert {"a", "b", "c"} <= set(found)
    assert len(found) <= max(3, size)
    assert all(value <= 0 for value in found.values())


def test_a_frequent_word_becomes_a_token_although_no_other_contains_it():
    found = learn({"▁einem": 500, "▁ein": 400, "▁es": 30, "▁im": 20}, 9)
    assert {"▁einem", "▁ein"} <= set(found)


def test_the_order_of_the_words_does_not_matter():
    words = dict(zip(WORDS, map(int, COUNTS), strict=True))
    assert learn(words, 20) == learn(dict(reversed(words.items())), 20)


def test_the_longest_words_do_not_leave_the_numbers():
    word = "ab" * (LONGEST_WORD // 2)
    found = learn({word: 10**9, "x" * LONGEST_WORD: 1, "z": 1}, 50)
    assert all(math.isfinite(value) for value in found.values())
    assert max(map(len, found)) == LONGEST


@pytest.mark.parametrize("word", ["", "a" * (LONGEST_WORD + 1)])
def test_words_that_are_empty_or_too_long_are_refused(word):
    with pytest.raises(ValueError, match="words must have 1 to 32 characters"):
        learn({word: 1}, 10)


def test_no_words_no_tokens():
    assert learn({}, 10) == {}
