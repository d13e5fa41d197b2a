import pytest

from s2s.data import profile
from tests.data.reading import read_here


@pytest.fixture
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Datasets are read at once, in the process of the test."""
    monkeypatch.setattr(profile, "_spawn", read_here)
