"""A corpus translated by several processes, a thread each: small products gain nothing from a second thread, rows do."""

from __future__ import annotations

import functools
import multiprocessing
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import torch

from s2s.model import keep_freed_memory
from s2s.runs.decoded import Decoded
from s2s.runs.run import ROWS, Run, load

MANY = 500  # sources a process from which on its start, some seconds, is worth it


def processes_for(n_sources: int, cores: int) -> int:
    """How many are worth it."""
    return max(1, min(cores, n_sources // MANY))


def translate(
    run: Run, sources: Sequence[str], strategy: str, settings: Mapping[str, Any], processes: int
) -> list[Decoded]:
    """What `run.translate` gives, in order. Raises UserError before any process is started."""
    if processes == 1:
        return run.translate(sources, strategy, **settings)
    run.configured(strategy, settings)
    run.check_lengths(sources)
    order = sorted(
        range(len(sources)), key=lambda number: len(sources[number])
    )  # a batch is of like lengths
    parts = [order[start : start + ROWS] for start in range(0, len(order), ROWS)]
    context = multiprocessing.get_context(
        "spawn"
    )  # a fork would inherit threads in the middle of their work
    results: list[Decoded | None] = [None] * len(sources)
    each = functools.partial(_translate, str(run.folder.path), run.step, strategy, dict(settings))
    with ProcessPoolExecutor(processes, context) as pool:
        for part, found in zip(
            parts,
            pool.map(each, ([sources[number] for number in part] for part in parts)),
            strict=True,
        ):
            for number, one in zip(part, found, strict=True):
                results[number] = one
    return [one for one in results if one is not None]


def _translate(
    folder: str, step: int, strategy: str, settings: Mapping[str, Any], sources: list[str]
) -> list[Decoded]:
    return _opened(folder, step).translate(sources, strategy, **settings)


@functools.cache
def _opened(folder: str, step: int) -> Run:
    """Once a process, which has a thread from then on."""
    torch.set_num_threads(1)
    keep_freed_memory()
    return load(folder, step)
