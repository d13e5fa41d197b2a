"""Relations that heads find, against plain loops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest

from s2s.analysis import Weights
from s2s.analysis.heads import DIRECTIONS, Range, RelationAccuracy, relation_accuracy
from s2s.config import UserError
from tests.analysis.heads.samples import Ids, finished, random_pairs, sharp_model, weights_alone

KINDS = ("subject-verb", "determiner-noun", "adjective-noun")


class Relation(NamedTuple):
    kind: str
    side: str
    head: int
    dependent: int


def random_relations(pairs: list[Ids]) -> list[list[Relation]]:
    """Any words may be related, one of them also beyond the encoded text."""
    rng = np.random.default_rng(1)
    found = []
    for pair in pairs:
        sizes = {"src": pair.src_words.max() + 2, "tgt": pair.tgt_words.max() + 2}
        found.append(
            [
                Relation(str(rng.choice(KINDS)), side, *map(int, rng.integers(0, n, 2)))
                for side, n in sizes.items()
                for _ in range(10)
            ]
        )
    return found


def questions(relations: list[Relation], side: str, slug: str) -> Iterator[tuple[int, set[int]]]:
    kind, _, to_dependent, is_across = DIRECTIONS[slug]
    same = [one for one in relations if one.side == side and one.kind == kind]
    asked: dict[int, set[int]] = {}
    for one in same:
        start, end = (one.head, one.dependent) if to_dependent else (one.dependent, one.head)
        between = range(min(start, end) + 1, max(start, end))
        if start != end and (not is_across or any(other.head in between for other in same)):
            asked[start] = asked.get(start, set()) | {end}
    yield from asked.items()


def by_hand(
    pairs: list[Ids],
    weights: list[dict[str, Weights]],
    relations: list[list[Relation]],
    which: tuple[str, str],
) -> tuple[tuple[list[Weights], ...], list[float], list[int]]:
    """Hits by half, the chances of a random head, and the offsets of the answers."""
    kind, slug = which
    hits: tuple[list[Weights], ...] = ([], [])
    chances: list[float] = []
    offsets: list[int] = []
    for number, pair in enumerate(pairs):
        row_words = list(pair.src_words if kind == "encoder" else pair.tgt_words)
        key_words = row_words if kind == "encoder" else [-1, *row_words[:-1]]
        side = "src" if kind == "encoder" else "tgt"
        for start, ends in questions(relations[number], side, slug):
            rows = [i for i, word in enumerate(row_words) if word == start]
            keys = range(rows[-1] + 1 if kind == "decoder" else len(key_words)) if rows else []
            right = [key for key in keys if key_words[key] in ends]
            if not right:
                continue
            peaks = weights[number][kind][:, :, rows].mean(2).argmax(-1)
            words = {key_words[key] for key in right}
            hits[number % 2].append(
                np.vectorize(lambda key, w=words, k=key_words: k[key] in w)(peaks)
            )
            chances.append(len(right) / len(keys))
            offsets += [word - start for word in words]
    return hits, chances, offsets


def test_every_accuracy_equals_that_of_plain_loops() -> None:
    pairs = random_pairs(60, seed=2)
    relations = random_relations(pairs)
    found = finished(relation_accuracy(sharp_model(), pairs, relations))
    assert {one.direction for one in found if one.kind == "encoder"} == {*DIRECTIONS}
    assert {one.kind for one in found} == {"encoder", "decoder"}
    weights = [weights_alone(sharp_model(), pair) for pair in pairs]
    for one in found:
        hits, chances, offsets = by_hand(pairs, weights, relations, (one.kind, one.direction))
        assert one.n == tuple(map(len, hits))
        np.testing.assert_array_equal(one.hits, [np.sum(half, 0) for half in hits])
        best = max(offsets.count(offset) for offset in offsets)
        assert offsets.count(one.offset) == best
        assert one.offset_accuracy == best / len(chances)
        assert one.one_random.low <= np.mean(chances) <= one.one_random.high
        assert one.one_random.low <= one.best_random.low <= one.best_random.high


def accuracy(hits: list[list[int]], n: tuple[int, int]) -> RelationAccuracy:
    """Of one layer, given the hits of its heads on either half."""
    any_range = Range(0.0, 1.0)
    grid = np.array(hits)[:, None]
    return RelationAccuracy("verb-subject", "encoder", n, grid, any_range, any_range, -1, 0.5)


def test_a_head_is_chosen_on_one_half_and_measured_on_the_other() -> None:
    found = accuracy([[9, 5, 1], [2, 8, 4]], (10, 12))
    assert found.chosen == ((0, 0), (0, 1))
    assert found.held_out == (2 + 5) / 22
    np.testing.assert_allclose(found.accuracy, [[11 / 22, 13 / 22, 5 / 22]])


def test_noise_has_no_held_out_accuracy_beyond_that_of_random_heads() -> None:
    pairs = random_pairs(60, seed=2)
    found = finished(relation_accuracy(sharp_model(), pairs, random_relations(pairs)))
    above = [one.held_out > one.best_random.high for one in found]
    assert np.mean(above) < 0.25


@pytest.mark.parametrize("relations", [[], [Relation("subject-verb", "src", 0, 1)]])
def test_too_few_relations_are_refused(relations: list[Relation]) -> None:
    pairs = random_pairs(12)
    with pytest.raises(UserError, match="No relation stands 20 times in these 12 sentences"):
        finished(relation_accuracy(sharp_model(), pairs, [relations] * 12))
