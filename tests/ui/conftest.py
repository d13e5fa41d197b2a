import pytest

from s2s import settings
from s2s.data import profile
from s2s.ui.kit import cached
from tests.conftest import make_run
from tests.data.reading import read_here


@pytest.fixture(autouse=True)
def _screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Datasets are read at once, in this process; tests/data/test_profile.py and the browser start another one."""
    monkeypatch.setattr(profile, "_spawn", read_here)
    cached.refresh_runs()


@pytest.fixture
def own_run() -> str:
    """A small trained run of the visitor's."""
    make_run(settings.home() / "runs" / "abcdefgh12345678", {})
    cached.refresh_runs()
    return "abcdefgh12345678"
