import numpy as np
import pytest

from s2s.plots import heatmap, numbered
from s2s.plots.attention import LEGIBLE, MAX_LEVEL, MAX_SLANTED, MAX_UNNUMBERED

WORDS = ("the", "red", "house", "</s>")


def weights(rows: int, columns: int) -> np.ndarray:
    raw = np.random.default_rng(0).random((rows, columns)).astype(np.float32)
    return raw / raw.sum(1, keepdims=True)


def test_cells_hold_the_weights_as_float32_on_a_fixed_scale() -> None:
    given = weights(4, 4)
    cells = heatmap(given, WORDS, WORDS, title="t").data[0]
    assert cells.z.dtype == np.float32
    np.testing.assert_array_equal(cells.z, given)
    assert (cells.zmin, cells.zmax) == (0, 1)
    assert (
        "bdata" in heatmap(given, WORDS, WORDS, title="t").to_json()
    )  # sent as bytes, not as a list


def test_a_word_said_twice_keeps_both_places() -> None:
    figure = heatmap(weights(2, 3), ("the", "cat", "the"), ("le", "chat"), title="t")
    assert list(figure.layout.xaxis.tickvals) == [0, 1, 2]
    assert list(figure.layout.xaxis.ticktext) == ["the", "cat", "the"]
    assert list(figure.layout.yaxis.ticktext) == ["le", "chat"]
    assert (
        figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]
    )  # the first word is written on top


def test_hover_says_what_is_predicted_and_where_it_looks() -> None:
    cells = heatmap(weights(1, 2), ("red", "</s>"), ("rouge",), title="t").data[0]
    assert cells.customdata[0][1] == "predicting <b>rouge</b> it attends to <b>&lt;/s&gt;</b>"
    assert "%{z:.4f}" in cells.hovertemplate


@pytest.mark.parametrize(("side", "has_numbers"), [(LEGIBLE, True), (LEGIBLE + 1, False)])
def test_numbers_stand_in_the_cells_while_they_can_be_read(side: int, has_numbers: bool) -> None:
    words = [str(i) for i in range(side)]
    figure = heatmap(weights(side, side), words, words, title="t")
    assert any(trace.mode == "text" for trace in figure.data[1:]) is has_numbers
    assert figure.data[0].showscale is not has_numbers
    if has_numbers:
        assert len(figure.data[1].text) == side * side


def test_a_long_token_is_truncated_on_the_axis_and_complete_on_hover() -> None:
    long = "incomprehensibilities"
    figure = heatmap(weights(1, 1), (long,), ("a",), title="t")
    assert figure.layout.xaxis.ticktext[0] == "incomprehensi…"
    assert long in figure.data[0].customdata[0][0]


def test_markup_in_tokens_and_title_is_drawn_as_text() -> None:
    figure = heatmap(weights(1, 1), ("<b>x</b>",), ("a&b",), title="<i>run</i>")
    assert figure.layout.xaxis.ticktext[0] == "&lt;b&gt;x&lt;/b&gt;"
    assert figure.layout.yaxis.ticktext[0] == "a&amp;b"
    assert figure.layout.title.text == "&lt;i&gt;run&lt;/i&gt;"


def test_tokens_are_numbered_where_one_cannot_tell_them_apart() -> None:
    assert numbered(("le", "chat")) == ["le", "chat"]
    assert numbered(("the", "cat", "the")) == ["1: the", "2: cat", "3: the"]
    assert numbered(("le", "chat"), start=33) == ["33: le", "34: chat"]
    assert numbered(list(map(chr, range(97, 97 + MAX_UNNUMBERED))))[0] == "a"
    assert (
        numbered(list(map(chr, range(97, 98 + MAX_UNNUMBERED))))[-1]
        == f"{MAX_UNNUMBERED + 1}: {chr(97 + MAX_UNNUMBERED)}"
    )
    assert numbered(()) == []


