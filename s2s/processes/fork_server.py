"""A process that imports what jobs need (`s2s.jobs.forked`), so that those forked from it start at once: both its ends.

Requests arrive on its standard input and answers leave by its standard output, one JSON object per line. It computes
nothing and opens no database: neither threads nor connections survive a fork. The worker holds the other end as a
`ForkServer`.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from s2s.processes.channel import Channel

LOOK = 0.1  # seconds between two checks whether a child has ended
READY = 180.0  # seconds in which it must have imported everything, even on a busy machine
ASK = 5.0  # seconds without an answer after which the worker asks whether it is there
SILENT = 30.0  # seconds in which it must answer that; one that is stopped or stuck never does
MOST_PASSED = (
    1.0  # seconds that count between two looks: a worker that was stopped itself has not waited
)
# Elsewhere there is no fork, or none that the system's own libraries survive.
IS_POSSIBLE = sys.platform == "linux"


@dataclass(frozen=True)
class ForkRequest:
    """A job that needs a process."""

    job: str
    worker: str
    log: str  # the file that its output is appended to
    threads: int = 0  # 0: torch's default


class ChildHandle:
    """A process that was requested, as far as the worker knows."""

    def __init__(self, request: ForkRequest) -> None:
        self.request = request
        self.pid: int | None = None  # None before the fork server says
        self.code: int | None = None  # exit status, negative for a signal
        self.is_refused = False  # it will never exist
        self.is_out_of_sight = False  # the fork server is gone; nobody knows what became of it

    def poll(self) -> int | None:
        """The process's exit status; None while it runs."""
        return self.code


class ForkServer:
    """The worker's end of the process that forks jobs. Accepts requests before that is ready."""

    def __init__(
        self, process: subprocess.Popen[bytes], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.channel = Channel(process)
        self._clock = clock
        self._started = clock()
        self._looked = self._started
        self._silence = 0.0  # seconds since its last answer
        self._is_asked = False  # whether it is there
        self._children: list[ChildHandle] = []
        self.is_ready = False
        self.is_gone = False

    def request(self, request: ForkRequest) -> ChildHandle | None:
        """Request a process for a job; None where the fork server is gone."""
        if self.is_gone or not self.channel.send(asdict(request)):
            return None
        child = ChildHandle(request)
        self._children.append(child)
        return child

    def withdraw(self, child: ChildHandle) -> None:
        """Wait no longer for a process; if it is forked anyway, it finds that the job is no longer its own."""
        if child in self._children:
            self._children.remove(child)

    def look(self) -> None:
        """Read the answers that have arrived."""
        if self.is_gone:
            return
        for answer in self.channel.lines(0.0):
            self._note(answer)
        if self._is_lost():
            self.channel.process.kill()
        if not self.channel.is_alive:
            self.close()

    def _is_lost(self) -> bool:
        passed = self._clock() - self._looked
        self._looked += passed
        if not self.is_ready:
            return self._looked - self._started > READY
        self._silence += min(passed, MOST_PASSED)
        if self._silence > ASK and not self._is_asked:
            self._is_asked = True
            self.channel.send({})
        return self._silence > ASK + SILENT

    def _note(self, answer: Mapping[str, Any]) -> None:
        self.is_ready = True
        self._is_asked = False
        self._silence = 0.0
        # Each claim has a worker's name of its own: the process of an earlier one may end after the next began.
        whose = (answer.get("job"), answer.get("worker"))
        for child in [
            one for one in self._children if whose == (one.request.job, one.request.worker)
        ]:
            child.pid = answer.get("started", child.pid)
            child.code = answer.get("code")
            child.is_refused = "refused" in answer
            if child.code is not None or child.is_refused:
                self._children.remove(child)

    def close(self) -> None:
        """Accept no more requests. Earlier ones are carried out, and the children continue on their own."""
        if self.is_gone:
            return
        self.is_gone = True
        process = self.channel.process
        if all(child.pid for child in self._children):
            self.channel.close()  # one that is stopped ends by nothing less
            process.wait()
        self.channel.hang_up()
        for child in self._children:
            child.is_out_of_sight = self.is_ready or process.poll() is None
            # It never carried out a request.
            child.is_refused = not self.is_ready and process.poll() is not None
        self._children.clear()


def serve(warm: Callable[[], None]) -> ForkRequest | None:
    """Fork a child per request until the input closes, then return None; in each child, return its request."""
    answers = os.dup(1)
    os.dup2(2, 1)  # so that what an import prints is not taken for an answer
    warm()
    gc.collect()
    gc.freeze()  # garbage collection in a child would copy every page it visits
    _answer(answers, ready=os.getpid())
    heard = b""
    children = dict[int, ForkRequest]()
    while True:
        if select.select([0], [], [], LOOK if children else None)[0]:
            if not (data := os.read(0, 65_536)):
                return None
            *lines, heard = (heard + data).split(b"\n")
            for line in lines:
                order = json.loads(line)
                if not order:
                    _answer(answers, here=os.getpid())
                    continue
                request = ForkRequest(**order)
                if (pid := _fork(answers, request)) == 0:
                    os.close(answers)
                    _detach(request)
                    return request
                if pid:
                    children[pid] = request
        for pid, code in _ended(children):
            _answer_to(children.pop(pid), answers, ended=pid, code=code)


def _fork(answers: int, request: ForkRequest) -> int | None:
    try:
        pid = os.fork()
    except OSError as error:
        _answer_to(request, answers, refused=error.strerror)
        return None
    if pid:
        _answer_to(request, answers, started=pid)
    return pid


def _ended(children: Iterable[int]) -> list[tuple[int, int]]:
    looked = [os.waitpid(pid, os.WNOHANG) for pid in children]
    return [(pid, os.waitstatus_to_exitcode(status)) for pid, status in looked if pid]


def _detach(request: ForkRequest) -> None:
    """Give a child its own output, process group and name in `ps` and `top`."""
    os.setpgrp()
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        log = os.open(request.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    except OSError:  # a full disk: what the job cannot write then, it says itself
        log = os.open(os.devnull, os.O_WRONLY)
    for given, number in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(given, number)
    os.close(nothing)
    os.close(log)
    with contextlib.suppress(OSError):
        Path("/proc/self/comm").write_text(
            request.job[:15], encoding="utf-8"
        )  # as many as the kernel keeps


def _answer_to(request: ForkRequest, answers: int, **answer: object) -> None:
    _answer(answers, job=request.job, worker=request.worker, **answer)


def _answer(answers: int, **answer: object) -> None:
    with contextlib.suppress(OSError):  # the worker is gone; the closed input will say so too
        os.write(answers, _line(answer))


def _line(content: Mapping[str, object]) -> bytes:
    return json.dumps(content).encode() + b"\n"
