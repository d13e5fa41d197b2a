import pytest
import torch

from s2s.model.dropout import LEVELS, Dropout, scaled_mask


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5, 0.9])
def test_the_share_is_the_rate_to_a_256th_and_the_mean_stays(rate: float) -> None:
    torch.manual_seed(0)
    mask = scaled_mask(torch.empty(501, 1003), rate)
    share = round(rate * LEVELS) / LEVELS
    assert abs(share - rate) <= 0.5 / LEVELS
    assert mask.unique().tolist() == pytest.approx([0.0, 1 / (1 - share)])
    spread = (share * (1 - share) / mask.numel()) ** 0.5
    assert float(mask.eq(0).float().mean()) == pytest.approx(share, abs=4 * spread)
    assert float(mask.mean()) == pytest.approx(1.0, abs=4 * spread / (1 - share))


def test_the_draws_of_neighboring_units_are_independent() -> None:
    torch.manual_seed(0)
    dropped = scaled_mask(torch.empty(1000, 800), 0.5).eq(0).double().flatten()
    for distance in (1, 7, 8, 64, 800):
        together = (dropped[distance:] * dropped[:-distance]).mean()
        assert float(together) == pytest.approx(0.25, abs=0.003)


def test_the_same_places_are_dropped_in_the_gradient() -> None:
    x = torch.ones(40, 50, requires_grad=True)
    y = Dropout(0.3)(x)
    y.sum().backward()
    assert torch.equal(x.grad, y.detach())


def test_the_global_generator_alone_decides() -> None:
    def drawn(seed: int) -> torch.Tensor:
        torch.manual_seed(seed)
        return Dropout(0.3)(torch.ones(3, 5, 7))

    assert torch.equal(drawn(1), drawn(1))
    assert not torch.equal(drawn(1), drawn(2))
    torch.manual_seed(1)
    dropout = Dropout(0.3)
    assert not torch.equal(dropout(torch.ones(99)), dropout(torch.ones(99)))


def test_nothing_is_dropped_or_drawn_in_eval_or_at_rate_zero() -> None:
    x = torch.randn(4, 5)
    before = torch.get_rng_state()
    assert Dropout(0.3).eval()(x) is x
    assert Dropout(0.0)(x) is x
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_the_type_stays(dtype: torch.dtype) -> None:
    assert Dropout(0.3)(torch.ones(9, dtype=dtype)).dtype is dtype
