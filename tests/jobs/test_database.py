import sqlite3
import subprocess
import sys

import pytest
import sqlalchemy as sa

from s2s import settings
from s2s.config import UserError
from s2s.jobs import database


def test_the_migrations_make_the_table_that_the_program_reads() -> None:
    found = sa.inspect(database.engine(settings.database_url()))
    assert [column["name"] for column in found.get_columns("jobs")] == list(database.JOBS.c.keys())
    for given in found.get_columns("jobs"):
        assert given["type"]._type_affinity is database.JOBS.c[given["name"]].type._type_affinity, given["name"]
    assert {index["name"] for index in found.get_indexes("jobs")} >= {"jobs_to_claim", "jobs_of_an_owner", "jobs_of_a_run"}


def test_an_older_database_grows_and_keeps_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    with database.begin() as connection:
        values = dict.fromkeys(("id", "kind", "owner", "run", "slot", "state", "worker", "host", "note", "error"), "x")
        connection.execute(sa.insert(database.JOBS).values(**values, spec={}, stop=False, attempts=0, lease=0.0, created=1.0))
    database.engine(settings.database_url()).dispose()
    database.engine.cache_clear()
    monkeypatch.setattr(database, "MIGRATIONS", (*database.MIGRATIONS, ("ALTER TABLE jobs ADD COLUMN more TEXT",)))
    with database.begin() as connection:
        assert connection.exec_driver_sql("SELECT id, more FROM jobs").all() == [("x", None)]
        assert connection.exec_driver_sql("SELECT max(version) FROM schema_version").scalar() == len(database.MIGRATIONS)


def test_a_newer_database_is_refused() -> None:
    database.engine(settings.database_url()).dispose()
    database.engine.cache_clear()
    connection = sqlite3.connect(settings.home() / "s2s.db")
    with connection:
        connection.execute("UPDATE schema_version SET version = 99")
    connection.close()
    with pytest.raises(UserError, match=r"has version 99, newer than the \d+ known here; update this program"):
        database.begin()
    with sqlite3.connect(settings.home() / "s2s.db") as connection:
        connection.execute("UPDATE schema_version SET version = 1")
    connection.close()


@pytest.mark.parametrize("url", ["nonsense", "nosuch://x:secret@host/db", "sqlite:////nowhere/at/all.db"])
def test_a_database_that_cannot_be_opened_is_named_without_its_password(url: str) -> None:
    with pytest.raises(UserError, match=r"is no address of a database; give one|cannot be opened .*; set S2S_DATABASE_URL") as found:
        database.engine(url)
    assert "secret" not in str(found.value)


def test_processes_that_open_a_new_database_together_take_turns() -> None:
    line = "from s2s import settings; from s2s.jobs import database; database.engine(settings.database_url())"
    started = [subprocess.Popen([sys.executable, "-c", line]) for _ in range(4)]
    assert [process.wait(30) for process in started] == [0, 0, 0, 0]
