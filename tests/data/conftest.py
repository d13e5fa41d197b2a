import pytest

from s2s.data import profile
from s2s.data.repository import library
from tests.data.reading import ProcessHere, answer_here


@pytest.fixture
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Datasets are read at once, in the process of the test."""
    monkeypatch.setattr(profile, "Process", ProcessHere)


@pytest.fixture
def _library_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `datasets` reads is read in the process of the test: a new one imports it, for a second."""
    import datasets

    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(datasets.config, "HF_UPDATE_DOWNLOAD_COUNTS", False)
    monkeypatch.setattr(library, "ask", answer_here)
