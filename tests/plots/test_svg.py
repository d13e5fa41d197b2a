import itertools
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from plotly.colors import sample_colorscale, unlabel_rgb

from s2s.plots import svg, theme
from s2s.plots.attention import LEGIBLE
from s2s.plots.svg_sheet import visible_controls

SPACE = "{http://www.w3.org/2000/svg}"
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    '"><script>alert(1)</script>',
    "]]>&amp;",
    "a\x00b\tc\nd",
    "\ud800",
    "\ufffe",
    "' onload='x",
    "<!--",
    "سلام",
    "机器翻译",
    "e\u0301",
    "▁",
    "",
)
LINKS = [(0, 1, 0.9), (0, 0, 0.1), (1, 0, 0.5)]


def dirichlet(rows: int, keys: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.full(keys, 0.3), size=rows).astype(np.float32)


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text.encode())


def titles(text: str, *, below: str) -> list[str]:
    return [
        str(each.text)
        for group in parsed(text).iter(f"{SPACE}{below}")
        for each in group.findall(f"{SPACE}title")
    ]


def texts(text: str) -> list[str]:
    return [each.text or "" for each in parsed(text).iter(f"{SPACE}text")]


def every_cell(weights: np.ndarray) -> list[svg.Link]:
    return [(row, key, float(weights[row, key])) for row, key in np.ndindex(weights.shape)]


@pytest.mark.parametrize("seed", range(8))
def test_any_tokens_give_valid_xml_without_external_resources(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows, keys = (
        [HOSTILE[at] for at in random.integers(len(HOSTILE), size=random.integers(1, 20))]
        for _ in range(2)
    )
    weights = dirichlet(len(rows), len(keys), seed)
    about = {"title": HOSTILE[seed], "caption": f"{HOSTILE[seed + 1]}\n{HOSTILE[0]}"}
    for picture in (
        svg.heatmap(weights, keys, rows, **about),
        svg.lines({HOSTILE[1]: every_cell(weights)}, keys, rows, **about),
    ):
        parts = [title.rpartition(": ") for title in titles(picture, below="g")]
        assert sorted(title[2] for title in parts) == sorted(
            f"{weight:.4f}" for weight in weights.ravel()
        )
        pairs = {
            f"{visible_controls(row)} → {visible_controls(key)}"
            for row, key in itertools.product(rows, keys)
        }
        assert {title[0] for title in parts} == pairs
        for token in (*rows, *keys):
            assert visible_controls(theme.shortened(token, svg.MAX_TOKEN)) in texts(picture)
        assert {each.tag.removeprefix(SPACE) for each in parsed(picture).iter()} <= {
            "svg",
            "title",
            "desc",
            "g",
            "rect",
            "path",
            "text",
        }
        names = {name for each in parsed(picture).iter() for name in each.attrib}
        assert not [name for name in names if name.startswith("on") or "href" in name]
        assert "url(" not in picture
        assert picture.count("http") == 1  # the name of SVG itself


def test_cells_have_the_colors_of_the_scale_and_numbers_while_they_can_be_read() -> None:
    weights = dirichlet(LEGIBLE, LEGIBLE)
    picture = svg.heatmap(weights, ["k"] * LEGIBLE, ["r"] * LEGIBLE, title="t")
    cells = [
        group
        for group in parsed(picture).iter(f"{SPACE}g")
        if group.find(f"{SPACE}title") is not None
    ]
    fills = [str(cell.find(f"{SPACE}rect").get("fill")) for cell in cells]
    scale = [
        tuple(round(value) for value in unlabel_rgb(color))
        for color in sample_colorscale("Cividis", weights.ravel().astype(float))
    ]
    assert [tuple(bytes.fromhex(fill[1:])) for fill in fills] == scale
    assert [cell.find(f"{SPACE}text").text for cell in cells] == [
        f"{weight:.2f}".removeprefix("0") for weight in weights.ravel()
    ]
    more = svg.heatmap(dirichlet(LEGIBLE + 1, 2), ["k"] * 2, ["r"] * (LEGIBLE + 1), title="t")
    assert not [text for text in texts(more) if text.startswith(".")]


def test_the_more_weight_the_thicker_and_the_less_transparent_and_the_further_up() -> None:
    picture = svg.lines({"one": LINKS}, ["a", "b"], ["c", "d"], title="t")
    lines = [group for group in parsed(picture).iter(f"{SPACE}g") if "data-row" in group.attrib]
    assert [group.find(f"{SPACE}title").text for group in lines] == [
        "c → a: 0.1000",
        "d → a: 0.5000",
        "c → b: 0.9000",
    ]
    widths = [float(group.find(f"{SPACE}path").get("stroke-width")) for group in lines]
    for values in ([float(group.get("opacity")) for group in lines], widths):
        assert values == sorted(values)
        assert len(set(values)) == 3


def test_a_line_joins_the_middles_of_its_two_tokens() -> None:
    picture = svg.lines({"one": [(2, 0, 1.0)]}, ["a", "b"], ["c", "d", "e"], title="t")
    points = [
        float(value)
        for value in re.findall(r"-?[\d.]+", next(parsed(picture).iter(f"{SPACE}path")).get("d"))
    ]
    heights = {text.text: float(text.get("y")) for text in parsed(picture).iter(f"{SPACE}text")}
    assert points[1] - heights["a"] == pytest.approx(points[-1] - heights["e"], abs=0.11)
    assert abs(points[1] - heights["a"]) < 6
    assert heights["a"] > heights["c"]  # fewer tokens are spread over the same height


@pytest.mark.parametrize(
    ("n_heads", "of"), [(20, ("dash", "marker")), (60, ("color", "dash", "marker"))]
)
def test_many_heads_are_distinguishable_twenty_of_them_without_colors(
    n_heads: int, of: tuple[str, ...]
) -> None:
    looks = svg.line_styles(n_heads, 30)
    assert len({tuple(getattr(look, name) for name in of) for look in looks}) == n_heads
    assert len({look.offset for look in looks}) == n_heads
    assert max(look.offset for look in looks) < 15  # within the row


def test_several_heads_have_a_legend_and_say_whose_a_line_is() -> None:
    heads = {f"2.{head}": LINKS for head in range(1, 13)}
    picture = svg.lines(heads, ["a", "b"], ["c", "d"], title="t")
    assert [text for text in texts(picture) if text in heads] == [*heads]
    assert {title.partition(": ")[0] for title in titles(picture, below="g")} == set(heads)
    assert "2.1" not in texts(svg.lines({"2.1": LINKS}, ["a", "b"], ["c", "d"], title="t"))


def test_without_tokens_it_says_why_there_is_nothing() -> None:
    assert svg.NOTHING in texts(
        svg.heatmap(np.zeros((0, 2), np.float32), ["a", "b"], [], title="t")
    )
    assert svg.NOTHING in texts(svg.lines({"one": []}, [], ["a"], title="t"))


def test_title_and_caption_stand_around_the_picture_in_lines_that_fit() -> None:
    picture = parsed(
        svg.heatmap(
            dirichlet(2, 2),
            ["a", "b"],
            ["c", "d"],
            title="cross-attention",
            caption="a run\n" + "word " * 60,
        )
    )
    assert picture.find(f"{SPACE}title").text == "cross-attention"
    lines = [
        text.text for text in picture.iter(f"{SPACE}text") if (text.text or "").startswith("word")
    ]
    assert " ".join(lines).split() == ["word"] * 60
    assert len(lines) > 1
    assert float(picture.get("height")) > max(
        float(text.get("y")) for text in picture.iter(f"{SPACE}text")
    )
