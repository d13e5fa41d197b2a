"""Signing in, as far as it goes without a provider."""

from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from s2s.config import asker
from s2s.files import stored
from s2s.hosted import Key, account_of, workspace_of_account
from s2s.hosted.keys import FRAMED
from s2s.ui.shell import visitors
from s2s.ui.workspace import sign_in
from tests.screen import ROOT, opened, page_text
from tests.storing import store_dataset, store_run

USER = {"is_logged_in": True, "iss": "https://issuer.example", "sub": "42", "email": "*a*@b.c"}


def signed_in(path: str) -> AppTest:
    screen = AppTest.from_file(ROOT / "streamlit_app.py", default_timeout=30)
    screen._page_hash = calc_hash(path)
    screen.user = dict(USER)
    return screen.run()


def test_it_is_offered_only_where_a_provider_is_configured(
    key: Key, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sign_in.providers() == []
    assert "Sign in" not in str(opened("workspace").main)
    for secrets, names in (
        ({}, []),
        ({"auth": {"redirect_uri": "x", "client_id": "y"}}, [""]),
        ({"auth": {"redirect_uri": "x", "one": {"client_id": "y"}}}, ["one"]),
    ):
        screen = AppTest.from_file(ROOT / "streamlit_app.py", default_timeout=30)
        screen._page_hash = calc_hash("workspace")
        for name, value in secrets.items():
            screen.secrets[name] = value
        screen.run()
        assert not screen.exception
        keys = [each.key for each in screen.button if str(each.key).startswith("sign in")]
        assert keys == [f"sign in {name}" for name in names]


def test_in_a_frame_nobody_is_sent_to_a_provider_that_shows_itself_in_none(
    key: Key, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_FRAME_ANCESTORS", "https://school.example")
    monkeypatch.setattr(visitors, "cookies", lambda: {FRAMED: key.signed})
    monkeypatch.setattr(sign_in, "providers", lambda: [""])
    screen = opened("workspace")
    assert "sign in " not in {each.key for each in screen.button}
    assert "nobody can sign in: open the page in a tab" in page_text(screen)


def test_an_account_has_a_workspace_of_its_own_and_the_anonymous_one_is_merged(key: Key) -> None:
    store_run("r1", key.digest)
    store_dataset(key.digest)
    mine = workspace_of_account(account_of(USER))
    screen = signed_in("workspace")
    assert not screen.exception
    assert asker.current() != mine  # outside the script
    assert "You have stored nothing yet" in page_text(screen)
    assert "Signed in as ***a*@b.c**" in page_text(screen)
    assert "this browser stored 1 run and 1 saved dataset" in page_text(screen)
    assert "recover" not in {each.key for each in screen.button}
    screen.button(key="merge").click().run()
    assert not screen.exception
    assert str(screen.success[0].value) == "2 now belong to your account."
    assert stored.usage(mine).runs == 1
    assert "merge" not in {each.key for each in screen.button}
    assert set(screen.dataframe[0].value["Kind"]) == {"run", "saved dataset"}


def test_who_is_not_signed_in_has_the_workspace_of_the_key(key: Key, tmp_path: Path) -> None:
    store_run("r1", key.digest)
    assert set(opened("workspace").dataframe[0].value["Kind"]) == {"run"}
    assert st.secrets.load_if_toml_exists() is False
