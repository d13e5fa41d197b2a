"""A few warm processes of a program, and whose turn it is. Knows nothing of what they compute, nor of screens.

A visitor asks, and asks again until there is a result. The processes start with the first request, end when nothing was
asked for a while, and end with this process.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from s2s.config import UserError
from s2s.processes.program import Process, Program

SLOTS = 2  # processes, and requests carried out at the same time; one of each owner
IDLE = 300.0  # seconds without a request after which a process ends
TICK = 0.2  # seconds between two checks whether somebody still waits
GRACE = 3.0  # seconds that a process has to stop before it is killed
MAX_WAITING = 100  # requests of everybody
MAX_BYTES = 40_000_000  # of results as JSON that are kept ...
MIN_RESULTS = 8  # ... but always so many ...
MAX_RESULTS = 256  # ... and never more
Request = TypeVar("Request", bound=Hashable)
Result = TypeVar("Result")


@dataclass(frozen=True)
class Service(Generic[Request, Result]):
    """What a pool needs to know of its program: how a request becomes an order, an answer a result, and the sentences
    for requests without a result.
    """

    program: Program
    order: Callable[[Request], Any]
    memory: Callable[[Request], int]  # bytes beyond those that the process had when it was ready
    result: Callable[[Request, Any], Result]
    full: str  # so many wait: {n}
    too_slow: str  # after {seconds}
    too_large: str  # for the memory, or as an answer
    died: str  # the process
    no_process: str  # can be started


class Waiter(NamedTuple):
    """A visitor's session; `is_present` says whether it is still there, from any thread."""

    name: str
    is_present: Callable[[], bool]


@dataclass(eq=False)
class PoolTask(Generic[Request]):
    """A request that several visitors may wait for, and how far it is; it takes the turn of the first one's owner."""

    request: Request
    owner: str  # a workspace
    waiters: dict[str, Waiter] = field(default_factory=dict)
    owners: set[str] = field(default_factory=set)  # of all who asked
    is_running: bool = False
    error: str = ""  # a sentence, where it is over without a result
    done: int = 0  # steps
    of: int = 0  # at most
    _started: float = 0.0
    _over: threading.Event = field(default_factory=threading.Event)

    @property
    def visitor(self) -> str:
        """The owner and the session that asked first."""
        return f"{self.owner} {next(iter(self.waiters), '')}"

    @property
    def is_over(self) -> bool:
        """Whether there is a result, an error, or nobody who waits."""
        return self._over.is_set()

    @property
    def elapsed(self) -> float:
        """Seconds since it began to run; 0 before."""
        return time.monotonic() - self._started if self.is_running else 0.0

    def is_wanted(self) -> bool:
        """Whether anybody who asked is still there."""
        return any(waiter.is_present() for waiter in [*self.waiters.values()])

    def wait(self, seconds: float) -> bool:
        """Wait until the task is over, at most these seconds; whether it is."""
        return self._over.wait(max(0.0, seconds))

    def begin(self) -> None:
        """Note that the task runs now."""
        self.is_running = True
        self._started = time.monotonic()

    def end(self, error: str) -> None:
        """Note that the task is over, with an error or ""; the first end counts."""
        if not self.is_over:
            self.error = error
            self._over.set()


@dataclass(eq=False)
class _Slot:
    """A thread that waits for its process, and the owners whose requests the process has carried out."""

    process: Process | None = None
    owners: set[str] = field(default_factory=set)
    is_over: bool = False  # its process knows what it must not know any more


