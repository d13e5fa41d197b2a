import itertools
import math
from collections import Counter

import pytest
import torch

from s2s.config import UserError
from s2s.decode.beam import LiveBeams
from s2s.decode.beam_sample import BeamSample, beam_sample, drawn
from s2s.decode.filters import truncate
from s2s.decode.prefixes import Prefixes
from tests.decode.chance import UNLIKELY, one_table, p_value, spelled
from tests.decode.table import EOS, START, Table

MANY = 6000


def _probs_of_one_beam(table: Table, config: BeamSample) -> dict[tuple[int, ...], float]:
    """Of what one beam finds within two tokens: two are drawn; an end drawn first ends, else the better of those that
    continue does.
    """
    probs = (
        truncate(table.log_probs[0].flatten(0, 1), config, keep=2)
        .double()
        .softmax(1)
        .view(table.log_probs[0].shape)
        .tolist()
    )
    first = probs[START][START]
    found = Counter[tuple[int, ...]]()
    for one, other in itertools.permutations(range(len(first)), 2):
        prob = first[one] * first[other] / (1 - first[one])
        if one == EOS:
            found[EOS,] += prob
            continue
        best = max((token for token in (one, other) if token != EOS), key=first.__getitem__)
        for last, of_last in enumerate(probs[START][best]):
            found[best, last] += prob * of_last
    return dict(found)


@pytest.mark.parametrize(("temperature", "top_k"), [(0.6, 0), (2.0, 3)])
def test_one_beam_finds_what_brute_force_expects(temperature: float, top_k: int) -> None:
    config = BeamSample(
        num_beams=1, early_stopping=True, max_new_tokens=2, temperature=temperature, top_k=top_k
    )
    found = [one.best.ids for one in beam_sample(one_table(MANY, 2), config)]
    assert p_value(found, _probs_of_one_beam(one_table(1, 2), config)) > UNLIKELY
    other = BeamSample(temperature=temperature * 1.3, top_k=top_k)
    assert p_value(found, _probs_of_one_beam(one_table(1, 2), other)) < 1e-6


def test_continuations_are_drawn_from_all_totals_without_replacement() -> None:
    scores = torch.tensor([[-1.0, -2.0, -0.5], [-0.3, float("-inf"), -1.7]])
    totals = torch.tensor([[-1.0, -1.5]])
    prefixes = Prefixes(torch.full((2 * MANY, 1), START), torch.zeros(2 * MANY, 0))
    running = LiveBeams(list(range(MANY)), totals.repeat(MANY, 1), prefixes, torch.arange(2 * MANY))
    found = drawn(scores.repeat(MANY, 1), running, list(range(MANY)), 6)
    assert found.totals[:, :5].isfinite().all()
    assert found.totals[:, 5].eq(float("-inf")).all()
    probs = (scores + totals.view(2, 1)).flatten().double().softmax(0).tolist()
    first, second = (found.parents * 3 + found.tokens)[:, :2].T.tolist()
    ordered = {
        (one, other): probs[one] * probs[other] / (1 - probs[one])
        for one, other in itertools.permutations(range(6), 2)
    }
    assert p_value(zip(first, second, strict=True), ordered) > UNLIKELY
    torch.testing.assert_close(found.totals[:, 0], (scores + totals.view(2, 1)).flatten()[first])


def test_a_source_draws_alone_as_it_does_in_a_batch() -> None:
    config = BeamSample(
        num_beams=4, max_new_tokens=9, temperature=1.5, top_p=0.95, no_repeat_ngram_size=2
    )
    together = beam_sample(Table(6, 3), config)
    assert together == beam_sample(Table(6, 3), config)
    assert together != beam_sample(Table(6, 3), BeamSample(**{**config.to_json(), "seed": 2}))
    for source in range(6):
        alone = Table(6, 3)
        alone.reorder(torch.tensor([source]))
        alone.sources = alone.sources[source : source + 1]
        (found,) = beam_sample(alone, config)
        assert [one.ids for one in found.hypotheses] == [
            one.ids for one in together[source].hypotheses
        ]


def test_log_probs_are_the_models_own_and_rules_hold() -> None:
    table = Table(4, 2)
    config = BeamSample(
        num_beams=5, temperature=2.0, max_new_tokens=6, min_new_tokens=2, bad_words="2,3 4"
    )
    for source, found in enumerate(beam_sample(Table(4, 2), config)):
        assert 1 <= len(found.hypotheses) <= 5
        scores = [one.score for one in found.hypotheses]
        assert scores == sorted(scores, reverse=True)
        assert all(map(math.isfinite, scores))
        for hypothesis in found.hypotheses:
            assert hypothesis.log_prob == pytest.approx(
                table.log_prob(source, hypothesis.ids), abs=1e-4
            )
            assert 2 not in hypothesis.ids
            assert EOS not in hypothesis.ids[:2]
            assert (3, 4) not in itertools.pairwise(hypothesis.ids)


@pytest.mark.parametrize("prefix", ["", "2 4"])
def test_the_record_leads_to_every_hypothesis_that_ends(prefix: str) -> None:
    for found in beam_sample(
        Table(5, 5), BeamSample(num_beams=4, max_new_tokens=12, prefix=prefix)
    ):
        assert set(spelled(found)) >= {one.ids for one in found.hypotheses if one.ids[-1] == EOS}
        assert all(" ".join(map(str, one.ids)).startswith(prefix) for one in found.hypotheses)


def test_one_token_of_each_prefix_still_leaves_two_and_nothing_allowed_ends() -> None:
    assert [
        len(found.hypotheses)
        for found in beam_sample(Table(5), BeamSample(num_beams=3, top_k=1, max_new_tokens=6))
    ] == [3] * 5
    (found,) = beam_sample(Table(1), BeamSample(bad_words="1,2,3,4", min_new_tokens=2))
    assert [one.ids for one in found.hypotheses] == [(EOS,)]


def test_its_settings_are_those_of_beams_and_of_truncation() -> None:
    with pytest.raises(
        UserError,
        match="`num_return_sequences` 6 is more than the 5 that `num_beams` keeps; give at most 5",
    ):
        BeamSample(num_return_sequences=6)
    with pytest.raises(UserError, match="take the strategy `greedy`"):
        BeamSample(temperature=0)
    with pytest.raises(UserError, match=r"`top_p` 1.5 is out of range"):
        BeamSample(top_p=1.5)
