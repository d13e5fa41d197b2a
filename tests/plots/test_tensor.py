import numpy as np
import pytest
from plotly.colors import hex_to_rgb, sample_colorscale, unlabel_rgb

from s2s.plots.tensor import LEGIBLE, MAX_GAPS, MINUS_INFINITY, short_number, tensor
from s2s.plots.theme import BELOW_ZERO, SEQUENTIAL, luminance, text_colors

WORDS = ("the", "cat", "sits")


def values(rows: int = 3, columns: int = 5) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(rows, columns)).astype(np.float32)


def test_zero_is_the_middle_of_the_scale() -> None:
    given = values()
    cells = tensor(given, WORDS, title="t").data[0]
    np.testing.assert_array_equal(cells.z, given)
    assert cells.z.dtype == np.float32
    assert cells.zmax == -cells.zmin == pytest.approx(np.abs(given).max())
    shared = tensor(given, WORDS, title="t", limit=9.0).data[0]
    assert (shared.zmin, shared.zmax) == (-9, 9)
    assert cells.colorscale == tensor(-given, WORDS, title="t").data[0].colorscale
    colors = [color for _, color in cells.colorscale]
    weights = sample_colorscale(
        SEQUENTIAL, [0, 1]
    )  # as bright as it is high: readable without color vision
    assert unlabel_rgb(weights[0]) == hex_to_rgb(colors[len(BELOW_ZERO) - 1])
    assert colors[-1] == weights[1]


def test_numbers_are_readable_on_the_colors_of_both_signs() -> None:
    blue = np.array([hex_to_rgb(color) for color in reversed(BELOW_ZERO)], float)
    sizes = np.linspace(0, 1, 200, dtype=np.float32)
    places = np.linspace(0, 1, len(blue))
    for size, ink in zip(sizes, text_colors(sizes), strict=True):
        ground = luminance([float(np.interp(size, places, channel)) for channel in blue.T])
        text = float(ink == "#ffffff")
        assert (max(ground, text) + 0.05) / (min(ground, text) + 0.05) > 4.5


def test_minus_infinity_has_no_cell_and_says_so() -> None:
    given = values(3, LEGIBLE + 1)
    given[1, 4] = -np.inf
    cells, texts = tensor(given, WORDS, title="t").data
    assert np.isnan(cells.z[1, 4])
    assert np.isfinite(cells.z).sum() == given.size - 1
    assert [*texts.text] == [MINUS_INFINITY]
    assert (texts.x[0], texts.y[0]) == (4, 1)


@pytest.mark.parametrize(("columns", "n_traces"), [(LEGIBLE, 2), (MAX_GAPS + 1, 1)])
def test_numbers_stand_in_the_cells_while_they_can_be_read(columns: int, n_traces: int) -> None:
    figure = tensor(values(3, columns), WORDS, title="t")
    assert len(figure.data) == n_traces
    assert figure.data[0].showscale == (n_traces == 1)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.5, ".50"),
        (-0.123, "−.12"),
        (1.26, "1.3"),
        (-12.3, "−12"),
        (-np.inf, "−∞"),
        (np.nan, "NaN"),
    ],
)
def test_short_numbers(value: float, text: str) -> None:
    assert short_number(value) == text


def test_hover_names_the_token_and_counts_dimensions_from_one() -> None:
    cells = tensor(values(), WORDS, title="t").data[0]
    assert cells.customdata.tolist() == [[1, 2, 3, 4, 5]] * 3
    assert cells.hovertemplate.startswith("%{y} · %{customdata}: ")
    named = tensor(values(3, 3), WORDS, WORDS, title="t").data[0]
    assert named.customdata is None
    assert named.hovertemplate.startswith("%{y} · %{x}: ")


def test_a_row_can_be_framed_and_columns_parted() -> None:
    frame, line = tensor(values(), WORDS, title="t", mark=1, breaks=[2]).layout.shapes
    assert (frame.y0, frame.y1, frame.x0, frame.x1) == (0.5, 1.5, -0.5, 4.5)
    assert line.x0 == line.x1 == 1.5


def test_markup_is_drawn_as_text_and_nothing_says_why() -> None:
    figure = tensor(values(1, 1), ("<b>x</b>",), ("a&b",), title="<i>t</i>")
    assert figure.layout.yaxis.ticktext[0] == "&lt;b&gt;x&lt;/b&gt;"
    assert figure.layout.xaxis.ticktext[0] == "a&amp;b"
    assert figure.layout.title.text == "&lt;i&gt;t&lt;/i&gt;"
    assert (
        "no numbers"
        in tensor(np.zeros((0, 3), np.float32), (), title="t").layout.annotations[0].text
    )


def test_names_must_fit_the_values() -> None:
    with pytest.raises(ValueError, match=r"values are \(3, 5\)"):
        tensor(values(), WORDS[:2], title="t")
