"""`python -m s2s.jobs.nursery`: has in memory what training imports, so that a job's process, forked from it, starts at once.

Orders come on its standard input and answers go to its standard output, JSON a line. It computes nothing and opens no database:
neither the threads of the one nor the connections of the other survive a fork. The worker holds the other end as a `Nursery`.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from s2s import settings

NICE = 5  # of its session: all its children together are less than the dashboard
LOOK = 0.1  # seconds between two looks at whether a child has ended
READY = 180.0  # seconds in which it must have imported everything, on a machine that is busy too
# What a job imports until its first numbers; an optimiser that is made asks for torch._dynamo.
MODULES = (
    "s2s.jobs.training",
    "s2s.jobs.evaluating",
    "s2s.scores",
    "sacrebleu",
    "rouge_score.rouge_scorer",
    "torch._dynamo",
    "sqlalchemy.dialects.sqlite",
    "encodings.utf_32_le",
)
IS_POSSIBLE = (
    sys.platform == "linux"
)  # elsewhere there is no fork, or none that the system's own libraries survive


@dataclass(frozen=True)
class Order:
    """A job that is to have a process."""

    job: str
    worker: str
    log: str  # the file that its output is appended to
    threads: int = 0  # 0 as many as torch likes


class Newborn:
    """A process that was ordered, as far as its worker knows."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self.pid: int | None = None  # None before the nursery says
        self.code: int | None = None  # exit status, negative for a signal
        self.is_refused = False  # it will never be
        self.is_out_of_sight = False  # the nursery is gone, whatever became of it

    def poll(self) -> int | None:
        """Its exit status, None before it ends."""
        return self.code


class Nursery:
    """The worker's end. It may take orders before it is ready. Raises OSError where it cannot be started."""

    def __init__(
        self,
        environment: Mapping[str, str],
        log: Path,
        command: tuple[str, ...] = (sys.executable, "-m", "s2s.jobs.nursery"),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        with log.open("ab") as file:
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(
                command,
                stdin=pipe,
                stdout=pipe,
                stderr=file,
                start_new_session=True,
                env={**environment},
            )
        assert self.process.stdin
        assert self.process.stdout
        self._orders = self.process.stdin
        self._answers = self.process.stdout
        os.set_blocking(self._answers.fileno(), False)
        self._clock = clock
        self._started = clock()
        self._heard = b""
        self._newborns: list[Newborn] = []
        self.is_ready = False
        self.is_gone = False

    def order(self, order: Order) -> Newborn | None:
        """A process for a job, None where the nursery is gone."""
        newborn = Newborn(order)
        try:
            os.write(self._orders.fileno(), _line(asdict(order)))  # far less than a pipe holds
        except (OSError, ValueError):  # closed at that end, or at this
            return None
        self._newborns.append(newborn)
        return newborn

    def look(self) -> None:
        """Take note of what has happened since."""
        if self.is_gone:
            return
        for answer in self._new_answers():
            self._note(answer)
        if not self.is_ready and self._clock() - self._started > READY:
            self.process.kill()
        if self.process.poll() is not None:
            for answer in self._new_answers():  # said with its last breath
                self._note(answer)
            self.close()

    def _new_answers(self) -> Iterator[Mapping[str, Any]]:
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self._answers.fileno(), 65_536):
                self._heard += data
        *lines, self._heard = self._heard.split(b"\n")
        return map(json.loads, lines)

    def _note(self, answer: Mapping[str, Any]) -> None:
        self.is_ready = True
        for newborn in [one for one in self._newborns if answer.get("job") == one.order.job]:
            newborn.pid = answer.get("started", newborn.pid)
            newborn.code = answer.get("code")
            newborn.is_refused = "refused" in answer
            if newborn.code is not None or newborn.is_refused:
                self._newborns.remove(newborn)

    def close(self) -> None:
        """No more orders. Those that were given are carried out, and the children go on by themselves."""
        if self.is_gone:
            return
        self.is_gone = True
        self._orders.close()
        is_idle = all(newborn.pid for newborn in self._newborns)
        if is_idle:
            self.process.terminate()
        if is_idle or self.process.poll() is not None:
            self.process.wait()
        self._answers.close()
        for newborn in self._newborns:
            newborn.is_out_of_sight = self.is_ready or self.process.poll() is None
            newborn.is_refused = (
                not self.is_ready and self.process.poll() is not None
            )  # it never began to carry out orders
        self._newborns.clear()


def serve(warm: Callable[[], None]) -> Order | None:
    """Carry out orders until nobody gives any more, then None. A child comes out of here as well, with its order."""
    answers = os.dup(1)
    os.dup2(2, 1)  # what an import prints is no answer
    warm()
    gc.collect()
    gc.freeze()  # a collection in a child would copy every page that it looks at
    _say(answers, ready=os.getpid())
    heard = b""
    children = dict[int, str]()
    while True:
        if select.select([0], [], [], LOOK if children else None)[0]:
            if not (data := os.read(0, 65_536)):
                return None
            *lines, heard = (heard + data).split(b"\n")
            for order in (Order(**json.loads(line)) for line in lines):
                if (pid := _fork(answers, order)) == 0:
                    os.close(answers)
                    _leave_home(order)
                    return order
                if pid:
                    children[pid] = order.job
        for pid, code in _ended(children):
            _say(answers, job=children.pop(pid), ended=pid, code=code)


def _fork(answers: int, order: Order) -> int | None:
    """0 in the child; None where there is none."""
    try:
        pid = os.fork()
    except OSError as error:
        _say(answers, job=order.job, refused=error.strerror)
        return None
    if pid:
        _say(answers, job=order.job, started=pid)
    return pid


def _ended(children: Mapping[int, str]) -> list[tuple[int, int]]:
    """Those that have ended, with their exit status."""
    looked = [os.waitpid(pid, os.WNOHANG) for pid in children]
    return [(pid, os.waitstatus_to_exitcode(status)) for pid, status in looked if pid]


def _leave_home(order: Order) -> None:
    """A child's own output, a group that signals reach it by, and a name by which `ps` and `top` tell it from others."""
    os.setpgrp()
    nothing = os.open(os.devnull, os.O_RDONLY)
    log = os.open(order.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    for given, number in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(given, number)
    os.close(nothing)
    os.close(log)
    with contextlib.suppress(OSError):
        Path("/proc/self/comm").write_text(order.job[:15])  # as many as the kernel keeps


def _say(answers: int, **answer: object) -> None:
    with contextlib.suppress(
        OSError
    ):  # nobody listens any more, as the end of the orders will say too
        os.write(answers, _line(answer))


def _line(said: Mapping[str, object]) -> bytes:
    return json.dumps(said).encode() + b"\n"


def _warm() -> None:
    for name in MODULES:
        importlib.import_module(name)


def _prepare() -> None:
    """Steps back only when all is in memory: until then somebody may be waiting for the first job to start."""
    _warm()
    settings.lower_priority(NICE)


def main() -> None:
    """Serve; in a child, do the job as a process that was started for it would."""
    if (order := serve(_prepare)) is None:
        return
    import torch

    from s2s.jobs import child

    if torch.cuda._is_in_bad_fork():  # an import has asked for GPUs, which this process could not use any more: start from nothing
        os.execv(sys.executable, [sys.executable, "-m", "s2s.jobs.child", order.job, order.worker])
    if order.threads:
        torch.set_num_threads(order.threads)
    child.main(order.job, order.worker)


if __name__ == "__main__":
    main()