class WarmPool(Generic[Request, Result]):
    """Carries out requests in a few warm processes and keeps the results. Safe to use from several threads."""

    def __init__(
        self,
        service: Service[Request, Result],
        start: Callable[[Program], Process] = Process,
        *,
        slots: int = SLOTS,
        seconds: Callable[[], float | None] = lambda: None,
        idle: float = IDLE,
    ) -> None:
        self._service = service
        self._start = start
        self._slots = slots
        self._seconds = seconds  # the limit of one request
        self._idle = idle
        self._changed = threading.Condition()
        # waiting and running, in order of arrival
        self._tasks: dict[Request, PoolTask[Request]] = {}
        # until the process is done with them, stopped ones too
        self._running: list[PoolTask[Request]] = []
        # with their bytes, and who asked for them
        self._results: OrderedDict[Request, tuple[Result, int, set[str]]] = OrderedDict()
        self._n_bytes = 0  # of the results
        self._turns: dict[str, int] = {}  # when an owner or a visitor last had one
        self._numbers = itertools.count(1)
        self._slots_at_work: list[_Slot] = []
        self._is_closed = False

    def result(self, request: Request, owner: str | None = None) -> Result | None:
        """The result of a request, None before there is one; from then on this owner has asked for it, too."""
        with self._changed:
            if request not in self._results:
                return None
            self._results.move_to_end(request)
            result, _, owners = self._results[request]
            if owner is not None:
                owners.add(owner)
            return result

    def ask(self, request: Request, owner: str, waiter: Waiter) -> PoolTask[Request]:
        """The task that computes a request, for one more waiter. Raises UserError where too many wait."""
        with self._changed:
            task = self._tasks.get(request)
            if task is None:
                if len(self._tasks) >= MAX_WAITING:
                    raise UserError(self._service.full.format(n=MAX_WAITING))
                task = self._tasks[request] = PoolTask(request, owner)
            task.waiters[waiter.name] = waiter
            task.owners.add(owner)
            self._start_threads()
            self._changed.notify_all()
            return task

    def release(self, name: str, requests: Collection[Request]) -> None:
        """Note that a waiter no longer waits for these requests; what nobody waits for is stopped."""
        with self._changed:
            for request in requests:
                if task := self._tasks.get(request):
                    task.waiters.pop(name, None)
                    self._drop_if_unwanted(task)

    def forget(self, owner: str) -> None:
        """Drops the results for which nobody but this owner asked.

        Each process that has worked for this owner ends, as soon as it is idle.
        """
        with self._changed:
            for request, (_, n_bytes, owners) in [*self._results.items()]:
                if owners == {owner}:
                    del self._results[request]
                    self._n_bytes -= n_bytes
                owners.discard(owner)
            for slot in self._slots_at_work:
                slot.is_over = slot.is_over or owner in slot.owners
            self._changed.notify_all()

    def n_ahead(self, task: PoolTask[Request]) -> int:
        """How many tasks will begin before a waiting one at the least: those of the same owner that came earlier."""
        with self._changed:
            earlier = itertools.takewhile(lambda other: other is not task, self._tasks.values())
            return sum(other.owner == task.owner for other in earlier)

    def close(self) -> None:
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _drop_if_unwanted(self, task: PoolTask[Request]) -> bool:
        """Forget a task that nobody waits for: a later request for the same starts again."""
        if task.is_wanted():
            return False
        if self._tasks.get(task.request) is task:
            del self._tasks[task.request]
        task.end("Stopped.")
        return True

    def _work(self, slot: _Slot) -> None:
        """The loop of a slot's thread, which waits for its process without computing."""
        try:
            while task := self._next(slot):
                try:
                    slot.process = self._ready(slot.process)
                    self._carry_out(slot.process, task)
                except UserError as error:
                    self._finish(task, str(error))
                except OSError:
                    self._finish(task, self._service.no_process)
                finally:
                    self._finish(task, self._service.died)  # unless it is over
                    with self._changed:
                        self._running.remove(task)
                        self._changed.notify_all()
        finally:
            with self._changed:
                self._slots_at_work.remove(slot)
                if self._tasks and not self._is_closed:  # asked for after the last look
                    self._start_threads()
            if slot.process:
                slot.process.close()

    def _ready(self, former: Process | None) -> Process:
        """The slot's own process, or another one where that has ended, also since its last order."""
        if former:
            for _ in former.lines(0.0):  # late ones, of an order that was stopped
                pass
        return former if former and former.is_alive else self._start(self._service.program)

    def _start_threads(self) -> None:
        owners = {task.owner for task in (*self._tasks.values(), *self._running)}
        if len(self._slots_at_work) < min(self._slots, len(owners)):
            self._slots_at_work.append(_Slot())
            slot = (self._slots_at_work[-1],)
            threading.Thread(target=self._work, args=slot, name="warm pool", daemon=True).start()

    def _next(self, slot: _Slot) -> PoolTask[Request] | None:
        """The next task; None, and this slot ends, after a time without any, and where its process must end."""
        until = time.monotonic() + self._idle
        with self._changed:
            while not self._is_closed and not slot.is_over:
                for waiting in [*self._tasks.values()]:
                    if not waiting.is_running:
                        self._drop_if_unwanted(waiting)
                if task := self._fairest():
                    task.begin()
                    self._running.append(task)
                    slot.owners.add(task.owner)
                    self._note_turn(task)
                    return task
                if (left := until - time.monotonic()) <= 0:
                    break
                self._changed.wait(min(left, 1.0 if self._tasks else left))
            return None

    def _fairest(self) -> PoolTask[Request] | None:
        busy = {task.owner for task in self._running}
        waiting = [task for task in self._tasks.values() if task.owner not in busy]
        return min(
            waiting,
            key=lambda task: (self._turns.get(task.owner, 0), self._turns.get(task.visitor, 0)),
            default=None,
        )

    def _note_turn(self, task: PoolTask[Request]) -> None:
        current = {name for other in self._tasks.values() for name in (other.owner, other.visitor)}
        self._turns = {name: turn for name, turn in self._turns.items() if name in current}
        self._turns |= dict.fromkeys((task.owner, task.visitor), next(self._numbers))

    def _carry_out(self, process: Process, task: PoolTask[Request]) -> None:
        limit = self._seconds()
        memory = self._service.memory(task.request)
        number = process.order(self._service.order(task.request), more_memory=memory)
        stopped_at = 0.0
        while True:
            for line in process.lines(TICK):
                if "ready" in line:
                    task.begin()  # the time that the process took to start is none of the task's
                elif line["id"] == number and self._is_end(task, line):
                    if line.get("is_last"):
                        process.close()
                    return
            if not process.is_alive:
                self._finish(task, self._service.died)
                return
            if not stopped_at and self._must_stop(task, limit):
                stopped_at = time.monotonic()
                process.stop(number)
            if stopped_at and time.monotonic() - stopped_at > GRACE:
                process.close()
                return

    def _is_end(self, task: PoolTask[Request], line: dict[str, Any]) -> bool:
        if "of" in line:
            task.done, task.of = line["done"], line["of"]
        elif "answer" in line:
            self._keep(task, line["answer"], line["n_bytes"])
        elif "error" in line:
            self._finish(task, line["error"])
        elif "too_large" in line:
            self._finish(task, self._service.too_large)
        return not {"of", "answer"} & {*line}

    def _must_stop(self, task: PoolTask[Request], limit: float | None) -> bool:
        if limit is not None and task.elapsed > limit:
            self._finish(task, self._service.too_slow.format(seconds=f"{limit:.0f} seconds"))
        with self._changed:
            return task.is_over or self._drop_if_unwanted(task)

    def _keep(self, task: PoolTask[Request], answer: Any, n_bytes: int) -> None:
        result = self._service.result(task.request, answer)
        with self._changed:
            _, replaced, owners = self._results.pop(task.request, (None, 0, set()))
            self._results[task.request] = result, n_bytes, owners | task.owners
            self._n_bytes += n_bytes - replaced
            while len(self._results) > MAX_RESULTS or (
                len(self._results) > MIN_RESULTS and self._n_bytes > MAX_BYTES
            ):
                self._n_bytes -= self._results.popitem(last=False)[1][1]
        self._finish(task, "")

    def _finish(self, task: PoolTask[Request], error: str) -> None:
        with self._changed:
            if self._tasks.get(task.request) is task:
                del self._tasks[task.request]
            self._changed.notify_all()
        task.end(error)
