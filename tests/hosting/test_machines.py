"""Two apps and two workers, a process each, on one folder and one PostgreSQL; one app and one worker are killed."""

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from benchmarks import crash
from s2s import cli, data
from s2s.config import PRESETS, override
from s2s.data import saved_datasets
from s2s.files import database
from s2s.jobs import forked, run_service, training
from s2s.processes import fork_server, queue
from s2s.runs import RunFolder, runs_folder
from tests import postgres, spawned
from tests.conftest import TINY

pytestmark = [pytest.mark.system, postgres.NEEDED]
OFTEN = {"train.watch.save_every": 15, "train.watch.validate_every": 15, "train.watch.scores": 0}
VALID = "synthetic:reverse#split=valid,rows=20"
OWNER = "local"
STEPS = 30
BEFORE = 20  # steps until one machine is killed: the last of them are not saved
RECIPE = override(PRESETS["small"].recipe, {**TINY, **OFTEN, "train.steps": STEPS})


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A database and the settings of an operator; the folder is this test's `S2S_HOME`."""
    with postgres.serving() as folder:
        address = f"postgresql+psycopg://postgres@/postgres?host={folder}"
        monkeypatch.setenv("S2S_DATABASE_URL", address)
        monkeypatch.setenv("S2S_LEASE_SECONDS", "4")
        yield
        database.engine(address).dispose()
        database.engine.cache_clear()


def worker() -> None:
    """`s2s worker`, in a process that has torch already, and so has what its jobs are forked from."""
    forked = ForkedServer()
    with pytest.MonkeyPatch.context() as patch:
        popen = SimpleNamespace(PIPE=0, Popen=lambda command, **_: forked)
        patch.setattr(fork_server, "subprocess", popen)
        sys.exit(cli.main(["worker"]))


class ForkedServer(multiprocessing.get_context("fork").Process):  # type: ignore[name-defined, misc]
    """The fork server, forked before there are threads; with what it is asked as a `Popen`."""

    def __init__(self) -> None:
        requests, stdin = os.pipe()
        stdout, answers = os.pipe()
        super().__init__(target=serve_jobs, args=(requests, answers, stdin, stdout))
        self.start()
        os.close(requests)
        os.close(answers)
        self.stdin = os.fdopen(stdin, "wb")
        self.stdout = os.fdopen(stdout, "rb")
        self.wait = self.join

    def poll(self) -> int | None:
        return self.exitcode


def serve_jobs(requests: int, answers: int, *others: int) -> None:
    """Until the other end is closed, which is the worker's alone."""
    for end in others:
        os.close(end)
    os.dup2(requests, 0)
    os.dup2(answers, 1)
    forked.main()


def app(ends: Connection) -> None:
    """Answers what its pages would ask: the function's result."""
    while True:
        function, arguments = ends.recv()
        ends.send(function(*arguments))


class App:
    """One machine's app."""

    def __init__(self) -> None:
        self.ends, theirs = spawned.CONTEXT.Pipe()
        self.process = spawned.begin(app, theirs)

    def ask(self, function: Callable[..., Any], *arguments: object) -> Any:
        self.ends.send((function, arguments))
        return self.ends.recv()


def saved() -> str:
    """The source of a saved dataset."""
    corpus = data.load("synthetic:reverse#rows=300")
    return f"corpus:{saved_datasets.save(corpus, name='mine', owner=OWNER)}"


def submitted(source: str, name: str) -> str:
    return training.submit(training.RunRequest(RECIPE, source, VALID, name=name), express=True)


def state(run: str) -> str:
    row = run_service.find(run, OWNER)
    return "saved" if row.state == "running" and row.checkpoints else row.state


def steps(run: str) -> list[int]:
    """Of the log's complete lines: another process may be appending the next."""
    lines = RunFolder(runs_folder() / run).lines("metrics")
    return [line["step"] for line in lines if line["kind"] == "train"]


@pytest.fixture
def machines(shared: None) -> Iterator[tuple[list[BaseProcess], App, App]]:
    """Two workers and two apps."""
    workers = [spawned.begin(worker, S2S_WORKER_NAME=name) for name in "ab"]
    one, other = App(), App()
    yield workers, one, other
    for process in (*workers, one.process, other.process):
        kill(process)


def kill(process: BaseProcess) -> None:
    """With all that it started, at once."""
    if process.is_alive():
        own = psutil.Process(process.pid)
        for each in (*own.children(recursive=True), own):
            os.kill(each.pid, signal.SIGKILL)
    process.join()


def wait_for(what: Callable[[], object]) -> None:
    """Five times a second: it asks the database, or another process."""
    spawned.wait_for(lambda: what() or time.sleep(0.2))


def working(job: str) -> bool:
    """Whether it runs or is done; else this says what it says."""
    found = queue.find(job)
    assert found
    assert found.state in ("running", "done"), found
    return True


def test_nothing_is_lost_and_nothing_happens_twice(
    machines: tuple[list[BaseProcess], App, App], tmp_path: Path
) -> None:
    workers, one, other = machines
    source = one.ask(saved)
    run = one.ask(submitted, source, "first")
    second = other.ask(submitted, source, "of the other app")
    job = queue.latest(run)
    assert job
    wait_for(lambda: getattr(queue.find(job.id), "state", "") == "running")
    queue.request_control(job.id, OWNER, pause=True)
    wait_for(lambda: working(job.id) and steps(run))
    queue.request_control(job.id, OWNER, once=BEFORE)
    wait_for(lambda: len(steps(run)) > BEFORE and one.ask(state, run) == "saved")
    assert other.ask(state, run) == "saved"
    assert other.ask(steps, run) == one.ask(steps, run)
    other.ask(run_service.rename, run, OWNER, "second")
    held = queue.find(job.id)
    assert held
    kill(one.process)
    pid = int(held.worker.split(":")[1])
    kill(next(process for process in workers if process.pid == pid))
    queue.request_control(job.id, OWNER, pause=False)
    wait_for(lambda: working(job.id) and other.ask(state, run) == "done")
    wait_for(lambda: other.ask(state, second) == "done")
    after = queue.find(job.id)
    assert after
    assert after.worker.split(":")[1] != str(pid)
    assert run_service.find(run, OWNER).name == "second"
    undisturbed = tmp_path / "undisturbed"
    list(training.run(training.start(training.RunRequest(RECIPE, source, VALID), undisturbed)))
    for each in (run, second):
        assert steps(each) == list(range(1, STEPS + 1))
        assert crash.differences(runs_folder() / each, undisturbed) == []
