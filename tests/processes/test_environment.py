"""Processes that open what visitors bring find no secret of the server in their environment."""

import ast
import contextlib
import re
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from s2s import hub
from s2s.config import UserError
from s2s.data import hub_samples, profile
from s2s.data.repository import library
from s2s.jobs import stop_reasons
from s2s.processes import environment, worker
from s2s.processes.channel import launch
from s2s.processes.fork_server import ForkServer
from s2s.processes.program import EndedError, Process, Program, ask
from s2s.runs.decoder import DECODER
from s2s.runs.parallel import TRANSLATOR
from tests import spawned

NOBODYS = (
    *("S2S_SECRET", "S2S_OPERATOR_KEY", "S2S_OPERATOR_CLAIM", "S2S_HOSTS", "S2S_FRAME_ANCESTORS"),
    *("STREAMLIT_SERVER_COOKIE_SECRET", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "RAY_AUTH_TOKEN"),
    *("AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "CUDA_SECRET", "POSTGRES_PASSWORD", "ANYTHING_ELSE"),
)
OF_QUEUE = ("S2S_DATABASE_URL", "PGPASSWORD")
OF_NETWORK = ("HF_ENDPOINT", "HTTPS_PROXY")
EVERYBODYS = ("S2S_HOME", "S2S_HOSTED", "S2S_MAX_ROWS", "OMP_NUM_THREADS", "HOME", "PATH")
ALL = (*NOBODYS, *OF_QUEUE, *OF_NETWORK)
ROOT = Path(__file__).parents[2]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, str]]]:
    """The environments of the processes that are started; each is killed at once."""
    found = list[dict[str, str]]()

    class Killed(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            # the kernel closes the pipe that Popen waits for a moment before
            spawned.wait_for(psutil.Process(self.pid).environ)
            found.append(psutil.Process(self.pid).environ())
            self.kill()

    for name in ALL:
        monkeypatch.setenv(name, f"value of {name}")
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_MAX_ROWS", "1000")
    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "Popen", Killed)
        yield found


def read(spec: str) -> None:
    of = profile.profile_of(spec)
    of.start(["preview"])
    of.stop()


def ask_library(program: Program) -> None:
    with contextlib.suppress(EndedError):
        list(ask(program, {}))


def sample() -> None:
    files = (hub.File("a.jsonl", 1),)
    dataset = hub.Dataset("a/b", "0" * 40, {"default": {"train": hub.Split(files)}})
    hub_samples.sample_hub_dataset(dataset, "default", "train", "")


def start(program: Program) -> None:
    with contextlib.closing(Process(program)) as process:
        process._reader.join()


def open_fork_server() -> None:
    one = worker.Worker(stop_reasons.died)
    one.start_fork_server()
    assert isinstance(one.fork_server, ForkServer)
    one.close_fork_server()


def do_a_job() -> None:
    launch((worker.ONE_JOB, "job", "worker"), "job", environment.for_jobs()).wait()


def start_worker() -> None:
    worker.Starter().ensure()


READERS: dict[str, Callable[[], None]] = {
    "reader of files": partial(read, "builtin:mini-en-fr"),
    "library reader of files": partial(ask_library, library.FOLDER_LIBRARY),
    "decoder": partial(start, DECODER.program),
    "translator": partial(start, TRANSLATOR),
}
OF_HUB: dict[str, Callable[[], None]] = {
    "reader of the Hub": partial(read, "hub:a"),
    "sampler of the Hub": sample,
    "library reader of the Hub": partial(ask_library, library.HUB_LIBRARY),
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


STARTS = re.compile(
    r"subprocess\.|multiprocessing|ProcessPoolExecutor|os\.(fork|exec|spawn|popen|system)"
)
WAYS = {
    "s2s/processes/channel.py": "every other process",
    "s2s/processes/fork_server.py": "forks what it has imported for",
    "s2s/jobs/forked.py": "becomes a new one where a fork would not survive",
    "s2s/cli/commands.py": "becomes the dashboard itself",
}


def test_there_is_one_way_out_of_this_process() -> None:
    texts = {path: path.read_text() for path in sorted((ROOT / "s2s").rglob("*.py"))}
    found = {str(path.relative_to(ROOT)) for path, text in texts.items() if STARTS.search(text)}
    assert found - {"s2s/processes/worker.py"} == {*WAYS}  # that one names what `launch` returns
    (start,) = (
        node
        for node in ast.walk(ast.parse((ROOT / "s2s/processes/channel.py").read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "subprocess.Popen"
    )
    assert "env" in [each.arg for each in start.keywords]
    for path, text in texts.items():
        if path.name != "environment.py":
            assert "**os.environ" not in text, path
            assert "environ.copy" not in text, path
