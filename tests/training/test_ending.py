import pytest

from s2s.config import TrainConfig
from s2s.config.train_config import Monitoring
from s2s.training import Budget, Planned, ended_early
from s2s.training.progress import Progress


def budget(planned: int) -> Budget:
    one = Budget(10.0, since=0.0, clock=lambda: 600.0)
    one.plan = [Planned(1, planned), Planned(3, 2)]
    return one


def test_a_time_budget_for_far_fewer_steps_than_planned_says_so() -> None:
    sentence = ended_early(TrainConfig(steps=2, minutes=10.0), Progress(step=2), budget(7400))
    assert "10 minutes ended it at step 2, of about 7,400 that were planned" in sentence


@pytest.mark.parametrize("step", [2500, 7400, 20_000])
def test_a_plan_that_has_followed_the_speed_is_no_early_end(step: int) -> None:
    assert ended_early(TrainConfig(steps=step), Progress(step=step), budget(7400)) == ""


def test_a_training_without_minutes_that_has_made_its_steps_is_no_early_end() -> None:
    assert ended_early(TrainConfig(steps=30), Progress(step=30), Budget(None)) == ""


def test_early_stopping_says_what_did_not_improve() -> None:
    train = TrainConfig(steps=1000, watch=Monitoring(patience=3))
    sentence = ended_early(train, Progress(step=500, best_step=200, stale=3), Budget(None))
    assert "step 500 of 1,000: 3 validations in a row" in sentence
    whole = ended_early(train, Progress(step=1000, best_step=700, stale=3), Budget(None))
    assert whole == ""
