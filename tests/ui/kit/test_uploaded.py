"""A file that was uploaded is opened once, unless that may work later."""

from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st

from s2s.config import LaterError, UserError
from s2s.ui.kit import forms

FILE: Any = SimpleNamespace(file_id="f1", name="a.txt", getvalue=lambda: b"a")


@pytest.mark.parametrize("error", [None, UserError("No."), LaterError("Not now.")])
def test_what_may_work_later_alone_is_tried_again(
    error: UserError | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(st, "session_state", {})
    asked = []

    def read(files: Any, setting: int) -> str:
        asked.append((files, setting))
        if error:
            raise error
        return "read"

    for _ in range(2):
        if error:
            with pytest.raises(UserError, match=str(error)):
                forms.read_once("it", [FILE], read, 5)
        else:
            assert forms.read_once("it", [FILE], read, 5) == "read"
    times = 2 if isinstance(error, LaterError) else 1
    assert asked == times * [([("a.txt", b"a")], 5)]
