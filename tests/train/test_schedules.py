import pytest

from s2s.config import TrainConfig
from s2s.train.optimizers import OPTIMIZERS
from s2s.train.schedules import SCHEDULES, learning_rate


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
    assert rates("cosine")[-1] == pytest.approx(0.0)
    assert rates("inverse_sqrt")[39] == pytest.approx(1.0)


def test_without_warm_up_the_first_step_has_the_full_rate() -> None:
    assert learning_rate(1, TrainConfig(warmup_steps=0, schedule="constant", lr=0.1)) == 0.1


def test_registries_and_configs_offer_the_same_names() -> None:
    fields = TrainConfig.__dataclass_fields__
    assert set(SCHEDULES) == set(fields["schedule"].metadata["choices"])
    assert set(OPTIMIZERS) == set(
        TrainConfig().optimizer.__dataclass_fields__["kind"].metadata["choices"]
    )
