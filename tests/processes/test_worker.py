import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import psutil
import pytest
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError

from s2s.config import Recipe, UserError, asker, override
from s2s.files.database import UnreachableError
from s2s.jobs import run_service, stop_reasons, training
from s2s.model.weights import saved_steps
from s2s.processes import environment, fork_server, queue, worker
from s2s.processes.fork_server import ChildHandle, ForkRequest
from s2s.processes.queue import LOST, table
from s2s.runs import RunFolder, runs_folder
from tests import other_systems, spawned
from tests.jobs.conftest import _closed_database  # noqa: F401
from tests.spawned import wait_for

pytestmark = pytest.mark.system

SOURCE = "synthetic:reverse#rows=80"
VALID = "synthetic:reverse#split=valid,rows=20"
LONG = {
    "train.steps": 100_000,
    "train.watch.save_every": 20,
    "train.watch.validate_every": 50,
    "train.watch.keep": 3,
    "train.watch.scores": 0,
}


@contextlib.contextmanager
def working() -> Iterator[subprocess.Popen[bytes]]:
    """A real worker, which ends with its jobs' processes."""
    # Each import of a process goes to its log; numpy ends threads of its own before a fork, so it gets none.
    environment = {**os.environ, "PYTHONPROFILEIMPORTTIME": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "s2s", "worker"]
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=nothing, stderr=nothing, env=environment)
    children: list[psutil.Process] = []
    try:
        yield process
        children = (
            psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
        )
    finally:
        process.terminate()
        process.wait(20)
        for child in children:
            with contextlib.suppress(psutil.NoSuchProcess):
                child.kill()


@pytest.fixture(scope="module")
def serving(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Path, subprocess.Popen[bytes]]]:
    """One worker and the home it serves: what it imports takes longer than these tests."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("served")
        patch.setenv("S2S_HOME", str(folder))
        with working() as process:
            yield folder, process


@pytest.fixture
def served(
    serving: tuple[Path, subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> subprocess.Popen[bytes]:
    """The worker, whose home is this test's too."""
    monkeypatch.setenv("S2S_HOME", str(serving[0]))
    return serving[1]


def wait_for_state(run: str, *states: str, seconds: float = 180.0) -> None:
    wait_for(lambda: run_service.find(run, asker.LOCAL).state in states, seconds)


def submit(recipe: Recipe, *, express: bool = False) -> str:
    return training.submit(training.RunRequest(recipe, SOURCE, VALID, name="one"), express=express)


def folder(run: str) -> RunFolder:
    return RunFolder(runs_folder() / run)


def steps(run: str) -> list[int]:
    return [line["step"] for line in folder(run).lines("metrics") if line["kind"] == "train"]


def has_checkpoint(run: str) -> bool:
    return bool(saved_steps(folder(run).checkpoints))


def child_of(process: subprocess.Popen[bytes], run: str) -> psutil.Process:
    job = queue.latest(run)
    assert job is not None
    return next(
        child
        for child in psutil.Process(process.pid).children(recursive=True)
        if child.name() == job.id[:15]
    )


@pytest.mark.skipif(not fork_server.IS_POSSIBLE, reason="no fork server on this system")
def test_the_worker_is_small_and_imports_no_torch(served: subprocess.Popen[bytes]) -> None:
    wait_for(worker.log_path("fork_server").exists)  # all that it imports is there
    process = psutil.Process(served.pid)
    assert process.memory_info().rss < 80e6
    assert not [each.path for each in process.memory_maps() if "torch" in each.path]


