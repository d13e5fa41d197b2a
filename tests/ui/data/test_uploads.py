"""An upload is a folder for as long as the visit keeps it, and no longer."""

import shutil

import pytest
import streamlit as st
from streamlit.runtime.scriptrunner import RerunException
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

from s2s import settings
from s2s.ui.data import uploads
from tests.test_screens import PAIRS, uploaded


class Interrupted(dict[str, object]):
    """The session's state at the moment of another click."""

    def __setitem__(self, key: str, value: object) -> None:
        raise RerunException(RerunData())


def test_a_click_while_files_are_uploaded_leaves_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "session_state", Interrupted())
    with pytest.raises(RerunException):
        uploads.begin("Upload", "pairs.tsv", [("pairs.tsv", PAIRS)])
    assert not list((settings.home() / "incoming").iterdir())


def test_an_upload_that_was_deleted_gives_way_to_the_upload_field() -> None:
    screen = uploaded(("pairs.tsv", PAIRS))
    assert screen.metric
    shutil.rmtree(settings.home() / "incoming")
    screen.run()
    assert not screen.exception
    assert len(screen.file_uploader) == 1
