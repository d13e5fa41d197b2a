import numpy as np
import pytest

from s2s.plots import PLOTS, states
from s2s.plots.states import MAX_LABELED, MAX_LABELED_SMALL
from s2s.questions import COLORINGS, StateLayer, StatePoint

POINTS = [
    StatePoint("the", "the", 0, 1),
    StatePoint("<b>x</b>", "<b>x</b>", 0, 2),
    StatePoint("the", "the", 1, 1),
]
COSINES = np.array([[1, 0.2, 0.9], [0.2, 1, 0.1], [0.9, 0.1, 1]], np.float32)
LAYER = StateLayer(
    np.array([[1.0, 2.0], [-1.0, 0.5], [0.0, -2.5]]), (0.5, 0.25), "after layer 1 of 2", COSINES
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


def test_hover_names_the_most_similar_other_state_of_that_layer() -> None:
    other = LAYER._replace(cosines=1 - COSINES)
    figure = states([LAYER, other], POINTS, color="sentence", title="t")
    first = "the, sentence 1, position 1"
    x = "&lt;b&gt;x&lt;/b&gt;, sentence 1, position 2"
    second = "the, sentence 2, position 1"
    assert [trace.customdata[0] for trace in figure.data] == [
        f"{first}<br>most similar: {second} (cosine 0.90)",
        f"{second}<br>most similar: {first} (cosine 0.90)",
        f"{first}<br>most similar: {x} (cosine 0.80)",
        f"{second}<br>most similar: {x} (cosine 0.90)",
    ]


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
        layers = [StateLayer(np.zeros((n, 2)), (0.0, 0.0), "l", np.eye(n))] * n_layers
        figure = states(layers, POINTS[:1] * n, color="sentence", title="t")
        assert {trace.mode for trace in figure.data} == {mode}


def test_nothing_to_show_and_a_coloring_that_is_none() -> None:
    assert (
        "no states"
        in PLOTS["states"].draw([LAYER], [], color="word", title="t").layout.annotations[0].text
    )
    with pytest.raises(ValueError, match="cannot be colored by `size`, but by word"):
        states([LAYER], POINTS, color="size", title="t")
