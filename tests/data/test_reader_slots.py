"""Two datasets are read at a time, and of each visitor one."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from s2s.access import LOCAL
from s2s.data.reader_slots import ALL_TAKEN, SECOND_TAB, reader_slot


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


@pytest.mark.parametrize("first", ["ann", LOCAL])
def test_local_is_everybody_and_holds_both(tmp_path: Path, first: str) -> None:
    with (
        reader_slot(tmp_path, first, refuse),
        reader_slot(tmp_path, LOCAL, refuse),
    ):
        assert waits(tmp_path, LOCAL) == ALL_TAKEN


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
