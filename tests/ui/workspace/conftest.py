import pytest

from s2s.hosted import COOKIE, Key, new_key
from s2s.ui.kit import cached
from s2s.ui.shell import visitors

SECRET = "a secret of more than thirty-two characters"


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> Key:
    """The key of the visitor who opens the pages of a hosted server."""
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", SECRET)
    mine = new_key()
    monkeypatch.setattr(visitors, "cookies", lambda: {COOKIE: mine.signed})
    cached.refresh_runs()
    return mine
