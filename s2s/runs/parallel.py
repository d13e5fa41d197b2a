"""Translate a corpus in several single-threaded processes: small matrix products gain nothing from more threads."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import Any

from s2s.config import UserError
from s2s.files import from_json, to_json
from s2s.model import keep_freed_memory
from s2s.processes.program import EndedError, Process, Program, TooLargeError
from s2s.runs.decoded import Decoded
from s2s.runs.decoder import ONE_THREAD, opened
from s2s.runs.run import ROWS, Run, RunKey

MANY = 500  # sources per process; below this, its start-up of some seconds does not pay
TRANSLATOR = Program("s2s.runs.parallel:translate_part", log="", variables=ONE_THREAD)
ENDED = (
    "One of the processes that translate ended unexpectedly, most likely because memory ran out; give fewer of them"
    " with `--processes`, or lower `num_beams`, `num_samples` or `max_new_tokens`."
)


def processes_for(n_sources: int, cores: int) -> int:
    """How many processes pay off."""
    return max(1, min(cores, n_sources // MANY))


def translate(
    run: Run, sources: Sequence[str], strategy: str, settings: Mapping[str, Any], processes: int
) -> list[Decoded]:
    """Translate as `run.translate` does, in order; of several processes, without the record of the steps.

    Raises UserError before any process starts, and where one cannot start or does not end its work.
    """
    if processes == 1:
        return run.translate(sources, strategy, **settings)
    run.configured(strategy, settings)
    run.check_lengths(sources)
    # Batches of similar lengths.
    order = sorted(range(len(sources)), key=lambda number: len(sources[number]))
    parts = [order[start : start + ROWS] for start in range(0, len(order), ROWS)]
    results = dict[int, Decoded]()
    waiting = reversed(parts)  # the longest first, lest one process is left with it
    about = {"run": run.key, "strategy": strategy, "settings": dict(settings)}

    def serve(process: Process) -> None:
        for part in waiting:  # that no other process has taken
            number = process.order({**about, "sources": [sources[index] for index in part]})
            results.update(
                zip(part, from_json(list[Decoded], [*process.answers(number)]), strict=True)
            )

    try:
        # Whatever ends this ends the processes first, and with them the threads.
        with ThreadPoolExecutor(processes) as threads, ExitStack() as stack:
            started = [
                stack.enter_context(closing(Process(TRANSLATOR)))
                for _ in range(min(processes, len(parts)))
            ]
            for served in as_completed([threads.submit(serve, process) for process in started]):
                served.result()
    except (EndedError, TooLargeError) as error:
        raise UserError(ENDED) from error
    except OSError as error:
        raise UserError(
            f"The processes that translate cannot be started ({error.strerror or error}); translate with"
            " `--processes 1`."
        ) from error
    return [results[number] for number in range(len(sources))]


def translate_part(order: Mapping[str, Any], _: object) -> Iterator[dict[str, Any]]:
    """The work of one of these processes: each source's result, as JSON."""
    run = _opened(from_json(RunKey, order["run"]))
    for found in run.translate(order["sources"], order["strategy"], **order["settings"]):
        yield to_json(replace(found, steps=()))


@functools.cache
def _opened(key: RunKey) -> Run:
    keep_freed_memory()
    return opened(key.folder, key.step).in_languages(*key.languages)
