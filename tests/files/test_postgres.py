"""The queue against a real PostgreSQL server: all that its tests require of SQLite, and what only it can get wrong."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from s2s import settings
from s2s.files import database
from s2s.files import postgres as bounded
from s2s.jobs import stop_reasons
from s2s.processes import queue
from s2s.processes.queue import table
from s2s.processes.worker import Worker
from tests import postgres
from tests.files import test_database
from tests.processes.queue import test_gallery_ended, test_table
from tests.processes.queue.test_gallery_ended import hosted  # noqa: F401

pytestmark = [pytest.mark.system, postgres.NEEDED]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a server of our own."""
    with postgres.serving() as folder:
        yield f"postgresql+psycopg://postgres@/postgres?host={folder}"


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


# The turns are sorted in Python; other tests show that the rows are right here too.
ONLY_ON_SQLITE = ("test_no_owner_waits_while_another_gets_two_in_a_row",)
globals().update(
    {
        name: test
        for name, test in vars(test_table).items()
        if name.startswith("test_") and name not in ONLY_ON_SQLITE
    }
)
test_the_migrations = test_database.test_the_migrations_make_the_tables_that_the_program_reads
test_every_version = test_database.test_every_version_grows_into_the_next_and_a_short_link_of_the_first_with_links_opens
test_published_links = test_gallery_ended.test_published_links_keep_their_letters_and_words
test_the_jobs_of_ranks = test_database.test_the_jobs_of_ranks_leave_the_queue_and_their_time_counts
test_an_older_database = test_database.test_an_older_database_grows_and_keeps_its_rows
test_the_second_version = (
    test_database.test_the_second_version_keeps_the_jobs_and_who_had_the_last_turn_of_the_first
)
test_processes_that_open_it = (
    test_database.test_processes_that_open_a_new_database_together_take_turns
)


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
    with monkeypatch.context() as patch:
        patch.setenv("S2S_DATABASE_URL", "postgresql+psycopg://ann:secret@/postgres?host=/nowhere")
        with pytest.raises(database.UnreachableError) as found:
            queue.jobs("ann")
    assert (
        str(found.value)
        == "The database of the queue cannot be opened (OperationalError); check S2S_DATABASE_URL."
    )


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


SILENT = (
    r"^The queue cannot be reached now \(the database does not answer\); try again in a minute\.$"
)


@pytest.fixture
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that no test waits for."""
    database.engine.cache_clear()
    monkeypatch.setattr(bounded.BoundedConnection, "silence", 0.3)
    for name, seconds in {"STATEMENT": 0.3, "IDLE": 0.6, "PAUSE": 0.2, "CONNECT": 2}.items():
        monkeypatch.setattr(bounded, name, seconds)


@pytest.mark.usefixtures("_short")
def test_a_server_that_says_nothing_is_a_sentence_within_seconds_and_the_work_goes_on_after_it(
    server: str,
) -> None:
    job = queue.submit("train", "ann", "r", {})
    worker = Worker(stop_reasons.died)
    began = time.monotonic()
    with postgres.silent(Path(server.partition("host=")[2])):
        with pytest.raises(database.UnreachableError, match=SILENT):
            queue.jobs("ann")
        with pytest.raises(database.UnreachableError, match=SILENT):  # at once
            queue.submit("train", "ann", "s", {})
        assert time.monotonic() - began < 1.5
        worker.turn()
        assert "does not answer" in worker.trouble
        time.sleep(bounded.PAUSE)
        with pytest.raises(database.UnreachableError, match=SILENT):  # a new connection
            queue.jobs("ann")
    time.sleep(bounded.PAUSE)
    worker.is_stopping = True  # it starts no job here
    worker.turn()
    assert not worker.trouble
    assert [found.id for found in queue.jobs("ann")] == [job]


@pytest.mark.usefixtures("_short")
def test_a_client_that_was_stopped_within_its_turn_holds_up_nobody_for_long() -> None:

    def work() -> Iterator[None]:
        with database.alone() as connection:
            yield
            connection.exec_driver_sql("SELECT 1")

    stopped = work()
    next(stopped)
    began = time.monotonic()
    with pytest.raises(database.UnreachableError):
        queue.submit("train", "ann", "r", {})
    assert time.monotonic() - began < 1.5
    time.sleep(bounded.IDLE)
    queue.submit("train", "ann", "r", {})
    with pytest.raises(database.UnreachableError):
        next(stopped)
    assert [job.run for job in queue.jobs("ann")] == ["r"]


@pytest.mark.usefixtures("_short")
def test_a_long_migration_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "MIGRATIONS", (*database.MIGRATIONS, ("SELECT pg_sleep(0.6)",)))
    assert queue.jobs("ann") == []
