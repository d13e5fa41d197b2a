"""The dashboard as a process, on a port and in a home of its own. Imports little: what is forked imports this again."""

import atexit
import os
import socket
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from tests import spawned

ROOT = Path(__file__).parents[2]
PATIENCE = 60  # seconds; on an idle machine nothing here takes ten


def streamlit(arguments: list[str], log: Path, is_fresh: bool) -> None:
    """`python -m streamlit` with these arguments, of this process or in a new interpreter."""
    os.chdir(ROOT)
    for number in (1, 2):
        os.dup2(os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT), number)
    if is_fresh:
        os.execv(sys.executable, [sys.executable, "-m", "streamlit", *arguments])
    from streamlit.web import cli

    cli.main(arguments)


class Server:
    """The dashboard as `streamlit run` starts it, with its own port and `S2S_HOME`."""

    def __init__(self, home: Path, **environment: str) -> None:
        self.home = home
        self.environment = environment
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"

    def start(self, *, is_fresh: bool = False) -> None:
        """Fresh as from a shell, or forked from a process that has imported torch, which saves four seconds."""
        where = [
            "--server.port",
            str(self.port),
            "--server.address",
            "127.0.0.1",
            "--server.headless",
            "true",
        ]
        environment = {"S2S_HOME": str(self.home), "S2S_WORKER": "", **self.environment}
        arguments = ["run", "streamlit_app.py", *where]
        log = self.home / "server.log"
        self.process = spawned.begin(streamlit, arguments, log, is_fresh, **environment)
        atexit.register(self.process.kill)  # an interrupted run of tests would wait for it
        self._wait_until_ready()

    def kill(self) -> None:
        """SIGKILL, as when memory runs out."""
        self.process.kill()
        self.process.join()

    def stop(self) -> None:
        """Stop the server, and the processes it started that outlive it."""
        self.process.terminate()
        self.process.join(10)
        self.kill()
        for worker in self.workers():
            with suppress(psutil.Error):
                worker.kill()

    def workers(self) -> list[psutil.Process]:
        """The worker and the training process of this `S2S_HOME`, the latter last."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if process.environ().get("S2S_HOME") == str(self.home) and "s2s" in " ".join(
                    process.cmdline()[:4]
                ):
                    found.append(process)
        return sorted(found, key=lambda process: process.create_time())

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.process.is_alive():
            with (
                suppress(OSError),
                urllib.request.urlopen(f"{self.address}/ready", timeout=5) as answer,
            ):
                assert answer.read() == b'{"ready":true}'
                return
            time.sleep(0.05)
        raise RuntimeError("the server did not come up; its log is server.log in its home")


@contextmanager
def serving(folder: Path, *, is_fresh: bool = False, **environment: str) -> Iterator[Server]:
    """A running server with these variables in its environment."""
    server = Server(folder, **environment)
    try:
        server.start(is_fresh=is_fresh)
        yield server
    finally:
        server.stop()
