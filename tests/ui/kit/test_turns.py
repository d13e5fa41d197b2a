"""Whose tab goes on: threads that say what they do, and no page."""

import queue
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest

from s2s.config import asker
from s2s.ui.kit import turns
from s2s.ui.kit.turns import Turns

SOON = 20.0  # seconds, on a busy machine


def is_taken(made: Turns, owner: str) -> bool:
    return owner in made._lines


def n_waiting(made: Turns, owner: str) -> int:
    return max(0, len(made._lines.get(owner, ())) - 1)


class Tabs:
    """Threads that take turns; each goes on when the test says so."""

    def __init__(self, made: Turns) -> None:
        self.turns = made
        self.begun: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._threads: dict[str, tuple[threading.Thread, threading.Event]] = {}

    def open(self, name: str, work: Callable[[threading.Event], None] | None = None) -> None:
        """The tab `ann 1` of ann; one after the other, so that the order is known."""
        may_end = threading.Event()
        owner = name.split(maxsplit=1)[0]

        def run() -> None:
            with self.turns.turn(owner):
                self.begun.put(name)
                if work:
                    work(may_end)
                may_end.wait(SOON)

        thread = threading.Thread(target=run)
        before = n_waiting(self.turns, owner)
        is_first = not is_taken(self.turns, owner)
        self._threads[name] = thread, may_end
        thread.start()
        while not is_first and n_waiting(self.turns, owner) == before and thread.is_alive():
            pass
        if is_first:
            assert self.next() == name

    def next(self) -> str:
        return self.begun.get(timeout=SOON)

    def allow(self, name: str) -> None:
        self._threads[name][1].set()

    def end(self, name: str) -> None:
        thread, may_end = self._threads.pop(name)
        may_end.set()
        thread.join(SOON)

    def end_all(self) -> None:
        for _, may_end in self._threads.values():
            may_end.set()
        for name in [*self._threads]:
            self.end(name)


@pytest.fixture
def tabs() -> Iterator[Tabs]:
    made = Tabs(Turns(SOON))
    yield made
    made.end_all()


def test_the_tabs_of_one_visitor_go_one_after_the_other_as_they_came(tabs: Tabs) -> None:
    for number in range(4):
        tabs.open(f"ann {number}")
    for number in range(3):
        assert tabs.begun.empty()
        tabs.end(f"ann {number}")
        assert tabs.next() == f"ann {number + 1}"


def test_nobody_waits_for_anothers_tabs(tabs: Tabs) -> None:
    for number in range(8):
        tabs.open(f"ann {number}")
    tabs.open("bob 0")  # begins at once
    assert tabs.begun.empty()


def test_who_only_waits_lets_the_other_tabs_go_on(tabs: Tabs) -> None:
    events: queue.SimpleQueue[str] = queue.SimpleQueue()

    def work(may_end: threading.Event) -> None:
        with tabs.turns.paused():
            events.put("pauses")
            may_end.wait(SOON)
        events.put("is back")

    tabs.open("ann 0", work)
    assert events.get(timeout=SOON) == "pauses"
    tabs.open("ann 1")  # begins
    tabs.allow("ann 0")
    while not n_waiting(tabs.turns, "ann"):  # it stands in line again
        assert events.empty()
    tabs.end("ann 1")
    assert events.get(timeout=SOON) == "is back"


def test_a_tab_that_hangs_stops_the_others_for_a_while_only() -> None:
    tabs = Tabs(Turns(0.01))
    tabs.open("ann 0")
    tabs.open("ann 1")
    assert tabs.next() == "ann 1"
    tabs.end_all()


def test_a_run_that_fails_gives_its_turn_back() -> None:
    made = Turns(SOON)
    with pytest.raises(KeyError), made.turn("ann"), made.paused():
        raise KeyError
    assert not is_taken(made, "ann")


def test_a_pause_within_a_pause_waits_for_nobody() -> None:
    made = Turns(SOON)
    with made.turn("ann"), made.paused(), made.paused():
        assert not is_taken(made, "ann")
    assert not is_taken(made, "ann")


def test_behind_a_proxy_the_address_is_the_visitors(monkeypatch: pytest.MonkeyPatch) -> None:
    headers = SimpleNamespace(get_all={"X-Forwarded-For": ["8.8.8.8", "203.0.113.9"]}.get)
    seen = SimpleNamespace(ip_address="172.18.0.3", headers=headers)
    monkeypatch.setattr(turns.st, "context", seen)
    monkeypatch.setenv("S2S_HOSTED", "1")
    with asker.acting_as(asker.NOBODY):
        assert turns.owner() == "address 203.0.113.9"


def test_turns_are_of_a_workspace_or_an_address_and_nobodys_at_home(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with asker.acting_as("ann"):
        assert turns.owner() == "ann"
    with turns.own_turn():
        assert not is_taken(turns.TURNS, asker.LOCAL)
    monkeypatch.setenv("S2S_HOSTED", "1")
    with asker.acting_as(asker.NOBODY):
        assert turns.owner().startswith("address ")
    with asker.acting_as("ann"), turns.own_turn():
        assert is_taken(turns.TURNS, "ann")
