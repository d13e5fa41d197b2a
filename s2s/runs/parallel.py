"""Translate a corpus in several single-threaded processes: small matrix products gain nothing from more threads."""

from __future__ import annotations

import functools
import multiprocessing
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import torch

from s2s.model import keep_freed_memory
from s2s.processes import environment
from s2s.runs.decoded import Decoded
from s2s.runs.opening import load
from s2s.runs.run import ROWS, Run, RunKey
from s2s.runs.store import RunFolder

MANY = 500  # sources per process; below this, its start-up of some seconds does not pay


def processes_for(n_sources: int, cores: int) -> int:
    """How many processes pay off."""
    return max(1, min(cores, n_sources // MANY))


def translate(
    run: Run, sources: Sequence[str], strategy: str, settings: Mapping[str, Any], processes: int
) -> list[Decoded]:
    """The same as `run.translate`, in order. Raises UserError before any process starts."""
    if processes == 1:
        return run.translate(sources, strategy, **settings)
    run.configured(strategy, settings)
    run.check_lengths(sources)
    # Batches of similar lengths.
    order = sorted(range(len(sources)), key=lambda number: len(sources[number]))
    parts = [order[start : start + ROWS] for start in range(0, len(order), ROWS)]
    context = multiprocessing.get_context("spawn")  # a fork would inherit running threads
    results: list[Decoded | None] = [None] * len(sources)
    each = functools.partial(_translate, run.key, strategy, dict(settings))
    with (
        environment.replaced(environment.for_reading()),
        ProcessPoolExecutor(processes, context) as pool,
    ):
        for part, found in zip(
            parts,
            pool.map(each, ([sources[number] for number in part] for part in parts)),
            strict=True,
        ):
            for number, one in zip(part, found, strict=True):
                results[number] = one
    return [one for one in results if one is not None]


def _translate(
    key: RunKey, strategy: str, settings: Mapping[str, Any], sources: list[str]
) -> list[Decoded]:
    return _opened(key).translate(sources, strategy, **settings)


@functools.cache
def _opened(key: RunKey) -> Run:
    """Open the run once per process, and limit the process to one thread."""
    torch.set_num_threads(1)
    keep_freed_memory()
    # A path, which is not checked again: on a hosted server, this process acts for nobody.
    return load(RunFolder(key.folder), key.step).in_languages(*key.languages)
