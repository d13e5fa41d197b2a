from collections.abc import Generator

import pytest
import torch

from s2s.analysis.heads.batches import Pair, batched, finish, losses, n_tokens
from s2s.config import UserError, override
from s2s.model import inference
from tests.analysis.heads import naive
from tests.model.conftest import build, shrunk


@pytest.mark.parametrize("most", [1, 14, 4096])
def test_every_sentence_is_in_one_batch_with_its_own_loss(most: int) -> None:
    model = build(shrunk("small"))
    sample = batched(model, naive.PAIRS, most)
    assert sorted(row for batch in sample for row in batch.rows) == [0, 1, 2, 3]
    for batch in sample:
        assert len(batch.rows) == 1 or max(batch.src.numel(), batch.tgt.numel()) <= most
        with inference(model):
            states = model.decode(batch.tgt[:, :-1], model.encode(batch.src), batch.src)
            found = losses(model, batch, states)
        expected = [naive.loss(model, naive.PAIRS[row]) for row in batch.rows]
        assert found.tolist() == pytest.approx(expected, rel=1e-5)
    assert n_tokens(model, sample).tolist() == list(naive.N_TOKENS)


def test_a_first_token_that_is_given_to_the_model_does_not_count() -> None:
    model = build(override(shrunk("small"), {"model.ids.tgt_first": 5}))
    (batch,) = batched(model, [naive.Pair((5, 2), (1, 5, 7, 2))])
    with inference(model):
        logits = model(batch.src, batch.tgt[:, :-1])[0].log_softmax(-1)
        found = losses(
            model, batch, model.decode(batch.tgt[:, :-1], model.encode(batch.src), batch.src)
        )
    assert n_tokens(model, [batch]).tolist() == [2]
    assert float(found) == pytest.approx(-float(logits[1, 7] + logits[2, 2]), rel=1e-5)


def test_an_empty_sample_is_an_error() -> None:
    nothing: list[Pair] = []
    with pytest.raises(UserError, match="The sample has no sentences; choose a corpus"):
        batched(build(shrunk("small")), nothing)


def test_a_large_vocabulary_makes_batches_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("s2s.analysis.heads.batches.MOST_LOGITS", 23 * 8)
    sample = batched(build(shrunk("small")), naive.PAIRS)
    assert [batch.tgt.shape[1] * len(batch.rows) for batch in sample] == [3, 4, 5, 6]


def test_a_generator_is_run_to_what_it_returns() -> None:
    def steps() -> Generator[float, None, torch.Tensor]:
        yield 0.5
        return torch.ones(2)

    assert finish(steps()).tolist() == [1, 1]
