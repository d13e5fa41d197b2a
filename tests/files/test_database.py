import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError, OperationalError

from s2s import settings
from s2s.config import UserError
from s2s.files import database
from s2s.hosted import rows
from s2s.jobs import stop_reasons
from s2s.lessons import classes, own, progress
from s2s.links import short as short_links
from s2s.processes import queue, worker
from s2s.processes.queue import workers
from tests import spawned
from tests.conftest import full_disk

FIRST_WITH_SHORT_LINKS = 6
LAST_WITH_RANKS = 14
OLD_SHORT_LINK = """INSERT INTO short_links VALUES
    ('KFRWTPH', 'local', 'of another recipe', 1, 'attention', '{"src": "x"}', '', '', 1, 1)"""


# What earlier versions kept of the files of several machines; nobody's work is deleted with a new version.
OF_THE_STORE = {f"stored_{name}" for name in ("things", "files", "lines", "garbage", "number")}


def test_the_migrations_make_the_tables_that_the_program_reads() -> None:
    found = sa.inspect(database.engine(settings.database_url()))
    tables = {
        value.name: value
        for module in (database, short_links, progress, own, classes, rows)
        for value in vars(module).values()
        if isinstance(value, sa.Table)
    }
    assert set(found.get_table_names()) == {*tables, *OF_THE_STORE, "schema_version"}
    for name, table in tables.items():
        columns = {each["name"]: each["type"]._type_affinity for each in found.get_columns(name)}
        due = {key: column.type._type_affinity for key, column in table.c.items()}
        assert columns.keys() == due.keys()
        assert columns == due
    assert {index["name"] for index in found.get_indexes("jobs")} >= {
        "jobs_to_claim",
        "jobs_of_an_owner",
        "jobs_of_a_run",
    }


def test_every_version_grows_into_the_next_and_a_short_link_of_the_first_with_links_opens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = settings.database_url()
    for version in range(1, len(database.MIGRATIONS) + 1):
        with monkeypatch.context() as patch:
            patch.setattr(database, "MIGRATIONS", database.MIGRATIONS[:version])
            database.engine.cache_clear()
            with database.engine(url).begin() as connection:
                found = connection.exec_driver_sql("SELECT max(version) FROM schema_version")
                assert found.scalar() == version
                if version == FIRST_WITH_SHORT_LINKS:
                    connection.exec_driver_sql(OLD_SHORT_LINK)
            database.engine(url).dispose()
    database.engine.cache_clear()
    old = short_links.find("KFRWTPH")
    assert (old.content.view, old.record) == ({"src": "x"}, None)
    again = short_links.make(old.content, record={"run": "r1"})
    assert short_links.find(again.letters).record == {"run": "r1"}
    assert [link.letters for link in short_links.own()] == ["KFRWTPH", again.letters]
    short_links.drop_records("r1")
    assert short_links.find(again.letters).record is None


def test_jobs_of_an_older_database_have_waited_until_their_last_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = settings.database_url()
    with monkeypatch.context() as patch:
        patch.setattr(database, "MIGRATIONS", database.MIGRATIONS[:FIRST_WITH_SHORT_LINKS])
        database.engine.cache_clear()
        with database.engine(url).begin() as connection:
            for job, started in (("began", "5.0"), ("waits", "NULL")):
                connection.exec_driver_sql(
                    f"""INSERT INTO jobs VALUES ('{job}', 'train', 'x', '{job}', 'long', '{{}}',
                    'queued', FALSE, 0, '', '', 0, '', '', 2.0, {started}, NULL, '{{}}')"""
                )
        database.engine(url).dispose()
    database.engine.cache_clear()
    assert [(job.id, job.waited) for job in queue.jobs("x")] == [("waits", None), ("began", 3.0)]


