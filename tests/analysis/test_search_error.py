import math

import pytest

from s2s.analysis.search_error import SearchDiagnosis, probability_ratio
from s2s.decode import Beam, beam
from tests.decode.table import Table, every_target

LONGEST = 4


def judged(
    seed: int, num_beams: int, reference: tuple[int, ...]
) -> tuple[SearchDiagnosis, Table, tuple[int, ...]]:
    table = Table(1, seed)
    found = beam(
        Table(1, seed), Beam(num_beams=num_beams, max_new_tokens=LONGEST, length_penalty=0.0)
    )[0].best
    best = max(table.log_prob(0, ids) for ids in every_target(LONGEST))
    return (
        SearchDiagnosis(table.log_prob(0, reference), found.log_prob, best, found.ids == reference),
        table,
        found.ids,
    )


def test_each_diagnosis_matches_brute_force() -> None:
    verdicts = set()
    for seed in range(12):
        targets = every_target(LONGEST)
        table = Table(1, seed)
        ranked = sorted(targets, key=lambda ids: table.log_prob(0, ids), reverse=True)
        for reference in (ranked[0], ranked[3], ranked[-1]):
            verdict, _, found = judged(seed, 1, reference)
            above = table.log_prob(0, reference) > table.log_prob(0, found)
            assert verdict.kind == (
                "none" if found == reference else "search" if above else "model"
            )
            assert verdict.is_missed == (
                table.log_prob(0, ranked[0]) > table.log_prob(0, found) + 1e-3
            )
            assert not verdict.is_beyond  # nothing is more probable than the best of all
            verdicts.add((verdict.kind, verdict.is_missed))
    assert {("none", False), ("search", True), ("model", True), ("model", False)} <= verdicts


@pytest.mark.parametrize(
    ("verdict", "kind", "is_missed", "is_beyond"),
    [
        (SearchDiagnosis(-2.0, -2.0, -2.0, True), "none", False, False),
        (SearchDiagnosis(-2.0, -2.0, -1.0, True), "none", True, False),
        (SearchDiagnosis(-1.0, -2.0, -2.0, False), "search", False, True),
        (SearchDiagnosis(-1.0, -2.0, -1.0, False), "search", True, False),
        (SearchDiagnosis(-3.0, -2.0, -2.0, False), "model", False, False),
        (SearchDiagnosis(-3.0, -2.0, -1.0, False), "model", True, False),
        (
            SearchDiagnosis(-2.0 + 1e-4, -2.0, -2.0 + 1e-4, False),
            "model",
            False,
            False,
        ),  # what rounding adds is no error of a search
    ],
)
def test_the_cases(verdict: SearchDiagnosis, kind: str, is_missed: bool, is_beyond: bool) -> None:
    assert (verdict.kind, verdict.is_missed, verdict.is_beyond) == (kind, is_missed, is_beyond)


def test_a_ratio_of_probabilities() -> None:
    assert probability_ratio(-1.0, -3.0) == pytest.approx(math.e**2)
    assert probability_ratio(-3.0, -1.0) == pytest.approx(math.e**-2)
    assert probability_ratio(0.0, -1e4) == math.inf
