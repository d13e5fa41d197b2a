import threading

import pytest

from s2s.jobs.training import processor
from s2s.jobs.training.processor import ProcessorWatch


class Machine:
    """A clock, and the CPU seconds that a process has had; both advance only when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.cpu = 50.0
        self.watch = ProcessorWatch(lambda: self.now, lambda: self.cpu)

    def goes_on(self, seconds: float, share: float) -> str:
        """The sentence after so many seconds with this share of a core, looked at every 2 seconds."""
        sentence = ""
        for _ in range(int(seconds / 2)):
            self.now += 2
            self.cpu += 2 * share
            sentence = self.watch.look()
        return sentence


@pytest.mark.parametrize("share", [0.5, 1.0, 1.9])  # beside pages, one thread, two threads
def test_a_training_with_the_processor_waits_for_nothing(share: float) -> None:
    machine = Machine()
    assert [machine.goes_on(seconds, share) for seconds in (10, 60, 600)] == ["", "", ""]
    assert machine.watch.in_all() == ""


def test_while_the_processor_is_taken_a_sentence_says_how_much_of_it_there_was() -> None:
    machine = Machine()
    assert machine.goes_on(28, 0.02) == ""  # too short to judge
    assert machine.goes_on(332, 0.02) == "Waiting for the processor: 7 s of it in 6 minutes."
    assert machine.watch.in_all().endswith("7 s of it in 6 minutes for this run.")


def test_the_sentence_counts_from_when_it_was_taken_and_ends_when_it_is_free() -> None:
    machine = Machine()
    assert machine.goes_on(600, 1.0) == ""
    assert machine.goes_on(60, 0.0).endswith(" 8 s of it in 68 seconds.")  # with its end
    assert machine.goes_on(30, 1.0) == ""
    assert machine.watch.in_all() == ""


def test_a_pause_is_no_wait_for_the_processor() -> None:
    machine = Machine()
    machine.goes_on(60, 1.0)
    with machine.watch.paused():
        assert machine.goes_on(300, 0.0) == ""
    assert machine.goes_on(60, 1.0) == ""
    assert machine.goes_on(60, 0.1) != ""


def test_each_sentence_is_told_once_and_that_it_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = iter(["", "waits", "waits", ""])
    told: list[str] = []
    is_over = threading.Event()
    watch = ProcessorWatch()
    monkeypatch.setattr(processor, "LOOK", 0.001)

    def look() -> str:
        sentence = next(sentences, None)
        if sentence is None:
            is_over.set()
        return sentence or ""

    monkeypatch.setattr(watch, "look", look)
    with processor.reporting(watch, told.append):
        assert is_over.wait(20)
    assert told == ["waits", ""]