def test_the_jobs_of_ranks_leave_the_queue_and_their_time_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = settings.database_url()
    with monkeypatch.context() as patch:
        patch.setattr(database, "MIGRATIONS", database.MIGRATIONS[:LAST_WITH_RANKS])
        database.engine.cache_clear()
        with database.engine(url).begin() as connection:
            for job, kind, worker, started in (
                ("one", "train", "w", 60.0),
                ("two", "rank", "v", 60.0),
                ("three", "rank", "", None),
            ):
                values = {"id": job, "kind": kind, "run": job, "worker": worker, "started": started}
                texts = dict.fromkeys(("host", "note", "error"), "")
                numbers = {"stop": False, "attempts": 1, "lease": 180.0, "created": 1.0}
                json = {"spec": {}, "wishes": {}}
                rest = {"owner": "x", "slot": "long", "state": "running", "waited": 1.0}
                row = {**values, **texts, **numbers, **json, **rest}
                connection.execute(sa.insert(database.JOBS).values(row))
        database.engine(url).dispose()
    database.engine.cache_clear()
    assert [job.id for job in queue.jobs("x")] == ["one"]
    assert queue.minutes_of_a_day("x", now=300.0) == 4.0


def test_an_older_database_grows_and_keeps_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    with database.begin() as connection:
        values = dict.fromkeys(
            ("id", "kind", "owner", "run", "slot", "state", "worker", "host", "note", "error"), "x"
        )
        connection.execute(
            sa.insert(database.JOBS).values(
                **values, spec={}, stop=False, attempts=0, lease=0.0, created=1.0, wishes={}
            )
        )
    database.engine(settings.database_url()).dispose()
    database.engine.cache_clear()
    monkeypatch.setattr(
        database, "MIGRATIONS", (*database.MIGRATIONS, ("ALTER TABLE jobs ADD COLUMN more TEXT",))
    )
    with database.begin() as connection:
        assert connection.exec_driver_sql("SELECT id, more FROM jobs").all() == [("x", None)]
        assert connection.exec_driver_sql(
            "SELECT max(version) FROM schema_version"
        ).scalar() == len(database.MIGRATIONS)


def test_the_second_version_keeps_the_jobs_and_who_had_the_last_turn_of_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    row = (
        "(id, kind, owner, run, slot, spec, state, stop, attempts, worker, host, lease, note,"
        " error, created, started)"
    )
    with monkeypatch.context() as patch:
        patch.setattr(database, "MIGRATIONS", database.MIGRATIONS[:1])
        with database.begin() as connection:
            for job, owner, slot, started in (
                ("1", "ann", "long", "7.5"),
                ("2", "bob", "long", "3"),
                ("3", "ann", "long", "NULL"),
            ):
                state = "queued" if started == "NULL" else "done"
                values = (
                    f"('{job}', 'train', '{owner}', 'r{job}', '{slot}', '{{}}', '{state}',"
                    f" false, 1, '', '', 0, '', '', 1, {started})"
                )
                connection.exec_driver_sql(f"INSERT INTO jobs {row} VALUES {values}")
    database.engine(settings.database_url()).dispose()
    database.engine.cache_clear()
    assert [(job.id, job.controls) for job in queue.jobs("ann")] == [
        ("3", queue.ControlRequests()),
        ("1", queue.ControlRequests()),
    ]
    queue.submit("train", "bob", "later", {})
    with database.begin() as connection:
        assert {tuple(turn) for turn in connection.execute(sa.select(*database.TURNS.c))} == {
            ("bob", "long", 1),
            ("ann", "long", 2),
        }
    assert getattr(queue.claim("w", "h", "long", 20.0), "run", None) == "later"


def test_a_newer_database_is_refused() -> None:
    database.engine(settings.database_url()).dispose()
    database.engine.cache_clear()
    connection = sqlite3.connect(settings.home() / "s2s.db")
    with connection:
        connection.execute("UPDATE schema_version SET version = 99")
    connection.close()
    with (
        pytest.raises(
            UserError, match=r"has version 99, newer than the \d+ known here; update this program"
        ),
        database.begin(),
    ):
        pass
    with sqlite3.connect(settings.home() / "s2s.db") as connection:
        connection.execute(f"UPDATE schema_version SET version = {len(database.MIGRATIONS)}")
    connection.close()


@pytest.mark.parametrize(
    "url", ["nonsense", "nosuch://x:secret@host/db", "sqlite:////nowhere/at/all.db"]
)
def test_a_database_that_cannot_be_opened_is_named_without_its_password(url: str) -> None:
    message = (
        r"is not a database address; give one|cannot be opened .*; (set|check) S2S_DATABASE_URL"
    )
    with pytest.raises(UserError, match=message) as found:
        database.engine(url)
    assert not any(part in str(found.value) for part in ("secret", "nowhere", "host"))


