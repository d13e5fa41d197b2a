import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from s2s.config import Optimizer, TrainConfig
from s2s.training.optimizers import OPTIMIZERS
from s2s.training.schedules import SCHEDULES, learning_rate


def rates(schedule: str) -> list[float]:
    train = TrainConfig(steps=100, lr=2.0, warmup_steps=10, schedule=schedule)
    return [learning_rate(step, train) for step in range(1, 101)]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_every_schedule_climbs_linearly_and_peaks_at_lr(schedule: str) -> None:
    found = rates(schedule)
    assert found[:10] == pytest.approx([0.2 * step for step in range(1, 11)])
    assert max(found) == pytest.approx(2.0)


def test_each_schedule_falls_as_it_says() -> None:
    assert rates("constant")[-1] == 2.0
    assert rates("cosine")[54] == pytest.approx(1.0)
    assert 0.0 < rates("cosine")[-1] < rates("cosine")[-2] / 2
    assert rates("inverse_sqrt")[39] == pytest.approx(1.0)


@pytest.mark.parametrize("schedule", SCHEDULES)
@given(steps=st.integers(1, 2000), warmup=st.integers(0, 2500))
def test_every_update_has_a_rate_above_zero(schedule: str, steps: int, warmup: int) -> None:
    train = TrainConfig(steps=steps, warmup_steps=warmup, schedule=schedule, lr=1.0)
    assert learning_rate(steps, train) > 0
    assert all(learning_rate(step, train) > 0 for step in (1, max(1, steps - 1)))


def test_only_the_last_rate_of_the_cosine_is_not_on_it() -> None:
    """A run that was started before resumes with the rates it would have had."""
    half = [1 + math.cos(math.pi * step / 90) for step in range(90)]
    assert rates("cosine")[9:-1] == pytest.approx(half)


def test_without_warm_up_the_first_step_has_the_full_rate() -> None:
    assert learning_rate(1, TrainConfig(warmup_steps=0, schedule="constant", lr=0.1)) == 0.1


def test_the_rate_of_adafactor_is_the_one_that_its_update_uses() -> None:
    def moved(step: int, rate: float) -> float:
        """How far the update of this step moves a weight of size 1."""
        weight = torch.nn.Parameter(torch.ones(1))
        optimizer = OPTIMIZERS["adafactor"].make([{"params": [weight]}], settings)
        for _ in range(step):
            weight.data.fill_(1.0)
            weight.grad = torch.ones(1)
            optimizer.param_groups[0]["lr"] = rate
            optimizer.step()
        return 1 - weight.item()

    settings = Optimizer("adafactor")
    train = TrainConfig(lr=0.4, warmup_steps=4, schedule="constant", optimizer=settings)
    for step in (1, 4, 6, 7, 25):
        asked = 0.4 * min(1, step / 4)
        found = learning_rate(step, train)
        assert found == min(asked, 1 / math.sqrt(step))
        assert moved(step, asked) == moved(step, found) == pytest.approx(found, rel=1e-5)


def test_registries_and_configs_offer_the_same_names() -> None:
    fields = TrainConfig.__dataclass_fields__
    assert set(SCHEDULES) == set(fields["schedule"].metadata["choices"])
    assert set(OPTIMIZERS) == set(
        TrainConfig().optimizer.__dataclass_fields__["kind"].metadata["choices"]
    )
