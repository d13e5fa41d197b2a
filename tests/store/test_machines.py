"""Two apps and two workers with a folder each, one PostgreSQL and one S3 server; one app and one worker are killed."""

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

import fsspec
import psutil
import pytest

from benchmarks import crash
from s2s import cli, data, store
from s2s.access import runs_folder
from s2s.config import PRESETS, UserError, override
from s2s.data import saved_datasets
from s2s.jobs import queue, run_service, training
from s2s.jobs.queue import database, fork_server
from s2s.model import saved_steps, weights_path
from s2s.runs import RunFolder, load
from s2s.store.objects import Objects
from tests import postgres, processes
from tests.conftest import TINY

pytestmark = [pytest.mark.system, postgres.NEEDED]
LARGE = {"model.d_model": 64, "model.d_ff": 128}  # weights that are objects, not rows
OFTEN = {"train.watch.save_every": 15, "train.watch.validate_every": 15, "train.watch.scores": 0}
VALID = "synthetic:reverse#split=valid,rows=20"
OWNER = "local"
STEPS = 30
BEFORE = 20  # steps until one machine is killed: the last of them are not saved


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A database, a bucket and the settings of an operator."""
    from moto.server import ThreadedMotoServer

    bucket = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    bucket.start()
    with postgres.serving() as folder:
        address = f"postgresql+psycopg://postgres@/postgres?host={folder}"
        keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
        endpoint = f"http://127.0.0.1:{bucket.get_host_and_port()[1]}"
        places = {"S2S_STORE": "s3://bucket/s2s", "S2S_STORE_ENDPOINT": endpoint}
        times = {"S2S_LEASE_SECONDS": "4", "AWS_DEFAULT_REGION": "us-east-1"}
        for name, value in {**keys, **places, **times, "S2S_DATABASE_URL": address}.items():
            monkeypatch.setenv(name, value)
        fsspec.filesystem("s3", endpoint_url=endpoint).mkdir("bucket")
        yield
        database.engine(address).dispose()
        database.engine.cache_clear()
    bucket.stop()


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
    fork_server.main()


def second_app(ends: Connection) -> None:
    """Answers what its pages would show: a run's state, name and logged steps."""
    with store.following():
        ends.send("ready")
        while True:
            run, name = ends.recv()
            if name:
                run_service.rename(run, OWNER, name)
            ends.send(seen(run))


def seen(run: str) -> dict[str, Any]:
    row = run_service.find(run, OWNER)
    return {"state": row.state, "name": row.name, "steps": steps(run), "saved": row.checkpoints}


def steps(run: str) -> list[int]:
    """Of the log's complete lines: another process may be appending the next."""
    lines = RunFolder(runs_folder() / run).lines("metrics")
    return [line["step"] for line in lines if line["kind"] == "train"]


@pytest.fixture
def workers(shared: None, tmp_path: Path) -> Iterator[list[BaseProcess]]:
    """Two machines' workers."""
    homes = (str(tmp_path / f"worker-{number}") for number in range(2))
    found = [processes.begin(worker, S2S_HOME=home) for home in homes]
    yield found
    for process in found:
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
    processes.wait_for(lambda: what() or time.sleep(0.2))


def working(job: str) -> bool:
    """Whether it runs or is done; else this says what it says."""
    found = queue.find(job)
    assert found
    assert found.state in ("running", "done"), found
    return True


def ask(app: Connection, run: str, name: str = "") -> dict[str, Any]:
    app.send((run, name))
    answer: dict[str, Any] = app.recv()
    return answer


def test_nothing_is_lost_and_nothing_happens_twice(
    workers: list[BaseProcess], tmp_path: Path
) -> None:
    recipe = override(PRESETS["small"].recipe, {**TINY, **LARGE, **OFTEN, "train.steps": STEPS})
    ours, theirs = processes.CONTEXT.Pipe()
    other = processes.begin(second_app, theirs, S2S_HOME=str(tmp_path / "other"))
    workers.append(other)
    with store.following():
        corpus = data.load("synthetic:reverse#rows=300")
        source = f"corpus:{saved_datasets.save(corpus, name='mine', owner=OWNER)}"
        run = training.submit(
            training.RunRequest(recipe, source, VALID, name="first"), express=True
        )
        job = queue.latest(run)
        assert job
        wait_for(lambda: getattr(queue.find(job.id), "state", "") == "running")
        queue.request_control(job.id, OWNER, pause=True)
        assert ours.recv() == "ready"
        wait_for(lambda: working(job.id) and steps(run))
        queue.request_control(job.id, OWNER, once=BEFORE)
        wait_for(lambda: len(steps(run)) > BEFORE and seen(run)["saved"])
        wait_for(lambda: ask(ours, run) == seen(run))
        assert seen(run)["state"] == "running"
        held = queue.find(job.id)
        assert held
        assert ask(ours, run, "second")["name"] == "second"
        wait_for(lambda: seen(run)["name"] == "second")
        kill(other)
        pid = int(held.worker.split(":")[1])
        kill(next(process for process in workers if process.pid == pid))
        queue.request_control(job.id, OWNER, pause=False)
        wait_for(lambda: working(job.id) and seen(run)["state"] == "done")
        wait_for(lambda: max(saved_steps(runs_folder() / run / "checkpoints")) == STEPS)
        after = queue.find(job.id)
        assert after
        assert after.worker.split(":")[1] != str(pid)
        assert seen(run)["name"] == "second"
        assert steps(run) == list(range(1, STEPS + 1))
        newest = weights_path(runs_folder() / run / "checkpoints", STEPS)
        assert not newest.exists()  # it comes when it is read
        load(run, STEPS)
        undisturbed = tmp_path / "undisturbed"
        list(training.run(training.start(training.RunRequest(recipe, source, VALID), undisturbed)))
        assert crash.differences(runs_folder() / run, undisturbed) == []
    with pytest.raises(UserError, match=r"^The object store has no such bucket or object; check"):
        Objects("s3://another/s2s").check()
