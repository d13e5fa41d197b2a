import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from s2s.processes import environment, fork_server
from s2s.processes.fork_server import ChildHandle, ForkRequest, ForkServer

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(not fork_server.IS_POSSIBLE, reason="no fork server on this system"),
]

# In place of a training: says who it is, then works for as many seconds as its "worker" says.
TOY = """
import os, sys, time
from s2s.processes import fork_server
if order := fork_server.serve(lambda: time.sleep({warm})):
    name = open("/proc/self/comm").read().strip()
    print(order.job, os.getpid(), os.getpgrp(), repr(sys.stdin.read()), name, flush=True)
    time.sleep(float(order.worker))
    sys.exit(order.threads)
"""


def wait_for(one: ForkServer, what: Callable[[], object], seconds: float = 20.0) -> None:
    until = time.monotonic() + seconds
    while not what():
        one.look()
        assert time.monotonic() < until, "it never came"
        time.sleep(0.01)


@contextlib.contextmanager
def opened(folder: Path, code: str, **more: object) -> Iterator[ForkServer]:
    with (folder / "fork_server.log").open("ab") as log:
        process = subprocess.Popen(
            (sys.executable, "-c", code),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
            env=environment.for_jobs(),
        )
    one = ForkServer(process, **more)  # type: ignore[arg-type]
    try:
        yield one
    finally:
        process.kill()
        one.close()
        process.wait(20)


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    """One for the tests whose children end by themselves, or by a signal."""
    with opened(tmp_path_factory.mktemp("toy"), TOY.format(warm=0.0)) as one:
        yield one


def order(folder: Path, job: str, seconds: float = 0.0, code: int = 0) -> ForkRequest:
    return ForkRequest(job, str(seconds), str(folder / f"{job}.log"), code)


def test_a_child_has_its_own_group_output_and_name_and_its_exit_status_is_reported(
    toy: ForkServer, tmp_path: Path
) -> None:
    first, second = (
        toy.request(order(tmp_path, job, code=code))
        for job, code in (("0123456789abcdef", 7), ("other", 0))
    )
    assert first
    assert second
    assert (first.pid, first.poll()) == (None, None)
    wait_for(toy, lambda: first.poll() is not None and second.poll() is not None)
    assert (toy.is_ready, first.poll(), second.poll()) == (True, 7, 0)
    for handle, name in ((first, "0123456789abcde"), (second, "other")):
        log = Path(handle.request.log).read_text()
        assert log == f"{handle.request.job} {handle.pid} {handle.pid} '' {name}\n"


def test_a_child_whose_log_cannot_be_written_works_without(toy: ForkServer, tmp_path: Path) -> None:
    child = toy.request(order(tmp_path / "missing", "a", code=7))
    assert child
    wait_for(toy, lambda: child.poll() is not None)
    assert child.poll() == 7


def test_a_killed_child_reports_its_signal_and_others_continue(
    toy: ForkServer, tmp_path: Path
) -> None:
    first, second = (toy.request(order(tmp_path, job, seconds=30)) for job in ("a", "b"))
    assert first
    assert second
    wait_for(toy, lambda: first.pid and second.pid)
    psutil.Process(first.pid).kill()
    wait_for(toy, lambda: first.poll() is not None)
    assert (first.poll(), second.poll(), psutil.pid_exists(second.pid or 0)) == (-9, None, True)
    psutil.Process(second.pid).kill()
    wait_for(toy, lambda: second.poll() is not None)


@pytest.mark.parametrize("kill", [False, True], ids=["closed", "killed"])
def test_a_child_survives_its_fork_server(kill: bool, tmp_path: Path) -> None:
    with opened(tmp_path, TOY.format(warm=0.0)) as one:
        handle = one.request(order(tmp_path, "a", seconds=30))
        assert handle
        wait_for(one, lambda: handle.pid)
        child = psutil.Process(handle.pid)
        if kill:
            one.channel.process.kill()
            wait_for(one, lambda: one.is_gone)
        else:
            one.close()
        assert one.channel.process.poll() is not None
        assert (handle.is_out_of_sight, handle.is_refused, handle.poll()) == (True, False, None)
        assert child.is_running()
        assert one.request(order(tmp_path, "b")) is None
        child.kill()


