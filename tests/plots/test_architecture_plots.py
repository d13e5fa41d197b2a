"""Bars, growth and masks: the pictures of Architecture."""

import numpy as np
import pytest

from s2s.plots import bars, compact_number, costs, mask


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (78, "78"),
        (999.6, "1 k"),
        (1_438_208, "1.44 M"),
        (999_600, "1 M"),
        (128_000, "128 k"),
        (2e12, "2 T"),
    ],
)
def test_amounts_have_three_digits(value: float, text: str) -> None:
    assert compact_number(value) == text


def test_bars_are_in_order_and_distinguishable_without_color() -> None:
    figure = bars(["<b>a", "c"], {"one": [1, 2], "two": [3, 0]}, title="t", x_label="parameters")
    assert [list(trace.x) for trace in figure.data] == [[1, 2], [3, 0]]
    assert len({trace.marker.pattern.shape for trace in figure.data}) == 2
    assert figure.layout.yaxis.ticktext[0] == "&lt;b&gt;a"
    assert figure.layout.yaxis.autorange == "reversed"
    assert figure.layout.showlegend
    assert not bars(["a"], {"one": [1]}, title="t", x_label="").layout.showlegend
    assert bars([], {}, title="", x_label="").layout.annotations


def test_costs_are_lines_on_logarithmic_scales_that_leave_nought_out() -> None:
    figure = costs(
        [1, 2, 4], {"a": [1, 4, 16], "b": [0, 1, 1]}, title="t", x_label="x", y_label="y", now=2
    )
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    np.testing.assert_array_equal(figure.data[1].y, [np.nan, 1, 1])
    assert len({(trace.line.dash, trace.marker.symbol) for trace in figure.data}) == 2
    assert figure.layout.shapes[0].x0 == 2
    assert figure.layout.annotations[0].x == pytest.approx(np.log10(2))
    assert (
        costs([1], {"a": [0]}, title="", x_label="", y_label="")
        .layout.annotations[0]
        .text.startswith("No term")
    )
    assert not costs([1], {"a": [1]}, title="", x_label="", y_label="").layout.shapes


def test_a_mask_has_a_symbol_in_each_cell() -> None:
    allowed = np.array([[True, False], [True, True]])
    figure = mask(allowed, ["a", "<i>"], ["a", "b"], title="t")
    np.testing.assert_array_equal(figure.data[0].z, allowed)
    assert [list(row) for row in figure.data[0].text] == [["✓", "✕"], ["✓", "✓"]]
    assert figure.data[0].customdata[0][1] == "a may not attend to &lt;i&gt;"
    assert figure.layout.yaxis.autorange == "reversed"
    assert not any(mask(np.ones((1, 30), bool), ["a"] * 30, ["b"], title="").data[0].text[0])
    assert mask(np.ones((0, 0), bool), [], [], title="").layout.annotations
    with pytest.raises(ValueError, match="the mask is"):
        mask(allowed, ["a"], ["b"], title="")
