import itertools
import math

import pytest
import torch

from s2s.config import UserError
from s2s.decode import ID_CODEC, Beam, beam
from s2s.decode.diverse_beam import DiverseBeam, diverse_beam
from tests.decode.chance import spelled
from tests.decode.table import EOS, START, VOCAB, Table

Ranked = list[tuple[tuple[int, ...], float]]


def _searched(table: Table, source: int, config: DiverseBeam) -> Ranked:
    """Vijayakumar et al. 2018 with lists alone, stopping as `early_stopping` False does: the best targets and their
    scores.
    """
    groups = config.num_beam_groups
    width = config.num_beams // config.num_beam_groups
    limit = config.max_new_tokens or 0
    running: list[Ranked] = [[((), 0.0)] for _ in range(groups)]
    ended: list[Ranked] = [[] for _ in range(groups)]
    for length in range(1, limit + 1):
        taken: list[int] = []
        for group in range(groups):
            totals = {
                (*ids, token): total
                + _log_prob(table, source, ids, token)
                - config.diversity_penalty * taken.count(token)
                for ids, total in running[group]
                for token in range(VOCAB)
            }
            best = sorted(totals.items(), key=lambda pair: -pair[1])[: 2 * width]
            ends = [pair for pair in best[:width] if pair[0][-1] == EOS or length == limit]
            ended[group] += [(ids, total / length**config.length_penalty) for ids, total in ends]
            ended[group] = sorted(ended[group], key=lambda pair: -pair[1])[:width]
            running[group] = [pair for pair in best if pair[0][-1] != EOS][:width]
            taken += [ids[-1] for ids, _ in running[group]]
            if len(ended[group]) == width and running[group]:
                is_done = (
                    running[group][0][1] / length**config.length_penalty <= ended[group][-1][1]
                )
                running[group] = [] if is_done else running[group]
    return sorted(itertools.chain(*ended), key=lambda pair: -pair[1])


def _log_prob(table: Table, source: int, ids: tuple[int, ...], token: int) -> float:
    before, last = (START, START, *ids)[-2:]
    return float(table.log_probs[source, before, last, token])


@pytest.mark.parametrize("penalty", [0.0, 0.5, 3.0])
@pytest.mark.parametrize(("num_beams", "groups"), [(4, 2), (6, 3), (3, 3), (6, 2)])
def test_it_finds_what_lists_alone_find(num_beams: int, groups: int, penalty: float) -> None:
    for seed, length_penalty in enumerate((1.0, 0.0, 2.0, -1.0)):
        config = DiverseBeam(
            num_beams=num_beams,
            num_beam_groups=groups,
            diversity_penalty=penalty,
            max_new_tokens=8,
            length_penalty=length_penalty,
        )
        for source, found in enumerate(diverse_beam(Table(3, seed), config)):
            expected = _searched(Table(3, seed), source, config)
            assert sorted(h.ids for h in found.hypotheses) == sorted(ids for ids, _ in expected)
            assert [h.score for h in found.hypotheses] == pytest.approx(
                [score for _, score in expected], abs=1e-4
            )


