import functools
import itertools
import math

import pytest
import torch

from s2s.config import UserError
from s2s.decode import SearchResult
from s2s.decode.noise import gumbel, mixed
from s2s.decode.stochastic_beam import StochasticBeam, given_maximum, perturbed, stochastic_beam
from tests.decode.chance import UNLIKELY, every_leaf, leaf_probs, one_table, p_value, spelled
from tests.decode.table import EOS, Table

MANY = 4000


@functools.cache
def _drawn(temperature: float) -> list[SearchResult]:
    return stochastic_beam(one_table(MANY, 3), StochasticBeam(num_beams=2, temperature=temperature))


@pytest.mark.parametrize("temperature", [1.0, 0.5])
def test_pairs_are_drawn_without_replacement(temperature: float) -> None:
    probs = leaf_probs(one_table(1, 3), 3, lambda logits: logits / temperature)
    pairs = [tuple(each.ids for each in found.hypotheses) for found in _drawn(temperature)]
    assert p_value([first for first, _ in pairs], probs) > UNLIKELY  # an exact sample
    ordered = {
        (one, other): probs[one] * probs[other] / (1 - probs[one])
        for one, other in itertools.permutations(probs, 2)
    }
    assert p_value(pairs, ordered) > UNLIKELY
    with_replacement = {
        (one, other): probs[one] * probs[other] for one, other in itertools.product(probs, repeat=2)
    }
    assert p_value(pairs, with_replacement) < 1e-6
    assert p_value(pairs, {pair: ordered[pair[::-1]] for pair in ordered}) < 1e-6


def test_the_best_score_is_a_gumbel_variable() -> None:
    scores = torch.tensor([one.best.score for one in _drawn(1.0)])
    quarters = torch.tensor([0.25, 0.5, 0.75])
    cut = torch.bucketize(scores, -(-quarters.log()).log()).tolist()
    assert p_value(cut, dict.fromkeys(range(4), 0.25)) > UNLIKELY


def test_as_many_beams_as_leaves_draw_them_all() -> None:
    for found in stochastic_beam(Table(3, max_length=3), StochasticBeam(num_beams=100)):
        assert sorted(hypothesis.ids for hypothesis in found.hypotheses) == sorted(every_leaf(3))


def test_the_draws_differ_and_fewer_beams_draw_the_first_of_more() -> None:
    few, many = (
        stochastic_beam(Table(8, 2), StochasticBeam(num_beams=n, max_new_tokens=8)) for n in (4, 9)
    )
    for one, other in zip(few, many, strict=True):
        assert len({hypothesis.ids for hypothesis in other.hypotheses}) == 9
        assert other.hypotheses[:4] == one.hypotheses
        scores = [hypothesis.score for hypothesis in other.hypotheses]
        assert scores == sorted(scores, reverse=True)


def test_a_source_draws_alone_as_it_does_in_a_batch() -> None:
    config = StochasticBeam(num_beams=4, max_new_tokens=9, min_new_tokens=2, bad_words="3")
    together = stochastic_beam(Table(6, 3), config)
    assert together == stochastic_beam(Table(6, 3), config)
    for source in range(6):
        alone = Table(6, 3)
        alone.reorder(torch.tensor([source]))
        alone.sources = alone.sources[source : source + 1]
        assert stochastic_beam(alone, config) == [together[source]]


@pytest.mark.parametrize("prefix", ["", "2 4"])
def test_the_record_leads_to_every_hypothesis(prefix: str) -> None:
    for found in stochastic_beam(
        Table(5, 5), StochasticBeam(num_beams=4, max_new_tokens=5, prefix=prefix)
    ):
        assert set(spelled(found)) >= {hypothesis.ids for hypothesis in found.hypotheses}
        assert all(
            " ".join(map(str, hypothesis.ids)).startswith(prefix) for hypothesis in found.hypotheses
        )


