"""The pool, with processes that answer when the test says so."""

import queue
import random
import threading
import time
from collections.abc import Iterator
from typing import Any, cast

import pytest

from s2s.config import UserError
from s2s.processes.pool import MAX_WAITING, Service, Waiter, WarmPool
from s2s.processes.program import Process, Program
from tests import spawned

Pool = WarmPool[str, str]
PATIENCE = 20.0  # seconds, on a busy machine
SERVICE: Service[str, str] = Service(
    Program("tests.processes.test_pool:nothing", "pool"),
    order=lambda request: {"text": request},
    memory=lambda request: 7,
    result=lambda request, answer: f"{request} {answer}",
    full="full with {n}",
    too_slow="slow after {seconds}",
    too_large="too large",
    died="died",
    no_process="no process",
)


class Script:
    """Processes that are none: what they were sent, and their answers."""

    def __init__(self) -> None:
        self.begun: queue.SimpleQueue[tuple[ScriptedProcess, str]] = queue.SimpleQueue()
        self.processes: list[ScriptedProcess] = []

    @property
    def n_started(self) -> int:
        return len(self.processes)

    def start(self, program: Program) -> Process:
        assert program is SERVICE.program
        made = ScriptedProcess(self)
        self.processes.append(made)
        return cast("Process", made)

    def next(self) -> tuple["ScriptedProcess", str]:
        """The process that carries out the next request, and that."""
        return self.begun.get(timeout=PATIENCE)

    def is_idle(self) -> bool:
        return self.begun.empty()


class ScriptedProcess:
    def __init__(self, script: Script) -> None:
        self.script = script
        self.is_alive = True
        self.said: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.number = 0
        self.stopped = threading.Event()

    def order(self, content: dict[str, str], more_memory: int) -> int:
        assert more_memory == 7
        self.number += 1
        self.script.begun.put((self, content["text"]))
        return self.number

    def stop(self, number: int) -> None:
        self.stopped.set()
        self.said.put({"id": number, "error": "Stopped.", "n_bytes": 1})

    def lines(self, seconds: float) -> Iterator[dict[str, Any]]:
        try:
            yield self.said.get(timeout=0.01)
        except queue.Empty:
            return

    def finish(self, text: str, n_bytes: int = 10) -> None:
        self.said.put({"id": self.number, "answer": text, "n_bytes": n_bytes})
        self.said.put({"id": self.number, "over": True, "n_bytes": 1})

    def close(self) -> None:
        self.is_alive = False


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def pool(script: Script) -> Iterator[Pool]:
    made = WarmPool(SERVICE, script.start, idle=PATIENCE)
    yield made
    made.close()
    for process in script.processes:  # a search that was left running would go on to the end
        process.close()


def waiter(name: str, is_present: bool = True) -> Waiter:
    return Waiter(name, lambda: is_present)


def test_a_result_is_kept_and_shared(pool: Pool, script: Script) -> None:
    request = "a"
    assert pool.result(request) is None
    task = pool.ask(request, "ann", waiter("1"))
    assert pool.ask(request, "bob", waiter("2")) is task  # two visitors, one search
    process, _ = script.next()
    process.said.put({"id": process.number, "done": 3, "of": 9, "n_bytes": 1})
    process.finish("A")
    assert task.wait(PATIENCE)
    assert (pool.result(request), task.error) == ("a A", "")
    assert (task.done, task.of) == (3, 9)


def test_a_result_is_forgotten_with_the_last_owner_who_asked_for_it(
    pool: Pool, script: Script
) -> None:
    request = "a"
    task = pool.ask(request, "ann", waiter("1"))
    pool.ask(request, "bob", waiter("2"))
    script.next()[0].finish("A")
    assert task.wait(PATIENCE)
    assert pool.result(request, "eve")
    pool.forget("bob")
    pool.forget("ann")
    assert pool.result(request)
    pool.forget("eve")
    assert not pool.result(request)


def test_owners_take_turns_and_none_has_two_slots(pool: Pool, script: Script) -> None:
    for name in ("a1", "a2", "a3"):
        pool.ask(name, "ann", waiter(name))
    first, sentence = script.next()
    assert sentence == "a1"
    pool.ask("b1", "bob", waiter("b"))
    second, sentence = script.next()
    assert sentence == "b1"  # the other slot was kept for others
    pool.ask("c1", "cid", waiter("c"))
    first.finish("A")
    first, sentence = script.next()
    assert sentence == "c1"  # who has had no turn yet comes before ann's second
    second.finish("B")
    second, sentence = script.next()
    assert sentence == "a2"
    first.finish("C")
    second.finish("A")
    assert script.next()[1] == "a3"
    assert script.n_started == 2


def test_the_visitors_of_one_workspace_take_turns_too(pool: Pool, script: Script) -> None:
    for name in ("a1", "a2"):
        pool.ask(name, "local", waiter("tab a"))
    task = pool.ask("b1", "local", waiter("tab b"))
    assert pool.n_ahead(task) == 2
    process, _ = script.next()
    process.finish("A")
    assert script.next()[1] == "b1"


