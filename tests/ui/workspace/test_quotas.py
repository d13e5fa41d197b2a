"""A full quota, and a visitor without a workspace, are a sentence where something is made."""

import pytest
from streamlit.testing.v1 import AppTest

from s2s.files import stored
from s2s.hosted import Key
from s2s.links.share import pack
from s2s.ui.shell import visitors
from tests.screen import opened, page_text
from tests.storing import store_dataset, store_run
from tests.ui.data.uploading import PAIRS, uploaded

ASKED = {"source": "builtin:en-fr", "preset": "small", "train.steps": "20"}
NOBODY = "Nothing can be stored without a workspace"


def trained() -> AppTest:
    return opened("train", set=pack(ASKED)).button(key="train").click().run()


def given() -> AppTest:
    return uploaded(("pairs.tsv", PAIRS))


@pytest.mark.parametrize("action", [trained, given])
def test_nobody_is_told_why_nothing_is_stored(
    action: object, key: Key, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visitors, "cookies", dict)
    screen = action()  # type: ignore[operator]
    assert not screen.exception
    assert NOBODY in page_text(screen)
    assert stored.items() == []


def test_one_run_too_many(key: Key, monkeypatch: pytest.MonkeyPatch) -> None:
    store_run("r1", key.digest)
    monkeypatch.setenv("S2S_MAX_RUNS", "1")
    screen = trained()
    assert not screen.exception
    assert "You have stored 1 runs and may store 1 runs" in page_text(screen)


def test_an_upload_too_many(key: Key, monkeypatch: pytest.MonkeyPatch) -> None:
    hash = store_dataset(key.digest)
    monkeypatch.setenv("S2S_MAX_BYTES", "100")
    screen = given()
    assert not screen.exception
    assert "Delete what you no longer need (My workspace lists it)" in page_text(screen)
    assert [item.id for item in stored.items(key.digest)] == [hash]
