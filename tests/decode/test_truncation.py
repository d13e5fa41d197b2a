import math

import numpy as np
import pytest
import torch
from torch import Tensor

from s2s.decode.filters import FILTERS, Truncation, truncate
from s2s.decode.truncation import (
    THRESHOLDS,
    distribution_entropy,
    inspect_truncation,
    is_filter_set,
)
from tests.decode.test_filters import VALUES


def rows() -> list[Tensor]:
    draw = torch.Generator().manual_seed(0)
    plain = [torch.randn(vocab, generator=draw) * 3 for vocab in (1, 2, 5, 64, 777)]
    tied = [(row * 2).round() / 2 for row in plain]
    return [row.log_softmax(0) for row in (*plain, *tied, torch.zeros(40))]


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("temperature", [0.5, 1.0])
def test_a_filter_alone_leaves_what_sampling_would_draw_from(name: str, temperature: float) -> None:
    for row in rows():
        for value in VALUES[name]:
            config = Truncation(temperature=temperature, **{name: value})
            measured = inspect_truncation(row, config)
            left = truncate(row[None], config)[0]
            found = measured.alone[name]
            assert torch.equal(found.stays, left.isfinite())
            assert torch.equal(measured.together.stays, found.stays)
            warm = np.exp(row.double().numpy() / temperature)
            warm /= warm.sum()
            assert found.n == int(found.stays.sum())
            assert found.mass == pytest.approx(warm[found.stays.numpy()].sum(), abs=1e-5)
            drawn = warm[found.stays.numpy()] / warm[found.stays.numpy()].sum()
            assert found.entropy == pytest.approx(-(drawn * np.log(drawn)).sum(), abs=1e-4)


@pytest.mark.parametrize("name", FILTERS)
def test_the_threshold_separates_kept_from_removed_tokens(name: str) -> None:
    for row in rows():
        for value in VALUES[name]:
            measured = inspect_truncation(row, Truncation(**{name: value}))
            found = measured.alone[name]
            bars = measured.alone[name].stays[measured.order]
            if found.rank is None:
                assert not bars[: found.n].all()
            else:
                assert bars[: found.rank].all()
                assert not bars[found.rank :].any()
            others = [other for other in FILTERS if other != name]
            assert all(measured.alone[other].stays.all() for other in others)


@pytest.mark.parametrize("name", THRESHOLDS)
def test_a_threshold_is_the_probability_below_which_tokens_go(name: str) -> None:
    for row in rows():
        for value in VALUES[name]:
            measured = inspect_truncation(row, Truncation(**{name: value}))
            found = measured.alone[name]
            shares = measured.log_probs.exp()
            assert found.threshold is not None
            clear = (shares / found.threshold - 1).abs() > 1e-5  # beside float32's last digit
            expected = (shares >= found.threshold) | (shares == shares.max())
            assert torch.equal(found.stays[clear], expected[clear])


def test_only_filters_that_are_set_have_a_threshold_and_a_name() -> None:
    config = Truncation(top_k=3, min_p=0.1)
    measured = inspect_truncation(rows()[3], config)
    assert [name for name in FILTERS if is_filter_set(config, name)] == ["top_k", "min_p"]
    assert {name for name, left in measured.alone.items() if left.threshold is not None} == {
        "min_p"
    }
    assert set(measured.alone) == set(FILTERS)


def test_typical_may_leave_out_the_most_probable() -> None:
    row = torch.tensor([0.5, *[0.02] * 25]).log()  # what surprises as much as expected is the many
    measured = inspect_truncation(row, Truncation(typical_p=0.3))
    assert measured.alone["typical_p"].rank is None
    assert not measured.alone["typical_p"].stays[0]


def test_filters_together_apply_one_after_the_other() -> None:
    row = torch.tensor([2.0, 1.0, 0.9, 0.8]).log_softmax(0)
    measured = inspect_truncation(row, Truncation(top_k=2, top_p=0.7))
    assert (measured.alone["top_k"].n, measured.alone["top_p"].n, measured.together.n) == (2, 3, 1)


def test_temperature_spreads_and_gathers() -> None:
    row = rows()[3]
    cold, usual, hot = (
        inspect_truncation(row, Truncation(temperature=value)).entropy for value in (0.3, 1.0, 3.0)
    )
    assert cold < usual < hot < math.log(len(row))
    assert distribution_entropy(torch.zeros(8).log_softmax(0)) == pytest.approx(math.log(8))
    assert distribution_entropy(torch.tensor([0.0, -math.inf])) == 0.0
