import re
from html.parser import HTMLParser

import numpy as np

from s2s.plots import standalone, svg
from tests.plots.test_svg import HOSTILE, LINKS, dirichlet, every_cell

OURS = {
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "main",
    "p",
    "figure",
    "a",
    "details",
    "summary",
    "div",
    "table",
}
OURS |= {"script", "caption", "tr", "th", "td", "bdi", "svg", "desc", "g", "rect", "path", "text"}


class Read(HTMLParser):
    """Tags, their attributes, and the cells' numbers."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.numbers: list[float] = []
        self.is_cell = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs
        self.is_cell = tag == "td"

    def handle_data(self, data: str) -> None:
        if self.is_cell:
            self.numbers.append(float(data))
            self.is_cell = False


def page(link: str = "https://example.org/?v=1&src=a") -> str:
    weights = dirichlet(len(HOSTILE), len(HOSTILE))
    picture = svg.lines(
        {"one": every_cell(weights)}, HOSTILE, HOSTILE, title=HOSTILE[0], caption=HOSTILE[1]
    )
    tables = [standalone.WeightsTable(HOSTILE[0], weights, HOSTILE, HOSTILE)]
    return standalone.page(picture, tables, title=HOSTILE[0], verb="predicts", link=link)


def test_no_token_is_markup_and_nothing_is_fetched() -> None:
    found = Read(page())
    assert found.tags <= OURS
    names = [name for name, _ in found.attributes]
    assert not [name for name in names if name.startswith("on") or name == "src"]
    assert [value for name, value in found.attributes if name == "href"] == [
        "https://example.org/?v=1&src=a"
    ]
    assert "url(" not in page()
    assert "@import" not in page()
    assert page().count("<script>") == 1


def test_it_has_the_numbers() -> None:
    np.testing.assert_allclose(
        Read(page()).numbers, dirichlet(len(HOSTILE), len(HOSTILE)).ravel(), atol=6e-5
    )


def test_without_an_address_there_is_no_link() -> None:
    assert "href" not in page(link="")


def test_its_script_finds_the_sides_that_the_picture_marks() -> None:
    picture = svg.lines({"one": LINKS}, ["a", "b"], ["c", "d"], title="t")
    for side in re.findall(r"text\[data-(\w+)\]", standalone.SCRIPT):
        assert re.findall(rf'<text[^>]* data-{side}="(\d)"', picture) == ["0", "1"]
