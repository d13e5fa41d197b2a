"""Decoding in a process of its own: how a pool speaks with it, and what happens there."""

from __future__ import annotations

import functools
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import torch

from s2s import files
from s2s.files import from_json, to_json
from s2s.processes.child import Here
from s2s.processes.pool import PoolTask, Service, WarmPool
from s2s.processes.program import Program
from s2s.runs.decoder.cost import request_steps
from s2s.runs.decoder.request import KINDS, DecodeRequest, Searched
from s2s.runs.opening import load
from s2s.runs.run import Run
from s2s.runs.store import RunFolder

NICENESS = 5  # the dashboard goes first, as before training and reading
ROOM = 1_500_000_000  # bytes of memory beyond the libraries and the weights
WEIGHTS_ROOM = 4  # times the checkpoint: the model, its fused copy, and what a step computes
MAX_ANSWER = 32_000_000  # bytes
ONE_THREAD = MappingProxyType({"OMP_NUM_THREADS": "1"})


class Timed(NamedTuple):
    """A result, and the seconds that it took."""

    value: Any
    seconds: float


DecoderPool: TypeAlias = WarmPool[DecodeRequest, Timed]
DecodeTask: TypeAlias = PoolTask[DecodeRequest]


def _memory(request: DecodeRequest) -> int:
    return ROOM + WEIGHTS_ROOM * sum(map(files.size, request.weights))


def _result(request: DecodeRequest, answer: Mapping[str, Any]) -> Timed:
    return Timed(KINDS[request.kind].from_json(answer["result"]), answer["seconds"])


DECODER = Service(
    Program(
        "s2s.runs.decoder.work:decode",
        "decoder",
        NICENESS,
        variables=ONE_THREAD,
        max_line=MAX_ANSWER,
    ),
    to_json,
    _memory,
    _result,
    full="{n} searches are waiting to be decoded on this server; try again in a minute.",
    too_slow=(
        "Decoding took longer than {seconds} and was stopped; lower `num_beams`, `num_samples` or `max_new_tokens`."
    ),
    too_large=(
        "This search needs more memory than decoding may use; lower `num_beams`, `num_samples` or `max_new_tokens`,"
        " or shorten the sentence."
    ),
    died=(
        "The process that decoded this ended unexpectedly, and another one replaces it; try again, and if that fails,"
        " lower `num_beams`, `num_samples` or `max_new_tokens`."
    ),
    no_process="No process for decoding can be started now; try again later.",
)


def decode(order: Mapping[str, Any], here: Here) -> Iterator[dict[str, Any]]:
    """The work of a decoder process: the result as JSON, and its seconds; reports its progress before each step."""
    started = time.perf_counter()
    request = from_json(DecodeRequest, order)
    run = opened(request.folder, request.step).in_languages(*request.languages)
    n_steps = request_steps(run, request)
    n_done = 0

    def on_step() -> None:
        nonlocal n_done
        n_done += 1
        here.tell(done=n_done, of=max(n_steps, n_done))

    kind = KINDS[request.kind]
    found = kind.to_json(kind.carry_out(replace(run, on_step=on_step), request, _last_search()))
    yield {"result": found, "seconds": time.perf_counter() - started}


@functools.lru_cache(maxsize=1)
def opened(folder: str, step: int) -> Run:
    """Open a run for many orders; from then on, use one thread. Its folder is a path, which is not checked again: on a
    hosted server, this process acts for nobody.
    """
    torch.set_num_threads(1)
    return load(RunFolder(folder), step)


@functools.cache
def _last_search() -> Searched:
    return {}
