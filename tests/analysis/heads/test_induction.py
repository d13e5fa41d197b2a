"""Prefix matching and copying against plain loops, and for heads that do nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from s2s.analysis import KINDS, Weights
from s2s.analysis.heads import induction, shared_numbers
from s2s.config import UserError
from tests.analysis.heads.samples import Ids, finished, random_pairs, sharp_model, weights_alone

SPECIALS = ["<pad>", "<s>", "</s>", "<unk>"]
SRC = [*SPECIALS, *map(str, range(4, 23))]
TGT = [*SPECIALS, *"56784", *map(str, range(9, 23))]  # the same tokens, some by other ids


def pairs_of(n: int) -> list[Ids]:
    """Few tokens, so that many are repeated, within a side and across."""
    return random_pairs(n, vocab=9, seed=3)


def by_hand(pairs: list[Ids], kind: str, score: str) -> tuple[list[Weights], list[float]]:
    """The weight on matching keys of each row that has some, and the share of keys that match."""
    weights_found, shares = [], []
    for pair in pairs:
        weights = weights_alone(sharp_model(), pair)[kind]
        src, tgt = [SRC[i] for i in pair.src], [TGT[i] for i in pair.tgt]
        keys = tgt[:-1] if kind == "decoder" else src
        read = src if kind == "encoder" else tgt[:-1]
        predicted = src if kind == "encoder" else tgt[1:]
        for row in range(len(read)):
            n = row + 1 if kind == "decoder" else len(keys)
            sought = predicted[row] if score == "copying" else read[row]
            if sought in ("<pad>", "<s>", "</s>"):
                continue
            is_own = kind == "encoder" or score == "prefix"
            found = [
                key
                for key in range(len(keys))
                if keys[key] == sought and (kind == "cross" or not is_own or key != row)
            ]
            if score == "prefix":
                found = [key + 1 for key in found]
            found = [key for key in found if key < n]
            if found:
                weights_found.append(weights[:, :, row, found].sum(-1))
                shares.append(len(found) / n)
    return weights_found, shares


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("score", ["prefix", "copying"])
def test_every_score_equals_that_of_plain_loops(kind: str, score: str) -> None:
    pairs = pairs_of(30)
    found = finished(induction(sharp_model(), pairs, *shared_numbers(SRC, TGT)))
    one = found.scores[kind][score]
    weights, shares = by_hand(pairs, kind, score)
    assert one.n_rows == len(weights) > 20
    np.testing.assert_allclose(one.score, np.mean(weights, 0), atol=1e-5)
    assert one.uniform == pytest.approx(np.mean(shares))


def test_equal_tokens_share_a_number_and_special_ones_have_none() -> None:
    src, tgt = shared_numbers(["<s>", "<unk>", "a", "b"], ["b", "</s>", "c", "a"])
    assert list(src[:2]) == [-1, -1]
    assert (src[2], src[3]) == (tgt[3], tgt[0])
    assert tgt[1] == -1
    assert len({*src[2:], tgt[2]}) == 3


def test_pairs_without_repetition_are_refused() -> None:
    numbers = np.full(23, -1)
    with pytest.raises(UserError, match="No token is repeated 10 times in these 5 pairs"):
        finished(induction(sharp_model(), pairs_of(5), numbers, numbers))
