"""After "Delete everything of mine" no file of the server holds anything of it."""

import contextlib
import os
import sqlite3
from pathlib import Path

import pytest

from s2s import lessons, settings
from s2s.config import asker
from s2s.data import profile, uploads
from s2s.files import database
from s2s.library.own import delete_run, delete_short_link
from s2s.links import short as short_links
from s2s.processes import queue
from s2s.processes.queue import erasure
from s2s.processes.queue.job_logs import log_path
from tests.hosted import acting
from tests.storing import store_dataset, store_evaluation, store_run

MARKER = "zanzibar"  # in everything that the visitor writes


def files_with(marker: str) -> list[str]:
    home = settings.home()
    return sorted(
        str(path.relative_to(home))
        for path in home.rglob("*")
        if path.is_file() and (marker in str(path) or marker.encode() in path.read_bytes())
    )


def database_path() -> Path:
    return settings.home() / "s2s.db"


def write_everything(owner: str, marker: str) -> None:
    """A run that is there and one just deleted, a dataset, an evaluation, an upload, jobs, a log, links, lessons."""
    for run in (f"{marker}-run", f"{marker}-other"):
        folder = store_run(run, owner)
        (folder / "note.txt").write_text(marker)
    delete_run(f"{marker}-other", owner)
    store_dataset(owner, name=f"{marker} dataset")
    store_evaluation(owner, name=f"{marker} evaluation")
    uploads.begin("file", "x", [(f"{marker}.txt", marker.encode())], owner=owner)
    job = queue.submit("train", owner, f"{marker}-run", {"name": f"{marker} " * 400})
    log_path(job).write_text(marker)
    queue.keep_log(job)
    acting.keep(owner)
    with asker.acting_as(owner):
        for number in range(40):
            view = {"src": f"{marker} {number} " * 30}
            short_links.make(short_links.Content("", view, f"{marker} title", f"{marker} note"))
        lessons.note_step("five-minutes", 1)
        lessons.add_lesson(lessons.LESSONS["five-minutes"])


def test_nothing_of_a_deleted_workspace_is_in_any_file() -> None:
    write_everything("bob", "tashkent")
    write_everything("ann", MARKER)
    assert {"s2s.db-wal"} < {*files_with(MARKER)}
    acting.delete_workspace("ann")
    assert files_with(MARKER) == []
    assert queue.is_erased(queue.last_deletion())
    assert len(queue.jobs("bob")) == 1
    assert files_with("tashkent")


def test_a_reader_makes_it_pending_until_it_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasure, "PATIENCE", 0.0)
    write_everything("ann", MARKER)
    with contextlib.closing(sqlite3.connect(database_path())) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM jobs").fetchall()
        acting.delete_workspace("ann")
        number = queue.last_deletion()
        queue.erase()
        assert not queue.is_erased(number)
        assert files_with(MARKER)
        reader.execute("COMMIT")
        queue.erase()
    assert queue.is_erased(number)
    assert files_with(MARKER) == []


@pytest.mark.parametrize("what", ["run", "short link", "job log"])
def test_what_is_deleted_alone_leaves_the_files_too(what: str) -> None:
    queue.submit("train", "bob", "r1", {})
    if what == "run":
        queue.submit("train", "ann", f"{MARKER}-run", {"name": MARKER})
        queue.delete_jobs(f"{MARKER}-run")
    elif what == "short link":
        with asker.acting_as("ann"):
            link = short_links.make(short_links.Content("", {"src": MARKER}))
            delete_short_link(link.letters)
    else:
        job = queue.submit("train", "ann", "r2", {})
        log_path(job).write_text(MARKER)
        queue.keep_log(job)
        queue.delete_jobs("r2")
    queue.erase()
    assert files_with(MARKER) == []


def test_what_another_process_has_deleted_is_erased_too() -> None:
    """Also after a crash: the database knows it."""
    queue.submit("train", "ann", "r1", {"name": MARKER})
    erasure._eraser.cache_clear()
    queue.delete_jobs("r1")
    database.DELETIONS.clear()
    assert user_version() == database.HAS_DELETED
    queue.erase()
    assert user_version() == database.REWRITTEN
    assert files_with(MARKER) == []


def test_rows_that_are_deleted_while_the_database_is_rewritten_are_erased_the_next_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    queue.submit("train", "ann", "r1", {})
    queue.submit("train", "ann", "r2", {})
    queue.delete_jobs("r1")
    change = erasure._changed

    def change_late(connection: sqlite3.Connection, before: tuple[int, ...], after: int) -> bool:
        if after == database.REWRITTEN:
            queue.delete_jobs("r2")
        return change(connection, before, after)

    monkeypatch.setattr(erasure, "_changed", change_late)
    queue.erase()
    assert not queue.is_erased(queue.last_deletion())
    assert user_version() == database.HAS_DELETED


def user_version() -> int:
    with contextlib.closing(sqlite3.connect(database_path())) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def test_rewriting_takes_a_hundredth_of_the_time_at_most() -> None:
    queue.jobs("ann")
    now = [1000.0]

    def clock() -> float:
        now[0] += 2.0  # for each look: rewriting takes long
        return now[0]

    one = erasure.Eraser(settings.database_url(), clock)
    for expected in (True, False):
        queue.submit("train", "ann", "r1", {})
        queue.delete_jobs("r1")
        one.erase()
        assert one.is_erased(queue.last_deletion()) is expected
    now[0] += 2.0 / erasure.SHARE
    one.erase()
    assert one.is_erased(queue.last_deletion())


def test_what_older_versions_deleted_is_gone_when_the_database_is_opened() -> None:
    """They overwrote nothing. The file is rewritten once, not at each opening."""
    queue.jobs("ann")
    database.engine(settings.database_url()).dispose()
    with contextlib.closing(sqlite3.connect(database_path(), isolation_level=None)) as old:
        old.execute("PRAGMA user_version = 0")
        old.execute("PRAGMA secure_delete = OFF")
        old.execute("CREATE TABLE notes (n)")
        old.executemany("INSERT INTO notes VALUES (?)", [(MARKER,)] * 50)
        old.execute("DELETE FROM notes")
    assert files_with(MARKER)
    database.engine.cache_clear()
    queue.jobs("ann")
    queue.erase()
    assert files_with(MARKER) == []
    before = os.stat(database_path()).st_mtime_ns
    database.engine(settings.database_url()).dispose()
    database.engine.cache_clear()
    queue.jobs("ann")
    assert os.stat(database_path()).st_mtime_ns == before


def test_what_a_reader_writes_until_it_has_noticed_goes_too() -> None:
    upload = uploads.begin("file", "x", [("a.txt", b"a")], owner="ann")
    incoming = settings.home() / "incoming"
    folder = incoming / upload.id
    with contextlib.ExitStack() as reading:
        reading.enter_context(profile.SLOTS.held(incoming, "ann", lambda _: None))

        def sleep(seconds: float) -> None:
            folder.mkdir()
            (folder / "result.json").write_text(MARKER)
            reading.close()

        acting.delete_workspace("ann", sleep=sleep)
    assert files_with(MARKER) == []
    assert not folder.exists()
