"""The database of jobs: its tables, migrations and connections. Knows nothing of workers."""

from __future__ import annotations

import contextlib
import functools
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError

from s2s import settings
from s2s.config import UserError

JOBS = sa.Table(
    "jobs",
    sa.MetaData(),
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("kind", sa.String(40)),
    sa.Column("owner", sa.String(80)),
    sa.Column("run", sa.String(64)),
    sa.Column("slot", sa.String(8)),
    sa.Column("spec", sa.JSON),
    sa.Column("state", sa.String(12)),
    sa.Column("stop", sa.Boolean),
    sa.Column("attempts", sa.Integer),
    sa.Column("worker", sa.String(200)),
    sa.Column("host", sa.String(120)),
    sa.Column("lease", sa.Double),
    sa.Column("note", sa.Text),
    sa.Column("error", sa.Text),
    sa.Column("created", sa.Double),
    sa.Column("started", sa.Double),
    sa.Column("finished", sa.Double),
    sa.Column("wishes", sa.JSON),
    sa.Column("waited", sa.Double),
)
TURNS = sa.Table(
    "turns",
    sa.MetaData(),
    sa.Column("owner", sa.String(80), primary_key=True),
    sa.Column("slot", sa.String(8), primary_key=True),
    # the greater, the later a job of that owner was last started in that slot
    sa.Column("turn", sa.Integer),
)
SERVER = sa.Table(
    "server",
    sa.MetaData(),
    sa.Column("name", sa.String(40), primary_key=True),
    sa.Column("value", sa.Text),
)
WORKERS = sa.Table(
    "workers",
    sa.MetaData(),
    sa.Column("host", sa.String(120), primary_key=True),
    sa.Column("started", sa.Double),
    sa.Column("seen", sa.Double),
)

TIME_USED = sa.Table(
    "time_used",
    sa.MetaData(),
    sa.Column("owner", sa.String(80)),
    sa.Column("started", sa.Double),
    sa.Column("ended", sa.Double),
)

JOB_LOGS = sa.Table(
    "job_logs",
    sa.MetaData(),
    sa.Column("job", sa.String(16), primary_key=True),
    sa.Column("lines", sa.Text),
    sa.Column("written", sa.Double),
)

