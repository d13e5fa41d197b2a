"""A real cluster of Ray on this machine: its Jobs API starts our worker, which trains a run."""

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from s2s import settings
from s2s.config import PRESETS, asker, override
from s2s.hosted import monitoring
from s2s.jobs import engine, run_service, training
from s2s.jobs.engine.ray_jobs import RayJobs
from s2s.jobs.engine.scaler import DEAD, PAUSE
from s2s.model.weights import saved_steps
from s2s.processes import queue
from s2s.runs import runs_folder
from tests.conftest import TINY
from tests.spawned import wait_for

ROOT = Path(__file__).parents[3]
TOKEN = "a token of this test, 32 characters"
SOURCE = "synthetic:reverse#rows=80"
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="Ray is not installed: pip install .[ray]"
)


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[RayJobs]:
    """A head that asks for a token, on two CPUs and a GPU that is none."""
    folder = tempfile.mkdtemp(prefix="ray-")  # a socket's path: 107 characters
    ports = []
    for _ in range(2):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            ports.append(free.getsockname()[1])
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", TOKEN)
    bin = Path(sys.executable).parent
    monkeypatch.setenv("PATH", f"{bin}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    command = [bin / "ray", "start", "--head", "--block", "--num-cpus", "2", "--num-gpus", "1"]
    command += ["--port", str(ports[0]), "--dashboard-port", str(ports[1])]
    command += ["--disable-usage-stats", "--temp-dir", folder]
    with (tmp_path / "ray.log").open("w") as log:
        head = subprocess.Popen([*map(str, command)], stdout=log, stderr=log, cwd=tmp_path)
    host = f"127.0.0.1:{ports[1]}"
    monkeypatch.setenv("S2S_ENGINE", f"ray://{host}")
    found = RayJobs(host, TOKEN)

    def answers() -> bool:
        assert head.poll() is None, (tmp_path / "ray.log").read_text()
        try:
            return not found.alive("nobody")
        except engine.EngineError:
            return False

    try:
        wait_for(answers, 90)
        yield found
    finally:
        head.terminate()  # and with it all that it has started
        head.wait(60)
        shutil.rmtree(folder, ignore_errors=True)


def test_ray_starts_our_worker_which_trains_and_refuses_another_token(cluster: RayJobs) -> None:
    recipe = override(PRESETS["small"].recipe, {**TINY, "train.steps": 5, "train.device": "cpu"})
    run = training.submit(training.RunRequest(recipe, SOURCE, preset="small"))
    scaler = engine.Scaler(cluster)
    scaler.turn(time.time())
    (handle,) = engine.state().workers
    assert cluster.alive(handle)
    wait_for(lambda: queue.latest(run).state not in ("queued", "running"), 150)  # type: ignore[union-attr]
    job = queue.latest(run)
    assert job
    assert (job.state, job.error) == ("done", "")
    assert job.host.endswith(f"-{handle}")
    cluster.kill(handle)
    wait_for(lambda: not cluster.alive(handle), 60)
    scaler.turn(time.time())
    assert not engine.state().workers

    failing = "s2s-failing"
    cluster.start(failing, "echo a last word; exit 3", {}, cpus=1, gpus=1)
    wait_for(lambda: not cluster.alive(failing), 60)
    assert cluster.has_failed(failing)
    assert "a last word" in "".join(cluster.tail(failing))

    queue.put_value("engine lease", "")
    training.submit(training.RunRequest(recipe, SOURCE))
    engine.Scaler(RayJobs(cluster.host, "another token of 32 characters")).turn(time.time())
    assert "refuses the token" in monitoring.engine_trouble()
    assert not (settings.home() / "log" / "engine.log").exists()


def worker_of(handle: str) -> psutil.Process:
    """The process of a worker that the cluster has started."""
    command = ["-m", "s2s", "worker"]
    (found,) = (
        process
        for process in psutil.process_iter(["cmdline"])
        if (process.info["cmdline"] or [])[1:4] == command
        and process.environ().get("S2S_WORKER_NAME") == handle
    )
    return found


def test_the_job_of_a_worker_that_was_killed_keeps_its_log_and_another_worker_resumes_it(
    cluster: RayJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_LEASE_SECONDS", "3")
    recipe = override(
        PRESETS["small"].recipe, {**TINY, "train.steps": 100_000, "train.device": "cpu"}
    )
    run = training.submit(training.RunRequest(recipe, SOURCE))
    scaler = engine.Scaler(cluster)

    def last_step() -> int:
        return max(saved_steps(runs_folder() / run / "checkpoints"), default=0)

    def started(now: float) -> str:
        """The one worker, which trains and saves."""
        scaler.turn(now)
        (handle,) = engine.state().workers
        before = last_step()

        def is_training() -> bool:
            job = queue.latest(run)
            assert job
            return job.host.endswith(f"-{handle}") and last_step() > before

        wait_for(is_training, 150)
        return handle

    first = started(time.time())
    worker = worker_of(first)
    for process in [*worker.children(recursive=True), worker]:  # as when its machine dies
        process.kill()
    wait_for(lambda: not cluster.alive(first), 60)
    scaler.turn(time.time())
    job = queue.latest(run)
    assert job
    assert job.note == DEAD
    printed = run_service.last_log(run, asker.LOCAL)
    assert printed
    assert printed in "\n".join(cluster.tail(first))
    assert started(time.time() + PAUSE + 1) != first
    run_service.stop(run, asker.LOCAL)
    wait_for(lambda: queue.latest(run).state == "stopped", 60)  # type: ignore[union-attr]
