import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from s2s.config import UserError
from s2s.decode import Beam, Greedy, beam, configure, greedy
from tests.decode.chance import spelled
from tests.decode.table import EOS, START, VOCAB, Table, every_cut, every_target


@pytest.mark.parametrize("length_penalty", [0.0, 1.0, -0.7])
def test_a_beam_as_wide_as_the_space_finds_what_brute_force_finds(length_penalty: float) -> None:
    found = beam(
        Table(3),
        Beam(
            num_beams=100, length_penalty=length_penalty, early_stopping="never", max_new_tokens=4
        ),
    )
    table = Table(3)
    for source, one in enumerate(found):
        targets = [*every_target(4), *every_cut(4)]  # what the limit cuts competes with what ended
        scores = {ids: table.log_prob(source, ids) / len(ids) ** length_penalty for ids in targets}
        best = sorted(scores, key=scores.__getitem__, reverse=True)[:10]
        assert [hypothesis.ids for hypothesis in one.hypotheses[:10]] == best
        for hypothesis in one.hypotheses:
            assert hypothesis.log_prob == pytest.approx(
                table.log_prob(source, hypothesis.ids), abs=1e-4
            )
            assert hypothesis.score == pytest.approx(scores[hypothesis.ids], abs=1e-4)


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000))
def test_greedy_is_a_beam_of_one_that_stops_at_its_first_end(seed: int) -> None:
    one = greedy(Table(4, seed), Greedy(max_new_tokens=12))
    other = beam(Table(4, seed), Beam(num_beams=1, early_stopping=True, max_new_tokens=12))
    assert [found.best.ids for found in one] == [found.best.ids for found in other]
    assert [found.best.log_prob for found in one] == pytest.approx(
        [found.best.log_prob for found in other], abs=1e-4
    )


def test_greedy_takes_the_most_probable_token_each_time() -> None:
    table, (found,) = Table(1, 7), greedy(Table(1, 7), Greedy(max_new_tokens=9))
    before = START
    last = START
    for token in found.best.ids:
        assert token == int(table.log_probs[0, before, last].argmax())
        before = last
        last = token


def test_a_source_decodes_alone_as_it_does_in_a_batch() -> None:
    together = beam(Table(6, 3), Beam(num_beams=3, max_new_tokens=10))
    for source in range(6):
        alone = Table(6, 3)
        alone.reorder(torch.tensor([source]))
        (found,) = beam(alone, Beam(num_beams=3, max_new_tokens=10))
        assert [h.ids for h in found.hypotheses] == [h.ids for h in together[source].hypotheses]


def test_stopping_early_saves_steps() -> None:
    n_steps = [
        sum(
            len(found.steps)
            for found in beam(
                Table(4, 1), Beam(num_beams=4, early_stopping=mode, max_new_tokens=60)
            )
        )
        for mode in (True, False, "never")
    ]
    assert n_steps[0] < n_steps[1] < n_steps[2]


def test_hypotheses_of_equal_score_stand_side_by_side() -> None:
    table = Table(2)
    table.log_probs[:] = math.log(1 / VOCAB)
    for found in beam(table, Beam(num_beams=4, max_new_tokens=5)):
        assert len({hypothesis.ids for hypothesis in found.hypotheses}) == 4


def test_a_target_that_reaches_the_limit_is_returned_unfinished() -> None:
    table = Table(1)
    table.log_probs[..., EOS] = -1e9
    for found in (
        *greedy(table, Greedy(max_new_tokens=3)),
        *beam(_never_ending(), Beam(num_beams=2, max_new_tokens=3)),
    ):
        assert len(found.best.ids) == 3
        assert EOS not in found.best.ids


def _never_ending() -> Table:
    table = Table(1)
    table.log_probs[..., EOS] = -1e9
    return table


def test_the_record_of_steps_leads_to_every_finished_hypothesis() -> None:
    (found,) = beam(Table(1, 5), Beam(num_beams=3, max_new_tokens=8))
    assert set(spelled(found)) >= {hypothesis.ids for hypothesis in found.hypotheses}


def test_unknown_names_are_answered_with_the_nearest() -> None:
    with pytest.raises(UserError, match="no strategy `beem`; the nearest are `beam`"):
        configure("beem", {})
    with pytest.raises(UserError, match="no setting `num_beam`; the nearest are `num_beams`"):
        configure("beam", {"num_beam": 3})
    with pytest.raises(
        UserError, match="`num_beams` 0 is out of range; give a number between 1 and 100"
    ):
        configure("beam", {"num_beams": 0})
