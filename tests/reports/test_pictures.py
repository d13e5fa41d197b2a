"""Pictures as HTML: each kind of figure is drawn, texts are text, and nothing is loaded."""

import re
from html import unescape
from html.parser import HTMLParser

import numpy as np
import plotly.graph_objects as go
import pytest

from s2s.config import UserError
from s2s.plots import AllHeads, ComparedTexts, LinkedTokens, Picture, svg
from s2s.plots.picture import Figure
from s2s.questions import Table
from s2s.reports import charts, pictures

NASTY = "</script><script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\">"
NUMBERS = Table(("token", NASTY), [[NASTY, 0.123456], ["b", float("nan")]])
WEIGHTS = np.full((2, 3, 2, 2), 0.5, np.float32)
FIGURES: dict[str, Figure] = {
    "plotly": go.Figure(go.Bar(x=[NASTY], y=[1.5]), {"title": {"text": NASTY}}),
    "mapping": {"data": [{"type": "heatmap", "z": np.ones((1, 1), np.float32)}], "layout": {}},
    "lines": LinkedTokens({NASTY: [(0, 0, 0.5)]}, [NASTY], [NASTY], "predicts"),
    "heads": AllHeads(
        WEIGHTS, [NASTY] * 2, [NASTY] * 2, "predicts", [[NASTY] * 3] * 2, (None, None), None, False
    ),
    "texts": ComparedTexts({NASTY: "the red house", "b": f"the {NASTY}"}, (NASTY, "the old one")),
    "none": None,
}


def picture(figure: Figure, **more: object) -> Picture:
    return Picture("one", f"{NASTY}\nb", figure, NASTY, NUMBERS, NASTY, NASTY, **more)  # type: ignore[arg-type]


class Tags(HTMLParser):
    """The elements of a page, with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_texts_are_text_and_nothing_is_loaded_or_run_but_our_script() -> None:
    html = pictures.page(NASTY, [picture(each) for each in FIGURES.values()], link="http://a/?b=1")
    tags = Tags(html).found
    scripts = [attributes.get("type") for tag, attributes in tags if tag == "script"]
    assert scripts == [*["application/json"] * 2, "application/octet-stream", None, None]
    assert not {tag for tag, _ in tags} & {"img", "iframe", "form", "object", "embed", "base"}
    addresses = {
        value
        for tag, attributes in tags
        for name, value in attributes.items()
        if name in ("src", "href", "xlink:href")
    }
    assert {each for each in addresses if not str(each).startswith("data:image/png")} == {
        "http://a/?b=1"
    }
    assert not [name for _, attributes in tags for name in attributes if name.startswith("on")]
    policy = next(each["content"] for tag, each in tags if tag == "meta" and "http-equiv" in each)
    assert "default-src 'none'" in str(policy)
    assert "script-src 'sha256-" in str(policy)


@pytest.mark.parametrize(
    ("kind", "drawn"),
    [
        ("plotly", '<div class="chart"'),
        ("mapping", '"bdata":"AACAPw=="'),
        ("lines", "<svg "),
        ("heads", "<image "),
        ("texts", 'the <del title="not here">red house</del>'),
        ("none", "<h2>"),
    ],
)
def test_a_picture_is_its_finding_its_figure_how_to_read_it_and_its_numbers(
    kind: str, drawn: str
) -> None:
    html = pictures.fragment(picture(FIGURES[kind]))
    assert drawn in html
    said = [
        (name, unescape(text))
        for name, text in re.findall("<p class=(finding|note)>(.*?)</p>", html)
    ]
    assert (said[0], said[-1]) == (("finding", NASTY), ("note", NASTY))
    cells = [unescape(cell) for cell in re.findall("<td.*?><bdi>(.*?)</bdi>", html)]
    assert cells == [NASTY, "0.1235", "b", ""]
    assert html.count("<details>") == (kind != "none")


def test_what_has_a_vector_is_drawn_by_it_and_needs_no_library() -> None:
    drawn = picture(FIGURES["plotly"], vector=lambda title, caption: f"<svg>{len(title)}</svg>")
    html = pictures.page("a", [drawn])
    assert f"<svg>{len(drawn.one_line)}</svg>" in html
    assert len(html) < 20_000
    assert "script-src 'none'" in html


def test_another_page_holds_it_as_one_element() -> None:
    html = pictures.embedded(NASTY, [picture(FIGURES["lines"])])
    ((tag, attributes),) = Tags(html).found
    assert tag == "iframe"
    file = str(attributes["srcdoc"])
    assert file.startswith("<!doctype html>")
    assert pictures.fragment(picture(FIGURES["lines"])) in file


def test_too_much_data_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(charts, "MOST_BYTES", 1_000_000)
    with pytest.raises(UserError, match="more than 1 MB; show less"):
        pictures.page("a", [picture(FIGURES["plotly"])])


def test_a_long_table_says_what_is_left_out() -> None:
    many = Table(("a",), [[number] for number in range(600)])
    html = pictures.fragment(Picture("one", "a", None, "a", many))
    assert html.count("<tr>") == 501
    assert "100 more rows are not in this file." in html


def test_the_script_of_lines_finds_the_sides_that_the_picture_marks() -> None:
    picture = svg.lines({"one": [(0, 0, 0.5), (1, 1, 0.5)]}, ["a", "b"], ["c", "d"], title="t")
    assert charts.LINES in charts.page("t", picture)
    assert charts.LINES not in charts.page("t", "<p>no lines</p>")
    for side in re.findall(r"text\[data-(\w+)\]", charts.LINES):
        assert re.findall(rf'<text[^>]* data-{side}="(\d)"', picture) == ["0", "1"]
