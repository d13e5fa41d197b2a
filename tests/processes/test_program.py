"""Work in a process of its own: what comes back, and what ends it."""

import contextlib
import inspect
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import s2s
from s2s import settings
from s2s.config import UserError
from s2s.processes import channel, program
from s2s.processes.program import EndedError, Process, Program, TooLargeError, ask
from tests import spawned

TOY = Program("tests.processes.toy_work:work", "toy")
SECONDS = 60.0  # far more than it needs

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("S2S_HOME", str(tmp_path_factory.mktemp("home")))
        yield settings.home()


@pytest.fixture(scope="module")
def toy(home: Path) -> Iterator[Process]:
    """For orders that leave it alive."""
    with contextlib.closing(Process(TOY)) as process:
        yield process


def answers(toy: Process, name: str, given: Any = "", **limits: Any) -> list[Any]:
    return [*toy.answers(toy.order([name, given], **limits), SECONDS)]


def test_it_answers_one_order_after_the_other_whatever_else_it_prints(toy: Process) -> None:
    assert answers(toy, "echo", {"a": [1, "é"]}) == [{"a": [1, "é"]}]
    assert [row[1000:] for row in answers(toy, "rows", 3)[:-1]] == ["0", "1", "2"]


def test_what_is_wrong_is_one_sentence_and_no_log_quotes_it(toy: Process, home: Path) -> None:
    with pytest.raises(UserError, match=r"^Choose another\.$"):
        answers(toy, "refuse", "Choose another.")
    with pytest.raises(UserError, match=r"\(RuntimeError\).*log/toy\.log"):
        answers(toy, "break", "a visitor's words")
    log = (home / "log" / "toy.log").read_text()
    assert "toy_work.py" in log
    assert "visitor" not in log


def test_a_full_disk_of_logs_ends_nothing(home: Path) -> None:
    """What it prints by the way is dropped; the errors of Python's own buffers stay there."""
    (home / "log").mkdir(exist_ok=True)
    (home / "log" / "full.log").symlink_to("/dev/full")
    with contextlib.closing(Process(replace(TOY, log="full"))) as toy:
        with pytest.raises(UserError, match="RuntimeError"):
            answers(toy, "break")
        assert answers(toy, "echo", 1) == [1]


def test_its_memory_is_limited_for_one_order(toy: Process) -> None:
    with pytest.raises(TooLargeError):
        answers(toy, "grow", 10**9, more_memory=10**8)
    assert answers(toy, "grow", 10**8) == [10**8, 10**8]


def test_it_says_how_far_it_is_and_stops(toy: Process) -> None:
    told: list[Any] = []

    def tell(line: Any) -> None:
        told.append(line["done"])
        toy.stop(number)

    number = toy.order(["go on", ""])
    with pytest.raises(UserError, match="Stopped"):
        list(toy.answers(number, SECONDS, tell))
    assert told == sorted(told) != []
    assert answers(toy, "echo", 1) == [1]


def test_whoever_reads_slowly_is_not_sent_more_than_fits(
    toy: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channel, "CHUNK", 1 << 14)
    rows = toy.answers(toy.order(["rows", 3000]), SECONDS)
    assert next(rows).endswith("x0")
    time.sleep(0.2)
    assert toy._arrived.qsize() <= channel.MOST_AHEAD
    assert sum(1 for _ in rows) == 3000  # one of them is what every order ends with


@pytest.mark.parametrize("code", [0, 7])
def test_its_end_is_no_answer(code: int, home: Path) -> None:
    with pytest.raises(EndedError) as error:
        list(ask(TOY, ["die", code], seconds=SECONDS))
    assert error.value.code == code


@pytest.mark.parametrize("line", ["no JSON", "[]", "[" * 100_000])
def test_one_that_was_taken_over_by_what_it_opened_is_ended(line: str, home: Path) -> None:
    with pytest.raises(EndedError):
        list(ask(TOY, ["forge", line], seconds=SECONDS))


def test_the_time_is_over_on_this_side_and_on_that(home: Path) -> None:
    with contextlib.closing(Process(TOY)) as process:
        assert answers(process, "echo", 1) == [1]
        with pytest.raises(TimeoutError):
            list(process.answers(process.order(["go on", ""]), 0.1))
    with contextlib.closing(Process(TOY)) as process, pytest.raises(EndedError):
        answers(process, "go on", seconds=0.1)


def test_it_ends_with_this_end_in_the_middle_of_its_work(home: Path) -> None:
    process = Process(TOY)
    process.order(["go on", ""])
    process.hang_up()
    spawned.wait_for(lambda: process.process.poll() is not None)
    assert process.process.returncode == 0
    process.close()


def test_every_program_names_a_function_of_an_order() -> None:
    folder = Path(s2s.__path__[0])
    files = [path for path in folder.rglob("*.py") if "Program(" in path.read_text()]
    names = [".".join(("s2s", *path.relative_to(folder).with_suffix("").parts)) for path in files]
    found = {
        value.work
        for name in names
        for value in vars(import_module(name)).values()
        if isinstance(value, program.Program)
    }
    assert len(found) > 3
    for work in found:
        module, _, function = work.partition(":")
        assert len(inspect.signature(getattr(import_module(module), function)).parameters) == 2, (
            work
        )
