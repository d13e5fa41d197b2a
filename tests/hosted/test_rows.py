import time

import pytest
import sqlalchemy as sa

from s2s import hosted as workspaces
from s2s.config import DeniedError, UserError, asker
from s2s.files import database
from s2s.hosted import keys, rows
from s2s.hosted.rows import DAY
from s2s.processes import queue
from tests.hosted import acting


def opened(token: str, now: float | None = None) -> str:
    """The workspace that a link opens; "" for none."""
    key = rows.open_link(token, now=now)
    return rows.workspace_of(key) if key else ""


def test_a_link_opens_its_workspace_once() -> None:
    token = acting.make_link("ann")
    key = rows.open_link(token)
    assert key is not None
    assert key.kind == keys.LINKED
    assert key.digest != "ann"
    assert rows.workspace_of(key) == "ann"
    assert opened(token) == ""
    assert opened(acting.make_link("bob")) == "bob"


def test_a_link_expires_after_a_week() -> None:
    assert opened(acting.make_link("ann", now=100.0), 99 + 7 * DAY) == "ann"
    assert opened(acting.make_link("ann", now=100.0), 101 + 7 * DAY) == ""


def test_no_token_and_no_key_is_stored() -> None:
    token = acting.make_link("ann")
    key = rows.open_link(acting.make_link("ann"))
    assert key
    with database.begin() as connection:
        stored = [
            str(row)
            for table in (rows.WORKSPACES, rows.KEYS, rows.LINKS)
            for row in connection.execute(table.select())
        ]
    assert len(stored) == 2
    assert not [row for row in stored if key.secret in row or token.split(".")[0] in row]


@pytest.mark.parametrize("token", ["", "x", "a.b", "ä.ö", "A" * 43 + "." + "A" * 43])
def test_a_guess_is_refused_without_a_query(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("S2S_DATABASE_URL", "postgresql+psycopg://nowhere/none")
        assert rows.open_link(token) is None


def test_a_direct_key_needs_no_database_and_a_linked_one_says_that_it_is_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    key = rows.open_link(acting.make_link("ann"))
    direct = keys.new_key()
    assert key
    with monkeypatch.context() as patch:
        patch.setenv("S2S_DATABASE_URL", "postgresql+psycopg://@/none?host=/nowhere")
        assert rows.workspace_of(direct) == direct.digest
        with pytest.raises(UserError, match="cannot be opened"):
            rows.workspace_of(key)


def test_a_deleted_workspace_is_opened_by_no_key_and_no_link_any_more() -> None:
    link, key = acting.make_link("ann"), rows.open_link(acting.make_link("ann"))
    other = rows.open_link(acting.make_link("bob"))
    assert key
    assert other
    assert rows.workspace_of(key) == "ann"
    acting.keep("ann")
    rows.delete("ann")
    assert rows.find("ann") is None
    assert rows.workspace_of(key) == ""
    assert opened(link) == ""
    assert rows.workspace_of(other) == "bob"


def test_a_key_that_another_app_has_deleted_opens_nothing_a_minute_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    key = rows.open_link(acting.make_link("ann"))
    assert key
    assert rows.workspace_of(key) == "ann"
    with queue.begin() as connection:
        connection.execute(sa.delete(rows.KEYS))
    now = time.time()
    monkeypatch.setattr(rows.time, "time", lambda: now + rows.LOOK)
    assert rows.workspace_of(key) == ""


def test_what_was_kept_and_whose_account_it_is_are_noted() -> None:
    assert rows.find("ann") is None
    acting.keep("ann", now=5.0)
    acting.keep("ann", now=7.0)
    rows.note_account("bob", "hash")
    assert rows.kept() == {"ann": 7.0, "bob": 0.0}
    found = rows.find("bob")
    assert found
    assert (found.account, found.kept) == ("hash", 0.0)


def test_the_oldest_of_many_computers_is_forgotten() -> None:
    made = [rows.open_link(acting.make_link("ann"), now=1e10 + n) for n in range(3)]
    assert made == [None] * 3  # long expired
    found = [
        rows.open_link(acting.make_link("ann", now=n), now=n) for n in range(rows.MOST_KEYS + 1)
    ]
    assert [rows.workspace_of(key) for key in found if key] == ["", *["ann"] * rows.MOST_KEYS]


@pytest.mark.parametrize("visitor", ["", "bob", "local", "everybody"])
def test_only_its_visitor_may_do_anything_with_a_whole_workspace(visitor: str) -> None:
    with asker.acting_as(visitor):
        for action in (
            lambda: rows.make_link("ann"),
            lambda: rows.keep("ann"),
            lambda: workspaces.delete_workspace("ann"),
            lambda: workspaces.write_export("ann", "cookie"),
            lambda: workspaces.expiring("ann"),
            lambda: workspaces.merge(keys.new_key(), "ann" * 20),
        ):
            with pytest.raises(DeniedError, match="There is no workspace `ann"):
                action()