@pytest.mark.parametrize("side", [2, LEGIBLE + 1])
def test_a_scale_for_each_row_leaves_the_weights_to_be_read(side: int) -> None:
    given = 0.1 * weights(side, side)
    given[1] = 0
    words = [str(i) for i in range(side)]
    plain, cells = (
        heatmap(given, words, words, title="t", per_row=per_row).data for per_row in (False, True)
    )
    np.testing.assert_allclose(cells[0].z.max(1), [1, 0, *[1] * (side - 2)], atol=1e-6)
    np.testing.assert_allclose(cells[0].z[0] * given[0].max(), given[0], rtol=1e-5)
    np.testing.assert_array_equal(cells[0].text, given)
    assert "%{text:.4f}" in cells[0].hovertemplate
    assert [each.text for each in cells[1:]] == [
        each.text for each in plain[1:]
    ]  # the numbers in the cells


def test_hover_shows_the_sum_of_a_row_where_it_is_given() -> None:
    cells = heatmap(
        weights(1, 2), ("red", "</s>"), ("rouge",), title="t", sums=np.array([0.734], np.float32)
    ).data[0]
    assert (
        cells.customdata[0][0]
        == "predicting <b>rouge</b> (its row sums to 0.73) it attends to <b>red</b>"
    )


def test_many_tokens_are_written_upwards_and_have_the_room() -> None:
    few, some, many = (
        [f"{i} incomprehensible" for i in range(n)]
        for n in (MAX_LEVEL, MAX_SLANTED, MAX_SLANTED + 1)
    )
    layouts = [
        heatmap(weights(2, len(keys)), keys, ("a", "b"), title="t").layout for keys in (few, many)
    ]
    level = heatmap(weights(2, len(some)), some, ("a", "b"), title="t").layout
    assert (
        level.margin.t == layouts[0].margin.t
    )  # no gap; where they do not fit, the browser makes room
    assert level.xaxis.automargin
    assert [layout.xaxis.tickangle for layout in layouts] == [None, None]
    assert [layout.xaxis.visible for layout in layouts] == [None, False]
    assert layouts[1].xaxis2.tickangle == -90
    assert layouts[1].margin.t - layouts[0].margin.t > 60
    assert layouts[1].height - layouts[1].margin.t == layouts[0].height - layouts[0].margin.t


def test_of_many_tokens_as_many_are_named_as_there_is_room_for_and_each_above_its_cells() -> None:
    keys = ["the", *(f"{i} <b>" for i in range(MAX_SLANTED)), "the"]
    figure = heatmap(weights(2, len(keys)), keys, ("a", "b"), title="t")
    axis = figure.layout.xaxis2
    cells = figure.layout.xaxis
    assert (axis.type, axis.tickmode, axis.nticks) == (
        "category",
        None,
        None,
    )  # Plotly counts how many fit
    named = [axis.labelalias[place] for place in axis.categoryarray]
    assert named == [key.replace("<b>", "&lt;b&gt;") for key in keys]
    assert (axis.overlaying, axis.range) == ("x", cells.range)
    assert axis.fixedrange
    assert cells.fixedrange
    assert [trace.xaxis for trace in figure.data] == [None, "x2"]


def test_a_picture_of_nothing_says_why() -> None:
    figure = heatmap(np.zeros((0, 3), np.float32), WORDS[:3], (), title="t")
    assert "no tokens" in figure.layout.annotations[0].text


def test_tokens_must_fit_the_weights() -> None:
    with pytest.raises(ValueError, match=r"weights are \(2, 3\), the tokens \(4, 4\)"):
        heatmap(weights(2, 3), WORDS, WORDS, title="t")


def test_the_page_can_scroll_over_the_picture() -> None:
    layout = heatmap(weights(4, 4), WORDS, WORDS, title="t").layout
    assert layout.dragmode is False
    assert layout.xaxis.fixedrange
    assert layout.yaxis.fixedrange
