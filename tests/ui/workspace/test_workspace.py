"""My workspace, and the banner about what expires."""

import contextlib
import sqlite3
import time

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from s2s import lessons, settings
from s2s.config import asker
from s2s.files import stored
from s2s.hosted import Key, exports, rows
from s2s.hosted.keys import FRAMED
from s2s.processes import queue
from s2s.processes.queue import erasure
from s2s.ui.shell import expiry_banner, visitors
from tests.screen import opened, page_text
from tests.storing import grow_old, store_dataset, store_evaluation, store_run


@pytest.fixture(autouse=True)
def _fresh() -> None:
    expiry_banner._all_soon.clear()


def test_a_new_visitor_has_nothing_and_can_make_a_recovery_link(key: Key) -> None:
    screen = opened("workspace")
    assert not screen.exception
    assert "You have stored nothing yet" in page_text(screen)
    assert [each.value for each in screen.metric][:3] == ["0 bytes", "0", "0"]
    assert "of 2 GB" in page_text(screen)
    assert "export" not in {each.key for each in screen.button}
    screen.button(key="recover").click().run()
    assert not screen.exception
    (link,) = (each.value for each in screen.code)
    path, _, token = link.partition("#")
    assert path.endswith("/recover")
    assert key.secret not in str(screen.main)
    screen.run()
    assert not screen.code  # it was shown once
    opened_key = rows.open_link(token)
    assert opened_key
    assert rows.workspace_of(opened_key) == key.digest


def test_a_lesson_of_ones_own_is_named_and_can_be_exported(key: Key) -> None:
    lessons.add_lesson(lessons.LESSONS["five-minutes"])
    screen = opened("workspace")
    assert not screen.exception
    assert "You have stored nothing yet" not in page_text(screen)
    links = [each.proto.label for each in screen.get("page_link")]
    assert "1 lesson of your own" in links
    assert "export" in {each.key for each in screen.button}


def test_in_a_frame_the_zip_is_for_its_key_and_a_recovery_link_opens_its_workspace_in_a_tab(
    key: Key, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_FRAME_ANCESTORS", "https://school.example")
    monkeypatch.setattr(visitors, "cookies", lambda: {FRAMED: key.signed})
    lessons.add_lesson(lessons.LESSONS["five-minutes"])
    screen = opened("workspace")
    assert "In a tab of this browser, too" in page_text(screen)
    screen.button(key="export").click().run()
    assert not screen.exception
    url = screen.get("link_button")[0].proto.url
    assert exports.find_export(url.rpartition("/")[2], key.signed)


def test_what_is_stored_is_listed_exported_and_deleted(key: Key) -> None:
    store_run("r1", key.digest)
    store_dataset(key.digest, 4, "*mine*")
    store_evaluation(key.digest)
    store_run("r2", "somebody")
    queue.submit("evaluate", key.digest, "e", {"name": "x"})
    screen = opened("workspace")
    assert not screen.exception
    table = screen.dataframe[0].value
    assert set(table["Kind"]) == {"run", "saved dataset", "evaluation"}
    assert "*mine*" in set(table["Name"])
    assert [each.value for each in screen.metric][1:5] == ["4", "1", "1", "1"]
    screen.button(key="export").click().run()
    assert not screen.exception
    url = screen.get("link_button")[0].proto.url
    assert exports.find_export(url.rpartition("/")[2], key.signed)

    screen.text_input(key="confirm deletion").set_value("yes")
    press_delete(screen)
    assert "Nothing was deleted: type delete into the field" in page_text(screen)
    assert stored.usage(key.digest).runs == 1
    screen.text_input(key="confirm deletion").set_value(" Delete ")
    press_delete(screen)
    assert not screen.exception
    assert "Everything in your workspace was deleted" in str(screen.success[0].value)
    assert stored.usage(key.digest) == stored.Usage()
    assert queue.jobs(key.digest) == []
    assert stored.usage("somebody").runs == 1
    assert "You have stored nothing yet" in page_text(screen)
    assert "Pending" not in page_text(screen)


def test_a_deletion_is_pending_until_the_files_of_the_database_hold_nothing_of_it(
    key: Key, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure, "PATIENCE", 0.0)
    queue.submit("evaluate", key.digest, "e", {"name": "x"})
    with contextlib.closing(sqlite3.connect(settings.home() / "s2s.db")) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM jobs").fetchall()
        screen = opened("workspace")
        screen.text_input(key="confirm deletion").set_value("delete")
        press_delete(screen)
        assert "Pending: the files of the server's database" in page_text(screen)
    queue.erase()
    screen.run()
    assert not screen.exception
    assert "Pending" not in page_text(screen)
    assert "hold nothing of what you deleted any more" in str(screen.success[0].value)


@st.cache_resource
def _of_somebody(sentence: str) -> object:
    return object()


def test_who_deletes_everything_leaves_what_others_wait_for(key: Key) -> None:
    before = _of_somebody("a sentence")
    screen = opened("workspace")
    screen.text_input(key="confirm deletion").set_value("delete")
    press_delete(screen)
    assert "Everything in your workspace was deleted" in str(screen.success[0].value)
    assert _of_somebody("a sentence") is before


def press_delete(screen: AppTest) -> None:
    next(each for each in screen.button if each.label == "Delete everything").click().run()


def test_a_page_says_what_expires_soon_and_keeps_it(key: Key) -> None:
    now = time.time()
    grow_old(store_run("r1", key.digest), 28, now)
    grow_old(store_run("r2", "somebody"), 28, now)
    screen = opened("positions")
    assert "Expires on" in page_text(screen)
    assert page_text(screen).count("the run synthetic") == 1
    assert "the run" not in page_text(opened("workspace"))
    screen.button(key="keep").click().run()
    assert not screen.exception
    assert "Expires on" not in page_text(screen)
    found = rows.find(key.digest)
    assert found
    assert found.kept >= now


def test_a_local_server_has_no_such_page() -> None:
    grow_old(store_run("r1", asker.LOCAL), 100, time.time())
    screen = opened("positions")
    assert "Expires on" not in page_text(screen)
    assert "My workspace" not in page_text(opened("workspace"))


def test_while_the_database_is_away_the_page_says_so(
    key: Key, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("S2S_DATABASE_URL", "postgresql+psycopg://@/none?host=/nowhere")
        screen = opened("workspace")
        assert not screen.exception
        assert "cannot be opened" in page_text(screen)
