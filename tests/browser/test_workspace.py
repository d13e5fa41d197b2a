"""A hosted server and two computers: the key travels in a cookie, and a recovery link opens the workspace once."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from s2s import settings
from s2s.hosted import key_of, workspace_of
from tests.browser.conftest import Open
from tests.browser.server import serving
from tests.browser.test_home import PHONE

SECRET = "a secret of more than thirty-two characters"


def cookies(page: Page) -> dict[str, str]:
    return {str(each["name"]): str(each["value"]) for each in page.context.cookies()}


def test_a_recovery_link_opens_the_workspace_on_another_computer(
    visit: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_SECRET", SECRET)
    (tmp_path / "home").mkdir(exist_ok=True)
    monkeypatch.setenv("S2S_HOME", str(tmp_path / "home"))
    hosted = {"S2S_HOSTED": "1", "S2S_SECRET": SECRET, "S2S_WORKER": "elsewhere"}
    with serving(settings.home(), **hosted) as server:
        first = visit(f"{server.address}/workspace")
        expect(first.get_by_text("You have stored nothing yet")).to_be_visible()
        key = key_of(cookies(first))
        assert key
        assert first.evaluate("document.cookie").count(key.secret) == 0
        first.get_by_role("button", name="Make a recovery link").click()
        link = first.locator("code").filter(has_text="/recover#").inner_text().strip()

        second = visit(link, **PHONE)  # which has its own cookies
        expect(second.get_by_text("Open this workspace here?")).to_be_visible()
        expect(second).to_have_url(
            f"{server.address}/recover"
        )  # the token is gone from the address
        second.get_by_role("button", name="Open the workspace").click()
        second.wait_for_url(f"{server.address}/")
        opened = key_of(cookies(second))
        assert opened
        assert workspace_of(opened) == key.digest
        assert first.get_by_test_id("stException").count() == 0
