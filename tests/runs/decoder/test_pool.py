"""The pool, with connections that answer when the test says so."""

import queue
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any, cast

import pytest

from s2s.config import UserError
from s2s.runs.decoder import PROPERTY, Connection, DecodeRequest, DecoderPool, Waiter
from s2s.runs.decoder.pool import DIED, MAX_WAITING
from s2s.runs.properties import Finding
from tests import processes

PATIENCE = 20.0  # seconds, on a busy machine


class Script:
    """Connections to no process: what they were sent, and their answers."""

    def __init__(self) -> None:
        self.begun: queue.SimpleQueue[tuple[ScriptedConnection, str]] = queue.SimpleQueue()
        self.connections: list[ScriptedConnection] = []

    @property
    def n_connected(self) -> int:
        return len(self.connections)

    def connect(self) -> Connection:
        made = ScriptedConnection(self)
        self.connections.append(made)
        return cast("Connection", made)

    def next(self) -> tuple["ScriptedConnection", str]:
        """The connection that carries out the next request, and its sentence."""
        return self.begun.get(timeout=PATIENCE)

    def is_idle(self) -> bool:
        return self.begun.empty()


class ScriptedConnection:
    def __init__(self, script: Script) -> None:
        self.script = script
        self.is_alive = True
        self.said: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.number = 0
        self.stopped = threading.Event()

    def send(self, order: Mapping[str, Any]) -> None:
        if "stop" in order:
            self.stopped.set()
            self.said.put({"id": order["stop"], "error": "Stopped.", "n_bytes": 1})
            return
        self.number = order["id"]
        self.script.begun.put((self, order["request"]["sources"][0]))

    def answers(self, seconds: float) -> Iterator[dict[str, Any]]:
        try:
            yield self.said.get(timeout=0.01)
        except queue.Empty:
            return

    def finish(self, text: str, n_bytes: int = 10) -> None:
        self.said.put(
            {"id": self.number, "result": [[True, text, None]], "seconds": 0.5, "n_bytes": n_bytes}
        )

    def close(self) -> None:
        self.is_alive = False


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def pool(script: Script) -> Iterator[DecoderPool]:
    made = DecoderPool(script.connect, idle=PATIENCE)
    yield made
    made.close()
    for connection in script.connections:  # a search that was left running would go on to the end
        connection.close()


def request_for(sentence: str) -> DecodeRequest:
    return DecodeRequest(PROPERTY, "folder", 1, (sentence,), "beam")


def waiter(name: str, is_present: bool = True) -> Waiter:
    return Waiter(name, lambda: is_present)


def test_a_result_is_kept_and_shared(pool: DecoderPool, script: Script) -> None:
    request = request_for("a")
    assert pool.result(request) is None
    task = pool.ask(request, "ann", waiter("1"))
    assert pool.ask(request, "bob", waiter("2")) is task  # two visitors, one search
    connection, _ = script.next()
    connection.finish("A")
    assert task.wait(PATIENCE)
    found = pool.result(request)
    assert found is not None
    assert (found.value, found.seconds, task.error) == ([Finding(True, "A")], 0.5, "")


def test_a_result_is_forgotten_with_the_last_owner_who_asked_for_it(
    pool: DecoderPool, script: Script
) -> None:
    request = request_for("a")
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


def test_owners_take_turns_and_none_has_two_slots(pool: DecoderPool, script: Script) -> None:
    for name in ("a1", "a2", "a3"):
        pool.ask(request_for(name), "ann", waiter(name))
    first, sentence = script.next()
    assert sentence == "a1"
    pool.ask(request_for("b1"), "bob", waiter("b"))
    second, sentence = script.next()
    assert sentence == "b1"  # the other slot was kept for others
    pool.ask(request_for("c1"), "cid", waiter("c"))
    first.finish("A")
    first, sentence = script.next()
    assert sentence == "c1"  # who has had no turn yet comes before ann's second
    second.finish("B")
    second, sentence = script.next()
    assert sentence == "a2"
    first.finish("C")
    second.finish("A")
    assert script.next()[1] == "a3"
    assert script.n_connected == 2


def test_the_visitors_of_one_workspace_take_turns_too(pool: DecoderPool, script: Script) -> None:
    for name in ("a1", "a2"):
        pool.ask(request_for(name), "local", waiter("tab a"))
    task = pool.ask(request_for("b1"), "local", waiter("tab b"))
    assert pool.n_ahead(task) == 2
    connection, _ = script.next()
    connection.finish("A")
    assert script.next()[1] == "b1"


