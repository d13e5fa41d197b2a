"""The snapshot of a page: the pictures that it shows, as one file."""

import re
from html import escape

import pytest

from s2s.ui.kit.pictures import SHOWN
from s2s.ui.shell import share_button
from tests.screen import PAGES, link, opened

NASTY = "<img src=x onerror=alert(1)>"


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that downloads have, as soon as their button is drawn."""
    made: list[str] = []
    asker = share_button.asker
    monkeypatch.setattr(asker, "for_this_visitor", lambda work: made.append(work()) or work)
    return made


@pytest.mark.parametrize("path", PAGES)
def test_a_page_with_pictures_offers_them_with_their_findings_and_the_runs_name(
    path: str, files: list[str]
) -> None:
    screen = opened(path)
    assert not screen.exception
    pictures = screen.session_state[SHOWN].values()
    has_snapshot = "snapshot" in {each.key for each in screen.get("download_button")}
    assert has_snapshot == bool(pictures)
    for picture in pictures:
        assert escape(picture.finding) in files[-1]
    if pictures and "run" in screen.session_state and path != "positions":
        assert str(screen.session_state["run"]) in files[-1]


def test_a_snapshot_needs_no_network_and_what_visitors_wrote_is_text(files: list[str]) -> None:
    screen = opened("attention", run="demo-en-fr", src=f"the red {NASTY} house")
    (page,) = files[-1:]
    assert escape(f"the red {NASTY} house") in page
    assert NASTY not in page
    addresses = {*re.findall(r'(?:src|href)="(?!data:)([^"]*)"', page)}
    assert addresses == {escape(link(screen))}  # which opens the page on its server
    assert "default-src 'none'" in page