@pytest.mark.parametrize("seed", range(5))
def test_many_tabs_have_no_more_turns_than_one(script: Script, seed: int) -> None:
    dice = random.Random(seed)
    pool = WarmPool(SERVICE, script.start, slots=1, idle=PATIENCE)
    asked = [("ann", f"ann {tab} {n}") for tab in range(8) for n in range(2)]
    asked += [("bob", f"bob 0 {n}") for n in range(4)] + [("cid", f"cid {n} 0") for n in range(3)]
    dice.shuffle(asked)
    asked.insert(0, ("ann", "ann 0 first"))
    for owner, name in asked:
        pool.ask(name, owner, waiter(" ".join(name.split()[:2])))
    begun = []
    for _ in asked:
        process, sentence = script.next()
        begun.append(sentence.split())
        process.finish(sentence)
    pool.close()
    # The first began before the others came; from then on, whoever waits has every turn of a round.
    owners = [owner for owner, *_ in begun[1:]]
    assert {*owners[0:2]} == {"bob", "cid"}
    rounds = [owners[n : n + 3] for n in range(0, 9, 3)]
    assert all({*each} == {"ann", "bob", "cid"} for each in rounds)
    tabs = [tab for owner, tab, _ in begun[1:] if owner == "ann"]
    assert {*tabs[:7]} == {*"1234567"}  # tab 0 was first


def test_what_nobody_waits_for_is_stopped(pool: Pool, script: Script) -> None:
    first = pool.ask("a", "ann", waiter("1"))
    pool.ask("a", "bob", waiter("2"))
    waiting = pool.ask("b", "ann", waiter("1"))
    process, _ = script.next()
    pool.release("1", [first.request, waiting.request])
    assert waiting.is_over
    assert not first.is_over  # bob still waits
    pool.release("2", [first.request])
    assert process.stopped.wait(PATIENCE)
    assert first.error == "Stopped."
    again = pool.ask("b", "ann", waiter("1"))  # which starts anew
    script.next()[0].finish("B")
    assert again.wait(PATIENCE)
    assert pool.result(again.request)


def test_a_closed_tab_ends_its_search(pool: Pool, script: Script) -> None:
    is_there = [True]
    task = pool.ask("a", "ann", Waiter("1", lambda: is_there[0]))
    process, _ = script.next()
    is_there[0] = False
    assert process.stopped.wait(PATIENCE)
    assert task.is_over


def test_what_takes_too_long_is_stopped(script: Script) -> None:
    pool = WarmPool(SERVICE, script.start, seconds=lambda: 0.0)
    task = pool.ask("a", "ann", waiter("1"))
    process, _ = script.next()
    assert task.wait(PATIENCE)
    assert task.error == "slow after 0 seconds"
    assert process.stopped.wait(PATIENCE)
    pool.close()


def test_a_process_that_died_is_replaced(pool: Pool, script: Script) -> None:
    task = pool.ask("a", "ann", waiter("1"))
    script.next()[0].is_alive = False
    assert task.wait(PATIENCE)
    assert task.error == SERVICE.died
    again = pool.ask("a", "ann", waiter("1"))
    script.next()[0].finish("A")
    assert again.wait(PATIENCE)
    assert not again.error


def test_what_is_too_large_is_a_sentence_and_the_process_stays(pool: Pool, script: Script) -> None:
    task = pool.ask("a", "ann", waiter("1"))
    process, _ = script.next()
    process.said.put({"id": process.number, "too_large": True, "n_bytes": 1})
    assert task.wait(PATIENCE)
    assert task.error == SERVICE.too_large
    pool.ask("b", "ann", waiter("1"))
    assert script.next() == (process, "b")


def test_where_no_process_starts_there_is_a_sentence() -> None:
    def refuse(_: Program) -> Process:
        raise OSError(11, "Resource temporarily unavailable")

    pool = WarmPool(SERVICE, refuse, idle=0.0)
    task = pool.ask("a", "ann", waiter("1"))
    assert task.wait(PATIENCE)
    assert task.error == SERVICE.no_process


def test_a_queue_that_is_full_is_refused(pool: Pool) -> None:
    for number in range(MAX_WAITING):
        pool.ask(str(number), "ann", waiter("1"))
    with pytest.raises(UserError, match=f"full with {MAX_WAITING}"):
        pool.ask("one more", "bob", waiter("2"))


def test_large_results_displace_older_ones_but_the_newest(pool: Pool, script: Script) -> None:
    for number in range(10):
        task = pool.ask(str(number), "ann", waiter("1"))
        script.next()[0].finish("A", n_bytes=30_000_000)
        assert task.wait(PATIENCE)
    kept = [number for number in range(10) if pool.result(str(number))]
    assert kept == [*range(2, 10)]


def test_idle_processes_end(script: Script) -> None:
    pool = WarmPool(SERVICE, script.start, idle=0.0)
    task = pool.ask("a", "ann", waiter("1"))
    process, _ = script.next()
    process.finish("A")
    assert task.wait(PATIENCE)
    until = time.monotonic() + PATIENCE
    while process.is_alive:
        assert time.monotonic() < until
    assert pool.result("a")


def test_the_process_that_searched_for_a_forgotten_owner_ends_and_another_stays(
    pool: Pool, script: Script
) -> None:
    for owner in ("ann", "bob"):
        pool.ask(owner, owner, waiter(owner))
    of_owner = {}
    for _ in range(2):
        process, sentence = script.next()
        of_owner[sentence] = process
    of_owner["bob"].finish("b")
    spawned.wait_for(lambda: pool.result("bob"))
    pool.forget("ann")
    assert pool.result("bob")  # for which ann did not ask
    assert of_owner["ann"].is_alive  # it still searches
    of_owner["ann"].finish("a")
    spawned.wait_for(lambda: not of_owner["ann"].is_alive)
    assert of_owner["bob"].is_alive
