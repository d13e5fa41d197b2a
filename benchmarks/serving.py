"""A dashboard of one's own for a benchmark: a fresh `S2S_HOME`, a server on a free port, and every process that belongs to them."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("S2S_TEST_DATA") or ROOT.parent / "shared" / "data")
PATIENCE = 90.0  # seconds
# By a word of the command line.
ROLES = {
    "streamlit": "server",
    "s2s.jobs.queue.job_process": "trainer",
    "worker": "worker",
    "s2s.data.reader": "reader",
}
SUBMIT = """
import json, sys
from s2s.config import override
from s2s.jobs import training, worker
from s2s.config import PRESETS
source, preset, changes = sys.argv[1:]
recipe = override(PRESETS[preset].recipe, json.loads(changes))
print(training.submit(training.RunRequest(recipe, source, preset=preset, name=f"{preset} on {source}")))
worker.ensure()
"""
STORE = """
import sys
from pathlib import Path
from s2s import settings
from s2s.data import saved_datasets
from s2s.data import files
paths = [Path(path) for path in sys.argv[1:]]
corpus = files.from_bytes([(path.name, path.read_bytes()) for path in paths])
print("corpus:" + saved_datasets.save(corpus, name=" + ".join(path.name for path in paths), owner=settings.OWNER))
"""


class Server(NamedTuple):
    """One that answers."""

    url: str
    home: Path

    def python(self, code: str, *arguments: str) -> str:
        """The last line that a script prints, run in a process of its own with this server's `S2S_HOME`."""
        command = [sys.executable, "-c", code, *arguments]
        answer = subprocess.run(
            command,
            cwd=ROOT,
            env=_environment(self.home),
            capture_output=True,
            text=True,
            check=False,
        )
        if answer.returncode:
            raise SystemExit(answer.stderr)
        return answer.stdout.split()[-1]

    def submit(
        self, source: str, preset: str, changes: Mapping[str, Any] = MappingProxyType({})
    ) -> str:
        """Queue a training as the page does; returns the run's id."""
        return self.python(SUBMIT, source, preset, json.dumps(dict(changes)))

    def store(self, *paths: Path) -> str:
        """Keep two aligned files as the page does; returns their spec."""
        return self.python(STORE, *map(str, paths))


@contextlib.contextmanager
def server(script: str = "streamlit_app.py", ready: str = "ready") -> Iterator[Server]:
    """Warm: `ready` has answered. In the end every process of its home is stopped, the worker and its jobs too."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    where = [
        "--server.port",
        str(port),
        "--server.address",
        "127.0.0.1",
        "--server.headless",
        "true",
    ]
    command = [sys.executable, "-m", "streamlit", "run", script, *where]
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        (Path(folder) / "server.log").open("wb") as log,
    ):
        home = Path(folder)
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=_environment(home),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        try:
            url = f"http://127.0.0.1:{port}"
            wait_for(f"{url}/{ready}", process)
            yield Server(url, home)
        except NotReady as error:
            raise SystemExit(f"{error}\n{Path(log.name).read_text()}") from error
        finally:
            stop(home)
            process.wait(20)


def _environment(home: Path) -> dict[str, str]:
    return {**os.environ, "S2S_HOME": str(home)}


class NotReady(Exception):  # noqa: N818 (it is what it says)
    """The server ended, or took too long."""


def wait_for(address: str, process: subprocess.Popen[bytes], seconds: float = PATIENCE) -> None:
    """Until the address answers."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError):
            if urllib.request.urlopen(address, timeout=2).status == 200:
                return
        time.sleep(0.1)
    raise NotReady(
        f"{address} did not answer within {seconds:.0f} s (exit status {process.poll()})."
    )


def processes(home: Path) -> dict[int, str]:
    """What runs with this `S2S_HOME`: process id to role."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"S2S_HOME={home}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
                found[int(folder.name)] = next(
                    (role for word, role in ROLES.items() if word in words), "other"
                )
    return found


def stop(home: Path, seconds: float = 15) -> None:
    """End all of them, the worker before its jobs, so that it starts no other; by force what does not go."""
    for wanted in ("worker", "trainer", "other", "server"):
        _send(signal.SIGTERM, [pid for pid, role in processes(home).items() if role == wanted])
    end = time.monotonic() + seconds
    while processes(home) and time.monotonic() < end:
        time.sleep(0.1)
    _send(signal.SIGKILL, list(processes(home)))


def _send(number: int, pids: list[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def pss(pid: int) -> float:
    """Megabytes (10**6 bytes) of a process, its share of what it shares with others."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024 / 1e6
