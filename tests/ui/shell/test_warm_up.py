import asyncio
import contextlib
import importlib

import pytest
from streamlit import config

from s2s.monitoring import Monitor
from tests.processes import awaited

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
