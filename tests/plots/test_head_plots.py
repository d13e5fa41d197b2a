import numpy as np

from s2s import plots
from s2s.plots import HeadPoint, HeadValues

VALUES = np.array([[0.5, -0.25], [0.0, 1.0]])


def test_every_head_has_its_number_and_its_interval() -> None:
    grid = HeadValues("cross-attention", VALUES, VALUES - 0.1, VALUES + 0.1)
    other = HeadValues("<b>encoder", VALUES[:1] * 2, VALUES[:1], VALUES[:1] * 3)
    figure = plots.head_values([grid, other], title="a\nb", unit="nats")
    colors, texts, second, _ = figure.data
    np.testing.assert_allclose(colors.z, VALUES)
    np.testing.assert_allclose(colors.customdata[..., 0], VALUES - 0.1)
    assert texts.text[0] == "<b>0.500</b><br>0.400 to<br>0.600"
    assert texts.text[2].startswith("<b>(0.000)</b>")  # may be 0
    assert texts.text[1].startswith("<b>−0.250</b>")
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (
        -1.0,
        1.0,
    )  # 0 is in the middle
    assert figure.layout.annotations[1].text == "&lt;b&gt;encoder"
    assert "layer %{customdata[2]:d} head %{customdata[3]:d}" in second.hovertemplate
    assert colors.customdata[1, 0, 2:].tolist() == [2, 1]  # layer and head, from 1


def test_many_heads_have_colors_only_some_have_numbers_without_intervals() -> None:
    def traces(n_heads: int) -> list[str]:
        wide = np.ones((1, n_heads))
        figure = plots.head_values([HeadValues("", wide, wide, wide)], title="", unit="")
        return [text for trace in figure.data for text in getattr(trace, "text", None) or ()]

    assert traces(16) == []
    assert traces(8) == ["1.00"] * 8


def test_heads_of_each_kind_have_their_own_symbol_and_interval() -> None:
    point = HeadPoint("layer 1 head 2", 1.0, 2.0, 1.5, 2.25)
    figure = plots.head_scatter(
        {"cross": [point], "<i>": [point, point], "none": []}, title="t", x_label="x", y_label="y"
    )
    first, second = figure.data
    assert (first.x, first.y, first.customdata[0]) == ((1.0,), (2.0,), "layer 1 head 2")
    assert (first.error_y.array, first.error_y.arrayminus) == ((0.25,), (0.5,))
    assert first.marker.symbol != second.marker.symbol
    assert second.name == "&lt;i&gt;"
