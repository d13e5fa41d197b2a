import numpy as np
import pytest

from s2s.analysis import INTERVENTIONS, NO_MEANS, Head, ablate, all_heads
from s2s.analysis.heads import batched, finish, intervals, measure_importance, measure_means
from s2s.analysis.heads.resume import RememberedPass
from s2s.model import inference
from s2s.scores import SEED, draws
from tests.analysis.heads import naive
from tests.model.conftest import DISTINCT, build, shrunk


@pytest.mark.parametrize("how", INTERVENTIONS)
def test_importance_is_the_naive_change_of_the_loss(how: str) -> None:
    model = build(shrunk("small"))
    sample = batched(model, naive.PAIRS)
    means = finish(measure_means(model, sample)) if how == "mean" else NO_MEANS
    steps = measure_importance(model, sample, how, means)
    shares = []
    while True:
        try:
            shares.append(next(steps))
        except StopIteration as stop:
            found = stop.value
            break
    plain = sum(naive.loss(model, pair) for pair in naive.PAIRS)
    assert found.loss == pytest.approx(plain / 14, rel=1e-5)
    assert (found.n_sentences, found.n_tokens) == (4, 14)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert list(found.change.by_head()) == all_heads(model)
    for head, value in found.change.by_head().items():
        with ablate(model, {head: how}, means):
            changed = sum(naive.loss(model, pair) for pair in naive.PAIRS)
        assert value == pytest.approx((changed - plain) / 14, abs=1e-6)
        low, high = (
            one[head.kind][head.layer, head.head] for one in (found.change.low, found.change.high)
        )
        assert low <= value <= high


@pytest.mark.parametrize("preset", DISTINCT)
def test_a_remembered_pass_gives_the_loss_of_the_whole_model(preset: str) -> None:
    model = build(shrunk(preset))
    (batch,) = batched(model, naive.PAIRS)
    with inference(model):
        remembered = RememberedPass(model, batch)
        expected = [naive.loss(model, naive.PAIRS[row]) for row in batch.rows]
        assert remembered.losses().tolist() == pytest.approx(expected, rel=1e-4)
    for head in (Head("encoder", 1, 0), Head("decoder", 1, 0), Head("cross", 0, 0)):
        with ablate(model, {head: "off"}):
            expected = [naive.loss(model, naive.PAIRS[row]) for row in batch.rows]
            assert remembered.losses_from(head).tolist() == pytest.approx(expected, rel=1e-4)


def test_intervals_resample_sentences_with_their_tokens() -> None:
    generator = np.random.default_rng(4)
    sums = generator.normal(size=(2, 30))
    tokens = generator.integers(1, 9, 30).astype(float)
    means = []
    for counts in np.concatenate(list(draws(30, 1000, SEED))):
        drawn = np.repeat(np.arange(30), counts.astype(int))
        means.append([sums[head, drawn].sum() / tokens[drawn].sum() for head in range(2)])
    ordered = np.sort(np.array(means), 0)
    low, high = intervals(sums, tokens)
    np.testing.assert_allclose(low, ordered[25])
    np.testing.assert_allclose(high, ordered[974])