def test_a_run_is_killed_stopped_and_resumed_while_another_fails(
    tiny: Recipe, served: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    table = tmp_path / "pairs.tsv"
    table.write_text("one\n" * 60)
    run = submit(override(tiny, LONG))
    bad = training.submit(training.RunRequest(tiny, str(table)), express=True)
    wait_for(lambda: folder(run).status().get("step"))  # of its first checkpoint
    assert run_service.find(run, asker.LOCAL).state == "running"
    child_of(served, run).kill()
    wait_for_state(run, "interrupted")
    killed_at = saved_steps(folder(run).checkpoints)[-1]
    error = run_service.find(run, asker.LOCAL).error
    assert error.startswith(
        "The training process was killed (signal 9), perhaps because memory ran out; resume it from step "
    )
    assert int(error.rstrip(".").rsplit(" ", 1)[1].replace(",", "")) in (killed_at, killed_at - 20)
    training.submit_resume(run, asker.LOCAL)
    wait_for(lambda: saved_steps(folder(run).checkpoints)[-1] > killed_at)
    run_service.stop(run, asker.LOCAL)
    wait_for_state(run, "stopped")
    reached = folder(run).status()["step"]
    assert (saved_steps(folder(run).checkpoints)[-1], steps(run)[-1]) == (reached, reached)
    wait_for_state(bad, "failed")
    error = run_service.find(bad, asker.LOCAL).error
    assert (str(table) in error, error[-1]) == (True, ".")
    training.submit_resume(run, asker.LOCAL, steps=reached + 20)
    wait_for_state(run, "done")
    row = run_service.find(run, asker.LOCAL)
    assert (row.step, row.steps, row.checkpoints[-1], row.note, row.error) == (
        reached + 20,
        reached + 20,
        reached + 20,
        "",
        "",
    )
    assert steps(run) == list(range(1, reached + 21))
    assert [line["step"] for line in folder(run).lines("metrics") if line.get("first")] == [
        1,
        killed_at + 1,
        reached + 1,
    ]
    best = min(
        (line for line in folder(run).lines("metrics") if line["kind"] == "valid"),
        key=lambda line: line["loss"],
    )
    assert (row.best_step, row.best_loss, row.token_accuracy) == (
        best["step"],
        best["loss"],
        best["token_accuracy"],
    )


@pytest.mark.skipif(not fork_server.IS_POSSIBLE, reason="no fork server on this system")
def test_a_training_finds_everything_imported_and_nothing_that_a_fork_would_lose(
    tiny: Recipe, served: subprocess.Popen[bytes]
) -> None:
    """What it is forked from has no threads and no connections, which a fork would not bring along."""
    run = submit(override(tiny, {"train.steps": 4, "train.watch.save_every": 2}))
    wait_for_state(run, "done")
    job = queue.latest(run)
    assert job is not None
    before, after = (
        [line for line in log.read_text().splitlines() if line.startswith("import time:")]
        for log in (worker.log_path("fork_server"), worker.log_path(job.id))
    )
    assert (len(before) > 1000, len(after) < 25) == (True, True), after
    (parent,) = psutil.Process(served.pid).children()
    assert (parent.num_threads(), parent.net_connections()) == (1, [])
    assert not [file.path for file in parent.open_files() if ".db" in file.path]


def test_a_worker_that_ends_hands_its_training_back_with_what_it_has_done(
    tiny: Recipe, served: subprocess.Popen[bytes]
) -> None:
    """The last test of this worker. One that is killed: test_crash.py."""
    run = submit(override(tiny, LONG))
    wait_for(lambda: has_checkpoint(run))
    served.terminate()
    assert served.wait(60) == 0
    row = run_service.find(run, asker.LOCAL)
    assert (row.state, row.position, row.error) == ("queued", 0, "")
    assert row.checkpoints[-1] == row.step
    assert steps(run) == list(range(1, row.step + 1))


def test_a_second_worker_leaves_at_once_and_an_idle_one_when_its_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker, "LOCK_SECONDS", 0.1)
    with worker._lock():
        assert (
            worker.serve(stop_reasons.died)
            == "A worker is running on this machine already; it takes the jobs."
        )
        worker.ensure()  # finds it there
    assert worker.serve(stop_reasons.died, idle=0.0) == "There is no more work."


def test_a_job_that_came_while_the_worker_left_keeps_it_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The app saw a worker in place, so nobody else starts one."""
    left: list[float | None] = []

    def work(self: worker.Worker, idle: float | None, stop: object) -> None:
        left.append(idle)
        for job in queue.jobs("ann"):
            queue.ask_to_stop(job.id, "ann")
        if len(left) == 1:
            queue.submit("train", "ann", "r", {})

    monkeypatch.setattr(worker.Worker, "work", work)
    assert worker.serve(stop_reasons.died, idle=5.0) == "There is no more work."
    assert left == [5.0, 5.0]


def test_the_app_starts_a_worker_that_outlives_it_unless_somebody_else_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker, "IDLE", 0.0)
    log = worker.log_path("worker")
    monkeypatch.setenv("S2S_WORKER", "elsewhere")
    worker.ensure()
    assert not log.exists()
    monkeypatch.delenv("S2S_WORKER")
    worker.ensure()
    wait_for(lambda: log.read_text() == "There is no more work.\n")


GRACEFUL = """
import pathlib, signal, sys, time
def end(*_):
    time.sleep(0.2)  # a checkpoint is saved
    pathlib.Path(sys.argv[1], "handed back").touch()
    sys.exit()
