import pytest

from s2s.analysis import ablate, all_heads
from s2s.analysis.heads import batched, finish, least_first, prune_curve, random_orders
from s2s.analysis.heads.importance import MOST_POINTS, numbers_pruned
from tests.analysis.heads import naive
from tests.model.conftest import build, shrunk


def test_a_curve_is_the_naive_loss_without_its_first_heads() -> None:
    model = build(shrunk("small"))
    order = all_heads(model)[::-1]
    found = finish(prune_curve(model, batched(model, naive.PAIRS), order, (0, 1, 7, 18)))
    for number, loss in zip(found.n_pruned, found.loss, strict=True):
        with ablate(model, dict.fromkeys(order[:number], "off")):
            expected = sum(naive.loss(model, pair) for pair in naive.PAIRS) / 14
        assert loss == pytest.approx(expected, rel=1e-5)
    assert (found.low <= found.loss).all()
    assert (found.loss <= found.high).all()


def test_orders() -> None:
    heads = all_heads(build(shrunk("small")))
    values = dict(zip(heads, range(len(heads)), strict=True))
    assert least_first({head: -value for head, value in values.items()}) == tuple(heads[::-1])
    assert least_first(dict.fromkeys(heads, 0.0)) == tuple(heads)
    first, second = random_orders(heads, 2, 7)
    assert sorted(first) == sorted(second) == sorted(heads)
    assert first != second
    assert random_orders(heads, 2, 7) == [first, second]


def test_few_numbers_of_pruned_heads_go_from_none_to_all() -> None:
    assert numbers_pruned(5, 3) == (0, 2, 5)
    assert numbers_pruned(3) == (0, 1, 2, 3)
    assert numbers_pruned(576)[-1] == 576
    assert len(numbers_pruned(576)) == MOST_POINTS
