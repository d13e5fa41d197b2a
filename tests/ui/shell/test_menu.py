"""The menu: ten entries, of which the page's own is in it whatever tab is open."""

import pytest

from s2s.ui.shell.pages import PAGES, Page, in_menu
from tests.screen import opened

ENTRIES = [*dict.fromkeys(row.entry for row in PAGES)]


def test_the_menu_has_ten_entries_in_four_sections() -> None:
    assert [row.entry for row in in_menu(PAGES)] == ENTRIES
    assert len(ENTRIES) == 10
    assert [*dict.fromkeys(row.section for row in PAGES)] == ["", "Learn", "Build", "Explore"]


@pytest.mark.parametrize("row", PAGES, ids=lambda row: row.title)
def test_a_page_is_its_entry_of_the_menu_while_it_is_open(row: Page) -> None:
    listed = in_menu(PAGES, row.url_path)
    assert row in listed
    assert [each.entry for each in listed] == ENTRIES


def test_a_tab_leads_to_the_other_pages_of_the_entry() -> None:
    screen = opened("heads")
    links = [link.proto for link in screen.get("page_link")]
    tabs = {link.label: link.page for link in links}
    assert [*tabs][:3] == ["Attention", "Many sentences", "States"]
    assert tabs["States"] == "states"
