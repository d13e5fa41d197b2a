from collections.abc import Iterator

import pytest

from s2s import settings
from s2s.files import database
from s2s.hosted import rows

SECRET = "a secret of more than thirty-two characters"


@pytest.fixture(autouse=True)
def _hosted(_own_home: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A hosted server; what it remembers and its connections do not outlive the test."""
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", SECRET)
    rows._linked.cache_clear()
    yield
    database.engine(settings.database_url()).dispose()
    database.engine.cache_clear()
