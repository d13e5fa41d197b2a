"""Batches of padded pairs hold what the model does with each pair alone."""

import numpy as np
import pytest

from s2s.analysis import KINDS
from s2s.analysis.heads import captured
from tests.analysis.heads.samples import random_pairs, sharp_model, weights_alone


def test_each_pair_is_in_one_batch_with_the_weights_it_has_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(captured, "MOST_ROWS", 5)
    model = sharp_model()
    pairs = random_pairs(12)
    batches = list(captured.attention_batches(model, pairs))
    assert sorted(np.concatenate([batch.numbers for batch in batches])) == [*range(12)]
    assert max(len(batch.numbers) for batch in batches) == 5
    for batch in batches:
        for row, number in enumerate(batch.numbers):
            alone = weights_alone(model, pairs[number])
            n_src, n_tgt = batch.src_lengths[row], batch.tgt_lengths[row]
            assert tuple(batch.inputs[row, :n_tgt]) == pairs[number].tgt[:-1]
            assert tuple(batch.outputs[row, :n_tgt]) == pairs[number].tgt[1:]
            sides = {"cross": (n_tgt, n_src), "encoder": (n_src, n_src), "decoder": (n_tgt, n_tgt)}
            for kind in KINDS:
                n_rows, n_keys = sides[kind]
                whole = batch.weights[kind][row]
                # scores reach 77, whose last bit is 8e-6, and padded sums have another order
                np.testing.assert_allclose(
                    whole[:, :, :n_rows, :n_keys], alone[kind], rtol=1e-4, atol=1e-5
                )
                allowed = batch.allowed(kind)[row]
                assert not allowed[n_rows:].any()
                assert not whole[:, :, :n_rows][:, :, ~allowed[:n_rows]].any()
                n_allowed = n_rows * (n_rows + 1) // 2 if kind == "decoder" else n_rows * n_keys
                assert allowed.sum() == n_allowed


def test_a_batch_holds_no_more_weights_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    model = sharp_model()  # 18 heads
    pairs = random_pairs(30)
    monkeypatch.setattr(captured, "MOST_WEIGHTS", 18 * 100)
    batches = captured.packed(model, pairs)
    assert sorted(number for batch in batches for number in batch) == [*range(30)]
    for batch in batches:
        longest = max(max(len(pairs[i].src), len(pairs[i].tgt) - 1) for i in batch)
        assert len(batch) == 1 or len(batch) * 18 * longest**2 <= 18 * 100
    assert captured.packed(model, []) == []