def test_requests_that_came_before_it_was_ready_are_carried_out_even_if_the_worker_is_killed(
    tmp_path: Path,
) -> None:
    """It ends, and the children do not."""
    with opened(tmp_path, TOY.format(warm=0.3)) as one:
        early = tmp_path / "early.log"
        assert one.request(order(tmp_path, "early", seconds=30))
        one.channel.hang_up()  # all that it sees of its worker's death
        one.channel.process.wait(20)
        end = time.monotonic() + 20
        while not (early.exists() and early.read_text()):
            assert time.monotonic() < end
            time.sleep(0.01)
        child = psutil.Process(int(early.read_text().split()[1]))
        assert child.is_running()
        child.kill()


@pytest.mark.parametrize("way", ["dies", "hangs"])
def test_one_that_never_gets_ready_refuses_its_requests(way: str, tmp_path: Path) -> None:
    now = [0.0]
    code = "raise SystemExit(1)" if way == "dies" else "import time; time.sleep(60)"
    with opened(tmp_path, code, clock=lambda: now[0]) as one:
        handle = one.request(order(tmp_path, "a"))
        if handle is None:  # it was dead before the order was written
            return
        if way == "hangs":
            now[0] = fork_server.READY
            one.look()
            assert (one.is_gone, handle.is_refused) == (False, False)
            now[0] += 0.1
        wait_for(one, lambda: one.is_gone)
        assert (handle.is_refused, handle.is_out_of_sight, one.is_ready) == (True, False, False)


def test_one_that_answers_no_more_is_ended_and_one_that_is_asked_is_not(tmp_path: Path) -> None:
    """Stopped, it would keep every later job waiting, and the worker from ending."""
    now = [0.0]

    def later(seconds: float) -> None:
        for _ in range(int(seconds / fork_server.MOST_PASSED)):
            now[0] += fork_server.MOST_PASSED
            one.look()

    with opened(tmp_path, TOY.format(warm=0.0), clock=lambda: now[0]) as one:
        wait_for(one, lambda: one.is_ready)
        for _ in range(3):
            later(fork_server.ASK + 1)
            wait_for(one, lambda: not one._is_asked)
        one.channel.process.send_signal(signal.SIGSTOP)
        running = one.request(order(tmp_path, "a"))
        now[0] += 1000.0  # the worker was stopped, too
        later(fork_server.SILENT)
        assert running
        assert (one.is_gone, running.is_out_of_sight) == (False, False)
        later(fork_server.ASK + 2)
        wait_for(one, lambda: one.is_gone)
        assert running.is_out_of_sight


def test_a_stopped_one_is_closed_at_once(tmp_path: Path) -> None:
    with opened(tmp_path, TOY.format(warm=0.0)) as one:
        wait_for(one, lambda: one.is_ready)
        one.channel.process.send_signal(signal.SIGSTOP)
        closing = threading.Thread(target=one.close)
        closing.start()
        closing.join(20)
        assert one.channel.process.returncode is not None


def test_a_fork_that_fails_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    log: list[bytes] = []

    def fork() -> int:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", fork)
    monkeypatch.setattr(os, "write", lambda _, line: log.append(line))
    assert fork_server._fork(1, ForkRequest("a", "w", "log")) is None
    assert [json.loads(line) for line in log] == [
        {"job": "a", "worker": "w", "refused": "Resource temporarily unavailable"}
    ]


def test_the_end_of_an_earlier_claim_is_not_that_of_the_next(
    toy: ForkServer, tmp_path: Path
) -> None:
    earlier, later = (toy.request(order(tmp_path, "a", seconds)) for seconds in (0.0, 30.0))
    assert earlier
    assert later
    wait_for(toy, lambda: earlier.poll() is not None and later.pid)
    assert earlier.pid != later.pid
    assert (earlier.poll(), later.poll()) == (0, None)
    psutil.Process(later.pid).kill()
    wait_for(toy, lambda: later.poll() is not None)


def test_an_answer_that_arrives_in_parts_is_one(tmp_path: Path) -> None:
    first = b'{"ready": 1}\n{"job": "a", "sta'
    rest = b'rted": 5, "worker": "0.0"}\n'
    answers = f"import os, time; os.write(1, {first!r}); os.read(0, 1); os.write(1, {rest!r}); time.sleep(60)"
    with opened(tmp_path, answers) as one:
        wait_for(one, lambda: one.is_ready)
        handle = one.request(order(tmp_path, "a"))
        assert isinstance(handle, ChildHandle)
        wait_for(one, lambda: handle.pid == 5)
