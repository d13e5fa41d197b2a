import itertools
import random

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from s2s.config import UserError
from s2s.decode import ID_CODEC, Beam, beam
from s2s.decode.constrained import Constrained, allocated, constrained
from tests.decode.chance import spelled
from tests.decode.table import EOS, VOCAB, Table, every_target


def _holds(ids: tuple[int, ...], force_words: str) -> bool:
    """Whether each phrase stands there as often as it is given: counted as `str.count` does."""
    given = [" ".join(phrase.split()) for phrase in force_words.split(",")]
    text = " ".join(map(str, ids))
    return all(text.count(phrase) >= given.count(phrase) for phrase in given)


GIVEN = [
    "3",
    "2, 4",
    "4, 4",
    "2 3",
    "3 3 4",
    "2 2 3 2",
    "2 3, 3 2",
    "2, 2 4",
    "4 4, 4 4",
    "3 2, 2",
    "2, 3, 4",
]


@pytest.mark.parametrize(
    ("force_words", "length_penalty"),
    [*zip(GIVEN, itertools.cycle([0.0, 1.0, -0.7]), strict=False)],
)
def test_a_beam_as_wide_as_the_space_finds_what_brute_force_finds(
    force_words: str, length_penalty: float
) -> None:
    config = Constrained(
        num_beams=100,
        force_words=force_words,
        length_penalty=length_penalty,
        early_stopping="never",
        max_new_tokens=5,
    )
    table = Table(2, 1)
    cut = itertools.product(range(1, VOCAB), repeat=5)
    fitting = [ids for ids in (*every_target(5), *cut) if _holds(ids, force_words)]
    for source, found in enumerate(constrained(Table(2, 1), config)):
        scores = {ids: table.log_prob(source, ids) / len(ids) ** length_penalty for ids in fitting}
        best = sorted(scores, key=scores.__getitem__, reverse=True)[:3]
        assert [one.ids for one in found.hypotheses[:3]] == best
        assert [one.score for one in found.hypotheses[:3]] == pytest.approx(
            [scores[ids] for ids in best], abs=1e-4
        )


@pytest.mark.parametrize("force_words", [*GIVEN, "4 4 4 3, 2 4", "3, 3, 3, 3, 3"])
@pytest.mark.parametrize("num_beams", [1, 5])
def test_every_hypothesis_holds_all_words_whenever_the_limit_allows(
    force_words: str, num_beams: int
) -> None:
    n_tokens = len(force_words.replace(",", " ").split())
    for seed, room in itertools.product(range(2), (0, 1, 6)):
        config = Constrained(
            num_beams=num_beams,
            force_words=force_words,
            max_new_tokens=n_tokens + room,
            early_stopping=seed > 0,
        )
        for found in constrained(Table(4, seed), config):
            assert found.hypotheses
            for one in found.hypotheses:
                assert _holds(one.ids, force_words)
                assert one.ids[-1] == EOS or len(one.ids) == n_tokens + room
            assert len({one.ids for one in found.hypotheses}) == len(found.hypotheses)


@pytest.mark.parametrize("early_stopping", [True, False, "never"])
def test_without_words_it_is_beam_search(early_stopping: bool | str) -> None:
    for seed in range(4):
        settings = {
            "num_beams": 1 + seed,
            "early_stopping": early_stopping,
            "max_new_tokens": 9,
            "min_new_tokens": seed,
            "prefix": "2",
        }
        for phrases in ("", " , "):
            assert constrained(
                Table(4, seed), Constrained(force_words=phrases, **settings)
            ) == beam(Table(4, seed), Beam(**settings))


def test_words_that_beam_search_writes_anyway_change_nothing_at_the_top() -> None:
    settings = {"num_beams": 8, "early_stopping": "never", "max_new_tokens": 7}
    for source, found in enumerate(beam(Table(6, 4), Beam(**settings))):
        held = [token for token in found.best.ids if token != EOS]
        if held:
            again = constrained(Table(6, 4), Constrained(force_words=str(held[-1]), **settings))[
                source
            ]
            assert again.best.score >= found.best.score - 1e-5


