"""Real decoder processes: the same numbers, stopped, killed, limited, and gone with their parent."""

import json
import os
import signal
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Any

import psutil
import pytest

import s2s
from s2s.processes import bounds
from s2s.processes.bounds import UNLIMITED
from s2s.runs import Run
from s2s.runs.decoder import Connection, DecodeRequest, DecoderPool, DecodeTask, Waiter
from s2s.runs.decoder.connection import COMMAND
from s2s.runs.decoder.pool import DIED
from s2s.runs.decoder.process import TOO_LARGE, Answers, Inbox, Watch, _answer
from tests import other_systems, processes

pytestmark = pytest.mark.system

PATIENCE = 60.0  # seconds, on a busy machine
SOURCE = "the cat who chased the mouse was black"
ENDLESS = {"num_beams": 100, "max_new_tokens": 4096, "min_new_tokens": 4096}
TIGHT = "from s2s.runs.decoder import process; process.ROOM = 40_000_000; process.main()"
# the other one without limits, nor with pipes that can be waited for, nor a niceness: Windows'
COMMANDS = (COMMAND, tuple(other_systems.command(TIGHT, "torch, sacrebleu")))


@pytest.fixture(scope="module")
def run() -> Run:
    return s2s.load("demo-en-fr")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(autouse=True)
def _one_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The processes, which stay from test to test, have one log."""
    monkeypatch.setenv("S2S_HOME", str(home))


@pytest.fixture(scope="module")
def connections() -> list[Connection]:
    """Those that the pool has made: of each of these systems in turn."""
    return []


@pytest.fixture(scope="module")
def pool(connections: list[Connection]) -> Iterator[DecoderPool]:
    def connect() -> Connection:
        connections.append(Connection(COMMANDS[len(connections) % 2]))
        return connections[-1]

    made = DecoderPool(connect, slots=1)
    yield made
    made.close()


def request_for(run: Run, strategy: str, kind: str = "decoded", **settings: Any) -> DecodeRequest:
    folder = str(run.folder.path)
    return DecodeRequest(kind, folder, run.step, (SOURCE,), strategy, json.dumps(settings))


def asked(pool: DecoderPool, request: DecodeRequest) -> DecodeTask:
    return pool.ask(request, "ann", Waiter("tab", lambda: True))


def result(pool: DecoderPool, request: DecodeRequest) -> Any:
    task = asked(pool, request)
    assert task.wait(PATIENCE)
    found = pool.result(request)
    assert found is not None, task.error
    return found.value


def until_it_runs(task: DecodeTask) -> None:
    while not task.done:
        assert not task.wait(0.05), task.error


@pytest.mark.parametrize(
    ("strategy", "settings"),
    [
        ("greedy", {}),
        ("beam", {"num_beams": 20, "num_return_sequences": 20}),
        ("mbr", {"num_samples": 20}),
        ("stochastic_beam", {"num_beams": 4}),
    ],
)
def test_the_bits_are_those_of_decoding_in_this_process(
    pool: DecoderPool, run: Run, strategy: str, settings: dict[str, Any]
) -> None:
    (found,) = run.translate([SOURCE], strategy, **settings)
    assert result(pool, request_for(run, strategy, **settings)) == replace(found, steps=())
    tree = result(pool, request_for(run, strategy, "tree", **settings))
    assert tree == run.tree(found, strategy, **settings)


def test_a_stopped_search_ends_and_the_process_stays(
    pool: DecoderPool, run: Run, connections: list[Connection]
) -> None:
    task = asked(pool, request_for(run, "beam", **ENDLESS))
    until_it_runs(task)
    assert 0 < task.done < task.of == 4096
    before = connections[-1].process.pid
    pool.release("tab", [task.request])
    assert task.error == "Stopped."
    assert result(pool, request_for(run, "beam", num_beams=3)).text
    assert connections[-1].process.pid == before


def test_what_is_wrong_is_one_sentence(pool: DecoderPool, run: Run, home: Path) -> None:
    assert result(pool, request_for(run, "greedy", max_new_tokens=3)).text
    log = home / "log" / "decoder.log"
    before = log.read_text()
    request = replace(request_for(run, "beam"), step=run.step + 1)
    task = asked(pool, request)
    assert task.wait(PATIENCE)
    assert task.error.startswith(f"The run `demo-en-fr` has no checkpoint of step {run.step + 1};")
    assert log.read_text() == before


def test_a_search_that_needs_too_much_memory_is_one_sentence(run: Run) -> None:
    answer = processes.call(answer_with_little_memory, request_for(run, "beam", **ENDLESS))
    assert answer == {"error": TOO_LARGE}


def answer_with_little_memory(request: DecodeRequest) -> Mapping[str, Any]:
    watch = Watch(1, 0, Inbox(), Answers())
    return _answer(request, watch, {}, bounds.memory() + 2_000_000)


def test_a_killed_process_is_replaced_on_a_system_without_limits_too(
    pool: DecoderPool, run: Run, connections: list[Connection], home: Path
) -> None:
    task = asked(pool, request_for(run, "beam", **ENDLESS))
    until_it_runs(task)
    os.kill(connections[-1].process.pid, signal.SIGKILL)
    assert task.wait(PATIENCE)
    assert task.error == DIED
    request = request_for(run, "beam", num_beams=4)
    (found,) = run.translate([SOURCE], "beam", num_beams=4)
    assert result(pool, request).text == found.text
    task = asked(pool, request_for(run, "beam", **ENDLESS))
    assert task.wait(PATIENCE)
    assert task.error == TOO_LARGE
    assert not connections[-1].is_alive  # so another one replaces it
    assert UNLIMITED in (home / "log" / "decoder.log").read_text()


def test_a_process_that_was_killed_between_two_searches_costs_nobody_a_search(
    pool: DecoderPool, run: Run, connections: list[Connection]
) -> None:
    assert result(pool, request_for(run, "greedy", max_new_tokens=4)).text
    killed = connections[-1].process
    killed.kill()
    processes.wait_for(connections[-1]._arrived.qsize)  # its end was heard of
    assert result(pool, request_for(run, "greedy", max_new_tokens=5)).text
    processes.wait_for(lambda: killed.returncode is not None)  # no zombie stays


@pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="needs /proc")
def test_it_ends_when_its_parent_is_killed() -> None:
    here, there = processes.CONTEXT.Pipe()
    parent = processes.begin(parent_of_one, there)
    there.close()
    child = psutil.Process(here.recv())
    parent.kill()
    child.wait(PATIENCE)


def parent_of_one(pid: Pipe) -> None:
    connection = Connection()
    while not list(connection.answers(1.0)):
        pass
    pid.send(connection.process.pid)
    time.sleep(PATIENCE)
