import numpy as np
import pytest

from s2s.plots import extrapolation, line_chart, matrix, paired_bars, rotations
from s2s.plots.positions import MAX_MATRIX_ROWS, LineSeries, columns_csv, downsampled

AXES = {"x_label": "dimension", "y_label": "position"}


def test_a_small_matrix_is_drawn_as_it_is_with_zero_in_the_middle() -> None:
    values = np.array([[-0.5, 0.0], [2.0, 1.0]], np.float64)
    figure = matrix(values, title="<b>two</b>", **AXES)
    (cells,) = figure.data
    assert cells.z.dtype == np.float32
    np.testing.assert_array_equal(cells.z, values)
    assert (cells.zmin, cells.zmax) == (-2, 2)
    assert figure.layout.title.text == "&lt;b&gt;two&lt;/b&gt;"
    assert figure.layout.yaxis.autorange == "reversed"


def test_a_matrix_beyond_the_screen_is_reduced_and_says_so() -> None:
    values = np.random.default_rng(0).normal(size=(2048, 512)).astype(np.float32)
    figure = matrix(values, title="large", **AXES)
    cells = figure.data[0]
    assert cells.z.shape == (MAX_MATRIX_ROWS, 512)
    np.testing.assert_allclose(cells.z[3], values[24:32].mean(0), atol=1e-6)
    assert (cells.y0, cells.dy) == (3.5, 8)
    assert "mean of 8 positions" in figure.layout.title.text
    assert len(figure.to_json()) < 1_000_000


def test_coarse_is_the_mean_of_blocks_the_last_perhaps_smaller() -> None:
    for step in [1, 2, 4, 20]:
        for shape in [(10, 4), (9, 9), (3, 1)]:
            values = np.random.default_rng(1).normal(size=shape).astype(np.float32)
            rows = [values[start : start + step].mean(0) for start in range(0, len(values), step)]
            np.testing.assert_allclose(downsampled(values, step), rows, atol=1e-6)


def test_lines_are_distinguishable_without_colors_and_a_spread_is_shaded() -> None:
    lines = [
        LineSeries("a<b", [0, 1], [1, 2]),
        LineSeries("c", [0, 1], [3, 4], [2, 3], [4, 5]),
        LineSeries("none", [], []),
    ]
    figure = line_chart(lines, title="", x_label="offset", y_label="cosine")
    a, shade, c = figure.data
    assert a.name == "a&lt;b"
    assert a.line.dash != c.line.dash
    assert a.marker.symbol != c.marker.symbol
    assert shade.y.tolist() == [4, 5, 3, 2]
    assert not shade.showlegend
    assert (
        line_chart(lines, title="", x_label="", y_label="", is_log=True).layout.yaxis.type == "log"
    )


def test_arms_lead_from_a_position_to_the_one_so_many_places_on() -> None:
    angles = np.arange(12) * 0.5
    points = np.stack([np.cos(angles), np.sin(angles)], 1).astype(np.float32)
    figure = rotations(points, 3, [0, 4], title="", axes=("cosine", "sine"))
    _, dots, first, second = figure.data
    assert dots.x.shape == (12,)
    np.testing.assert_allclose([first.x[0], first.y[0]], points[0])
    np.testing.assert_allclose([second.x[2], second.y[2]], points[7])
    assert second.name == "4 and 7"
    assert figure.layout.yaxis.scaleanchor == "x"


def test_bars_beside_each_other_differ_in_more_than_color() -> None:
    figure = paired_bars(
        ["a", "a"],
        {"with": np.ones(2, np.float32), "without": np.zeros(2, np.float32)},
        title="",
        y_label="",
    )
    assert [bar.name for bar in figure.data] == ["with", "without"]
    assert len({bar.marker.pattern.shape for bar in figure.data}) == 2
    assert figure.layout.xaxis.ticktext == ("a", "a")  # a word said twice keeps both places


def test_beyond_training_is_beyond_the_shade() -> None:
    figure = extrapolation(
        [LineSeries("Rotary", [4, 16], [100, 20])],
        (3, 12),
        title="",
        y_label="right (%)",
        chance=10,
    )
    assert [(shape.x0, shape.x1) for shape in figure.layout.shapes if shape.type == "rect"] == [
        (2.5, 12.5)
    ]
    assert [shape.y0 for shape in figure.layout.shapes if shape.type == "line"] == [10]
    assert "guessing" in [each.text for each in figure.layout.annotations]
    assert not [
        shape
        for shape in extrapolation(figure_lines(), (3, 12), title="", y_label="").layout.shapes
        if shape.type == "line"
    ]


def figure_lines() -> list[LineSeries]:
    return [LineSeries("None", [4], [10])]


def test_nothing_to_draw_says_so() -> None:
    nothing = np.zeros((0, 2), np.float32)
    for figure in (
        matrix(nothing, title="", **AXES),
        line_chart([], title="", x_label="", y_label=""),
        rotations(nothing, 1, [], title="", axes=("", "")),
        paired_bars([], {}, title="", y_label=""),
        extrapolation([], (3, 12), title="", y_label=""),
    ):
        assert figure.layout.annotations[0].text


def test_numbers_to_download() -> None:
    assert (
        columns_csv({"position": np.arange(2), "sine": np.array([0.0, 0.25], np.float32)})
        == "position,sine\n0,0.0\n1,0.25\n"
    )
    with pytest.raises(ValueError, match="longer than"):
        columns_csv({"a": [1], "b": [1, 2]})
