import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from s2s.config import Recipe, TrainConfig, override
from s2s.data import Corpus, load
from s2s.training import (
    Budget,
    Event,
    Planned,
    Saved,
    Step,
    Trainer,
    TrainingData,
    Validation,
    learning_rate,
    prepare,
)
from s2s.training.checkpoint import drop_after
from s2s.training.schedules import position_in_plan
from tests.conftest import TINY

MINUTES = 1.0


class Clock:
    """Seconds that pass only when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def data() -> TrainingData:
    pairs = load("synthetic:reverse", "valid").pairs[:40]
    corpus = Corpus("synthetic:reverse", "train", pairs)
    recipe = override(Recipe(), {**TINY, "train.watch.samples": 0})
    return prepare(recipe, corpus, replace(corpus, pairs=corpus.pairs[:8]))


def trainer_of(
    recipe: Recipe, data: TrainingData, clock: Clock, folder: Path | None = None
) -> Trainer:
    limited = override(recipe, {"train.minutes": MINUTES})
    return Trainer(limited, data, folder, budget=Budget(MINUTES, since=0.0, clock=clock))


def run(trainer: Trainer, clock: Clock, pace: float, *, validation: float = 1.0) -> Iterator[Event]:
    """Its events; each update and validation takes so many seconds."""
    update = trainer.update
    validate = trainer.validate

    def slow_update(rate: float | None = None) -> Step:
        clock.now += pace
        return update(rate)

    def slow_validation() -> Validation:
        clock.now += validation
        return validate()

    trainer.update = slow_update  # type: ignore[method-assign]
    trainer.validate = slow_validation  # type: ignore[method-assign]
    return trainer.run()


@pytest.mark.parametrize("pace", [1.2, 6.5])  # 30 steps were planned: too few, too many
def test_it_ends_on_time_with_a_rate_near_zero(
    pace: float, tiny: Recipe, data: TrainingData
) -> None:
    clock = Clock()
    clock.now = 3.0  # the preparation
    trainer = trainer_of(tiny, data, clock)
    events = list(run(trainer, clock, pace))
    steps = [event for event in events if isinstance(event, Step)]
    assert 60 - 2 * pace - 1.5 <= clock.now <= 60
    assert len(steps) == trainer.recipe.train.steps
    assert steps[-1].lr < 0.06 * tiny.train.lr
    validated = [event.step for event in events if isinstance(event, Validation)]
    assert validated[-1] == steps[-1].step
    assert sum(isinstance(event, Planned) for event in events) <= 10


def test_it_ends_on_time_although_the_machine_gets_slower(tiny: Recipe, data: TrainingData) -> None:
    clock = Clock()
    trainer = trainer_of(tiny, data, clock)
    events = []
    for event in run(trainer, clock, 0.6):
        events.append(event)
        clock.now += 2.4 * (isinstance(event, Step) and clock.now > 30)
    rates = [event.lr for event in events if isinstance(event, Step)]
    assert 55 <= clock.now <= 60
    assert rates[-1] < 0.06 * tiny.train.lr
    falls = [before - after for before, after in itertools.pairwise(rates[5:])]
    assert 0 < max(falls) < 0.25 * tiny.train.lr  # it never jumps


def test_a_resumed_run_leaves_time_for_its_last_validation(
    tiny: Recipe, data: TrainingData, tmp_path: Path
) -> None:
    clock = Clock()
    for event in run(trainer_of(tiny, data, clock, tmp_path), clock, 0.5, validation=10.0):
        if isinstance(event, Saved):
            break
    later = Clock()
    again = trainer_of(tiny, data, later, tmp_path)
    again.resume()
    used = again.budget.elapsed()
    list(run(again, later, 0.5, validation=10.0))
    assert used + later.now <= 60


def test_no_validation_comes_shortly_before_the_last(tiny: Recipe, data: TrainingData) -> None:
    clock = Clock()
    often = override(tiny, {"train.watch.validate_every": 4})
    events = list(run(trainer_of(often, data, clock), clock, 1.0, validation=5.0))
    assert 47 <= clock.now <= 60
    assert isinstance(events[-1], Validation | Saved)


def test_time_is_left_for_the_validation_of_the_mean(
    tiny: Recipe, data: TrainingData, tmp_path: Path
) -> None:
    clock = Clock()
    averaging = override(tiny, {"train.average_last": 2, "train.watch.save_every": 5})
    list(run(trainer_of(averaging, data, clock, tmp_path), clock, 1.0, validation=6.0))
    assert clock.now <= 60


@pytest.mark.slow
def test_a_resumed_run_follows_its_plan_and_has_only_the_time_that_is_left(
    tiny: Recipe, data: TrainingData, tmp_path: Path
) -> None:
    clock = Clock()
    trainer = trainer_of(tiny, data, clock, tmp_path)
    rates: dict[int, float] = {}
    used = 0.0
    for event in run(trainer, clock, 1.6):
        if isinstance(event, Step):
            rates[event.step] = event.lr
        if isinstance(event, Saved) and event.step == 20:
            used = clock.now
    drop_after(tmp_path, 20)

    later = Clock()
    again = trainer_of(tiny, data, later, tmp_path)
    later.now = 2.0  # it is prepared again
    again.resume()
    assert again.budget.elapsed() == pytest.approx(used + 2, abs=0.01)
    assert again.budget.plan == [one for one in trainer.budget.plan if one.step <= 20]
    found = {event.step: event.lr for event in run(again, later, 1.6) if isinstance(event, Step)}
    assert found[21] == rates[21]
    assert used + later.now == pytest.approx(60, abs=3)
    assert len(found) < len(rates) - 20  # the second preparation took some of its time


def test_a_pause_does_not_count() -> None:
    clock = Clock()
    budget = Budget(MINUTES, since=0.0, clock=clock)
    clock.now = 10.0
    with budget.paused():
        clock.now = 500.0
    assert budget.elapsed() == 10.0


def test_a_preparation_that_takes_all_of_its_minutes_leaves_half_as_much_for_updates(
    tiny: Recipe, data: TrainingData
) -> None:
    clock = Clock()
    clock.now = 61.0
    trainer = trainer_of(tiny, data, clock)
    events = list(run(trainer, clock, 3.0))
    assert 85 <= clock.now <= 62 + 30
    assert sum(isinstance(event, Step) for event in events) >= 7
    assert trainer.budget.prepared == 62.0


def test_without_minutes_nothing_is_planned_and_checkpoints_say_nothing_of_time() -> None:
    budget = Budget(None)
    assert budget.start(0, 30) == budget.replanned(1, 30, 10) == []
    assert budget.counted() == {}


def test_each_plan_spreads_what_is_left_of_the_schedule() -> None:
    plan = [Planned(1, 100), Planned(21, 60), Planned(41, 50)]
    positions = [position_in_plan(step, plan) for step in range(1, 51)]
    assert positions[:20] == list(range(1, 21))
    assert positions[39] == pytest.approx(20 + 20 * 80 / 40)  # half of the 40 steps it then had
    assert positions[-1] == pytest.approx(100)
    assert positions == sorted(positions)
    train = TrainConfig(steps=50, warmup_steps=10, lr=1.0)
    whole = replace(train, steps=100)
    assert learning_rate(30, train, plan=plan) == learning_rate(40, whole)
    assert learning_rate(50, train, plan=plan) == pytest.approx(
        0.5 * (1 + math.cos(math.pi * 89.5 / 90))
    )


class Simulated(NamedTuple):
    """How a training without a model ended: seconds, steps, and how far in its schedule."""

    seconds: float
    steps: int
    position: float  # share of the schedule
    ahead: float  # by how much that was at most more than the share of the time


def simulated(
    update: Callable[[int, float], float],
    validation: Callable[[float], float] = lambda now: 1.0,
    *,
    minutes: float = 10.0,
    planned: int = 7400,
) -> Simulated:
    """A training whose updates and validations take so many seconds, by step and time."""
    clock = Clock()
    budget = Budget(minutes, since=0.0, clock=clock)
    clock.now = 3.0  # the preparation
    step, steps, every, ahead = 0, planned, planned // 8, 0.0

    def observe() -> None:
        with budget.observing():
            clock.now += validation(clock.now)

    def position() -> float:
        return position_in_plan(step, budget.plan) / planned

    observe()
    budget.start(0, planned)
    while step < steps:
        step += 1
        clock.now += update(step, clock.now)
        for change in budget.replanned(step, steps, every):
            steps = change.steps
        ahead = max(ahead, position() - clock.now / budget.seconds)
        if step % every == 0 or step == steps:
            observe()
        for change in budget.prolonged(step, steps, every):
            steps = change.steps
    return Simulated(clock.now, step, position(), ahead)


USUAL = 0.08  # seconds
PACES: dict[str, Callable[[int, float], float]] = {
    "as forecast": lambda step, now: USUAL,
    "a slow first step": lambda step, now: 60.0 if step == 1 else USUAL,
    "a very slow first step": lambda step, now: 240.0 if step == 1 else USUAL,
    "two slow steps": lambda step, now: 60.0 if step < 3 else USUAL,
    "three slow steps": lambda step, now: 60.0 if step < 4 else USUAL,
    "taken for half of the time": lambda step, now: 5.0 if now < 300 else USUAL,
    "taken in between": lambda step, now: 30.0 if 200 < now < 300 else USUAL,
    "slower later": lambda step, now: USUAL if now < 300 else 0.8,
    "much slower": lambda step, now: 0.5,
    "much faster": lambda step, now: 0.02,
    "one in a hundred is slow": lambda step, now: 2.0 if step % 100 == 50 else USUAL,
}


@pytest.mark.parametrize("pace", PACES)
def test_a_training_uses_its_minutes_and_its_whole_schedule(pace: str) -> None:
    end = simulated(PACES[pace])
    assert 590 < end.seconds <= 602
    assert end.position > 0.98  # the learning rate has come down
    assert end.ahead < 0.05  # and not long before the end


@pytest.mark.parametrize("pace", [20.0, 200.0, 350.0, 700.0])
def test_slow_updates_end_with_the_minutes_or_with_the_one_that_was_begun(pace: float) -> None:
    end = simulated(lambda step, now: pace)
    assert 600 - pace < end.seconds < 600 + pace + 10


def test_a_slow_first_validation_does_not_take_the_last_ones_time() -> None:
    end = simulated(PACES["a slow first step"], lambda now: 150.0 if now < 10 else 1.0)
    assert 590 < end.seconds <= 600
    rare = simulated(lambda step, now: 0.8, lambda now: 150.0 if now < 10 else 1.0)
    assert 590 < rare.seconds <= 600  # none came before the time for it was reached


def test_a_first_validation_that_takes_most_of_the_time_leaves_some_for_updates() -> None:
    end = simulated(
        PACES["as forecast"], lambda now: 75.0 if now < 10 else 1.0, minutes=1.5, planned=1000
    )
    assert 80 < end.seconds <= 90
    assert end.steps > 50


def test_a_slow_validation_in_between_does_not_shorten_a_training() -> None:
    end = simulated(PACES["as forecast"], lambda now: 100.0 if 300 < now < 400 else 1.0)
    assert 590 < end.seconds <= 600
    assert end.position > 0.98


def test_slow_updates_at_the_end_leave_no_more_than_one_unused() -> None:
    end = simulated(lambda step, now: 30.0 if now > 500 else USUAL)
    assert 600 - 30 - 2 < end.seconds <= 600
