"""Two datasets are read at a time, and of each visitor one."""

import shutil
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from s2s import settings
from s2s.config import UserError, asker
from s2s.data import reader
from s2s.data.options import Caps
from s2s.data.profile import MAX_WAIT, SLOTS
from s2s.processes import bounds, slots


class WaitsError(Exception):
    """What a reader is told that would wait."""


def refuse(reason: str) -> None:
    raise WaitsError(reason)


def waits(folder: Path, owner: str) -> str:
    """What a reader of that owner is told; empty where it finds a slot, which it leaves at once."""
    try:
        with SLOTS.held(folder, owner, refuse):
            return ""
    except WaitsError as told:
        return str(told)


def test_a_visitor_with_two_tabs_leaves_a_slot_to_others(tmp_path: Path) -> None:
    with ExitStack() as held:
        held.enter_context(SLOTS.held(tmp_path, "ann", refuse))
        assert waits(tmp_path, "ann") == SLOTS.has_one
        assert waits(tmp_path, "bob") == ""
        held.enter_context(SLOTS.held(tmp_path, "bob", refuse))
        assert waits(tmp_path, "ann") == SLOTS.has_one
        assert waits(tmp_path, "eve") == SLOTS.all_taken
    assert waits(tmp_path, "ann") == ""


@pytest.mark.parametrize("first", ["ann", asker.LOCAL])
def test_local_is_everybody_and_holds_both(tmp_path: Path, first: str) -> None:
    with SLOTS.held(tmp_path, first, refuse), SLOTS.held(tmp_path, asker.LOCAL, refuse):
        assert waits(tmp_path, asker.LOCAL) == SLOTS.all_taken


def test_a_slot_is_free_after_an_error_and_whoever_waits_gets_it(tmp_path: Path) -> None:
    told = []
    with ExitStack() as held:
        held.enter_context(SLOTS.held(tmp_path, "ann", refuse))

        def leave(reason: str) -> None:
            told.append(reason)
            held.close()

        with SLOTS.held(tmp_path, "ann", leave):
            assert waits(tmp_path, "ann") == SLOTS.has_one
    assert told == [SLOTS.has_one]
    with pytest.raises(ZeroDivisionError), SLOTS.held(tmp_path, "ann", refuse):
        raise ZeroDivisionError
    assert waits(tmp_path, "ann") == ""


IN_VAIN = "Other datasets were being read for 300 seconds; try again in a while."


def test_whoever_waits_too_long_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "RETRY_SECONDS", 0.0)
    told: list[str] = []
    times = iter([5.0, 6.0, 4.9 + MAX_WAIT, 5.0 + MAX_WAIT])
    with SLOTS.held(tmp_path, asker.LOCAL, refuse), SLOTS.held(tmp_path, asker.LOCAL, refuse):
        late = SLOTS.held(tmp_path, asker.LOCAL, told.append, times.__next__)
        with pytest.raises(UserError, match=IN_VAIN), late:
            pass
    assert told == [SLOTS.all_taken, SLOTS.all_taken]
    assert waits(tmp_path, asker.LOCAL) == ""


class Heard:
    """In place of `Here`."""

    def __init__(self) -> None:
        self.doing: list[str] = []

    def tell(self, *, doing: str, **_: object) -> None:
        self.doing.append(doing)


def order(folder: Path) -> dict[str, Any]:
    return {"folder": str(folder), "workspace": "ann", "caps": Caps(seconds=7.0).to_json()}


def test_the_limit_of_reading_starts_with_the_slot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[object] = []
    monkeypatch.setattr(bounds, "end_after", given.append)
    monkeypatch.setattr(slots.time, "sleep", lambda _: held.close())
    monkeypatch.setattr(reader, "carry_out", lambda *_: given.append("read"))
    heard = Heard()
    with ExitStack() as held:
        held.enter_context(SLOTS.held(settings.home() / "incoming", "ann", refuse))
        assert list(reader.read(order(tmp_path), heard)) == []  # type: ignore[arg-type]
    assert given == [7.0, "read"]
    assert heard.doing == [SLOTS.has_one]


def test_a_reader_without_a_slot_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "end_after", lambda _: pytest.fail("it has no slot"))
    monkeypatch.setattr(reader, "SLOTS", replace(SLOTS, max_wait=0.0))
    with (
        SLOTS.held(settings.home() / "incoming", "ann", refuse),
        pytest.raises(UserError, match=IN_VAIN),
    ):
        list(reader.read(order(tmp_path), Heard()))  # type: ignore[arg-type]


def test_it_is_known_whose_dataset_is_being_read(tmp_path: Path) -> None:
    with SLOTS.held(tmp_path, "ann", refuse):
        assert SLOTS.holds(tmp_path, "ann")
        assert not SLOTS.holds(tmp_path, "bob")
    assert not SLOTS.holds(tmp_path, "ann")


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