def test_what_nobody_waits_for_is_stopped(pool: DecoderPool, script: Script) -> None:
    first = pool.ask(request_for("a"), "ann", waiter("1"))
    pool.ask(request_for("a"), "bob", waiter("2"))
    waiting = pool.ask(request_for("b"), "ann", waiter("1"))
    connection, _ = script.next()
    pool.release("1", [first.request, waiting.request])
    assert waiting.is_over
    assert not first.is_over  # bob still waits
    pool.release("2", [first.request])
    assert connection.stopped.wait(PATIENCE)
    assert first.error == "Stopped."
    again = pool.ask(request_for("b"), "ann", waiter("1"))  # which starts anew
    script.next()[0].finish("B")
    assert again.wait(PATIENCE)
    assert pool.result(again.request)


def test_a_closed_tab_ends_its_search(pool: DecoderPool, script: Script) -> None:
    is_there = [True]
    task = pool.ask(request_for("a"), "ann", Waiter("1", lambda: is_there[0]))
    connection, _ = script.next()
    is_there[0] = False
    assert connection.stopped.wait(PATIENCE)
    assert task.is_over


def test_progress_and_the_limit_of_seconds(script: Script) -> None:
    pool = DecoderPool(script.connect, seconds=lambda: 0.0)
    task = pool.ask(request_for("a"), "ann", waiter("1"))
    connection, _ = script.next()
    connection.said.put({"id": connection.number, "done": 3, "of": 9, "n_bytes": 1})
    assert task.wait(PATIENCE)
    assert task.error.startswith("Decoding took longer than 0 seconds and was stopped; lower")
    assert connection.stopped.wait(PATIENCE)
    pool.close()


def test_a_process_that_died_is_replaced(pool: DecoderPool, script: Script) -> None:
    task = pool.ask(request_for("a"), "ann", waiter("1"))
    script.next()[0].is_alive = False
    assert task.wait(PATIENCE)
    assert task.error == DIED
    again = pool.ask(request_for("a"), "ann", waiter("1"))
    script.next()[0].finish("A")
    assert again.wait(PATIENCE)
    assert not again.error


def test_where_no_process_starts_there_is_a_sentence() -> None:
    def refuse() -> Connection:
        raise OSError(11, "Resource temporarily unavailable")

    pool = DecoderPool(refuse, idle=0.0)
    task = pool.ask(request_for("a"), "ann", waiter("1"))
    assert task.wait(PATIENCE)
    assert task.error == "No process for decoding can be started now; try again later."


def test_a_queue_that_is_full_is_refused(pool: DecoderPool) -> None:
    for number in range(MAX_WAITING):
        pool.ask(request_for(str(number)), "ann", waiter("1"))
    with pytest.raises(UserError, match="searches are waiting to be decoded"):
        pool.ask(request_for("one more"), "bob", waiter("2"))


def test_large_results_displace_older_ones_but_the_newest(
    pool: DecoderPool, script: Script
) -> None:
    for number in range(10):
        task = pool.ask(request_for(str(number)), "ann", waiter("1"))
        script.next()[0].finish("A", n_bytes=30_000_000)
        assert task.wait(PATIENCE)
    kept = [number for number in range(10) if pool.result(request_for(str(number)))]
    assert kept == [*range(2, 10)]


def test_idle_processes_end(script: Script) -> None:
    pool = DecoderPool(script.connect, idle=0.0)
    task = pool.ask(request_for("a"), "ann", waiter("1"))
    connection, _ = script.next()
    connection.finish("A")
    assert task.wait(PATIENCE)
    until = time.monotonic() + PATIENCE
    while connection.is_alive:
        assert time.monotonic() < until
    assert pool.result(request_for("a"))


def test_the_process_that_searched_for_a_forgotten_owner_ends_and_another_stays(
    pool: DecoderPool, script: Script
) -> None:
    for owner in ("ann", "bob"):
        pool.ask(request_for(owner), owner, waiter(owner))
    of_owner = {}
    for _ in range(2):
        connection, sentence = script.next()
        of_owner[sentence] = connection
    of_owner["bob"].finish("b")
    processes.wait_for(lambda: pool.result(request_for("bob")))
    pool.forget("ann")
    assert pool.result(request_for("bob"))  # for which ann did not ask
    assert of_owner["ann"].is_alive  # it still searches
    of_owner["ann"].finish("a")
    processes.wait_for(lambda: not of_owner["ann"].is_alive)
    assert of_owner["bob"].is_alive
