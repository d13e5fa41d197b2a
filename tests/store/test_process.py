"""A process with `S2S_STORE`: what starts, what its pages find, and what it says where the store does not answer."""

from pathlib import Path

import pytest

from s2s import data, files, monitoring, settings, store, synced
from s2s.config import UserError
from s2s.data import saved_datasets
from s2s.store import rows
from s2s.store.keeper import Keeper
from s2s.store.objects import Objects
from tests.processes import wait_for
from tests.store.conftest import Machine


@pytest.fixture
def _store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_STORE", "memory://bucket")
    monkeypatch.setenv("S2S_HOME", str(tmp_path / "a"))
    monkeypatch.setattr("s2s.store.keeper.TURN", 0.01)


@pytest.mark.usefixtures("_store")
def test_a_dataset_is_stored_when_it_is_saved_and_comes_when_it_is_read(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = data.load("synthetic:reverse#rows=5000")
    with store.following():
        hash = saved_datasets.save(corpus, name="mine", owner="local")
        synced.settle()  # as before a job is queued
    other = machine("b")
    other.catch_up()
    monkeypatch.setenv("S2S_HOME", str(other.replica.home))
    assert [each.name for each in saved_datasets.listing("local")] == ["mine"]
    texts = settings.home() / "corpora" / hash / "train.src"
    assert not texts.exists()
    synced.register(other)
    try:
        assert data.load(f"corpus:{hash}").hash == corpus.hash
        assert texts.exists()
        saved_datasets.delete(hash, "local")
        other.settle()
    finally:
        synced.register(None)
    first = machine("a")
    first.catch_up()
    assert not (first.replica.home / "corpora" / hash).exists()


@pytest.mark.usefixtures("_store")
def test_the_readiness_says_that_the_store_is_away_until_it_is_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put = Objects.put
    monkeypatch.setattr(Objects, "put", lambda *_: store_is_away())
    with store.following():
        files.write_bytes(settings.home() / "runs" / "r" / "pairs.jsonl.gz", bytes(70_000))
        wait_for(monitoring.why_not_ready)
        assert monitoring.why_not_ready() == "The object store is away."
        with pytest.raises(UserError, match=r"^The object store is away\.$"):
            synced.settle()
        monkeypatch.setattr(Objects, "put", put)
        wait_for(lambda: not monitoring.why_not_ready())
    assert rows.files("runs/r").keys() == {"pairs.jsonl.gz"}


def store_is_away() -> None:
    raise synced.AwayError("The object store is away.")


def test_nothing_starts_without_a_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Keeper, "start", lambda self: store_is_away())
    with store.following(), store.working("j", "w", "r"):
        synced.changed(settings.home() / "runs" / "r" / "status.json")
    assert not (settings.home() / ".store").exists()


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("gs://bucket", "`S2S_STORE` is not the address of an object store; give one like s3:"),
        ("s3://", "`S2S_STORE` is not the address of an object store; give one like s3://BU"),
        ("s3://bucket/x", "`S2S_STORE` is for several machines, and SQLite serves only one;"),
    ],
)
def test_a_wrong_store_is_refused_with_a_sentence(
    url: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_STORE", url)
    with pytest.raises(UserError) as found, store.following():
        raise AssertionError("it started")
    assert str(found.value).startswith(sentence)
    assert monitoring.why_not_ready() == str(found.value)
