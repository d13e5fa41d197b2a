"""The views that Home lists, and the address of the gallery that was there before."""

import pytest

from s2s.links.share import unpack
from s2s.ui.shell.curated_views import CURATED_VIEWS, CuratedView
from tests.screen import box, drawn_pictures, lost, opened


def test_home_shows_each_view_as_a_card_with_a_picture_in_both_themes() -> None:
    screen = opened()
    labels = [each.proto.label for each in screen.get("page_link")]
    titles = [view.title for view in CURATED_VIEWS]
    assert 8 <= len(titles) <= 10
    assert [label for label in labels if label in titles] == titles
    assert [*drawn_pictures(screen)] == [view.name for view in CURATED_VIEWS]
    assert all(view.about.endswith(".") for view in CURATED_VIEWS)


@pytest.mark.parametrize("view", CURATED_VIEWS, ids=lambda view: view.page)
def test_a_listed_view_shows_what_its_link_says(view: CuratedView) -> None:
    screen = opened(view.page, **view.values)
    assert not screen.exception
    assert not screen.error
    assert not lost(screen)
    if "src" in view.values:
        assert box(screen) == view.values["src"]
    for key in {"run", "kind", "layer", "head"} & set(view.values):
        assert screen.session_state[key] == view.values[key]
    said = unpack(view.values.get("set", ""))
    assert said.items() <= unpack(screen.session_state["set"] if said else "").items()


def test_the_address_of_the_gallery_leads_to_the_views_on_home() -> None:
    screen = opened("runs", set="tab:gallery,search:red house", lesson="five-minutes.2")
    assert not screen.exception
    assert CURATED_VIEWS[0].title in [each.proto.label for each in screen.get("page_link")]
    (said,) = lost(screen)
    assert "The gallery has ended" in said
    assert screen.session_state["lesson"] == "five-minutes.2"
    assert not lost(screen.run())
