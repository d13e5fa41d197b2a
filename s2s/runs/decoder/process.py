"""`python -m s2s.runs.decoder.process`: carries out one decode request after the other, at low priority.

Orders arrive on its standard input and answers leave by its standard output, one JSON object per line. The pool holds
the other ends, and when it is gone, however it ended, this process ends.
"""

from __future__ import annotations

import functools
import json
import os
import queue
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch

from s2s import files, settings
from s2s.config import UserError
from s2s.processes import bounds
from s2s.runs.decoder.cost import request_steps
from s2s.runs.decoder.request import KINDS, DecodeRequest, Searched
from s2s.runs.opening import load
from s2s.runs.run import Run
from s2s.runs.store import RunFolder

NICE = 5  # the dashboard goes first, as before training and reading
REPORT = 0.25  # seconds between two reports of progress
ROOM = 1_500_000_000  # bytes of memory beyond the libraries and the weights
WEIGHTS_ROOM = 4  # times the checkpoint: the model, its fused copy, and what a step computes
MAX_ANSWER = 32_000_000  # bytes
OUT_OF_MEMORY = (
    "Cannot allocate memory",
    "can't allocate memory",
    "not enough memory",
    "out of memory",
)
TOO_LARGE = (
    "This search needs more memory than decoding may use; lower `num_beams`, `num_samples` or `max_new_tokens`,"
    " or shorten the sentence."
)


class StoppedError(Exception):
    """Nobody waits for the result any more."""


class Inbox:
    """What has arrived: requests to carry out in order, and which one to stop."""

    def __init__(self) -> None:
        self.requests: queue.SimpleQueue[tuple[int, DecodeRequest]] = queue.SimpleQueue()
        self.stopped = 0  # all requests up to this number

    def read(self) -> None:
        """Reads orders until the pool is gone, and ends the process then, also in the middle of a search."""
        for line in sys.stdin.buffer:
            order = json.loads(line)
            if "stop" in order:
                self.stopped = int(order["stop"])
            else:
                self.requests.put((order["id"], DecodeRequest.from_json(order["request"])))
        os._exit(0)


class Answers:
    """Lines on what was the standard output; whatever else is printed joins the errors."""

    def __init__(self) -> None:
        self._file = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)

    def write(self, **answer: Any) -> None:
        """One line. Where the pool is gone, the closed input says so too."""
        content = json.dumps(answer).encode()
        if len(content) > MAX_ANSWER:
            content = json.dumps({"id": answer["id"], "error": TOO_LARGE}).encode()
        self._file.write(content + b"\n")
        self._file.flush()


class Watch:
    """Called before each step: reports progress, and ends a search that was stopped."""

    def __init__(self, number: int, n_steps: int, inbox: Inbox, answers: Answers) -> None:
        self.number = number
        self.n_steps = n_steps
        self.inbox = inbox
        self.answers = answers
        self.done = 0
        self._next_report = time.monotonic() + REPORT

    def __call__(self) -> None:
        self.done += 1
        if self.inbox.stopped >= self.number:
            raise StoppedError
        if time.monotonic() >= self._next_report:
            self.answers.write(id=self.number, done=self.done, of=max(self.n_steps, self.done))
            self._next_report = time.monotonic() + REPORT


@functools.lru_cache(maxsize=1)
def _opened(folder: str, step: int) -> Run:
    return load(RunFolder(folder), step)


def _memory_for(request: DecodeRequest) -> int:
    """Bytes that the checkpoints need."""
    return WEIGHTS_ROOM * sum(map(files.size, request.weights))


def _carried_out(request: DecodeRequest, watch: Watch, last: Searched) -> Any:
    """The result as JSON."""
    run = _opened(request.folder, request.step).in_languages(*request.languages)
    watch.n_steps = request_steps(run, request)
    kind = KINDS[request.kind]
    return kind.to_json(kind.carry_out(replace(run, on_step=watch), request, last))


def _answer(
    request: DecodeRequest, watch: Watch, last: Searched, n_bytes: int
) -> Mapping[str, Any]:
    """The result with its seconds, or an error for the visitor."""
    started = time.perf_counter()

    def exceeded() -> None:
        watch.answers.write(id=watch.number, error=TOO_LARGE, is_last=True)

    try:
        with bounds.limited_memory(n_bytes + _memory_for(request), exceeded):
            result = _carried_out(request, watch, last)
    except StoppedError:
        return {"error": "Stopped."}
    except UserError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": TOO_LARGE}
    except Exception as error:
        if any(words in str(error) for words in OUT_OF_MEMORY):  # torch raises a RuntimeError
            return {"error": TOO_LARGE}
        # Log where, not what: an exception's message may quote a visitor's text.
        frames = traceback.format_tb(error.__traceback__)
        print(type(error).__name__, *frames, sep="\n", file=sys.stderr, flush=True)
        return {"error": settings.internal_error(error, "decoder.log")}
    return {"result": result, "seconds": time.perf_counter() - started}


def main() -> None:
    """Serve until the input closes."""
    answers = Answers()
    inbox = Inbox()
    bounds.nice(NICE)
    settings.lower_priority(NICE)
    torch.set_num_threads(1)
    threading.Thread(target=inbox.read, name="orders", daemon=True).start()
    n_bytes = bounds.memory() + ROOM
    answers.write(ready=os.getpid())
    last: Searched = {}
    while True:
        number, request = inbox.requests.get()
        watch = Watch(number, 0, inbox, answers)
        answers.write(id=number, **_answer(request, watch, last, n_bytes))


if __name__ == "__main__":
    main()
