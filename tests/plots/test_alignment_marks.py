import numpy as np
import plotly.graph_objects as go

from s2s.plots import heatmap, heatmap_data
from s2s.plots.links_view import mark_alignment

WEIGHTS = np.array(
    [[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]], np.float32
)  # three words written, two read
KEYS = ("red", "<b>house")
ROWS = ("la", "casa", "roja")


def drawn(links: set[tuple[int, int]], known: set[tuple[int, int]]) -> go.Figure:
    return go.Figure(mark_alignment(heatmap_data(WEIGHTS, KEYS, ROWS, title="t"), links, known))


def hover_texts(figure: go.Figure) -> dict[tuple[int, int], str]:
    """What hovering over each cell says, by column and row."""
    cells = next(trace for trace in figure.data if isinstance(trace, go.Heatmap))
    return {
        (column, row): str(cells.customdata[row][column]) for row in range(3) for column in range(2)
    }


def test_each_link_has_a_frame_of_two_lines_around_its_cell() -> None:
    figure = drawn({(0, 2), (1, 1)}, set())
    middles = [
        ((shape.x0 + shape.x1) / 2, (shape.y0 + shape.y1) / 2) for shape in figure.layout.shapes
    ]
    assert sorted(middles) == [(0, 2), (0, 2), (1, 1), (1, 1)]
    for shape in figure.layout.shapes:
        assert 0 < shape.x1 - shape.x0 <= 1
        assert 0 < shape.y1 - shape.y0 <= 1
    first, *_, last = figure.layout.shapes
    assert first.line.width > last.line.width  # the narrow bright line stands on the wide dark one


def test_known_links_are_another_mark_inside_their_cell() -> None:
    marks = drawn(set(), {(1, 0), (0, 2)}).data[-1]
    assert [(round(x), round(y)) for x, y in zip(marks.x, marks.y, strict=True)] == [(0, 2), (1, 0)]
    assert marks.marker.symbol == "diamond"


def test_hovering_says_which_is_which() -> None:
    plain = hover_texts(heatmap(WEIGHTS, KEYS, ROWS, title="t"))
    found = hover_texts(drawn({(0, 2), (1, 1)}, {(1, 1), (1, 0)}))
    assert found[0, 2] == plain[0, 2] + ", <b>linked</b>"
    assert found[1, 1] == plain[1, 1] + ", <b>linked</b>, correct link"
    assert found[1, 0] == plain[1, 0] + ", correct link"
    assert found[0, 0] == plain[0, 0]
    assert "<b>house" not in found[0, 0].replace("&lt;b&gt;", "")
