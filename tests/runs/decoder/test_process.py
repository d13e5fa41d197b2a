"""Real decoder processes: the same numbers, stopped, killed, limited, and gone with their parent."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

import s2s
from s2s import settings
from s2s.bounds import UNLIMITED
from s2s.runs import Run
from s2s.runs.decoder import Connection, DecodeRequest, DecoderPool, DecodeTask, Waiter
from s2s.runs.decoder.pool import DIED
from s2s.runs.decoder.process import TOO_LARGE
from tests import other_systems

pytestmark = pytest.mark.system

PATIENCE = 60.0  # seconds, on a busy machine
SOURCE = "the cat who chased the mouse was black"
ENDLESS = {"num_beams": 100, "max_new_tokens": 4096, "min_new_tokens": 4096}
TIGHT = "from s2s.runs.decoder import process; process.ROOM = 2_000_000; process.main()"
PARENT = """
import sys
from s2s.runs.decoder import Connection
connection = Connection()
while not list(connection.answers(1.0)):
    pass
print(connection.process.pid, flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def run() -> Run:
    return s2s.load("demo-en-fr")


@pytest.fixture(scope="module")
def connections() -> list[Connection]:
    """Those that the pool has made."""
    return []


@pytest.fixture(scope="module")
def pool(connections: list[Connection]) -> Iterator[DecoderPool]:
    def connect() -> Connection:
        connections.append(Connection())
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


def test_a_killed_process_is_replaced(
    pool: DecoderPool, run: Run, connections: list[Connection]
) -> None:
    task = asked(pool, request_for(run, "beam", **ENDLESS))
    until_it_runs(task)
    os.kill(connections[-1].process.pid, signal.SIGKILL)
    assert task.wait(PATIENCE)
    assert task.error == DIED
    assert result(pool, request_for(run, "beam", num_beams=4)).text


def test_what_is_wrong_is_one_sentence(pool: DecoderPool, run: Run) -> None:
    request = replace(request_for(run, "beam"), step=run.step + 1)
    task = asked(pool, request)
    assert task.wait(PATIENCE)
    assert task.error.startswith(f"The run `demo-en-fr` has no checkpoint of step {run.step + 1};")
    log = settings.home() / "log" / "decoder.log"
    assert not log.is_file() or not log.read_text()


def test_a_search_that_needs_too_much_memory_is_one_sentence(run: Run) -> None:
    pool = DecoderPool(lambda: Connection((sys.executable, "-c", TIGHT)), slots=1)
    task = asked(pool, request_for(run, "beam", **ENDLESS))
    assert task.wait(PATIENCE)
    assert task.error == TOO_LARGE
    pool.close()


def test_a_system_without_limits_has_the_same_answers(run: Run) -> None:
    """Nor with pipes that can be waited for, nor a niceness: Windows'."""
    command = other_systems.command(TIGHT.replace("2_000_000", "40_000_000"), "torch, sacrebleu")
    made: list[Connection] = []

    def connect() -> Connection:
        made.append(Connection(tuple(command)))
        return made[-1]

    pool = DecoderPool(connect, slots=1)
    request = request_for(run, "beam", num_beams=3)
    (found,) = run.translate([SOURCE], "beam", num_beams=3)
    assert result(pool, request).text == found.text
    task = asked(pool, request_for(run, "beam", **ENDLESS))
    assert task.wait(PATIENCE)
    assert task.error == TOO_LARGE
    assert [connection.is_alive for connection in made] == [False]  # so another one replaces it
    pool.close()
    assert UNLIMITED in (settings.home() / "log" / "decoder.log").read_text()


@pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="needs /proc")
def test_it_ends_when_its_parent_is_killed() -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    child = psutil.Process(int(parent.stdout.readline()))
    parent.kill()
    parent.communicate()
    child.wait(PATIENCE)
