"""Two datasets are read at a time, and of each visitor one."""

import io
import json
import shutil
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from s2s import settings
from s2s.config import UserError, asker
from s2s.data import reader, reader_slots
from s2s.data.caps import Caps
from s2s.data.reader_slots import ALL_TAKEN, MAX_WAIT, SECOND_TAB, is_reading, reader_slot
from s2s.processes import bounds


class WaitsError(Exception):
    """What a reader is told that would wait."""


def refuse(reason: str) -> None:
    raise WaitsError(reason)


def waits(folder: Path, owner: str) -> str:
    """What a reader of that owner is told; empty where it finds a slot, which it leaves at once."""
    try:
        with reader_slot(folder, owner, refuse):
            return ""
    except WaitsError as told:
        return str(told)


def test_a_visitor_with_two_tabs_leaves_a_slot_to_others(tmp_path: Path) -> None:
    with ExitStack() as held:
        held.enter_context(reader_slot(tmp_path, "ann", refuse))
        assert waits(tmp_path, "ann") == SECOND_TAB
        assert waits(tmp_path, "bob") == ""
        held.enter_context(reader_slot(tmp_path, "bob", refuse))
        assert waits(tmp_path, "ann") == SECOND_TAB
        assert waits(tmp_path, "eve") == ALL_TAKEN
    assert waits(tmp_path, "ann") == ""


@pytest.mark.parametrize("first", ["ann", asker.LOCAL])
def test_local_is_everybody_and_holds_both(tmp_path: Path, first: str) -> None:
    with (
        reader_slot(tmp_path, first, refuse),
        reader_slot(tmp_path, asker.LOCAL, refuse),
    ):
        assert waits(tmp_path, asker.LOCAL) == ALL_TAKEN


def test_a_slot_is_free_after_an_error_and_whoever_waits_gets_it(tmp_path: Path) -> None:
    told = []
    with ExitStack() as held:
        held.enter_context(reader_slot(tmp_path, "ann", refuse))

        def leave(reason: str) -> None:
            told.append(reason)
            held.close()

        with reader_slot(tmp_path, "ann", leave):
            assert waits(tmp_path, "ann") == SECOND_TAB
    assert told == [SECOND_TAB]
    with pytest.raises(ZeroDivisionError), reader_slot(tmp_path, "ann", refuse):
        raise ZeroDivisionError
    assert waits(tmp_path, "ann") == ""


IN_VAIN = "Other datasets were being read for 300 seconds; try again in a while."


def test_whoever_waits_too_long_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader_slots, "RETRY_SECONDS", 0.0)
    told: list[str] = []
    times = iter([5.0, 6.0, 4.9 + MAX_WAIT, 5.0 + MAX_WAIT])
    with reader_slot(tmp_path, asker.LOCAL, refuse), reader_slot(tmp_path, asker.LOCAL, refuse):
        late = reader_slot(tmp_path, asker.LOCAL, told.append, times.__next__)
        with pytest.raises(UserError, match=IN_VAIN), late:
            pass
    assert told == [ALL_TAKEN, ALL_TAKEN]
    assert waits(tmp_path, asker.LOCAL) == ""


@pytest.fixture
def limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds after which the reader of an order lets itself be ended, each as it is set."""
    order = {
        "folder": str(tmp_path),
        "state": "state",
        "workspace": "ann",
        "caps": Caps(seconds=7.0).to_json(),
    }
    given: list[float] = []
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(order).encode())))
    monkeypatch.setattr(bounds, "nice", lambda niceness: None)
    monkeypatch.setattr(bounds, "end_after", given.append)
    return given


def test_the_limit_of_reading_starts_with_the_slot(
    limits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    when_read: list[list[float]] = []
    monkeypatch.setattr(reader, "carry_out", lambda order: when_read.append([*limits]))
    reader.main()
    assert when_read == [[MAX_WAIT + 7.0, 7.0]]


def test_a_reader_without_a_slot_says_so(
    tmp_path: Path, limits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader_slots, "MAX_WAIT", 0.0)
    with reader_slot(settings.home() / "incoming", "ann", refuse):
        reader.main()
    error = "Other datasets were being read for 0 seconds; try again in a while."
    assert json.loads((tmp_path / "state.json").read_bytes()) == {"is_over": True, "error": error}
    assert limits == [MAX_WAIT + 7.0]


def test_it_is_known_whose_dataset_is_being_read(tmp_path: Path) -> None:
    with reader_slot(tmp_path, "ann", refuse):
        assert is_reading(tmp_path, "ann")
        assert not is_reading(tmp_path, "bob")
    assert not is_reading(tmp_path, "ann")


@pytest.mark.parametrize("about", ["upload.json", "about.json"])
def test_a_reader_whose_dataset_is_deleted_ends_and_leaves_nothing(
    tmp_path: Path, about: str
) -> None:
    ended = list[int]()
    folder = tmp_path / "one"
    folder.mkdir()
    (folder / about).touch()
    watcher = reader._DeletionWatcher(folder, ended.append)
    looks = iter(range(9))

    def wait(seconds: float) -> bool:
        if next(looks) == 2:
            shutil.rmtree(folder)
            folder.mkdir()
            (folder / "result.json").touch()  # which the reader writes a moment later
        return False

    watcher.over.wait = wait  # type: ignore[method-assign, assignment]
    watcher.run()
    assert ended == [0]
    assert not folder.exists()


def test_a_reader_of_what_nobody_can_delete_goes_on(tmp_path: Path) -> None:
    ended = list[int]()
    watcher = reader._DeletionWatcher(tmp_path, ended.append)
    looks = iter(range(4))
    watcher.over.wait = lambda seconds: next(looks) == 3  # type: ignore[method-assign, assignment]
    watcher.run()
    assert ended == []
