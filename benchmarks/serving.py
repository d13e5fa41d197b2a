"""A dashboard for a benchmark: a fresh `S2S_HOME`, a server on a free port, and all their processes."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("S2S_TEST_DATA") or ROOT.parent / "shared" / "data")
PATIENCE = 90.0  # seconds
# By an argument of the command line.
ROLES = {
    "streamlit": "server",
    "s2s.jobs.job_process": "trainer",
    "worker": "worker",
    "s2s.data.reader:read": "reader",
    "s2s.jobs.forked": "fork server",
}
SUBMIT = """
import json, sys
from s2s.config import asker
from s2s.config import override
from s2s.jobs import training
from s2s.processes import worker
from s2s.config import PRESETS
source, preset, changes = sys.argv[1:]
recipe = override(PRESETS[preset].recipe, json.loads(changes))
print(training.submit(training.RunRequest(recipe, source, preset=preset, name=f"{preset} on {source}")))
worker.ensure()
"""
STORE = """
import sys
from pathlib import Path
from s2s.config import asker
from s2s.data import saved_datasets
from s2s.data import files
paths = [Path(path) for path in sys.argv[1:]]
corpus = files.from_bytes([(path.name, path.read_bytes()) for path in paths])
print("corpus:" + saved_datasets.save(corpus, name=" + ".join(path.name for path in paths), owner=asker.LOCAL))
"""


class Server(NamedTuple):
    url: str
    home: Path
    script: str = "streamlit_app.py"
    environment: Mapping[str, str] = MappingProxyType({})

    def python(self, code: str, *arguments: str) -> str:
        """Run a script in its own process with this server's `S2S_HOME`; returns the last word that it prints."""
        command = [sys.executable, "-c", code, *arguments]
        answer = subprocess.run(
            command,
            cwd=ROOT,
            env=_environment(self.home) | dict(self.environment),
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
        """Queue a run as the page does; returns its id."""
        return self.python(SUBMIT, source, preset, json.dumps(dict(changes)))

    def store(self, *paths: Path) -> str:
        """Save two aligned files as a dataset, as the page does; returns its SPEC."""
        return self.python(STORE, *map(str, paths))


@contextlib.contextmanager
def server(
    script: str = "streamlit_app.py", ready: str = "ready", **environment: str
) -> Iterator[Server]:
    """A server whose address `ready` has answered, with these variables in its environment.

    Afterwards every process of its home is stopped, jobs included.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        served = Server(f"http://127.0.0.1:{port}", Path(folder), script, environment)
        try:
            start(served, ready)
            yield served
        finally:
            stop(served.home)


def start(served: Server, ready: str = "ready") -> None:
    """Start the server's process. Raises SystemExit with its log where it does not answer."""
    port = served.url.rpartition(":")[2]
    options = ["--server.port", port, "--server.address", "127.0.0.1", "--server.headless", "true"]
    command = [sys.executable, "-m", "streamlit", "run", served.script, *options]
    log = served.home / "server.log"
    with log.open("ab") as file:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=_environment(served.home) | dict(served.environment),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
        )
    threading.Thread(target=process.wait, daemon=True).start()  # no zombie is left of it
    try:
        wait_for(f"{served.url}/{ready}", process)
    except NotReadyError as error:
        raise SystemExit(f"{error}\n{log.read_text()}") from error


def kill(served: Server) -> None:
    """SIGKILL to the server alone, as when memory runs out."""
    _send(signal.SIGKILL, [pid for pid, role in processes(served.home).items() if role == "server"])


def _environment(home: Path) -> dict[str, str]:
    return {**os.environ, "S2S_HOME": str(home)}


class NotReadyError(Exception):
    """The server ended, or took too long."""


def wait_for(address: str, process: subprocess.Popen[bytes], seconds: float = PATIENCE) -> None:
    """Wait until the address answers. Raises NotReadyError if that takes too long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError):
            if urllib.request.urlopen(address, timeout=2).status == 200:
                return
        time.sleep(0.1)
    raise NotReadyError(
        f"{address} did not answer within {seconds:.0f} s (exit status {process.poll()})."
    )


def processes(home: Path) -> dict[int, str]:
    """The processes with this `S2S_HOME`: process id to role."""
    found = {}
    for process in filter(str.isdecimal, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{process}/environ", "rb") as environment:
            if f"S2S_HOME={home}".encode() in environment.read().split(b"\0"):
                command = Path("/proc", process, "cmdline").read_bytes().decode(errors="replace")
                words = command.split("\0")
                found[int(process)] = next(
                    (role for word, role in ROLES.items() if word in words), "other"
                )
    servers = {pid for pid, role in found.items() if role == "fork server"}
    for pid in servers:  # a fork keeps the command line of its server
        with contextlib.suppress(OSError):
            if _parent(pid) in servers:
                found[pid] = "trainer"
    return found


def _parent(pid: int) -> int:
    after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2]
    return int(after_name.split()[1])


def stop(home: Path, seconds: float = 15) -> None:
    """Stop all of them, the worker first so that it starts no other job; kill what is left."""
    for stopped_role in ("worker", "trainer", "fork server", "other", "server"):
        _send(
            signal.SIGTERM, [pid for pid, role in processes(home).items() if role == stopped_role]
        )
    end = time.monotonic() + seconds
    while processes(home) and time.monotonic() < end:
        time.sleep(0.1)
    _send(signal.SIGKILL, list(processes(home)))


def _send(number: int, pids: list[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def pss(pid: int) -> float:
    """The proportional set size of a process in megabytes (10**6 bytes)."""
    return sizes(pid)["pss"]


def sizes(pid: int) -> dict[str, float]:
    """Memory of a process in megabytes (10**6 bytes): proportional, unique, and not mapped from a file."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    found = {line.partition(":")[0]: int(line.split()[1]) * 1024 / 1e6 for line in lines}
    return {
        "pss": found["Pss"],
        "uss": found["Private_Clean"] + found["Private_Dirty"],
        "anonymous": found["Anonymous"],
    }
