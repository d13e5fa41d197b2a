"""The queue against a real PostgreSQL server: all that its tests require of SQLite, and what only it can get wrong."""

import importlib.util
import os
import platform
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from s2s import settings
from s2s.jobs import queue
from s2s.jobs.queue import database, table
from tests.jobs.queue import test_database, test_table

WHEELS = {
    ("Linux", "x86_64"),
    ("Darwin", "x86_64"),
    ("Darwin", "arm64"),
}  # what pgserver is built for
pytestmark = pytest.mark.skipif(
    (platform.system(), platform.machine()) not in WHEELS or sys.version_info >= (3, 13),
    reason="no wheel of pgserver for this platform",
)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a server of our own, on a socket in a folder of its own."""
    spec = importlib.util.find_spec("pgserver")
    assert spec, "pgserver brings PostgreSQL; pip install -r requirements-dev.txt"
    assert spec.submodule_search_locations
    # a socket's path: 107 characters
    package = Path(spec.submodule_search_locations[0])
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    programs = package / "pginstall" / "bin"
    somebody: dict[str, Any] = {"cwd": folder, "stdout": subprocess.DEVNULL}
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        nobody = pwd.getpwnam("nobody")
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        programs = copied(
            package, folder / "programs"
        )  # others may not look into a folder of root's
        somebody |= {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    options = ("--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync")
    subprocess.run([programs / "initdb", "-D", folder / "data", *options], check=True, **somebody)
    with (folder / "log").open("ab") as log:
        command = [programs / "postgres", "-D", folder / "data", "-k", folder, "-h", "", "-F"]
        process = subprocess.Popen(command, stderr=log, **somebody)
    try:
        until = time.monotonic() + 20
        while subprocess.run([programs / "pg_isready", "-q", "-h", folder], check=False).returncode:
            assert process.poll() is None, (folder / "log").read_text()
            assert time.monotonic() < until, (folder / "log").read_text()
            time.sleep(0.05)
        yield f"postgresql+psycopg://postgres@/postgres?host={folder}"
    finally:
        process.terminate()
        process.wait(20)
        shutil.rmtree(folder)


def copied(package: Path, place: Path) -> Path:
    """PostgreSQL's programs and the libraries that the wheel puts beside the package."""
    for source in (package / "pginstall", *package.parent.glob("pgserver.libs")):
        shutil.copytree(source, place / source.relative_to(package.parent), symlinks=True)
    return place / "pgserver" / "pginstall" / "bin"


@pytest.fixture(autouse=True)
def _empty(server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("S2S_DATABASE_URL", server)
    opened = sa.create_engine(server, isolation_level="AUTOCOMMIT")
    with opened.connect() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE")
        connection.exec_driver_sql("CREATE SCHEMA public")
    opened.dispose()
    yield
    database.engine(server).dispose()


globals().update(
    {name: test for name, test in vars(test_table).items() if name.startswith("test_")}
)
test_the_migrations = test_database.test_the_migrations_make_the_table_that_the_program_reads
test_an_older_database = test_database.test_an_older_database_grows_and_keeps_its_rows
test_the_second_version = (
    test_database.test_the_second_version_keeps_the_jobs_and_who_had_the_last_turn_of_the_first
)


def test_two_processes_that_open_it_together_take_turns() -> None:
    line = "from s2s import settings; from s2s.jobs.queue import database; database.engine(settings.database_url())"
    started = [subprocess.Popen([sys.executable, "-c", line]) for _ in range(2)]
    assert [process.wait(30) for process in started] == [0, 0]


def test_it_is_postgresql_that_answers() -> None:
    with database.begin() as connection:
        assert connection.exec_driver_sql("SELECT version()").scalar_one().startswith("PostgreSQL")
    assert not (settings.home() / "s2s.db").exists()


def test_a_job_that_is_stopped_while_it_is_claimed_is_not_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """SQLite lets nobody write between the two; here somebody may."""
    job = queue.submit("train", "ann", "r", {})

    def in_turn(*_: object) -> list[str]:
        queue.ask_to_stop(job, "ann")
        return [job]

    monkeypatch.setattr(table, "in_turn", in_turn)
    assert queue.claim("w", "h", "long", 20.0) is None
    assert getattr(queue.find(job), "state", "") == "stopped"


def test_a_server_that_goes_away_is_a_sentence_without_its_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(
        "S2S_DATABASE_URL", "postgresql+psycopg://ann:secret@/postgres?host=/nowhere"
    )
    with pytest.raises(database.UnreachableError) as found:
        queue.jobs("ann")
    assert (
        str(found.value)
        == "The database of the queue cannot be opened (OperationalError); check S2S_DATABASE_URL."
    )
    monkeypatch.undo()


def test_a_connection_that_the_server_closed_is_opened_again(server: str) -> None:
    job = queue.submit("train", "ann", "r", {})
    other = sa.create_engine(server, isolation_level="AUTOCOMMIT")
    everybody_else = "FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL"
    with other.connect() as connection:
        assert connection.exec_driver_sql(
            f"SELECT pg_terminate_backend(pid) {everybody_else}"
        ).all() == [(True,)]
    other.dispose()
    assert [found.id for found in queue.jobs("ann")] == [job]
