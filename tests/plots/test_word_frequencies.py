"""The pictures of a text's words: they hold what was given, and say why where there is nothing."""

import numpy as np
import plotly.graph_objects as go
import pytest

from s2s.plots import coverage, length_ratio, vocabulary_growth, word_frequencies

EDGES = (0.25, 0.5, 1, 2, 4)


def test_ratios_stand_in_the_middle_of_their_bins() -> None:
    figure = length_ratio((1, 2, 3, 4), EDGES, 1.5, title="<b>t</b>")
    bars = figure.data[0]
    np.testing.assert_allclose(bars.x, [-1.5, -0.5, 0.5, 1.5])
    assert list(bars.y) == [1, 2, 3, 4]
    assert bars.customdata[0] == "0.50 or fewer target words per source word"
    assert bars.customdata[3] == "2.00 or more target words per source word"
    assert bars.customdata[1] == "0.50 to 1.00 target words per source word"
    assert list(figure.layout.xaxis.ticktext) == ["1/4", "1/2", "1", "2", "4"]
    assert figure.layout.shapes[0].x0 == pytest.approx(np.log2(1.5))
    assert "median 1.50" in figure.layout.xaxis.title.text


def test_growth_curves_are_distinguishable_without_color() -> None:
    figure = vocabulary_growth([(1, 1), (100, 50)], [(0, 0), (10, 9), (80, 60)], title="t")
    src, tgt = figure.data
    assert (list(src.x), list(src.y)) == ([1, 100], [1, 50])
    assert (list(tgt.x), list(tgt.y)) == ([10, 80], [9, 60])  # a logarithm has no 0
    assert src.line.dash != tgt.line.dash
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")


def test_words_are_drawn_as_they_stand() -> None:
    figure = word_frequencies([("<b>the</b>", 30), ("a" * 30, 20), ("a" * 31, 10)], title="t")
    (bars,) = figure.data
    assert list(bars.x) == [30, 20, 10]
    assert list(figure.layout.yaxis.ticktext) == [
        "&lt;b&gt;the&lt;/b&gt;",
        "a" * 13 + "…",
        "a" * 13 + "…",
    ]  # two bars all the same
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]  # the most frequent on top
    assert bars.customdata[2] == "a" * 31


def test_coverage_has_a_bar_for_each_share() -> None:
    figure = coverage([(1, 0.9, 0.8), (2, 0.7, 0.6)], [(1, 0.5, 0.4), (2, 0.3, 0.2)], title="t")
    drawn = {bars.name: list(bars.y) for bars in figure.data}
    assert drawn == {
        "source, word tokens": [0.9, 0.7],
        "target, word tokens": [0.5, 0.3],
        "source, distinct words": [0.8, 0.6],
        "target, distinct words": [0.4, 0.2],
    }
    looks = {(bars.marker.pattern.shape, bars.marker.line.width) for bars in figure.data}
    assert len(looks) == 4  # distinguishable without color


@pytest.mark.parametrize(
    ("figure", "why"),
    [
        (length_ratio((0, 0, 0, 0), EDGES, 0.0, title="t"), "both sides"),
        (vocabulary_growth([], [(0, 0)], title="t"), "no words"),
        (word_frequencies([], title="t"), "no words"),
        (coverage([], [], title="t"), "validation"),
    ],
)
def test_a_picture_of_nothing_says_why(figure: go.Figure, why: str) -> None:
    assert not figure.data
    assert why in figure.layout.annotations[0].text


@pytest.mark.parametrize(
    "figure",
    [
        length_ratio((1, 2, 3, 4), EDGES, 1.0, title="<i>t</i>"),
        vocabulary_growth([(1, 1)], [], title="<i>t</i>"),
        word_frequencies([("a", 1)], title="<i>t</i>"),
        coverage([(1, 1.0, 1.0)], [], title="<i>t</i>"),
    ],
)
def test_the_page_can_scroll_over_the_picture(figure: go.Figure) -> None:
    assert figure.layout.dragmode is False
    assert figure.layout.xaxis.fixedrange
    assert figure.layout.yaxis.fixedrange
    assert figure.layout.title.text == "&lt;i&gt;t&lt;/i&gt;"
