"""The penalties at which another hypothesis is first, against a scan over all of them."""

import numpy as np
import pytest

from s2s.decode import Beam, EndedHypothesis, new_firsts

GRID = np.arange(-500, 501) / 100


@pytest.mark.parametrize("formula", ["power", "gnmt"])
def test_no_nearer_penalty_changes_the_first(formula: str) -> None:
    draws = np.random.default_rng(1)
    heard = set()
    for _ in range(40):
        config = Beam(length_formula=formula, length_penalty=float(draws.choice(GRID[::50])))
        ended = [
            EndedHypothesis(-float(draws.gamma(2, 2)), int(length))
            for length in draws.integers(1, 15, 4)
        ]
        totals, lengths = np.array(ended).T
        bases = lengths if formula == "power" else (5 + lengths) / 6
        firsts = (totals / bases ** GRID[:, None]).argmax(1)
        own = int(np.argmin(abs(GRID - config.length_penalty)))
        found = new_firsts(config, ended)
        lower = [i for i in range(own) if firsts[i] != firsts[own]][-1:]
        higher = [i for i in range(own, len(GRID)) if firsts[i] != firsts[own]][:1]
        assert [(one.penalty, one.hypothesis) for one in found] == [
            (pytest.approx(GRID[i]), firsts[i]) for i in (*lower, *higher)
        ]
        for one in found:
            limit = firsts[-1] if one.penalty > config.length_penalty else firsts[0]
            assert one.stays == (limit == one.hypothesis)
        heard.add(len(found))
    assert {1, 2} <= heard


def test_a_certain_or_a_lone_hypothesis_is_always_first() -> None:
    assert not new_firsts(Beam(), [EndedHypothesis(0.0, 3), EndedHypothesis(-1.0, 9)])
    assert not new_firsts(Beam(), [EndedHypothesis(-1.0, 3)])
    assert not new_firsts(Beam(), [])
