import numpy as np
import pytest

from s2s.config import TokenizerConfig, UserError
from s2s.data import Pair, batches, load
from s2s.tokenizers import BOS, EOS, PAD, fit


@pytest.fixture(scope="module")
def data() -> batches.Encoded:
    pairs = load("synthetic:copy", "valid").pairs
    tokenizers = fit(
        TokenizerConfig("word"), [pair.src for pair in pairs], [pair.tgt for pair in pairs]
    )
    return batches.encode(pairs, *tokenizers, max_length=64)


def test_sources_end_and_targets_start_and_end(data: batches.Encoded) -> None:
    for src, tgt in zip(data.src, data.tgt, strict=True):
        assert src[-1] == EOS
        assert (tgt[0], tgt[-1]) == (BOS, EOS)
        assert len(tgt) == len(src) + 1  # copied


def test_an_epoch_holds_every_pair_once_within_the_budget(data: batches.Encoded) -> None:
    packed = batches.epoch(data, 64, seed=1, number=0)
    assert sorted(np.concatenate(packed).tolist()) == list(range(len(data)))
    for rows in packed:
        batch = batches.build(data, rows)
        assert max(batch.src.size, batch.tgt[:, 1:].size) <= 64
    real = sum(batches.build(data, rows).n_tokens for rows in packed)
    slots = sum(
        batches.build(data, rows).src.size + batches.build(data, rows).tgt[:, 1:].size
        for rows in packed
    )
    assert real / slots > 0.9


def test_little_is_padding_although_the_sides_differ_in_length() -> None:
    random = np.random.default_rng(0)
    src_lengths = random.integers(5, 30, 3000)
    tgt_lengths = src_lengths + random.integers(0, 12, 3000)
    data = batches.Encoded(
        tuple(np.ones(length, dtype=np.int64) for length in src_lengths),
        tuple(np.ones(length + 1, dtype=np.int64) for length in tgt_lengths),
    )
    packed = [batches.build(data, rows) for rows in batches.epoch(data, 2048, seed=1, number=0)]
    slots = sum(batch.src.size + batch.tgt[:, 1:].size for batch in packed)
    padded = 1 - sum(batch.n_tokens for batch in packed) / slots
    assert padded < 0.08  # sorted by source, then target: 0.108


def test_an_epoch_is_a_function_of_seed_and_number(data: batches.Encoded) -> None:
    def order(seed: int, number: int) -> list[list[int]]:
        return [rows.tolist() for rows in batches.epoch(data, 64, seed=seed, number=number)]

    assert order(1, 0) == order(1, 0)
    assert order(1, 0) != order(1, 1)
    assert order(1, 0) != order(2, 0)


def test_a_pair_longer_than_the_budget_gets_a_batch_of_its_own(data: batches.Encoded) -> None:
    assert {len(rows) for rows in batches.epoch(data, 1, seed=1, number=0)} == {1}


def test_padding_is_at_the_end(data: batches.Encoded) -> None:
    for batch in batches.in_order(data, 64):
        for row in (*batch.src, *batch.tgt):
            is_pad = row == PAD
            assert not (is_pad[:-1] & ~is_pad[1:]).any()


def test_longer_pairs_are_dropped_and_counted() -> None:
    pairs = [Pair("a b", "a"), Pair("a b c d", "a"), Pair("a", "a b c d")]
    tokenizers = fit(TokenizerConfig("word"), ["a b c d"], ["a b c d"])
    encoded = batches.encode(pairs, *tokenizers, max_length=3)
    assert (len(encoded), encoded.n_dropped) == (1, 2)
    with pytest.raises(
        UserError,
        match=r"None of the 2 pairs fits into `data.max_length` 3 tokens \(the shortest needs 5\)",
    ):
        batches.encode(pairs[1:], *tokenizers, max_length=3)
