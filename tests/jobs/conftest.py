from collections.abc import Iterator

import pytest

from s2s import settings
from s2s.files import database


@pytest.fixture(autouse=True)
def _own_worker(_own_home: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("S2S_WORKER")


@pytest.fixture(autouse=True)
def _closed_database(_own_home: None) -> Iterator[None]:
    """No connection outlives its test."""
    yield
    database.engine(settings.database_url()).dispose()
    database.engine.cache_clear()
