import numpy as np
import plotly.graph_objects as go

from s2s.plots import NumberGrid, number_grids


def grid(rows: int, columns: int, framed: tuple[int, int] | None = None) -> NumberGrid:
    values = np.linspace(0, 1, rows * columns).reshape(rows, columns)
    hovers = [[f"<b>{row} {column}" for column in range(columns)] for row in range(rows)]
    return NumberGrid("<b>weights", values, hovers, framed)


def drawn(*grids: NumberGrid) -> go.Figure:
    return number_grids(grids, title="<b>t", axes=("layer", "head"), scale="AER")


def numbers(figure: go.Figure) -> list[str]:
    return list(next(trace for trace in figure.data if isinstance(trace, go.Scatter)).text)


def test_every_cell_says_its_number_and_the_frame_is_around_the_best() -> None:
    one = grid(2, 3, framed=(1, 2))
    one.values[0, 1] = np.nan
    figure = drawn(one)
    assert numbers(figure) == ["0.00", "–", "0.40", "0.60", "0.80", "1.00"]
    assert {(shape.x0 + shape.x1, shape.y0 + shape.y1) for shape in figure.layout.shapes} == {
        (4, 2)
    }
    assert figure.layout.yaxis.autorange == "reversed"  # layer 1 on top
    assert figure.layout.xaxis.ticktext == ("1", "2", "3")
    texts = (figure.layout.title.text, figure.layout.annotations[0].text)
    assert all(text.startswith("&lt;b&gt;") for text in texts)
    assert figure.data[0].hovertext[0][0] == "&lt;b&gt;0 0"


def test_numbers_stand_out_from_their_color() -> None:
    assert drawn(grid(1, 2)).data[1].textfont.color == ("#ffffff", "#000000")


def test_tables_stand_below_each_other_and_wide_ones_have_shorter_numbers_or_a_scale() -> None:
    wide = drawn(grid(2, 16), grid(2, 16))
    assert len({axis.domain for axis in wide.select_xaxes()}) == 1
    assert [axis.title.text for axis in wide.select_xaxes()] == ["", "head"]
    assert numbers(wide)[:2] == ["00", "03"]
    assert numbers(wide)[-1] == "1.00"
    assert not wide.layout.coloraxis.showscale
    unwritten = drawn(grid(30, 30))
    assert not [trace for trace in unwritten.data if isinstance(trace, go.Scatter)]
    assert unwritten.layout.coloraxis.showscale
