"""Real decoder processes: the same numbers, stopped, killed, limited, and gone with their parent."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Any

import psutil
import pytest

import s2s
from s2s.processes.bounds import UNLIMITED
from s2s.processes.pool import Waiter
from s2s.processes.program import Process, Program
from s2s.runs import Run
from s2s.runs.decoder import DECODER, DecodeRequest, DecoderPool, DecodeTask
from tests import other_systems, spawned

pytestmark = pytest.mark.system

PATIENCE = 60.0  # seconds, on a busy machine
SOURCE = "the cat who chased the mouse was black"
ENDLESS = {"num_beams": 100, "max_new_tokens": 4096, "min_new_tokens": 4096}
LITTLE = {**ENDLESS, "num_beams": 90}  # this request may take few bytes
# without limits, nor with pipes that can be waited for, nor a niceness: Windows'
MAIN = f"from s2s.processes import child; child.main({DECODER.program.work!r})"


class Tight(Process):
    """On the other system, where a search may take 40 MB."""

    def __init__(self, program: Program) -> None:
        with pytest.MonkeyPatch.context() as patch:
            here = partial(subprocess.Popen, other_systems.command(MAIN, "torch, sacrebleu"))
            patch.setattr(subprocess, "Popen", lambda command, **options: here(**options))
            super().__init__(program)

    def order(self, content: Any, **limits: Any) -> int:
        return super().order(content, more_memory=40_000_000)


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
def started() -> list[Process]:
    """Those of the pool: of each of these systems in turn."""
    return []


@pytest.fixture(scope="module")
def pool(started: list[Process]) -> Iterator[DecoderPool]:
    def start(program: Program) -> Process:
        started.append((Process, Tight)[len(started) % 2](program))
        return started[-1]

    def memory(request: DecodeRequest) -> int:
        return 2_000_000 if request.settings == LITTLE else DECODER.memory(request)

    made = DecoderPool(replace(DECODER, memory=memory), start, slots=1)
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
    pool: DecoderPool, run: Run, started: list[Process]
) -> None:
    task = asked(pool, request_for(run, "beam", **ENDLESS))
    until_it_runs(task)
    assert 0 < task.done < task.of == 4096
    before = started[-1].process.pid
    pool.release("tab", [task.request])
    assert task.error == "Stopped."
    assert result(pool, request_for(run, "beam", num_beams=3)).text
    assert started[-1].process.pid == before


def test_what_is_wrong_is_one_sentence(pool: DecoderPool, run: Run, home: Path) -> None:
    assert result(pool, request_for(run, "greedy", max_new_tokens=3)).text
    log = home / "log" / "decoder.log"
    before = log.read_text()
    request = replace(request_for(run, "beam"), step=run.step + 1)
    task = asked(pool, request)
    assert task.wait(PATIENCE)
    assert task.error.startswith(f"The run `demo-en-fr` has no checkpoint of step {run.step + 1};")
    assert log.read_text() == before


def test_a_search_that_needs_too_much_memory_is_one_sentence(pool: DecoderPool, run: Run) -> None:
    task = asked(pool, request_for(run, "beam", **LITTLE))
    assert task.wait(PATIENCE)
    assert task.error == DECODER.too_large


def test_a_killed_process_is_replaced_on_a_system_without_limits_too(
    pool: DecoderPool, run: Run, started: list[Process], home: Path
) -> None:
    task = asked(pool, request_for(run, "beam", **ENDLESS))
    until_it_runs(task)
    os.kill(started[-1].process.pid, signal.SIGKILL)
    assert task.wait(PATIENCE)
    assert task.error == DECODER.died
    request = request_for(run, "beam", num_beams=4)
    (found,) = run.translate([SOURCE], "beam", num_beams=4)
    assert result(pool, request).text == found.text
    task = asked(pool, request_for(run, "beam", **ENDLESS))
    assert task.wait(PATIENCE)
    assert task.error == DECODER.too_large
    assert not started[-1].is_alive  # so another one replaces it
    assert UNLIMITED in (home / "log" / "decoder.log").read_text()


def test_a_process_that_was_killed_between_two_searches_costs_nobody_a_search(
    pool: DecoderPool, run: Run, started: list[Process]
) -> None:
    assert result(pool, request_for(run, "greedy", max_new_tokens=4)).text
    killed = started[-1].process
    killed.kill()
    spawned.wait_for(started[-1]._arrived.qsize)  # its end was heard of
    assert result(pool, request_for(run, "greedy", max_new_tokens=5)).text
    spawned.wait_for(lambda: killed.returncode is not None)  # no zombie stays


@pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="needs /proc")
def test_it_ends_when_its_parent_is_killed() -> None:
    here, there = spawned.CONTEXT.Pipe()
    parent = spawned.begin(parent_of_one, there)
    there.close()
    child = psutil.Process(here.recv())
    parent.kill()
    child.wait(PATIENCE)


def parent_of_one(pid: Pipe) -> None:
    started = Process(DECODER.program)
    while not list(started.lines(1.0)):
        pass
    pid.send(started.process.pid)
    time.sleep(PATIENCE)
