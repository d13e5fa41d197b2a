import itertools

import numpy as np
import pytest
import torch

from s2s.analysis.states import Index, baseline_cosines, cosines, unit


def vectors(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def test_cosines_are_those_of_torch() -> None:
    one = vectors(3, 7, 16)
    other = vectors(3, 7, 16) + 1
    theirs = torch.cosine_similarity(torch.from_numpy(one), torch.from_numpy(other), dim=-1)
    np.testing.assert_allclose(cosines(one, other), theirs, atol=1e-6)
    np.testing.assert_allclose(cosines(one, one), 1, atol=1e-6)
    np.testing.assert_allclose(cosines(one, -2 * one), -1, atol=1e-6)


def test_a_vector_of_zeros_is_similar_to_none() -> None:
    assert cosines(np.zeros(3, np.float32), np.ones(3, np.float32)) == 0


def test_the_baseline_covers_all_pairs_of_different_texts() -> None:
    texts = [vectors(2, n, 5) for n in (1, 4, 2)]
    for layer in range(2):
        pairs = [
            float(unit(a) @ unit(b))
            for one, other in itertools.combinations(texts, 2)
            for a, b in itertools.product(one[layer], other[layer])
        ]
        assert baseline_cosines(texts)[layer] == pytest.approx(np.mean(pairs), abs=1e-6)
    assert np.isnan(baseline_cosines(texts[:1])).all()


def test_the_nearest_are_those_of_every_cosine() -> None:
    texts = [vectors(n, 8) for n in (3, 1, 5)]
    index = Index.of(texts)
    query = vectors(8)
    all_of_them = cosines(np.concatenate(texts), np.broadcast_to(query, (9, 8)))
    found = index.nearest(query, 4)
    assert [near.row for near in found] == list(np.argsort(-all_of_them)[:4])
    np.testing.assert_allclose(
        [near.cosine for near in found], np.sort(all_of_them)[::-1][:4], atol=1e-6
    )
    assert index.texts.tolist() == [0, 0, 0, 1, 2, 2, 2, 2, 2]
    assert {index.texts[near.row] for near in index.nearest(query, 9, without=2)} == {0, 1}
    assert index.nearest(texts[1][0], 1)[0].row == 3