def test_a_wider_beam_forces_the_words_at_a_better_place() -> None:
    scores = [
        sum(
            found.best.score
            for found in constrained(
                Table(20, 5), Constrained(force_words="2 3, 4", num_beams=n, max_new_tokens=9)
            )
        )
        for n in (1, 4, 20)
    ]
    assert scores[0] < scores[1] < scores[2]


def test_the_end_waits_for_the_words() -> None:
    table = Table(1)
    table.log_probs[..., EOS] = 5.0  # the end is by far the most probable
    (found,) = constrained(table, Constrained(force_words="3 4, 2", num_beams=3, max_new_tokens=9))
    assert len(found.best.ids) == 4
    assert found.best.ids[-1] == EOS


def test_where_not_all_constraints_can_be_met_the_most_are() -> None:
    config = Constrained(
        force_words="3, 3, 3, 4", no_repeat_ngram_size=1, num_beams=3, max_new_tokens=6
    )
    table = Table(1, 2)
    (found,) = constrained(Table(1, 2), config)
    for one in found.hypotheses:
        assert {3, 4} <= set(one.ids)
        assert one.ids.count(3) == 1
        assert one.log_prob == pytest.approx(table.log_prob(0, one.ids), abs=1e-4)


def test_truncated_hypotheses_are_not_listed_beside_those_with_all_words() -> None:
    for seed in (7, 9, 71):
        settings = {"num_beams": 4, "max_new_tokens": 7, "early_stopping": "never"}
        config = Constrained(
            force_words="3 4 4 2", bad_words="2 1, 2 2, 2 3, 2 4", **settings
        )  # after the last word nothing but the end
        (found,) = constrained(Table(1, seed), config)
        assert all(_holds(one.ids, "3 4 4 2") for one in found.hypotheses)


def test_a_token_that_two_phrases_want_is_one_candidate() -> None:
    table = Table(3, 1)
    table.log_probs = torch.randn(
        3, 12, 12, 12, generator=torch.Generator().manual_seed(1)
    ).log_softmax(-1)
    table.log_probs[..., 2] = -30.0  # never among the best
    table.vectors = torch.zeros(3, 12, 12, 4)
    for found in constrained(
        table, Constrained(force_words="2, 2 4", num_beams=2, max_new_tokens=5)
    ):
        for step in found.steps:
            assert len({(kept.parent, kept.token) for kept in step}) == len(step)


def test_where_the_rules_leave_nothing_the_end_comes_early() -> None:
    settings = {"bad_words": "1, 3, 2 4, 4 2, 4 4", "no_repeat_ngram_size": 2, "max_new_tokens": 9}
    for found in constrained(Table(4), Constrained(force_words="2, 4", num_beams=2, **settings)):
        assert {one.ids for one in found.hypotheses} <= {(4, EOS), (2, EOS), (2, 2, EOS)}
        assert found.hypotheses


def test_a_forced_prefix_may_hold_the_words() -> None:
    settings = {"num_beams": 3, "max_new_tokens": 8, "prefix": "2 3"}
    config = Constrained(force_words="2 3", **settings)
    assert [one.best for one in constrained(Table(3), config)] == [
        one.best for one in beam(Table(3), Beam(**settings))
    ]
    for found in constrained(Table(3), Constrained(force_words="3 4", **settings)):
        assert all(one.ids[:2] == (2, 3) and _holds(one.ids, "3 4") for one in found.hypotheses)


def test_the_rules_hold_beside_the_words() -> None:
    config = Constrained(
        force_words="2", bad_words="3", min_new_tokens=5, max_new_tokens=9, num_return_sequences=2
    )
    for found in constrained(Table(5, 1), config):
        assert len(found.hypotheses) == 2
        for one in found.hypotheses:
            assert 2 in one.ids
            assert 3 not in one.ids
            assert EOS not in one.ids[:5]


@pytest.mark.parametrize("force_words", ["2 3", "4, 2, 3 3"])
def test_a_source_decodes_alone_as_it_does_in_a_batch(force_words: str) -> None:
    config = Constrained(force_words=force_words, max_new_tokens=10)
    together = constrained(Table(6, 3), config)
    for source in range(6):
        alone = Table(6, 3)
        alone.reorder(torch.tensor([source]))
        alone.sources = alone.sources[source : source + 1]
        (found,) = constrained(alone, config, ID_CODEC)
        assert [one.ids for one in found.hypotheses] == [
            one.ids for one in together[source].hypotheses
        ]


