"""Longer lines than trained: what is said of results, where it holds and only there."""

import pytest

from s2s.jobs import ExtrapolationResult
from s2s.jobs.extrapolation import LENGTHS, TRAINED
from s2s.questions import Extrapolated, Extrapolation, Have

ASKED = Extrapolation()


def result(kind: str, seed: int, reach: int, beyond: float = 0.0) -> ExtrapolationResult:
    """All right up to a length, and so much beyond."""
    shares = tuple(1.0 if length <= reach else beyond for length in LENGTHS)
    return ExtrapolationResult(kind, seed, LENGTHS, shares, shares)


def finding(*results: ExtrapolationResult) -> str:
    return ASKED.finding(Extrapolated(results, is_shipped=False))


def test_the_shipped_runs_say_who_reaches_how_far_and_their_numbers_are_a_table() -> None:
    answer = Have().answer(ASKED)
    assert answer.is_shipped
    assert "with Rotary, half of the digits are still right at 20 digits" in ASKED.finding(answer)
    table = ASKED.table(answer)
    assert len(table.rows) == len(LENGTHS)
    assert len(table.columns) == 1 + len(answer.results)
    assert not Have().answer(Extrapolation(steps=900)).results


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ((), "No model has been measured yet"),
        ((result("none", 1, 3),), "None of these models has learned the task"),
        ((result("alibi", 1, 20),), "ALiBi gets half of the digits right up to 20 digits"),
        (
            (result("alibi", 1, 20), result("learned", 1, 12)),
            "with Learned only up to 12. One seed each",
        ),
        (
            tuple(
                result(kind, seed, reach)
                for seed in (1, 2)
                for kind, reach in (("alibi", 20), ("learned", 12))
            ),
            "Each of 2 seeds agrees",
        ),
        (
            (
                result("alibi", 1, 32),
                result("alibi", 2, 12),
                result("learned", 1, 13),
                result("learned", 2, 13),
            ),
            "seeds differ more than encodings",
        ),
        (
            (result("alibi", 1, LENGTHS[-1]), result("learned", 1, TRAINED[1])),
            "Not every encoding gets worse",
        ),
    ],
)
def test_each_sentence_needs_its_results(
    results: tuple[ExtrapolationResult, ...], said: str
) -> None:
    assert said in finding(*results)
