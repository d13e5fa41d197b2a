"""What somebody reads who had published views in the gallery that was here."""

import pytest
from streamlit.testing.v1 import AppTest

from s2s.ui.shell import visitors
from tests.processes.queue.test_gallery_ended import before_the_end, store_published
from tests.screen import opened, page_text

ENDED = "The gallery has ended."


@pytest.fixture(autouse=True)
def _hosted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)
    monkeypatch.setattr(visitors, "cookies", dict)
    with before_the_end(monkeypatch):
        store_published()


def visit(monkeypatch: pytest.MonkeyPatch, workspace: str) -> AppTest:
    monkeypatch.setattr(visitors, "workspace_of_visitor", lambda: workspace)
    screen = opened()
    assert not screen.exception
    return screen


def test_an_owner_reads_which_links_stay_until_they_dismiss_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert ENDED not in page_text(visit(monkeypatch, "bob"))
    hers = visit(monkeypatch, "ana")
    assert ENDED in page_text(hers)
    links = [each.proto for each in hers.get("page_link") if "A red house" in each.proto.label]
    assert [each.label for each in links] == [
        "BCD-FGHJ-KMN · A red house",
        "KFR-WTPH · A red house",
    ]
    assert all("src=the+red+house" in each.query_string for each in links)
    hers = visit(monkeypatch, "ana")
    assert ENDED in page_text(hers)  # in another session, too
    hers.button(key="dismiss published").click().run()
    assert ENDED not in page_text(hers)
    assert ENDED not in page_text(visit(monkeypatch, "ana"))