@pytest.mark.parametrize("early_stopping", [True, False, "never"])
def test_one_group_is_beam_search(early_stopping: bool | str) -> None:
    for seed in range(12):
        settings = {
            "num_beams": 1 + seed % 5,
            "length_penalty": (-0.5, 0.0, 1.0)[seed % 3],
            "early_stopping": early_stopping,
            "max_new_tokens": 10,
            "repetition_penalty": (1.0, 1.4)[seed % 2],
            "no_repeat_ngram_size": (0, 3)[seed // 2 % 2],
            "min_new_tokens": seed % 4,
            "bad_words": ("", "3")[seed // 3 % 2],
            "prefix": ("", "2 4")[seed // 5 % 2],
        }
        assert diverse_beam(Table(4, seed), DiverseBeam(num_beam_groups=1, **settings)) == beam(
            Table(4, seed), Beam(**settings)
        )


def test_groups_that_nothing_keeps_apart_find_the_same() -> None:
    config = DiverseBeam(num_beams=6, num_beam_groups=3, diversity_penalty=0.0, max_new_tokens=9)
    for found, alone in zip(
        diverse_beam(Table(5, 2), config),
        beam(Table(5, 2), Beam(num_beams=2, max_new_tokens=9)),
        strict=True,
    ):
        assert [h.ids for h in found.hypotheses] == [
            h.ids for h in alone.hypotheses for _ in range(3)
        ]


def test_a_high_penalty_begins_each_group_with_another_token() -> None:
    config = DiverseBeam(num_beams=4, num_beam_groups=4, diversity_penalty=100.0, max_new_tokens=9)
    for found in diverse_beam(Table(5, 2), config):
        assert len({kept.token for kept in found.steps[0] if not kept.is_finished}) == 4
    assert _distinct(0.0) < _distinct(1.0)


def _distinct(penalty: float) -> int:
    config = DiverseBeam(diversity_penalty=penalty, max_new_tokens=9)
    return sum(
        len({h.ids for h in found.hypotheses}) for found in diverse_beam(Table(8, 2), config)
    )


def test_the_score_keeps_the_penalty_and_the_log_prob_does_not() -> None:
    config = DiverseBeam(
        num_beams=3,
        num_beam_groups=3,
        diversity_penalty=0.7,
        length_penalty=0.0,
        min_new_tokens=2,
        max_new_tokens=6,
    )
    table, (found,) = Table(1), diverse_beam(Table(1), config)
    lost = [h.log_prob - h.score for h in found.hypotheses]
    assert all(loss / 0.7 == pytest.approx(round(loss / 0.7), abs=1e-3) for loss in lost)
    assert max(lost) > 0.6
    assert min(lost) == pytest.approx(0.0, abs=1e-4)  # of the first group
    assert [h.log_prob for h in found.hypotheses] == pytest.approx(
        [table.log_prob(0, h.ids) for h in found.hypotheses], abs=1e-4
    )


def test_one_call_of_the_stepper_serves_all_groups() -> None:
    table = Table(3)
    found = diverse_beam(table, DiverseBeam(prefix="2", max_new_tokens=7, early_stopping="never"))
    assert table.n_steps == max(len(one.steps) for one in found)


@pytest.mark.parametrize("prefix", ["", "2 3"])
def test_the_record_of_steps_leads_to_every_finished_hypothesis(prefix: str) -> None:
    for seed in range(6):
        for found in diverse_beam(Table(2, seed), DiverseBeam(max_new_tokens=9, prefix=prefix)):
            ends = {h.ids for h in found.hypotheses if h.ids[-1] == EOS}
            assert set(spelled(found)) >= ends
            assert all(
                ids[: len(prefix.split())] == tuple(map(int, prefix.split())) for ids in ends
            )


def test_a_source_decodes_alone_as_it_does_in_a_batch() -> None:
    config = DiverseBeam(max_new_tokens=10, num_return_sequences=4)
    together = diverse_beam(Table(6, 3), config)
    for source in range(6):
        alone = Table(6, 3)
        alone.reorder(torch.tensor([source]))
        alone.sources = alone.sources[source : source + 1]
        (found,) = diverse_beam(alone, config, ID_CODEC)
        assert [h.ids for h in found.hypotheses] == [h.ids for h in together[source].hypotheses]
        assert len(found.hypotheses) == 4
        assert all(math.isfinite(h.score) for h in found.hypotheses)


def test_groups_must_divide_the_beams() -> None:
    with pytest.raises(
        UserError,
        match=r"`num_beam_groups` 4 does not divide `num_beams` 6; give one of 1, 2, 3, 6\.",
    ):
        DiverseBeam(num_beams=6, num_beam_groups=4)
    with pytest.raises(
        UserError, match="`num_return_sequences` 7 is more than the 6 that `num_beams` keeps"
    ):
        DiverseBeam(num_return_sequences=7)