def test_what_has_ended_keeps_its_place_and_its_cost_falls_away() -> None:
    for found in stochastic_beam(Table(9, 4), StochasticBeam(num_beams=6, max_new_tokens=30)):
        for length, step in enumerate(found.steps, 1):
            n_ended = sum(
                len(hypothesis.ids) <= length and hypothesis.ids[-1] == EOS
                for hypothesis in found.hypotheses
            )
            assert sum(not kept.is_finished for kept in step) + n_ended <= 6


def test_log_probs_are_the_models_own_and_rules_hold() -> None:
    table = Table(4, 2)
    config = StochasticBeam(
        num_beams=5,
        temperature=2.0,
        max_new_tokens=6,
        min_new_tokens=2,
        bad_words="2,3 4",
        num_return_sequences=3,
    )
    for source, found in enumerate(stochastic_beam(Table(4, 2), config)):
        assert len(found.hypotheses) == 3
        for hypothesis in found.hypotheses:
            assert hypothesis.log_prob == pytest.approx(
                table.log_prob(source, hypothesis.ids), abs=1e-4
            )
            assert 2 not in hypothesis.ids
            assert EOS not in hypothesis.ids[:2]
            assert math.isfinite(hypothesis.score)
            assert (3, 4) not in itertools.pairwise(hypothesis.ids)


def test_where_the_rules_allow_nothing_the_end_is_found() -> None:
    (found,) = stochastic_beam(Table(1), StochasticBeam(bad_words="1,2,3,4", min_new_tokens=2))
    assert [hypothesis.ids for hypothesis in found.hypotheses] == [(EOS,)]


def test_more_than_the_beams_is_refused() -> None:
    with pytest.raises(
        UserError,
        match="`num_return_sequences` 6 is more than the 5 that `num_beams` draws; give at most 5",
    ):
        StochasticBeam(num_return_sequences=6)


def test_given_the_maximum_the_others_stay_below_and_no_value_overflows() -> None:
    values = torch.tensor(
        [[0.3, -2.0, float("-inf")], [900.0, -900.0, 5.0], [float("-inf")] * 3], dtype=torch.float64
    )
    maxima = torch.tensor([[-20.0], [50.0], [1.0]], dtype=torch.float64)
    found = given_maximum(values, maxima)
    assert found[0, 0] == -20.0
    assert found[0, 1] < -20.0
    assert found[0, 2] == float("-inf")
    naive = -torch.log(
        (-maxima[:1]).exp() - (-values[:1].amax(1, keepdim=True)).exp() + (-values[:1]).exp()
    )
    torch.testing.assert_close(found[:1], naive)
    assert found[1].tolist() == pytest.approx([50.0, -900.0, 5.0])
    assert found[2].isinf().all()


@pytest.mark.parametrize("is_given", [False, True])
def test_noise_from_the_top_down_is_noise_on_every_token(is_given: bool) -> None:
    """Two rows of 150 tokens: the best two are a draw, and a draw of what is left."""
    generator = torch.Generator().manual_seed(3)
    scores = torch.randn(2, 150, generator=generator) * 3
    totals = torch.tensor([[-1.0, -0.5]]).double().repeat(MANY, 1)
    keys = mixed(list(range(2 * MANY))).tolist()
    masses = totals + scores.logsumexp(1)
    maxima = masses + gumbel(mixed(keys, [7] * len(keys)), 1).view(MANY, 2) if is_given else None
    top, parents, tokens = perturbed(scores.repeat(MANY, 1), totals, maxima, keys, 3)
    assert torch.equal(top, top.sort(dim=1, descending=True).values)
    probs = (scores + totals[:1].view(2, 1)).flatten().softmax(0)
    first, second = (parents * 150 + tokens)[:, :2].T.tolist()
    assert p_value(first, dict(enumerate(probs.tolist()))) > UNLIKELY
    others = (probs / (1 - probs)).sum() - probs / (1 - probs)
    assert p_value(second, dict(enumerate((probs * others).tolist()))) > UNLIKELY
