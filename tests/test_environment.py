"""Processes that open what visitors bring find no secret of the server in their environment."""

import ast
import contextlib
import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from s2s import hub
from s2s.config import UserError
from s2s.data import hub_samples
from s2s.data.reader_start import start_reader
from s2s.processes import environment, worker
from s2s.processes.channel import launch
from s2s.processes.fork_server import ForkServer
from s2s.runs.decoder.connection import Connection
from tests import processes

NOBODYS = (
    *("S2S_SECRET", "S2S_OPERATOR_KEY", "S2S_OPERATOR_CLAIM", "S2S_HOSTS", "S2S_FRAME_ANCESTORS"),
    *("STREAMLIT_SERVER_COOKIE_SECRET", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "RAY_AUTH_TOKEN"),
    *("AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "CUDA_SECRET", "POSTGRES_PASSWORD", "ANYTHING_ELSE"),
)
OF_QUEUE = ("S2S_DATABASE_URL", "PGPASSWORD")
OF_NETWORK = ("HF_ENDPOINT", "HTTPS_PROXY")
EVERYBODYS = ("S2S_HOME", "S2S_HOSTED", "S2S_MAX_ROWS", "OMP_NUM_THREADS", "HOME", "PATH")
ALL = (*NOBODYS, *OF_QUEUE, *OF_NETWORK)
ROOT = Path(__file__).parents[1]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, str]]]:
    """The environments of the processes that are started; each is killed at once."""
    found = list[dict[str, str]]()

    class Killed(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            # the kernel closes the pipe that Popen waits for a moment before
            processes.wait_for(psutil.Process(self.pid).environ)
            found.append(psutil.Process(self.pid).environ())
            self.kill()

    for name in ALL:
        monkeypatch.setenv(name, f"value of {name}")
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_MAX_ROWS", "1000")
    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "Popen", Killed)
        yield found


def read(module: str, **options: Any) -> None:
    process = start_reader(module, {}, **options)
    process.wait()


def sample() -> None:
    files = (hub.File("a.jsonl", 1),)
    dataset = hub.Dataset("a/b", "0" * 40, {"default": {"train": hub.Split(files)}})
    hub_samples.sample_hub_dataset(dataset, "default", "train", "")


def open_decoder() -> None:
    connection = Connection()
    connection.close()
    connection._reader.join()


def open_fork_server() -> None:
    one = worker.Worker()
    one.start_fork_server()
    assert isinstance(one.fork_server, ForkServer)
    one.close_fork_server()


def do_a_job() -> None:
    launch((worker.ONE_JOB, "job", "worker"), "job", environment.for_jobs()).wait()


def start_worker() -> None:
    worker.Starter().ensure()


READERS: dict[str, Callable[[], None]] = {
    "reader of files": partial(read, "s2s.data.reader"),
    "library reader of files": partial(read, "s2s.data.repository.library_process"),
    "decoder": open_decoder,
}
OF_HUB: dict[str, Callable[[], None]] = {
    "reader of the Hub": partial(read, "s2s.data.reader", from_hub=True),
    "sampler of the Hub": sample,
}
WORKERS: dict[str, Callable[[], None]] = {
    "fork server": open_fork_server,
    "job": do_a_job,
    "worker": start_worker,
}


@pytest.mark.system
@pytest.mark.parametrize("kind", [*READERS, *OF_HUB, *WORKERS])
def test_a_process_has_what_it_needs_and_no_secret(
    kind: str, started: list[dict[str, str]]
) -> None:
    with contextlib.suppress(UserError):  # that it was killed
        (READERS | OF_HUB | WORKERS)[kind]()
    (found,) = started
    allowed = set[str]()
    if kind not in READERS:
        allowed |= {*OF_NETWORK}
    if kind in WORKERS:
        allowed |= {*OF_QUEUE}
    assert {name for name in ALL if name in found} == allowed
    assert not [name for name in NOBODYS if f"value of {name}" in "".join(found.values())]
    assert {*EVERYBODYS} <= {*found}
    assert found["PYTHONPATH"].startswith(str(ROOT))


def own_environment(*_: object) -> list[Any]:
    """In a process of the pool."""
    return [psutil.Process().environ()]


@pytest.mark.system
def test_processes_that_translate_together_have_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    from s2s.runs import parallel

    for name in ALL:
        monkeypatch.setenv(name, "secret")
    monkeypatch.setattr(parallel, "_translate", own_environment)
    run: Any = SimpleNamespace(configured=lambda *_: None, check_lengths=lambda _: None, key=None)
    with processes.without_main():
        (found,) = parallel.translate(run, ["a"], "greedy", {}, 2)
    assert not {*ALL} & {*found}  # type: ignore[misc]
    assert os.environ["S2S_SECRET"] == "secret"


def test_no_process_is_started_with_the_whole_environment() -> None:
    calls = dict[str, Sequence[str]]()
    for path in sorted((ROOT / "s2s").rglob("*.py")):
        text = path.read_text()
        if path.name != "environment.py":
            assert "**os.environ" not in text, path
            assert "environ.copy" not in text, path
        for node in ast.walk(ast.parse(text)) if "subprocess" in text else ():
            if isinstance(node, ast.Call) and ast.unparse(node.func) in (
                *("subprocess.Popen", "subprocess.run", "subprocess.call"),
                *("subprocess.check_output", "subprocess.check_call"),
            ):
                calls[str(path.relative_to(ROOT))] = [str(each.arg) for each in node.keywords]
    calls.pop("s2s/cli/commands.py")  # the dashboard itself
    assert len(calls) == 3
    assert all("env" in given for given in calls.values()), calls
