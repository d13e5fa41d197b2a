import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from s2s.config import UserError
from s2s.model import weights_path
from s2s.ui.kit.cached.opened_runs import OpenedRuns, RunState

SIZE = 4000  # bytes of each run


def run(folder: Path, step: int | None) -> Any:
    return SimpleNamespace(name=folder.name, model=torch.nn.Linear(SIZE // 4, 1, bias=False))


@pytest.fixture
def state(tmp_path: Path) -> Callable[[str], RunState]:
    def make(name: str) -> RunState:
        folder = tmp_path / name
        (folder / "checkpoints").mkdir(parents=True, exist_ok=True)
        weights_path(folder / "checkpoints", 1).write_bytes(bytes(SIZE))
        return RunState(folder, 1, None)

    return make


def opened_in_turn(
    runs: OpenedRuns, states: list[RunState], log: list[str], names: str
) -> list[str]:
    log.clear()
    for name in names:
        runs.get(next(one for one in states if one.folder.name == name))
    return log


@pytest.mark.parametrize(("max_runs", "opened"), [(6, "abcd"), (2, "abcdac")])
def test_a_run_is_opened_once_while_there_is_room(
    max_runs: int, opened: str, state: Callable[[str], RunState]
) -> None:
    log = list[str]()

    def open_(folder: Path, step: int | None) -> Any:
        log.append(folder.name)
        return run(folder, step)

    runs = OpenedRuns(open_, free=lambda: 10**9, max_runs=max_runs)
    states = [state(name) for name in "abcd"]
    assert opened_in_turn(runs, states, log, "abcdacca") == [*opened]


def test_the_oldest_goes_where_memory_is_needed(state: Callable[[str], RunState]) -> None:
    """Half of what is free or held: two runs of 4,000 bytes, where 16,000 in all are there."""
    log = list[str]()
    total = 4 * SIZE

    def open_(folder: Path, step: int | None) -> Any:
        log.append(folder.name)
        return run(folder, step)

    runs = OpenedRuns(open_, free=lambda: total - SIZE * len(runs._runs))
    states = [state(name) for name in "abc"]
    assert opened_in_turn(runs, states, log, "aabab") == ["a", "b"]
    assert opened_in_turn(runs, states, log, "c") == ["c"]  # and lets a go, used longest ago
    assert opened_in_turn(runs, states, log, "bcb") == []
    assert opened_in_turn(runs, states, log, "a") == ["a"]
    assert opened_in_turn(runs, states, log, "ba") == []


def test_a_deleted_run_is_closed(state: Callable[[str], RunState]) -> None:
    log = list[str]()

    def open_(folder: Path, step: int | None) -> Any:
        log.append(folder.name)
        return run(folder, step)

    runs = OpenedRuns(open_, free=lambda: 10**9)
    states = [state(name) for name in "ab"]
    opened_in_turn(runs, states, log, "ab")
    shutil.rmtree(states[0].folder)
    runs.close_deleted()
    assert opened_in_turn(runs, states, log, "b") == []
    assert [*runs._runs] == states[1:]


def test_a_run_larger_than_that_is_opened_alone(state: Callable[[str], RunState]) -> None:
    runs = OpenedRuns(run, free=lambda: SIZE)
    for name in "ab":
        runs.get(state(name))
    assert [one.folder.name for one in runs._runs] == ["b"]


def test_a_run_that_cannot_be_opened_is_tried_again(state: Callable[[str], RunState]) -> None:
    calls = list[Path]()

    def open_(folder: Path, step: int | None) -> Any:
        calls.append(folder)
        raise UserError("It is broken; copy it again.")

    runs = OpenedRuns(open_, free=lambda: 10**9)
    for _ in range(2):
        with pytest.raises(UserError, match="It is broken"):
            runs.get(state("a"))
    assert len(calls) == 2
