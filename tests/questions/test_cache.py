"""The one cache of answers: bounded, asked once at a time, and forgotten with whoever asked."""

import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from s2s.config import UserError, asker
from s2s.questions import ANSWERS, Answers, AttentionOf, Have, Question, Timed, TooLongError
from s2s.questions.answers import n_bytes
from s2s.questions.question import subject
from s2s.settings import SHIPPED


@dataclass(frozen=True)
class Held:
    """An answer of many numbers, some of them further down."""

    array: Any
    more: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Told(Question[str]):
    """What it is told to do when it is asked."""

    name: ClassVar[str] = "told"
    asked_for: ClassVar[list[str]] = []
    wait: ClassVar[threading.Event] = threading.Event()
    begun: ClassVar[threading.Event] = threading.Event()

    text: str = subject("sentence")

    def ask(self, have: Have) -> str:
        """Fails as often as the text says so."""
        self.asked_for.append(self.text)
        self.begun.set()
        if self.text == "wait":
            assert self.wait.wait(10)
        if self.text == "wrong" and len(self.asked_for) < 2:
            raise UserError("Not yet; ask again.")
        if self.text == "long":
            raise TooLongError
        return self.text * 2


@pytest.fixture(autouse=True)
def _unasked() -> None:
    ANSWERS.clear()
    Told.asked_for.clear()
    Told.wait.clear()
    Told.begun.clear()


def answer_of(n_bytes: int) -> Timed:
    """Half of it in nested values."""
    half = np.zeros(n_bytes // 2, np.uint8)
    return Timed(Held(half, ({"more": half},)), 0.5)


def test_another_run_in_the_same_folder_is_asked_anew(tmp_path: Path) -> None:
    question = AttentionOf(f"{tmp_path}@1500", "the red house")
    found = []
    for name in ("demo-en-fr", "demo-en-es"):
        shutil.copytree(SHIPPED / name, tmp_path, dirs_exist_ok=True)
        found.append(Have().answer(question).own)
    assert found == ["la maison rouge", "la casa roja"]


def test_whoever_comes_after_one_that_waits_waits_too() -> None:
    answers = Answers()
    order: list[str] = []

    def ask(name: str, go: threading.Event) -> threading.Thread:
        def asking() -> None:
            with answers.asking("k"):
                order.append(name)
                go.wait(10)
                order.append(name)

        thread = threading.Thread(target=asking)
        thread.start()
        return thread

    def n_begun(n: int) -> None:
        end = time.monotonic() + 10
        while len(order) < n and time.monotonic() < end:
            time.sleep(0.01)

    first, later = threading.Event(), threading.Event()
    threads = [ask("a", first)]
    n_begun(1)
    threads.append(ask("b", later))
    time.sleep(0.1)  # it waits
    first.set()
    n_begun(3)
    threads.append(ask("c", later))
    time.sleep(0.1)
    assert order == ["a", "a", "b"]
    later.set()
    for thread in threads:
        thread.join(10)
    assert order == ["a", "a", "b", "b", "c", "c"]


def test_texts_and_sets_count() -> None:
    assert n_bytes(("a" * 5_000,)) > 5_000
    assert n_bytes({"b" * 5_000: frozenset({(1, 2), (3, 4)})}) > 5_000 + 4 * n_bytes(1)


def test_answers_are_bounded_in_bytes_and_the_oldest_leave() -> None:
    answers = Answers(max_bytes=35_000)
    for name in "abc":
        answers.put(name, "ann", answer_of(10_000))
    assert answers.get("a", "ann")  # which makes b the oldest
    answers.put("d", "ann", answer_of(10_000))
    assert [name for name in "abcd" if answers.get(name, "ann")] == ["a", "c", "d"]
    answers.put("a", "ann", answer_of(100))  # replaced: its bytes do not count any more
    answers.put("e", "ann", answer_of(10_000))
    assert all(answers.get(name, "ann") for name in "acde")
    answers.put("f", "ann", answer_of(90_000))
    assert [name for name in "abcdef" if answers.get(name, "ann")] == ["f"]


def test_answers_are_bounded_in_number() -> None:
    answers = Answers(max_answers=3)
    for name in range(9):
        answers.put(name, "ann", Timed("x", 0.0))
    assert [name for name in range(9) if answers.get(name, "ann")] == [6, 7, 8]


def test_what_two_ask_for_at_once_is_asked_once_and_who_waits_lets_others_go() -> None:
    entered = threading.Event()

    class Waiting(Have):
        @contextmanager
        def paused(self) -> Iterator[None]:
            entered.set()
            yield

    found: list[str] = []
    first, second = (
        threading.Thread(target=lambda have=have: found.append(have.answer(Told("wait"))))
        for have in (Have(), Waiting())
    )
    first.start()
    assert Told.begun.wait(10)
    second.start()
    assert entered.wait(10)
    assert found == []
    Told.wait.set()
    first.join(10)
    second.join(10)
    assert found == ["waitwait"] * 2
    assert Told.asked_for == ["wait"]


def test_what_others_have_asked_for_stays_when_a_workspace_is_forgotten() -> None:
    for owner, texts in {"ann": "ab", "bob": "bc"}.items():
        with asker.acting_as(owner):
            for text in texts:
                Have().answer(Told(text))
    assert Told.asked_for == [*"abc"]
    ANSWERS.forget("ann")
    with asker.acting_as("bob"):
        assert [Have().answer(Told(text)) for text in "abc"] == ["aa", "bb", "cc"]
    assert Told.asked_for == [*"abca"]
    ANSWERS.forget("bob")
    assert not any(ANSWERS.get(Have().key(Told(text)), "bob") for text in "abc")


def test_nothing_is_kept_of_an_error() -> None:
    with pytest.raises(UserError, match="Not yet"):
        Have().answer(Told("wrong"))
    assert not ANSWERS.get(Have().key(Told("wrong")), "local")
    assert Have().answer(Told("wrong")) == "wrongwrong"


def test_seconds_are_those_of_the_first_time_wherever_it_was_answered() -> None:
    class Elsewhere(Have):
        def known(self, question: Question[Any], key: Any) -> Timed | None:
            return super().known(question, key) or (
                Timed("found", 3.0) if question == Told("beside") else None
            )

        def elsewhere(self, question: Question[Any], key: Any) -> Timed:
            return Timed("elsewhere", 4.0)

    assert Elsewhere().timed(Told("beside")) == Timed("found", 3.0)
    assert Elsewhere().timed(Told("long")) == Timed("elsewhere", 4.0)
    assert Told.asked_for == ["long"]
    first = Have().timed(Told("here"))
    assert first.value == "herehere"
    assert Have().timed(Told("here")) == first
