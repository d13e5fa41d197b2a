import pytest

from s2s.decode import Beam
from s2s.runs import Decoded
from s2s.runs.decoded import DecodedHypothesis, penalty_decides


def hypothesis(text: str, log_prob: float, config: Beam) -> DecodedHypothesis:
    tokens = tuple(text.split())
    score = config.score(log_prob, len(tokens))
    return DecodedHypothesis(text.strip(), tokens, (), log_prob, score, tuple(range(len(tokens))))


@pytest.mark.parametrize(
    ("own", "said"),
    [
        # they cross at log(9.85) / log(2) = 3.3, outside of the penalties that are tried
        (5.0, "At a `length_penalty` of 5 the best score has `a a a a a a a a`; at 3,"),
        (3.0, "No `length_penalty` from 0 to 3 changes"),
        (-1.0, "No `length_penalty` from 0 to 3 changes"),
    ],
)
def test_a_penalty_outside_of_the_range_is_compared_with_those_inside(
    own: float, said: str
) -> None:
    config = Beam(length_penalty=own)
    both = [hypothesis("a " * 8, -9.85, config), hypothesis("b " * 4, -1.0, config)]
    best, other = sorted(both, key=lambda one: -one.score)
    decides, why = penalty_decides(config, Decoded("x", (best, other)))
    assert decides == (own == 5.0)
    assert why.startswith(said)


def test_nothing_decides_where_nothing_was_found() -> None:
    assert not penalty_decides(Beam(), Decoded(""))[0]
