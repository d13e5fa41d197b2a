from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from s2s.config import Recipe, override
from s2s.data import Corpus, load
from s2s.training import Trainer, TrainingData, prepare
from s2s.training.distributed import Group
from s2s.training.threads import FASTER, TRIALS, ThreadChooser, chooser_for
from tests.conftest import TINY

TOKENS = 1000
ALONE = {1: 0.24, 2: 0.14}  # seconds of an update, as measured with threads that spin
BESIDE = {1: 0.24, 2: 0.9}
SLEEPING = {1: 0.24, 2: 0.25}


def seconds_of(chooser: ThreadChooser, pace: dict[int, float], length: float) -> Counter[int]:
    """Seconds that each number of threads trained, until they are so many."""
    taken: Counter[int] = Counter()
    while taken.total() < length:
        n = chooser.now
        taken[n] += pace[n]  # type: ignore[assignment]
        chooser.updated(pace[n], TOKENS)
    return taken


@pytest.mark.parametrize(
    ("pace", "best"), [(ALONE, 2), (BESIDE, 1), (SLEEPING, 2), ({1: 0.1, 2: 0.2}, 1)]
)
def test_most_of_the_time_the_fastest_number_trains(pace: dict[int, float], best: int) -> None:
    chooser = ThreadChooser(2)
    seconds_of(chooser, pace, 10)
    taken = seconds_of(chooser, pace, 300)
    assert taken[best] >= (1 - 1.5 * TRIALS) * taken.total()
    assert set(taken) == {1, 2}  # it looks again


def test_it_follows_a_program_that_comes_and_goes() -> None:
    chooser = ThreadChooser(2)
    seconds_of(chooser, ALONE, 60)
    assert chooser.chosen == 2
    comes = seconds_of(chooser, BESIDE, 4)
    assert chooser.chosen == 1
    assert comes[2] <= 3 * BESIDE[2] + 0.01  # three slow updates, and no more
    seconds_of(chooser, BESIDE, 300)
    seconds_of(chooser, ALONE, 60)
    assert chooser.chosen == 2


def test_one_slow_update_changes_nothing() -> None:
    chooser = ThreadChooser(2)
    seconds_of(chooser, ALONE, 20)
    while chooser.now != 2:
        chooser.updated(ALONE[1], TOKENS)
    chooser.updated(30.0, TOKENS)
    assert chooser.chosen == 2


def test_a_trial_is_given_up_for_anything_but_updates() -> None:
    chooser = ThreadChooser(2)
    while chooser.now == 2:
        chooser.updated(ALONE[2], TOKENS)
    chooser.rest()
    assert (chooser.now, torch.get_num_threads()) == (2, 2)
    seconds_of(chooser, BESIDE, 60)  # it is tried again
    assert chooser.chosen == 1


@settings(max_examples=20)
@given(most=st.integers(1, 8), seconds=st.lists(st.floats(0.5, 1.5), min_size=8, max_size=8))
def test_it_stays_within_what_is_given_where_no_neighbor_is_much_faster(
    most: int, seconds: list[float]
) -> None:
    pace = dict(enumerate(seconds, 1))
    chooser = ThreadChooser(most)
    taken = seconds_of(chooser, pace, 3000)
    assert set(taken) <= set(range(1, most + 1))
    n = chooser.chosen
    near = [pace[k] for k in (n - 1, (n + 1) // 2, n + 1, 2 * n) if 1 <= k <= most]
    assert pace[n] * FASTER <= min([pace[n], *near]) * 1.000001


def test_many_threads_come_down_to_one_and_back() -> None:
    crowded = {n: 0.1 + 0.1 * n for n in range(1, 9)}
    alone = {n: 1 / n for n in range(1, 9)}
    chooser = ThreadChooser(8)
    seconds_of(chooser, crowded, 300)
    assert chooser.chosen == 1
    seconds_of(chooser, alone, 1500)
    assert chooser.chosen == 8


class Pair(Group):
    size = 2


@pytest.mark.parametrize(
    ("settings", "group", "device", "is_free"),
    [
        ({}, Group(), "cpu", True),
        ({"train.minutes": None}, Group(), "cpu", False),
        ({"train.processes": 2}, Group(), "cpu", False),
        ({}, Pair(), "cpu", False),
        ({}, Group(), "cuda", False),
        ({"train.device": "cuda"}, Group(), "cuda", False),
    ],
)
def test_only_a_time_budget_of_one_process_on_a_cpu_adapts_their_number(
    settings: dict[str, Any], group: Group, device: str, is_free: bool
) -> None:
    recipe = override(Recipe(), {"train.minutes": 1.0, "train.threads": 2, **settings})
    chooser = chooser_for(recipe.train, group, torch.device(device))
    assert set(seconds_of(chooser, BESIDE, 30)) == ({1, 2} if is_free else {2})


@pytest.fixture(scope="module")
def data() -> TrainingData:
    pairs = load("synthetic:reverse", "valid").pairs[:40]
    corpus = Corpus("synthetic:reverse", "train", pairs)
    recipe = override(Recipe(), {**TINY, "train.watch.samples": 0})
    return prepare(recipe, corpus, replace(corpus, pairs=corpus.pairs[:8]))


@pytest.fixture(autouse=True)
def threads() -> Iterator[Callable[[], int]]:
    """How many torch has, which is put back."""
    before = torch.get_num_threads()
    yield torch.get_num_threads
    torch.set_num_threads(before)


def test_a_time_budget_alone_lets_their_number_change(
    tiny: Recipe, data: TrainingData, threads: Callable[[], int]
) -> None:
    two = override(tiny, {"train.threads": 2})
    for minutes, tried in ((None, {2}), (1.0, {1, 2})):
        trainer = Trainer(override(two, {"train.minutes": minutes}), data, None)
        seen = set()
        for _ in range(9):
            trainer.update()
            seen.add(threads())
            assert threads() == trainer.threads.now
        assert seen == tried


def test_one_update_that_takes_many_seconds_is_enough_to_try_fewer_threads() -> None:
    chooser = ThreadChooser(2)
    seconds = {2: 30.0, 1: 0.2}  # two threads wait for each other on a taken processor
    used = []
    for _ in range(6):
        used.append(chooser.now)
        chooser.updated(seconds[chooser.now], 1000)
    assert used == [2, 1, 1, 1, 1, 1]
    assert chooser.chosen == 1
