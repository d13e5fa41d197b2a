import pytest
import streamlit as st

from s2s.ui.kit import polling


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr("s2s.ui.kit.polling.time.monotonic", lambda: now[0])
    monkeypatch.setattr(polling, "LAST_POLLS", {})
    return now


def look(monkeypatch: pytest.MonkeyPatch, who: int) -> int:
    monkeypatch.setattr(st, "session_state", {"polling session": str(who)})
    return polling.slowdown()


def test_the_more_look_the_longer_each_waits_and_who_has_gone_counts_no_more(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = [look(monkeypatch, who) for who in range(40)]
    assert waits == [1] * polling.FEW_SESSIONS + [2] * (
        polling.MANY_SESSIONS - polling.FEW_SESSIONS
    ) + [4] * (40 - polling.MANY_SESSIONS)
    assert [look(monkeypatch, 3) for _ in range(3)] == [
        4,
        4,
        4,
    ]  # looking twice is no second visitor
    clock[0] += polling.SESSION_SECONDS + 1
    assert look(monkeypatch, 3) == 1


def test_a_visitor_more_or_less_changes_nothing_at_once(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    for who in range(polling.FEW_SESSIONS + 1):
        look(monkeypatch, who)
    assert [polling.still_fits(times) for times in (1, 2, 4, 8)] == [False, True, True, False]
    del polling.LAST_POLLS["0"]
    assert [polling.still_fits(times) for times in (1, 2, 4)] == [True, True, False]
