"""Exact search against every target that a small table can write."""

import pytest

from s2s.decode import Greedy, exact_search, greedy
from tests.decode.table import Table, every_target

LIMIT = 5
SOURCES = 6


@pytest.mark.parametrize("seed", range(3))
def test_the_most_probable_target_is_found_where_it_beats_the_floor(seed: int) -> None:
    written = [one.best.log_prob for one in greedy(Table(SOURCES, seed), Greedy(LIMIT))]
    found = exact_search(Table(SOURCES, seed), Greedy(LIMIT), written)
    table = Table(SOURCES, seed)
    n_better = 0
    for source, (floor, result) in enumerate(zip(written, found, strict=True)):
        best = max(every_target(LIMIT), key=lambda ids: table.log_prob(source, ids))
        assert result.is_exact
        if table.log_prob(source, best) <= floor + 1e-5:
            assert result.best is None
        else:
            n_better += 1
            assert result.best is not None
            assert result.best.ids == best
            assert result.best.log_prob == pytest.approx(table.log_prob(source, best), abs=1e-5)
    assert n_better


def test_too_many_prefixes_make_it_a_wide_search_that_says_so() -> None:
    low = [-40.0] * SOURCES
    narrow = exact_search(Table(SOURCES, 1), Greedy(LIMIT), low, most_rows=SOURCES)
    whole = exact_search(Table(SOURCES, 1), Greedy(LIMIT), low, most_rows=10_000)
    assert {result.is_exact for result in narrow} == {True, False}
    for few, all_ in zip(narrow, whole, strict=True):
        assert few.best is not None
        assert all_.best is not None
        assert few.best.log_prob <= all_.best.log_prob + 1e-6
        assert few.best == all_.best or not few.is_exact


def test_forbidden_tokens_are_no_better_targets() -> None:
    floors = [-20.0] * SOURCES
    free = exact_search(Table(SOURCES), Greedy(LIMIT), floors)
    best = [result.best.ids for result in free if result.best]
    banned = str(best[0][0])
    others = exact_search(Table(SOURCES), Greedy(LIMIT, bad_words=banned), floors)
    assert all(int(banned) not in result.best.ids for result in others if result.best)
    assert len(best) == SOURCES
