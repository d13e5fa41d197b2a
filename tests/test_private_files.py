"""What the program stores is closed to other users of the machine."""

import contextlib
import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from s2s import settings
from s2s.files import database
from s2s.processes import queue
from tests.hosting import guide


@pytest.fixture(autouse=True)
def _ordinary_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    database.engine.cache_clear()
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def database_modes() -> set[int]:
    """Of the database, and of the two files beside it that it has while it is open."""
    with database.begin():
        return {mode(settings.home() / f"s2s.db{end}") for end in ("", "-wal", "-shm")}


def test_a_new_home_and_its_database_are_closed_to_others() -> None:
    queue.jobs("ann")
    assert mode(settings.home()) == 0o700
    assert database_modes() == {0o600}


def test_an_existing_home_and_its_database_are_closed_when_it_is_opened() -> None:
    home = settings.home()
    home.mkdir(mode=0o755)
    with contextlib.closing(sqlite3.connect(home / "s2s.db")) as held:
        held.execute("PRAGMA journal_mode = WAL")
        held.execute("CREATE TABLE one (n)")
        for path in home.iterdir():
            path.chmod(0o644)
        queue.jobs("ann")
        assert mode(home) == 0o700
        assert database_modes() == {0o600}


def test_a_database_outside_the_home_is_closed_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("S2S_DATABASE_URL", f"sqlite:///{tmp_path / 'other.db'}")
    queue.jobs("ann")
    assert mode(tmp_path / "other.db") == 0o600


def test_a_folder_for_everybody_stays_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    monkeypatch.setenv("S2S_HOME", str(tmp_path))
    settings.make_home()
    assert mode(tmp_path) == 0o1777


def test_the_documented_service_creates_private_files() -> None:
    unit = guide.section("On one machine without containers")
    assert "\nUMask=0077\n" in unit
    assert "\nStateDirectoryMode=0700\n" in unit
