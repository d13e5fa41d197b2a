import math

from s2s.plots import similarity
from s2s.plots.same_word import CosineSeries

ROWS = [
    CosineSeries("these <two>", [1.0, 0.5]),
    CosineSeries("=likes", [0.9, math.nan]),
    CosineSeries("any", [0.1, -0.3]),
]
LAYERS = ["embeddings", "layer 1"]


def test_lines_are_the_cosines_and_differ_without_color() -> None:
    figure = similarity(ROWS, LAYERS, chosen=1, title="t")
    assert [trace.y[0] for trace in figure.data] == [1.0, 0.9, 0.1]
    assert figure.data[0].name == "these &lt;two&gt;"
    assert figure.data[0].text == ("1.00", "0.50")
    assert len({(trace.line.dash, trace.marker.symbol) for trace in figure.data}) == 3
    assert figure.layout.yaxis.range[0] < -0.3
    assert figure.layout.shapes[0].x0 == 1


def test_what_all_stand_against_looks_the_same_however_many_lines_there_are() -> None:
    looks = [
        similarity(rows, LAYERS, chosen=0, title="t").data[-1].line.dash
        for rows in (ROWS, ROWS[1:])
    ]
    assert looks[0] == looks[1] == "dot"


def test_no_layer_is_marked_unless_one_is_chosen() -> None:
    assert not similarity(ROWS, LAYERS, title="t").layout.shapes


def test_nothing_to_compare() -> None:
    assert "nothing" in similarity([], LAYERS, chosen=0, title="t").layout.annotations[0].text
