import csv
import io

import numpy as np
import pytest

from s2s.plots import PLOTS, states
from s2s.plots.states import (
    COLORINGS,
    MAX_LABELED,
    MAX_LABELED_SMALL,
    StateLayer,
    StatePoint,
    states_csv,
)

POINTS = [
    StatePoint("the", "the", 0, 1, "the <1>"),
    StatePoint("<b>x</b>", "<b>x</b>", 0, 2, "x"),
    StatePoint("the", "the", 1, 1, "the 2"),
]
LAYER = StateLayer(
    np.array([[1.0, 2.0], [-1.0, 0.5], [0.0, -2.5]]), (0.5, 0.25), "after layer 1 of 2"
)


@pytest.mark.parametrize("color", COLORINGS)
def test_every_state_is_at_its_coordinates_and_distinguishable_without_color(color: str) -> None:
    figure = states([LAYER], POINTS, color=color, title="a\nb")
    drawn = [trace for trace in figure.data if "markers" in trace.mode]
    places = np.concatenate([np.column_stack([trace.x, trace.y]) for trace in drawn])
    np.testing.assert_array_equal(places, LAYER.points)
    first, second = drawn
    assert all(symbol.endswith("-open") for symbol in second.marker.symbol)
    assert not any(symbol.endswith("-open") for symbol in first.marker.symbol)
    assert first.customdata[0] == "the &lt;1&gt;"
    assert first.text[1] == "&lt;b&gt;x&lt;/b&gt;"
    assert "50%" in figure.layout.xaxis.title.text
    assert "25%" in figure.layout.yaxis.title.text
    for number, axis in ((0, figure.layout.xaxis), (1, figure.layout.yaxis)):
        assert (
            axis.range[0]
            < LAYER.points[:, number].min()
            < LAYER.points[:, number].max()
            < axis.range[1]
        )


def test_each_layer_says_its_own_of_a_point() -> None:
    other = LAYER._replace(about=["near <2>", "near 1", "near 0"])
    figure = states([LAYER, other], POINTS, color="sentence", title="t")
    said = [trace.customdata[0] for trace in figure.data]
    assert said == ["the &lt;1&gt;", "the 2", "the &lt;1&gt;<br>near &lt;2&gt;", "the 2<br>near 0"]


def test_a_word_of_both_sentences_is_joined_by_a_line_and_has_one_marker() -> None:
    tie, first, second = states([LAYER], POINTS, color="word", title="t").data
    assert (tie.x, tie.y) == ((1.0, 0.0, None), (2.0, -2.5, None))
    assert first.marker.color[0] == second.marker.color[0] != first.marker.color[1]
    assert (
        first.marker.symbol[0]
        == second.marker.symbol[0].removesuffix("-open")
        != first.marker.symbol[1]
    )


def test_every_layer_has_axes_of_its_own() -> None:
    figure = states(
        [LAYER, LAYER._replace(points=10 * LAYER.points)], POINTS, color="sentence", title="t"
    )
    assert [trace.xaxis for trace in figure.data] == ["x", "x", "x2", "x2"]
    assert figure.layout.xaxis2.range[1] == pytest.approx(10 * figure.layout.xaxis.range[1])
    assert [trace.showlegend for trace in figure.data] == [True, True, False, False]


@pytest.mark.parametrize(("n_layers", "most"), [(1, MAX_LABELED), (2, MAX_LABELED_SMALL)])
def test_many_points_have_no_tokens_beside_them(n_layers: int, most: int) -> None:
    for n, mode in ((most, "markers+text"), (most + 1, "markers")):
        layers = [StateLayer(np.zeros((n, 2)), (0.0, 0.0), "l")] * n_layers
        figure = states(layers, POINTS[:1] * n, color="sentence", title="t")
        assert {trace.mode for trace in figure.data} == {mode}


def test_nothing_to_show_and_a_coloring_that_is_none() -> None:
    assert (
        "no states"
        in PLOTS["states"].draw([LAYER], [], color="word", title="t").layout.annotations[0].text
    )
    with pytest.raises(ValueError, match="cannot be colored by `size`, but by word"):
        states([LAYER], POINTS, color="size", title="t")


def test_the_table_has_every_number_and_no_formula() -> None:
    points = [POINTS[0]._replace(label="=1+1"), *POINTS[1:]]
    rows = [*csv.DictReader(io.StringIO(states_csv([LAYER, LAYER], points)))]
    assert len(rows) == 6
    assert rows[0]["token"] == "'=1+1"
    assert [float(row["component_2"]) for row in rows[:3]] == [2.0, 0.5, -2.5]
    assert (rows[5]["sentence"], rows[5]["position"], float(rows[5]["share_1"])) == ("2", "1", 0.5)
