import itertools

import plotly.graph_objects as go
import pytest

from s2s import plots
from s2s.plots.score_plots import SweepLine, TradeoffPoint

POINTS = [
    TradeoffPoint("greedy", 1400.0, 76.7, 74.0, 79.4),
    TradeoffPoint("<b>beam</b>", 4.0, 76.4, group=1),
    TradeoffPoint("mbr", 20.0, 77.0, group=2),
]


def test_every_system_is_a_named_point_with_its_interval_and_its_own_marker() -> None:
    figure = plots.tradeoff(
        POINTS, title="one\ntwo", x_label="sentences per second", y_label="BLEU"
    )
    assert [(trace.x[0], trace.y[0]) for trace in figure.data] == [
        (point.x, point.y) for point in POINTS
    ]
    assert len({trace.marker.symbol for trace in figure.data}) == 3
    assert (figure.data[0].error_y.array[0], figure.data[0].error_y.arrayminus[0]) == pytest.approx(
        (2.7, 2.7)
    )
    assert figure.data[1].error_y.array is None
    assert "&lt;b&gt;beam" in figure.data[1].text[0]
    assert figure.layout.xaxis.type == "log"
    assert figure.layout.title.text == "one<br>two"


def test_labels_of_close_points_have_different_heights_and_stay_inside() -> None:
    crowd = [TradeoffPoint(str(n), 100.0 + n, 70.0) for n in range(6)]
    sides = [
        trace.textposition for trace in plots.tradeoff(crowd, title="", x_label="", y_label="").data
    ]
    assert all(one.split()[0] != other.split()[0] for one, other in itertools.pairwise(sides))
    assert sides[0].endswith("right")
    assert sides[-1].endswith("left")


def test_equal_scores_that_differ_by_rounding_have_a_readable_axis() -> None:
    equal = [TradeoffPoint("a", 9.0, 100.00000000000004), TradeoffPoint("b", 9.0, 100.0)]
    axes = plots.tradeoff(equal, title="", x_label="", y_label="").layout
    assert axes.yaxis.range == pytest.approx((88, 112))
    assert axes.xaxis.range == pytest.approx((7.92, 10.08))
    apart = plots.tradeoff(POINTS, title="", x_label="", y_label="")
    assert apart.layout.yaxis.range is None


def test_a_near_range_is_even() -> None:
    figure = plots.tradeoff(
        [TradeoffPoint("a", 50.0, 1.0), TradeoffPoint("b", 60.0, 2.0)],
        title="",
        x_label="",
        y_label="",
    )
    low, high = figure.layout.xaxis.range
    assert figure.layout.xaxis.type is None
    assert low < 50
    assert high > 60


@pytest.mark.parametrize(
    "figure",
    [
        plots.tradeoff([], title="", x_label="", y_label=""),
        plots.sweep_curve([], title="", x_label="", y_label=""),
    ],
)
def test_an_empty_figure_says_why(figure: go.Figure) -> None:
    assert figure.layout.annotations[0].text


def test_a_sweep_is_a_line_a_run_with_its_values_as_ticks() -> None:
    lines = [
        SweepLine("one", (1, 4, 50), (20.0, 21.0, 18.0), (19.0, 20.0, 17.0), (21.0, 22.0, 19.0)),
        SweepLine("two", (1, 4), (10.0, 11.0)),
    ]
    figure = plots.sweep_curve(lines, title="t", x_label="num_beams", y_label="BLEU")
    assert [tuple(trace.x) for trace in figure.data] == [(1, 4, 50), (1, 4)]
    assert tuple(figure.layout.xaxis.tickvals) == (1, 4, 50)
    assert figure.layout.xaxis.type == "log"
    assert tuple(figure.data[0].error_y.array) == (1.0, 1.0, 1.0)
    assert figure.data[1].error_y.array is None
    assert len({trace.line.dash for trace in figure.data}) == 2
    assert figure.layout.showlegend


def test_values_from_nought_on_are_even() -> None:
    figure = plots.sweep_curve(
        [SweepLine("one", (0, 0.5, 20), (1.0, 2.0, 3.0))],
        title="",
        x_label="length_penalty",
        y_label="BLEU",
    )
    assert figure.layout.xaxis.type is None
    assert not figure.layout.showlegend