signal.signal(signal.SIGTERM, end)
pathlib.Path(sys.argv[1], "working").touch()
time.sleep(60)
"""


@pytest.mark.parametrize(
    ("variables", "ends"),
    [
        ({"S2S_HOSTED": "1"}, True),
        ({"S2S_WORKER": "inside"}, True),
        ({"S2S_HOSTED": "1", "S2S_WORKER": "elsewhere"}, False),
        ({}, False),
    ],
)
def test_where_nothing_outlives_the_app_its_worker_hands_its_jobs_back_before_the_app_ends(
    variables: dict[str, str], ends: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def spawn(*_: object) -> subprocess.Popen[bytes]:
        started.append(subprocess.Popen([sys.executable, "-c", GRACEFUL, str(tmp_path)]))
        return started[0]

    monkeypatch.setattr(worker, "launch", spawn)
    monkeypatch.setattr(worker, "STARTER", worker.Starter())
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    worker.ensure()
    if started:
        wait_for((tmp_path / "working").exists)
    worker.end()
    assert (tmp_path / "handed back").exists() == ends
    assert [process.poll() for process in started] == ([0] if ends else [None] * len(started))
    worker.ensure()  # a page that is drawn meanwhile starts no other
    assert len(started) == ("S2S_WORKER" not in variables or ends)
    for process in started:
        process.kill()


def be_an_app() -> None:
    """Starts a worker, as the app of a public server does, and lives on."""
    worker.Starter().ensure()
    time.sleep(600)


def test_the_worker_of_an_app_that_is_killed_ends_and_the_next_app_starts_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")
    app = spawned.begin(be_an_app)
    wait_for(queue.seen_workers)  # it works
    assert app.pid
    (old,) = (each for each in psutil.Process(app.pid).children() if "worker" in each.cmdline())
    app.kill()
    app.join()
    wait_for(lambda: not old.is_running() or old.status() == psutil.STATUS_ZOMBIE, 30.0)
    assert not queue.seen_workers()  # it has signed off
    starter = worker.Starter()
    starter.ensure()
    wait_for(queue.seen_workers)
    starter.end()
    assert not queue.seen_workers()


def test_a_second_signal_counts_unless_systemd_and_the_app_have_sent_the_same() -> None:
    signals: list[int] = []
    now = [0.0]
    note = worker._noting(signals, lambda: now[0])
    for number, at in (
        (signal.SIGTERM, 0.0),
        (signal.SIGTERM, 3.0),
        (signal.SIGINT, 4.0),
        (signal.SIGTERM, 13.9),
        (signal.SIGTERM, 14.1),
    ):
        now[0] = at
        note(number, None)
    assert signals == [signal.SIGTERM, signal.SIGINT, signal.SIGTERM]


def test_a_database_that_is_away_does_not_end_the_worker_and_is_said_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one = worker.Worker(stop_reasons.died)
    message = "The queue cannot be reached now (database is locked); try again in a minute.\n"
    one.turn()

    def away(*_: object) -> None:
        raise OperationalError("SELECT", {}, sqlite3.OperationalError("database is locked"))

    with monkeypatch.context() as patch:
        patch.setattr(sa.Engine, "begin", away)
        one.turn()
        one.turn()
        assert one.is_anything_left()
        assert capsys.readouterr().err == message
    one.turn()
    assert (one.trouble, one.is_anything_left()) == ("", False)


def test_an_end_that_could_not_be_written_is_written_at_the_next_turn(
    tiny: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = submit(tiny)
    one = worker.Worker(stop_reasons.died)
    finish = queue.finish
    job = queue.claim(one.name, one.host, "long", 60.0)
    assert job is not None
    process = subprocess.Popen([sys.executable, "-c", "raise SystemExit(1)"])
    process.wait(20)
    one.children[job.id] = worker.RunningJob(job, process)

    def away(*_: object, **__: object) -> bool:
        raise UnreachableError("away")

    monkeypatch.setattr(queue, "finish", away)
    one.turn()
    monkeypatch.setattr(queue, "finish", finish)
    one.turn()
    assert (one.children, run_service.find(run, asker.LOCAL).error) == (
        (
            {},
            "The training process ended with status 1 before its work was done; nothing was saved yet, start it again.",
        )
    )


def test_a_job_whose_process_gave_it_up_while_the_database_was_away_is_resumed(
    tiny: Recipe, attended: tuple[worker.Worker, "Midwife"]
) -> None:
    (one, midwife), run = attended, submit(tiny)
    one.turn()
    (job,) = (child.job for child in one.children.values())
    process = subprocess.Popen([sys.executable, "-c", f"raise SystemExit({LOST})"])
    process.wait(20)
    one.children[job.id] = worker.RunningJob(job, process)
    queue.renew(job.id, job.worker, -1.0)  # nobody could renew it
    one.turn()
    assert len(midwife.born) == 2
    assert (run_service.find(run, asker.LOCAL).state, run_service.find(run, asker.LOCAL).error) == (
        "starting",
        "",
    )


class Midwife:
    """Stands in for a fork server, and for the processes that are started without one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_gone = False
        self.is_ready = True
        self.born: list[ChildHandle] = []
        self.withdrawn: list[ChildHandle] = []
        self.spawned: list[str] = []
        self.env: Mapping[str, str] = {}  # the environment of the newest one
        monkeypatch.setattr(worker, "launch", self.spawn)

    def request(self, request: ForkRequest) -> ChildHandle | None:
        self.born.append(ChildHandle(request))
        return None if self.is_gone else self.born[-1]

    def withdraw(self, child: ChildHandle) -> None:
        self.withdrawn.append(child)

    def look(self) -> None:
        """Nothing happens by itself."""

    def spawn(
        self, module: Sequence[str], log: str, env: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        self.spawned.append(module[1])
        self.env = env
        process = subprocess.Popen([sys.executable, "-c", ""])
        process.wait(20)
        return process


@pytest.fixture
def attended(monkeypatch: pytest.MonkeyPatch) -> tuple[worker.Worker, Midwife]:
    one = worker.Worker(stop_reasons.died)
    midwife = Midwife(monkeypatch)
    one.fork_server = midwife  # type: ignore[assignment]
    return one, midwife


def test_a_full_disk_beneath_its_log_does_not_end_the_worker(
    monkeypatch: pytest.MonkeyPatch, attended: tuple[worker.Worker, Midwife]
) -> None:
    one, midwife = attended
    midwife.is_gone, midwife.is_ready = True, False
    with open("/dev/full", "w", encoding="utf-8") as log:
        monkeypatch.setattr(sys, "stderr", log)
        one.turn()
        monkeypatch.undo()
        with contextlib.suppress(OSError):
            log.close()
    assert one.fork_server is None


def test_a_job_is_born_in_the_fork_server_and_its_death_is_noticed(
    tiny: Recipe, attended: tuple[worker.Worker, Midwife]
) -> None:
    (one, midwife), run = attended, submit(override(tiny, {"train.threads": 1}))
    one.turn()
    (handle,) = midwife.born
    job = queue.latest(run)
    assert job is not None
    log = str(worker.log_path(job.id))
    assert handle.request == ForkRequest(job.id, job.worker, log, threads=1)
    handle.pid = 1
    handle.code = -9
    one.turn()
    row = run_service.find(run, asker.LOCAL)
    assert (row.state, row.error.partition(",")[0]) == (
        "interrupted",
        "The training process was killed (signal 9)",
    )
    assert (one.children, midwife.spawned) == ({}, [])


def test_the_lease_of_a_job_that_waits_for_its_process_is_kept(
    tiny: Recipe, attended: tuple[worker.Worker, Midwife]
) -> None:
    (one, midwife), run = attended, submit(tiny)
    one.turn()
    before = queue.latest(run)
    one.turn()
    after = queue.latest(run)
    assert before is not None
    assert after is not None
    assert (after.lease > before.lease, after.attempts, len(midwife.born)) == (True, 1, 1)
    queue.finish(after.id, after.worker, "done")  # as far as anybody knows, it is lost
    one.turn()
    assert one.children == {}


def test_without_a_fork_server_jobs_start_from_nothing(
    tiny: Recipe, attended: tuple[worker.Worker, Midwife]
) -> None:
    (one, midwife), runs = attended, [submit(tiny), submit(tiny)]
    one.turn()
    midwife.born[0].is_refused = True
    one.turn()
    jobs = [queue.latest(run) for run in runs]
    assert midwife.spawned == [getattr(jobs[0], "id", None)]
    midwife.is_gone = True
    midwife.is_ready = False
    one.turn()
    assert one.fork_server is None  # one that was never ready would not be the next time
    one.turn()
    assert midwife.spawned == [getattr(job, "id", None) for job in jobs]


@pytest.mark.parametrize("own", ["", "5"])
def test_a_training_whose_threads_spin_starts_from_nothing(
    own: str, tiny: Recipe, attended: tuple[worker.Worker, Midwife], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOMP_SPINCOUNT", own)
    if not own:
        monkeypatch.delenv("GOMP_SPINCOUNT")
    one, midwife = attended
    limited = override(tiny, {"train.minutes": 1.0, "train.threads": 2})
    run = submit(limited)
    one.turn()
    job = queue.latest(run)
    assert (midwife.born, midwife.spawned) == ([], [getattr(job, "id", None)])
    # What somebody has set stays.
    threads = {"OMP_NUM_THREADS": "2", "GOMP_SPINCOUNT": own or "300000"}
    assert midwife.env == environment.for_jobs(threads)


IMPORTS = """
import importlib, pkgutil, s2s
for module in pkgutil.walk_packages(s2s.__path__, 's2s.'):
    if not module.name.endswith('__main__') and module.name != 's2s.ui.shell.frame':
        importlib.import_module(module.name)
from s2s import settings
from s2s.model import keep_freed_memory
from s2s.training.device import cores, free_memory
keep_freed_memory()
settings.lower_priority(1)
assert cores() > 0 and free_memory('cpu') > 0
"""


def test_a_system_without_fork_imports_every_module_and_trains(
    tiny: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """macOS, Windows: each job has a fresh process, with no signal but the one that ends it."""
    started: list[subprocess.Popen[bytes]] = []

    def spawn(module: Sequence[str], *_: object) -> subprocess.Popen[bytes]:
        code = f"sys.argv = {list(module)}; import runpy; runpy.run_module(sys.argv[0], run_name='__main__')"
        libraries = "asyncio, multiprocessing, sacrebleu, sqlalchemy, streamlit, torch"
        command = other_systems.command(IMPORTS + code, libraries)
        started.append(subprocess.Popen(command, cwd=other_systems.ROOT))
        return started[-1]

    monkeypatch.setattr(worker, "launch", spawn)
    monkeypatch.setattr(worker, "IS_POSSIBLE", False)
    recipe = override(tiny, {"train.steps": 3})
    run, one = submit(recipe), worker.Worker(stop_reasons.died)
    one.start_fork_server()
    one.turn()
    assert one.fork_server is None
    (process,) = started
    assert process.wait(180) == 0
    assert run_service.find(run, asker.LOCAL).state == "done"
    assert steps(run) == [1, 2, 3]


def test_a_job_that_is_out_of_sight_is_left_to_its_lease_and_a_fork_server_that_died_is_replaced(
    tiny: Recipe, attended: tuple[worker.Worker, Midwife], monkeypatch: pytest.MonkeyPatch
) -> None:
    (one, midwife), run = attended, submit(tiny)
    opened: list[worker.Worker] = []
    monkeypatch.setattr(worker.Worker, "start_fork_server", lambda one: opened.append(one))  # noqa: PLW0108 bound to the worker
    one.turn()
    midwife.born[0].pid, midwife.born[0].is_out_of_sight, midwife.is_gone = 1, True, True
    one.turn()
    assert (one.children, run_service.find(run, asker.LOCAL).state, midwife.spawned) == (
        {},
        "starting",
        [],
    )
    assert opened == [one]
    job = queue.latest(run)
    assert job is not None
    assert queue.claim("another", one.host, "long", 20.0) is None
    queue.renew(job.id, job.worker, -1.0)  # it is dead, or stalled
    one.fork_server = None
    one.turn()
    assert (midwife.spawned, list(one.children)) == ([job.id], [job.id])
    with pytest.raises(
        queue.LeaseLost
    ):  # as the process that comes back to life will hear, although it was the same worker's
        queue.poll_requests(job.id, job.worker)


def test_a_worker_that_is_stopped_hands_its_jobs_back(
    tiny: Recipe, attended: tuple[worker.Worker, Midwife], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that has no process yet, one that ends when it is asked to, and one that does not."""
    (one, midwife), runs = attended, [submit(tiny, express=True) for _ in range(3)]
    one.turn()
    sleeping = [sys.executable, "-c", "import time; time.sleep(60)"]
    deaf = [*sleeping[:2], f"import signal; signal.pthread_sigmask(0, {{15}}); {sleeping[2]}"]
    children = list(one.children.values())
    processes = [subprocess.Popen(sleeping), subprocess.Popen(deaf)]
    wait_for(lambda: "15" in blocked(processes[1].pid))
    for child, process in zip(children[1:], processes, strict=True):
        one.children[child.job.id] = worker.RunningJob(child.job, process)
    monkeypatch.setattr(worker, "GRACE", 0.3)
    monkeypatch.setattr(worker, "POLL", 0.02)
    waiting = submit(tiny, express=True)
    assert one.stop_jobs([signal.SIGTERM]) == [child.job.id for child in children]
    assert [process.wait(20) for process in processes] == [-signal.SIGTERM, -signal.SIGKILL]
    assert (one.children, midwife.withdrawn) == ({}, midwife.born[:1])
    found = [queue.latest(run) for run in (*runs, waiting)]
    assert [(job.state, job.attempts) for job in found if job] == [("queued", 0)] * 4
    with pytest.raises(queue.LeaseLost):  # as its process will hear if it is forked all the same
        queue.renew(children[0].job.id, children[0].job.worker, 20.0)
    assert [queue.wait(job.id).before for job in found if job] == [0, 1, 2, 3]


def blocked(pid: int) -> list[str]:
    """The numbers of the signals that a process blocks."""
    (line,) = (
        line
        for line in Path(f"/proc/{pid}/status").read_text().splitlines()
        if line.startswith("SigBlk")
    )
    mask = int(line.split()[1], 16)
    return [str(number) for number in range(1, 32) if mask >> (number - 1) & 1]


def test_some_quick_jobs_start_at_once_beside_a_long_one(
    tiny: Recipe, attended: tuple[worker.Worker, Midwife], monkeypatch: pytest.MonkeyPatch
) -> None:
    for where in (queue, table):
        monkeypatch.setattr(where, "AT_ONCE", {"long": 1, "express": 4})
    (one, midwife), quick = attended, [submit(tiny, express=True) for _ in range(6)]
    long = [submit(tiny) for _ in range(2)]
    one.turn()
    assert sorted(child.job.run for child in one.children.values()) == sorted([long[0], *quick[:4]])
    midwife.born[1].pid, midwife.born[1].code = 1, 1
    one.turn()
    assert len(one.children) == 5


def test_a_process_that_cannot_be_started_is_the_end_of_its_job_alone(
    tiny: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = submit(tiny)
    one = worker.Worker(stop_reasons.died)
    monkeypatch.setattr(worker, "launch", refused)
    one.turn()
    row = run_service.find(run, asker.LOCAL)
    assert (row.state, row.error) == (
        (
            "failed",
            "Its process could not be started (No space left on device); free some space, then resume it.",
        )
    )


def refused(*_: object) -> subprocess.Popen[bytes]:
    raise OSError(28, "No space left on device", "/a/secret/path")


def test_a_worker_that_cannot_be_started_is_a_sentence_and_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker, "launch", refused)
    message = r"^The worker, which .*, cannot be started \(No space left on device\); free some space, [^/]*$"
    for _ in range(2):
        with pytest.raises(UserError, match=message):
            worker.ensure()


def test_a_worker_that_was_just_started_is_not_started_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started = []
    times = iter([100.0, 104.9, 105.0])

    def spawn(*module: object) -> subprocess.Popen[bytes]:
        started.append(module)
        return subprocess.Popen([sys.executable, "-c", ""])

    monkeypatch.setattr(worker, "launch", spawn)
    monkeypatch.setattr(worker, "STARTER", worker.Starter(lambda: next(times)))
    counts = []
    for _ in range(3):
        worker.ensure()
        counts.append(len(started))
    assert counts == [1, 1, 2]