# Never change a released migration: add another one. Plain SQL for both SQLite and PostgreSQL.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE jobs (
            id VARCHAR(16) PRIMARY KEY, kind VARCHAR(40) NOT NULL, owner VARCHAR(80) NOT NULL, run VARCHAR(64) NOT NULL,
            slot VARCHAR(8) NOT NULL, spec JSON NOT NULL, state VARCHAR(12) NOT NULL, stop BOOLEAN NOT NULL,
            attempts INTEGER NOT NULL, worker VARCHAR(200) NOT NULL, host VARCHAR(120) NOT NULL,
            lease DOUBLE PRECISION NOT NULL, note TEXT NOT NULL, error TEXT NOT NULL,
            created DOUBLE PRECISION NOT NULL, started DOUBLE PRECISION, finished DOUBLE PRECISION)""",
        "CREATE INDEX jobs_to_claim ON jobs (state, slot, created)",
        "CREATE INDEX jobs_of_an_owner ON jobs (owner, created)",
        "CREATE INDEX jobs_of_a_run ON jobs (run, created)",
        """CREATE UNIQUE INDEX one_live_job_of_a_kind_and_run ON jobs (run, kind)
            WHERE state IN ('queued', 'running')""",
    ),
    (
        "ALTER TABLE jobs ADD COLUMN wishes JSON NOT NULL DEFAULT '{}'",
        """CREATE TABLE turns (owner VARCHAR(80) NOT NULL, slot VARCHAR(8) NOT NULL, turn INTEGER NOT NULL,
            PRIMARY KEY (owner, slot))""",
        """INSERT INTO turns (owner, slot, turn)
            SELECT owner, slot, ROW_NUMBER() OVER (PARTITION BY slot ORDER BY max(started))
            FROM jobs WHERE started IS NOT NULL GROUP BY owner, slot""",
    ),
    (
        """CREATE TABLE workspaces (id VARCHAR(64) PRIMARY KEY, created DOUBLE PRECISION NOT NULL,
            kept DOUBLE PRECISION NOT NULL, account VARCHAR(64))""",
        """CREATE TABLE workspace_keys (key VARCHAR(64) PRIMARY KEY, workspace VARCHAR(64) NOT NULL,
            created DOUBLE PRECISION NOT NULL)""",
        """CREATE TABLE recovery_links (token VARCHAR(64) PRIMARY KEY, workspace VARCHAR(64) NOT NULL,
            expires DOUBLE PRECISION NOT NULL)""",
        "CREATE INDEX keys_of_a_workspace ON workspace_keys (workspace)",
        "CREATE INDEX links_of_a_workspace ON recovery_links (workspace)",
    ),
    (
        "CREATE TABLE server (name VARCHAR(40) PRIMARY KEY, value TEXT NOT NULL)",
        """CREATE TABLE workers (host VARCHAR(120) PRIMARY KEY, started DOUBLE PRECISION NOT NULL,
            seen DOUBLE PRECISION NOT NULL)""",
    ),
    (
        """CREATE TABLE time_used (owner VARCHAR(80) NOT NULL, started DOUBLE PRECISION NOT NULL,
            ended DOUBLE PRECISION NOT NULL)""",
        "CREATE INDEX time_used_by_an_owner ON time_used (owner, ended)",
    ),
    (
        """CREATE TABLE short_links (letters VARCHAR(16) PRIMARY KEY, owner VARCHAR(80) NOT NULL,
            digest VARCHAR(64) NOT NULL, format INTEGER NOT NULL, page VARCHAR(40) NOT NULL, view JSON NOT NULL,
            title TEXT NOT NULL, note TEXT NOT NULL, created DOUBLE PRECISION NOT NULL,
            opened DOUBLE PRECISION NOT NULL)""",
        "CREATE UNIQUE INDEX one_short_link_of_a_view ON short_links (owner, digest)",
    ),
    ("ALTER TABLE short_links ADD COLUMN record JSON",),
    (
        "ALTER TABLE short_links ADD COLUMN published DOUBLE PRECISION NOT NULL DEFAULT 0",
        "ALTER TABLE short_links ADD COLUMN hidden BOOLEAN NOT NULL DEFAULT FALSE",
        "CREATE INDEX published_short_links ON short_links (published)",
        """CREATE TABLE gallery_reports (letters VARCHAR(16) NOT NULL, reporter VARCHAR(80) NOT NULL,
            reason TEXT NOT NULL, created DOUBLE PRECISION NOT NULL, PRIMARY KEY (letters, reporter))""",
    ),
    (
        """CREATE TABLE lesson_progress (owner VARCHAR(80) NOT NULL, lesson VARCHAR(64) NOT NULL,
            step INTEGER NOT NULL, answer VARCHAR(8) NOT NULL, changed DOUBLE PRECISION NOT NULL,
            PRIMARY KEY (owner, lesson, step))""",
    ),
    (
        """CREATE TABLE lessons (id VARCHAR(16) PRIMARY KEY, owner VARCHAR(80) NOT NULL, shared BOOLEAN NOT NULL,
            content JSON NOT NULL, created DOUBLE PRECISION NOT NULL, opened DOUBLE PRECISION NOT NULL)""",
        "CREATE INDEX lessons_of_an_owner ON lessons (owner, created)",
    ),
    (
        """CREATE TABLE classes (id VARCHAR(16) PRIMARY KEY, owner VARCHAR(80) NOT NULL,
            lesson VARCHAR(64) NOT NULL, created DOUBLE PRECISION NOT NULL)""",
        """CREATE TABLE class_participants (class VARCHAR(16) NOT NULL, participant VARCHAR(32) NOT NULL,
            step INTEGER NOT NULL, right_answers INTEGER NOT NULL, joined DOUBLE PRECISION NOT NULL,
            changed DOUBLE PRECISION NOT NULL, PRIMARY KEY (class, participant))""",
    ),
    (
        """CREATE TABLE stored_things (thing VARCHAR(120) PRIMARY KEY, number BIGINT NOT NULL,
            deleted DOUBLE PRECISION)""",
        "CREATE INDEX stored_things_by_number ON stored_things (number)",
        """CREATE TABLE stored_files (thing VARCHAR(120) NOT NULL, name VARCHAR(250) NOT NULL,
            version VARCHAR(80) NOT NULL, n_bytes BIGINT NOT NULL, modified BIGINT NOT NULL,
            object VARCHAR(450) NOT NULL, content BYTEA, PRIMARY KEY (thing, name))""",
        """CREATE TABLE stored_lines (thing VARCHAR(120) NOT NULL, name VARCHAR(250) NOT NULL,
            start BIGINT NOT NULL, content BYTEA NOT NULL, PRIMARY KEY (thing, name, start))""",
        "CREATE TABLE stored_garbage (object VARCHAR(450) PRIMARY KEY, due DOUBLE PRECISION NOT NULL)",
        "CREATE TABLE stored_number (newest BIGINT NOT NULL)",
        "INSERT INTO stored_number VALUES (0)",
    ),
    (
        """CREATE TABLE job_logs (job VARCHAR(16) PRIMARY KEY, lines TEXT NOT NULL,
            written DOUBLE PRECISION NOT NULL)""",
    ),
    (
        "ALTER TABLE jobs ADD COLUMN waited DOUBLE PRECISION",
        "UPDATE jobs SET waited = started - created WHERE started IS NOT NULL",
    ),
    (  # the gallery ended: what was published stays, as short links of whoever published it
        "DROP TABLE gallery_reports",
        "DROP INDEX published_short_links",
        "ALTER TABLE short_links DROP COLUMN hidden",
    ),
    (  # the other processes of a training that had several; for how long they worked still counts
        """INSERT INTO time_used SELECT owner, started, COALESCE(finished, lease) FROM jobs
            WHERE kind = 'rank' AND started IS NOT NULL AND worker <> ''""",
        "DELETE FROM job_logs WHERE job IN (SELECT id FROM jobs WHERE kind = 'rank')",
        "DELETE FROM jobs WHERE kind = 'rank'",
        "DELETE FROM turns WHERE slot = 'rank'",
    ),
    (  # a teacher sees answers, too: who agreed to less is asked again
        "DELETE FROM class_participants",
        """CREATE TABLE class_answers (class VARCHAR(16) NOT NULL, participant VARCHAR(32) NOT NULL,
            question VARCHAR(16) NOT NULL, answer VARCHAR(24) NOT NULL, level VARCHAR(8) NOT NULL,
            number INTEGER NOT NULL, PRIMARY KEY (class, participant, question, answer))""",
    ),
)
# Arbitrary numbers that no other program uses in the same PostgreSQL database.
MIGRATION_LOCK = 5_252
QUEUE_LOCK = 5_253
# SQLite's user_version: 0 before the first rewriting, whose file may hold whatever was deleted.
REWRITTEN = 1
HAS_DELETED = 2  # rows were deleted since
POOL_SECONDS = 6.0  # for which a thread waits until another one is done with its connection
DELETIONS = Counter[str]()  # of this process, by the address of the database


class UnreachableError(UserError):
    """The database is unreachable, full, locked or damaged, perhaps only for a while."""


@contextlib.contextmanager
def begin() -> Iterator[sa.Connection]:
    """A transaction on the database that `settings.database_url()` names.

    Raises UnreachableError where it cannot be opened or committed.
    """
    try:
        with engine(settings.database_url()).begin() as connection:
            yield connection
    except IntegrityError:  # the statement is wrong, not the database
        raise
    except (DBAPIError, sa.exc.TimeoutError) as error:
        raise UnreachableError(
            f"The queue cannot be reached now ({_reason(error)}); try again in a minute."
        ) from error


@contextlib.contextmanager
def alone() -> Iterator[sa.Connection]:
    """A transaction that excludes all others of its kind, so that what it reads still holds when it writes."""
    with begin() as connection:
        _wait_for_turn(connection, QUEUE_LOCK)
        yield connection


def _wait_for_turn(connection: sa.Connection, lock: int) -> None:
    is_sqlite = connection.dialect.name == "sqlite"
    connection.exec_driver_sql(
        "BEGIN IMMEDIATE" if is_sqlite else f"SELECT pg_advisory_xact_lock({lock})"
    )


def _reason(error: Exception) -> str:
    own = getattr(error, "orig", None)
    says = isinstance(own, (sqlite3.Error, TimeoutError))  # the latter: of `postgres`
    return str(own) if says else type(error).__name__


@functools.lru_cache(maxsize=8)
def engine(url: str) -> sa.Engine:
    """The opened database, brought up to date.

    Raises UserError where it cannot be opened (UnreachableError: at the moment) or is newer than this program.
    """
    try:
        settings.make_home()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UnreachableError(
            f"The folder of the queue cannot be created ({reason}); check S2S_HOME."
        ) from error
    try:
        address = sa.make_url(url)
    except ArgumentError as error:
        raise UserError(
            "`S2S_DATABASE_URL` is not a database address; give one like postgresql+psycopg://USER@HOST/NAME."
        ) from error
    try:
        is_sqlite = address.get_backend_name() == "sqlite"
        pool = {} if is_sqlite else {"pool_pre_ping": True, "pool_timeout": POOL_SECONDS}
        made = sa.create_engine(address, **pool)
        if made.dialect.name == "sqlite":
            sa.event.listen(made, "connect", _set_up_sqlite)
            sa.event.listen(made, "after_cursor_execute", functools.partial(_count_deletions, url))
        elif made.driver == "psycopg":
            from s2s.files import postgres

            postgres.set_up(made)
        _migrate(made)
    except DBAPIError as error:
        raise UnreachableError(
            f"The database of the queue cannot be opened ({_reason(error)}); check S2S_DATABASE_URL."
        ) from error
    except (NoSuchModuleError, ModuleNotFoundError) as error:
        what = f"The database of the queue cannot be opened ({error})"
        raise UserError(f"{what}; set S2S_DATABASE_URL, or unset it to use SQLite.") from error
    return made


def _set_up_sqlite(connection: Any, record: Any) -> None:
    ((_, _, name),) = connection.execute("PRAGMA database_list")
    _close_to_others(name)  # while a new one is empty
    connection.execute("PRAGMA busy_timeout = 30000")  # milliseconds
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA secure_delete = ON")  # zeros over what is deleted


def _count_deletions(url: str, connection: Any, cursor: Any, statement: str, *_: Any) -> None:
    if statement.startswith("DELETE") and cursor.rowcount:
        DELETIONS[url] += 1
        version = f"PRAGMA user_version = {HAS_DELETED}"
        connection.connection.driver_connection.execute(version)


def _close_to_others(name: str) -> None:
    for path in (name, f"{name}-wal", f"{name}-shm") if name else ():  # no name: in memory
        with contextlib.suppress(OSError):  # it does not exist, or is another user's
            Path(path).chmod(0o600)


def _migrate(opened: sa.Engine) -> None:
    with opened.begin() as connection:
        _wait_for_turn(connection, MIGRATION_LOCK)
        connection.exec_driver_sql(
            "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)"
        )
        version = (
            connection.exec_driver_sql("SELECT max(version) FROM schema_version").scalar() or 0
        )
        if version > len(MIGRATIONS):
            raise UserError(
                f"The database has version {version}, newer than the {len(MIGRATIONS)} known here; update this program."
            )
        if version < len(MIGRATIONS):
            _grow(connection, version)
    if opened.dialect.name == "sqlite":
        _rewrite_once(opened)


def _grow(connection: sa.Connection, version: int) -> None:
    with contextlib.ExitStack() as stack:
        if connection.dialect.driver == "psycopg":
            from s2s.files import postgres

            stack.enter_context(postgres.patiently(connection))
        for number, statements in enumerate(MIGRATIONS[version:], version + 1):
            for statement in statements:
                connection.exec_driver_sql(statement)
            connection.exec_driver_sql(f"INSERT INTO schema_version VALUES ({number})")


def _rewrite_once(opened: sa.Engine) -> None:
    with (
        contextlib.suppress(DBAPIError),
        opened.connect().execution_options(isolation_level="AUTOCOMMIT") as connection,
    ):
        version = connection.exec_driver_sql("PRAGMA user_version").scalar() or 0
        if version < REWRITTEN:
            connection.exec_driver_sql("VACUUM")
            connection.exec_driver_sql(f"PRAGMA user_version = {REWRITTEN}")