def test_a_home_that_cannot_be_made_is_a_sentence_without_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")
    message = r"^The folder of the queue cannot be created \(Not a directory\); check S2S_HOME\.$"
    with monkeypatch.context() as patch:
        patch.setenv("S2S_HOME", str(tmp_path / "file" / "home"))
        with pytest.raises(UserError, match=message):
            queue.jobs("ann")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (
            OperationalError("INSERT", {}, sqlite3.OperationalError("database or disk is full")),
            "database or disk is full",
        ),
        (
            DatabaseError("SELECT", {}, sqlite3.DatabaseError("database disk image is malformed")),
            "database disk image is malformed",
        ),
        (
            OperationalError("SELECT", {}, OSError("connection to 10.0.0.3 failed for ann")),
            "OperationalError",
        ),
        (sa.exc.TimeoutError("QueuePool limit"), "TimeoutError"),
    ],
)
def test_a_database_that_fails_is_a_sentence_without_its_host(
    error: Exception, reason: str
) -> None:
    with pytest.raises(database.UnreachableError) as found, database.begin():
        raise error
    assert str(found.value) == f"The queue cannot be reached now ({reason}); try again in a minute."


def test_a_full_disk_and_a_file_that_is_no_database_are_sentences() -> None:
    queue.submit("train", "ann", "r", {})
    with (
        full_disk(10_000),
        pytest.raises(
            database.UnreachableError, match=r"^The queue cannot be reached now \(disk I/O error\)"
        ),
    ):
        queue.submit("train", "ann", "s", {"text": "x" * 100_000})
    assert [job.run for job in queue.jobs("ann")] == ["r"]
    database.engine(settings.database_url()).dispose()
    database.engine.cache_clear()
    for path in settings.home().glob("s2s.db*"):
        path.unlink()
    (settings.home() / "s2s.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(
        database.UnreachableError, match=r"cannot be opened \(file is not a database\)"
    ):
        queue.jobs("ann")
    (settings.home() / "s2s.db").unlink()


def opened() -> int:
    """The version of the database once this process has opened it."""
    with database.begin() as connection:
        statement = "SELECT max(version) FROM schema_version"
        return int(connection.exec_driver_sql(statement).scalar_one())


@pytest.mark.system
def test_processes_that_open_a_new_database_together_take_turns() -> None:
    assert spawned.call_all(opened, [()] * 4) == [len(database.MIGRATIONS)] * 4


def test_an_sqlite_file_serves_one_machine_until_that_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    queue.hold_database()
    assert not queue.why_not_here()  # another process of this machine
    with monkeypatch.context() as patch:
        patch.setattr(workers, "computer", lambda: "another")
        patch.setattr(workers, "PATIENCE", 0.0)
        with pytest.raises(UserError, match=r"^Another machine works with the same SQLite datab"):
            worker.serve(stop_reasons.died, 0.0)
        assert queue.why_not_here().endswith("end the programs there and wait 30 seconds.")
        patch.setattr(workers, "HELD", -1.0)  # the first machine's lease has run out by now
        patch.setattr(workers.time, "time", lambda: 1e12)
        queue.hold_database()
        patch.setenv("S2S_DATABASE_URL", "postgresql+psycopg://nobody@/x?host=/nowhere")
        assert not queue.why_not_here()  # any machine may wait for it


def test_a_machine_that_has_restarted_waits_for_the_lease_that_it_had(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    queue.hold_database()
    monkeypatch.setattr(workers, "computer", lambda: "the same after a restart")
    waited: list[float] = []

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        monkeypatch.setattr(workers.time, "time", lambda: 1e12)  # it has run out

    monkeypatch.setattr(workers.time, "sleep", sleep)
    assert not queue.why_not_here()
    assert waited == [1.0]


def test_to_hold_an_sqlite_file_deletes_nothing() -> None:
    queue.hold_database()
    before = queue.last_deletion()
    queue.hold_database()
    assert queue.last_deletion() == before  # else an idle server would rewrite its file for ever
