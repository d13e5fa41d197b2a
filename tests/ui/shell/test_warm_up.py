import asyncio
import contextlib
import importlib

import pytest
from streamlit import config

from s2s.monitoring import Monitor
from tests.processes import awaited

warm_up = importlib.import_module("s2s.ui.shell.warm_up")  # its folder names the function so


def collections(monitor: Monitor, runs: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often garbage is collected while four periods pass, in the first of which so many pages are drawn."""
    periods = iter([runs, 0, 0, 0])
    collected: list[int] = []

    async def period(seconds: float) -> None:
        if (drawn := next(periods, None)) is None:
            raise asyncio.CancelledError
        for _ in range(drawn):
            monitor.note_run("home", 0.1, is_fragment=False)

    monkeypatch.setattr(warm_up, "MONITOR", monitor)
    monkeypatch.setattr(warm_up.asyncio, "sleep", period)
    monkeypatch.setattr(warm_up.gc, "collect", lambda: collected.append(1))
    with contextlib.suppress(asyncio.CancelledError):
        awaited(warm_up._collect_garbage())
    return len(collected)


def test_garbage_is_collected_once_for_all_pages_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    assert collections(Monitor(), 3, monkeypatch) == 1


def test_a_server_without_visitors_collects_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert collections(Monitor(), 0, monkeypatch) == 0


def test_streamlit_does_not_collect_after_every_run_besides() -> None:
    assert config.get_option("runner.postScriptGC") is False
