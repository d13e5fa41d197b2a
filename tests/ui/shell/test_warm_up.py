import asyncio
import contextlib
import importlib

import pytest
from streamlit import config

from s2s.hosted.monitoring import Monitor
from s2s.processes import queue, worker
from s2s.processes.queue import UnreachableError
from tests.logged import logged
from tests.spawned import awaited

warm_up = importlib.import_module("s2s.ui.shell.warm_up")  # its folder names the function so


def pauses(
    monkeypatch: pytest.MonkeyPatch, *, runs: int = 1, takes: float = 0.01
) -> tuple[list[float], int]:
    """Pauses between collections that take so long, and how many there were; pages are drawn in the first pause."""
    monitor = Monitor()
    drawn = iter([runs, 0, 0, 0])
    found: list[float] = []
    clock = [0.0]

    async def period(seconds: float) -> None:
        found.append(seconds)
        if (now := next(drawn, None)) is None:
            raise asyncio.CancelledError
        for _ in range(now):
            monitor.note_run("home", 0.1, is_fragment=False)

    def collect() -> None:
        clock[0] += takes

    monkeypatch.setattr(warm_up, "MONITOR", monitor)
    monkeypatch.setattr(warm_up.asyncio, "sleep", period)
    monkeypatch.setattr(warm_up.time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(warm_up.gc, "collect", collect)
    with contextlib.suppress(asyncio.CancelledError):
        awaited(warm_up._collect_garbage())
    return found, round(clock[0] / takes)


def test_garbage_is_collected_once_for_all_pages_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    found, n_collections = pauses(monkeypatch, runs=3)
    assert n_collections == 1
    assert set(found) == {warm_up.GARBAGE_SECONDS}


def test_a_server_without_visitors_collects_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pauses(monkeypatch, runs=0)[1] == 0


def test_a_slow_collection_is_followed_by_a_longer_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = pauses(monkeypatch, takes=0.5)
    assert found[:2] == [warm_up.GARBAGE_SECONDS, 0.5 / warm_up.GARBAGE_SHARE]


def test_streamlit_does_not_collect_after_every_run_besides() -> None:
    assert config.get_option("runner.postScriptGC") is False


def rounds(monkeypatch: pytest.MonkeyPatch, n: int) -> list[float]:
    """Ends a cleanup after so many rounds; its pauses."""
    found: list[float] = []

    async def sleep(seconds: float) -> None:
        found.append(seconds)
        if len(found) == n:
            raise asyncio.CancelledError

    monkeypatch.setattr(warm_up.asyncio, "sleep", sleep)
    return found


def test_jobs_that_nobody_works_on_get_a_worker_and_a_database_that_is_away_is_said_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = iter([UnreachableError("It is away."), UnreachableError("It is away."), False, True])
    started: list[None] = []

    def is_anything_left(host: str) -> bool:
        if isinstance(found := next(looks), UnreachableError):
            raise found
        return found

    monkeypatch.setattr(queue, "is_anything_left", is_anything_left)
    monkeypatch.setattr(worker, "ensure", lambda: started.append(None))
    pauses = rounds(monkeypatch, 4)
    with logged(warm_up.__name__) as records, contextlib.suppress(asyncio.CancelledError):
        awaited(warm_up._ensure_worker())
    assert started == [None]
    assert [record.getMessage() for record in records] == ["It is away."]
    assert set(pauses) == {warm_up.WORKER_SECONDS}


def test_erasing_is_tried_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[None] = []

    def erase() -> None:
        tries.append(None)
        raise UnreachableError("It is away.")

    monkeypatch.setattr(queue, "erase", erase)
    pauses = rounds(monkeypatch, 3)
    with contextlib.suppress(asyncio.CancelledError):
        awaited(warm_up._erase_deleted())
    assert len(tries) == 3
    assert set(pauses) == {warm_up.ERASE_SECONDS}
    assert warm_up._erase_deleted in warm_up.CLEANUPS
