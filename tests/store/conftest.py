from collections.abc import Callable, Iterator
from pathlib import Path

import fsspec
import pytest

from s2s.jobs.queue import database
from s2s.store.keeper import Keeper
from s2s.store.objects import Objects
from s2s.store.replica import HeldJob, Replica

Machine = Callable[..., Keeper]


@pytest.fixture(autouse=True)
def _one_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    url = f"sqlite:///{tmp_path / 'shared.db'}"
    monkeypatch.setenv("S2S_DATABASE_URL", url)
    yield
    database.engine(url).dispose()
    database.engine.cache_clear()


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A machine by name: what an app there has, or the process of a job; without its threads."""

    def make(name: str, job: HeldJob | None = None) -> Keeper:
        home = tmp_path / name
        home.mkdir(exist_ok=True)
        return Keeper(Replica(home, Objects("memory://bucket"), job), follows=job is None)

    yield make
    fsspec.filesystem("memory").store.clear()