def test_the_record_of_steps_leads_to_every_finished_hypothesis() -> None:
    for found in constrained(
        Table(3, 5), Constrained(force_words="3, 2 4", max_new_tokens=12, prefix="4")
    ):
        assert set(spelled(found)) >= {one.ids for one in found.hypotheses if one.ids[-1] == EOS}


def test_it_stops_long_before_the_limit() -> None:
    n_steps = []
    for mode in (True, False, "never"):
        table = Table(4, 4)
        constrained(
            table,
            Constrained(
                force_words="2, 3 4", early_stopping=mode, max_new_tokens=80, length_penalty=0.0
            ),
        )
        n_steps.append(table.n_steps)
    assert n_steps[0] < n_steps[1] < n_steps[2] < 40


@given(
    banks=st.lists(st.integers(-1, 6), min_size=1, max_size=25),
    width=st.integers(1, 12),
    dice=st.randoms(use_true_random=False),
)
def test_ranks_that_a_bank_cannot_fill_go_to_others(
    banks: list[int], width: int, dice: random.Random
) -> None:
    highest = max(1, *banks)
    totals = dice.sample(range(100), len(banks))  # without ties
    gets = allocated(
        torch.tensor([totals] * 2, dtype=torch.float32), torch.tensor([banks] * 2), highest, width
    )
    assert torch.equal(gets[0], gets[1])
    counts = _shared_out(width, [banks.count(bank) for bank in range(highest + 1)])
    expected = set()
    for bank, count in enumerate(counts):
        of_bank = (rank for rank, its_bank in enumerate(banks) if its_bank == bank)
        expected |= set(sorted(of_bank, key=lambda rank: -totals[rank])[:count])
    assert set(gets[0].nonzero()[:, 0].tolist()) == expected


def _shared_out(width: int, candidates: list[int]) -> list[int]:
    """Hypothesis after hypothesis, with lists."""
    places = [width // len(candidates)] * len(candidates)
    places[-1] += width % len(candidates)
    rest = 0
    for bank in reversed(range(len(candidates))):
        places[bank] += rest
        rest = max(0, places[bank] - candidates[bank])
        places[bank] -= rest
    for bank in reversed(range(len(candidates))):
        while rest and places[bank] < candidates[bank]:
            places[bank], rest = places[bank] + 1, rest - 1
    return places


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"force_words": "2, x y"},
            "`force_words`: `x` is not in this model's target vocabulary; give words that it has learned",
        ),
        (
            {"force_words": "2 0"},
            "`force_words`: `2 0` contains `</s>`, which ends every target; leave it out",
        ),
        (
            {"force_words": "2 3 4, 2, 2", "max_new_tokens": 3},
            "`force_words` takes at least 4 tokens and at most 3 may be written; leave some out",
        ),
        (
            {"force_words": "2 3", "prefix": "4 4", "max_new_tokens": 3},
            "takes at least 2 tokens and at most 1 may be written",
        ),
        (
            {"force_words": "4, 2 3 2", "bad_words": "3 2"},
            "`force_words`: `2 3 2` is forbidden by `bad_words`; leave it out of one",
        ),
    ],
)
def test_words_that_cannot_be_written_are_named(settings: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        constrained(Table(2), Constrained(**settings))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("force_words", "prefix", "expected"),
    [("2 3, 3 4", "", (2, 3, 4)), ("2 3 4, 2", "", (2, 3, 4)), ("3 4, 2 3", "4 2", (4, 2, 3, 4))],
)
def test_phrases_that_share_tokens_need_them_once(
    force_words: str, prefix: str, expected: tuple[int, ...]
) -> None:
    config = Constrained(force_words=force_words, prefix=prefix, max_new_tokens=len(expected))
    for found in constrained(Table(3), config):
        assert found.best.ids == expected


def test_the_last_token_is_not_free_where_it_must_be_the_end() -> None:
    stepper = Table(2)
    stepper.forces_end = True  # type: ignore[misc]
    with pytest.raises(UserError, match="takes at least 3 tokens and at most 2 may be written"):
        constrained(stepper, Constrained(force_words="2 3 4", max_new_tokens=3))
