"""Opened runs, each once for all visitors; the one used longest ago is closed where memory is needed."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from s2s import files
from s2s.model import weights_path
from s2s.runs import Run

MAX_RUNS = 6  # as many as Compare has columns
SHARE = 0.5  # of the memory that is free or held by opened runs


class RunState(NamedTuple):
    """What identifies an opened run: its folder and checkpoints."""

    folder: Path
    best: int
    step: int | None


class OpenedRuns:
    """Opened runs, shared by threads; a run that several ask for is opened once."""

    def __init__(
        self,
        open_: Callable[[Path, int | None], Run],
        *,
        free: Callable[[], int],
        max_runs: int = MAX_RUNS,
    ) -> None:
        self._open = open_
        self._free = free  # bytes
        self._max_runs = max_runs
        self._runs: OrderedDict[RunState, Run] = OrderedDict()  # the newest last
        self._guard = threading.Lock()
        self._opening: dict[RunState, threading.Lock] = {}

    def get(self, state: RunState) -> Run:
        """The opened run. Raises UserError where it cannot be opened."""
        if (known := self._known(state)) is not None:
            return known
        with self._guard:
            lock = self._opening.setdefault(state, threading.Lock())
        try:
            with lock:
                if (known := self._known(state)) is not None:  # opened while this one waited
                    return known
                self._make_room(_bytes_of_checkpoint(state))
                run = self._open(state.folder, state.step)
                with self._guard:
                    self._runs[state] = run
                return run
        finally:
            with self._guard:
                self._opening.pop(state, None)

    def close_deleted(self) -> None:
        """Close runs whose folders are gone."""
        with self._guard:
            for state in [state for state in self._runs if not state.folder.is_dir()]:
                del self._runs[state]

    def _known(self, state: RunState) -> Run | None:
        with self._guard:
            if state in self._runs:
                self._runs.move_to_end(state)
            return self._runs.get(state)

    def _make_room(self, coming: int) -> None:
        with self._guard:
            held = {state: _n_bytes(run) for state, run in self._runs.items()}
            most = SHARE * (self._free() + sum(held.values()))
            for state in list(held):
                fits = sum(held.values()) + coming <= most
                if fits and len(held) < self._max_runs:
                    return
                del self._runs[state], held[state]


def _n_bytes(run: Run) -> int:
    return sum(weights.nbytes for weights in run.model.parameters())


def _bytes_of_checkpoint(state: RunState) -> int:
    step = state.best if state.step is None else state.step
    return files.size(weights_path(state.folder / "checkpoints", step))
