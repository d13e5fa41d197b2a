"""Searches beside the dashboard: a few decoder processes, and whose turn it is. Knows nothing of screens.

A visitor asks, and asks again until there is a result. The processes start with the first request, end when nothing was
asked for a while, and end with this process.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from s2s.config import UserError
from s2s.runs.decoder.connection import Connection
from s2s.runs.decoder.request import KINDS, DecodeRequest
from s2s.runs.decoder.task import DecodeTask, Timed, Waiter

SLOTS = 2  # processes, and searches at the same time; one of each owner
IDLE = 300.0  # seconds without a request after which a process ends
TICK = 0.2  # seconds between two checks whether somebody still waits
GRACE = 3.0  # seconds that a process has to stop a search before it is killed
MAX_WAITING = 100  # requests of everybody
MAX_BYTES = 40_000_000  # of results as JSON that are kept ...
MIN_RESULTS = 8  # ... but always so many ...
MAX_RESULTS = 256  # ... and never more
DIED = (
    "The process that decoded this ended unexpectedly, and another one replaces it; try again, and if that fails,"
    " lower `num_beams`, `num_samples` or `max_new_tokens`."
)


@dataclass(eq=False)
class _Slot:
    """A thread that waits for its process, and the owners whose searches that has carried out."""

    connection: Connection | None = None
    owners: set[str] = field(default_factory=set)
    is_over: bool = False  # its process knows what it must not know any more


class DecoderPool:
    """Safe to use from several threads."""

    def __init__(
        self,
        connect: Callable[[], Connection] = Connection,
        *,
        slots: int = SLOTS,
        seconds: Callable[[], float | None] = lambda: None,
        idle: float = IDLE,
    ) -> None:
        self._connect = connect
        self._slots = slots
        self._seconds = seconds  # the limit of one search
        self._idle = idle
        self._changed = threading.Condition()
        self._tasks: dict[
            DecodeRequest, DecodeTask
        ] = {}  # waiting and running, in order of arrival
        self._running: list[
            DecodeTask
        ] = []  # until the process is done with them, stopped ones too
        # with their bytes, and who asked for them
        self._results: OrderedDict[DecodeRequest, tuple[Timed, int, set[str]]] = OrderedDict()
        self._n_bytes = 0  # of the results
        self._turns: dict[str, int] = {}  # when an owner or a visitor last had one
        self._numbers = itertools.count(1)
        self._n_threads = 0
        self._slots_at_work: list[_Slot] = []
        self._is_closed = False

    def result(self, request: DecodeRequest, owner: str | None = None) -> Timed | None:
        """What was computed, and the seconds it took; from then on this owner has asked for it, too."""
        with self._changed:
            if request not in self._results:
                return None
            self._results.move_to_end(request)
            found, _, owners = self._results[request]
            if owner is not None:
                owners.add(owner)
            return found

    def ask(self, request: DecodeRequest, owner: str, waiter: Waiter) -> DecodeTask:
        """The task that computes this, for one more waiter. Raises UserError where too many wait."""
        with self._changed:
            task = self._tasks.get(request)
            if task is None:
                if len(self._tasks) >= MAX_WAITING:
                    raise UserError(
                        f"{MAX_WAITING} searches are waiting to be decoded on this server; try again in a minute."
                    )
                task = self._tasks[request] = DecodeTask(request, owner)
            task.waiters[waiter.name] = waiter
            task.owners.add(owner)
            self._start_threads()
            self._changed.notify_all()
            return task

    def release(self, name: str, requests: Collection[DecodeRequest]) -> None:
        """A waiter no longer waits for these; what nobody waits for is stopped."""
        with self._changed:
            for request in requests:
                if task := self._tasks.get(request):
                    task.waiters.pop(name, None)
                    self._drop_if_unwanted(task)

    def forget(self, owner: str) -> None:
        """Drops the results for which nobody but this owner asked.

        Each process that has searched for this owner ends, as soon as it is idle.
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

    def n_ahead(self, task: DecodeTask) -> int:
        """How many searches will begin before a waiting one at the least: those of the same owner that came earlier."""
        with self._changed:
            earlier = itertools.takewhile(lambda other: other is not task, self._tasks.values())
            return sum(other.owner == task.owner for other in earlier)

    def close(self) -> None:
        """Ends the processes."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _drop_if_unwanted(self, task: DecodeTask) -> bool:
        """Forget a task that nobody waits for: a later request for the same starts again."""
        if task.is_wanted():
            return False
        if self._tasks.get(task.request) is task:
            del self._tasks[task.request]
        task.end("Stopped.")
        return True

    def _work(self) -> None:
        """One slot: a thread that waits for its process, without computing."""
        slot = _Slot()
        with self._changed:
            self._slots_at_work.append(slot)
        try:
            while task := self._next(slot):
                try:
                    slot.connection = self._connected(slot.connection)
                    self._carry_out(slot.connection, task)
                except UserError as error:
                    self._finish(task, str(error))
                except OSError:
                    self._finish(
                        task, "No process for decoding can be started now; try again later."
                    )
                finally:
                    self._finish(task, DIED)  # unless it is over
                    with self._changed:
                        self._running.remove(task)
                        self._changed.notify_all()
        finally:
            with self._changed:
                self._n_threads -= 1
                self._slots_at_work.remove(slot)
                if self._tasks and not self._is_closed:  # asked for after the last look
                    self._start_threads()
            if slot.connection:
                slot.connection.close()

    def _connected(self, former: Connection | None) -> Connection:
        """The slot's own connection, or another one where its process has ended, also since its last search."""
        if former and former.is_alive:
            for _ in former.answers(0.0):  # late ones, of a search that was stopped
                pass
        return former if former and former.is_alive else self._connect()

    def _start_threads(self) -> None:
        owners = {task.owner for task in (*self._tasks.values(), *self._running)}
        if self._n_threads < min(self._slots, len(owners)):
            self._n_threads += 1
            threading.Thread(target=self._work, name="decoder pool", daemon=True).start()

    def _next(self, slot: _Slot) -> DecodeTask | None:
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

    def _fairest(self) -> DecodeTask | None:
        """Of those whose owner has no search running: of the owner, and then the visitor, served longest ago."""
        busy = {task.owner for task in self._running}
        waiting = [task for task in self._tasks.values() if task.owner not in busy]
        return min(
            waiting,
            key=lambda task: (self._turns.get(task.owner, 0), self._turns.get(task.visitor, 0)),
            default=None,
        )

    def _note_turn(self, task: DecodeTask) -> None:
        current = {name for other in self._tasks.values() for name in (other.owner, other.visitor)}
        self._turns = {name: turn for name, turn in self._turns.items() if name in current}
        self._turns |= dict.fromkeys((task.owner, task.visitor), next(self._numbers))

    def _carry_out(self, connection: Connection, task: DecodeTask) -> None:
        """Until the answer, or until the task is too slow or unwanted."""
        limit = self._seconds()
        number = next(self._numbers)
        connection.send({"id": number, "request": task.request.to_json()})
        stopped_at = 0.0
        while True:
            for answer in connection.answers(TICK):
                if "ready" in answer:
                    task.begin()  # the time that the process took to start is no time of the search
                elif answer["id"] == number and "of" in answer:
                    task.done, task.of = answer["done"], answer["of"]
                elif answer["id"] == number:
                    self._take(task, answer)
                    return
            if not connection.is_alive:
                self._finish(task, DIED)
                return
            if not stopped_at and self._must_stop(task, limit):
                stopped_at = time.monotonic()
                connection.send({"stop": number})
            if stopped_at and time.monotonic() - stopped_at > GRACE:
                connection.close()
                return

    def _must_stop(self, task: DecodeTask, limit: float | None) -> bool:
        if limit is not None and task.elapsed > limit:
            self._finish(
                task,
                f"Decoding took longer than {limit:.0f} seconds and was stopped; lower `num_beams`, `num_samples`"
                " or `max_new_tokens`.",
            )
        with self._changed:
            return task.is_over or self._drop_if_unwanted(task)

    def _take(self, task: DecodeTask, answer: dict[str, Any]) -> None:
        if "error" in answer:
            self._finish(task, answer["error"])
            return
        value = KINDS[task.request.kind].from_json(answer["result"])
        with self._changed:
            _, replaced, owners = self._results.pop(task.request, (None, 0, set()))
            self._n_bytes -= replaced
            timed = Timed(value, answer["seconds"])
            self._results[task.request] = timed, answer["n_bytes"], owners | task.owners
            self._n_bytes += answer["n_bytes"]
            while len(self._results) > MAX_RESULTS or (
                len(self._results) > MIN_RESULTS and self._n_bytes > MAX_BYTES
            ):
                self._n_bytes -= self._results.popitem(last=False)[1][1]
        self._finish(task, "")

    def _finish(self, task: DecodeTask, error: str) -> None:
        with self._changed:
            if self._tasks.get(task.request) is task:
                del self._tasks[task.request]
            self._changed.notify_all()
        task.end(error)
