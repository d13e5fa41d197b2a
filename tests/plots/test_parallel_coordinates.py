import itertools
import math
import re
from pathlib import Path

import pytest

from s2s.plots import parallel_coordinates, theme
from s2s.plots.parallel_coordinates import LIFT, ParallelAxis
from s2s.words import format_value

LOOK = Path(theme.__file__).parents[1] / "ui" / "shell" / "style.css"
LR = ParallelAxis("train.lr", (0.0005, 0.005, 0.05))
KIND = ParallelAxis("tokenizer.kind", ("bpe", "word", "bpe"))
LOSS = ParallelAxis("validation loss", (3.0, None, 1.0), is_low_up=True)


def lines(figure):
    """The runs' lines by name, in the order in which they are drawn."""
    return {trace.name: trace for trace in figure.data if trace.mode != "text"}


def ticks(figure, at):
    """The texts of an axis with their places."""
    (found,) = (trace for trace in figure.data if trace.mode == "text")
    return {
        text.strip(): y for x, y, text in zip(found.x, found.y, found.text, strict=True) if x == at
    }


def test_a_line_a_run_through_its_values():
    figure = parallel_coordinates([LR, KIND, LOSS], ["a", "b", "c"], best=2, title="sweep <b>")
    assert {
        name: [y if y is None else pytest.approx(y) for y in line.y]
        for name, line in lines(figure).items()
    } == {
        "a": [0.0, 0.0, 0.0],
        "b": [0.5, 1.0, None],
        "c": [1.0, 0.0, 1.0],
    }, (
        "logarithms over decades; words in their order; less loss is higher; nothing where nothing is known"
    )
    assert ticks(figure, 0) == {"0.0005": 0.0, "0.005": pytest.approx(0.5), "0.05": 1.0}
    assert ticks(figure, 1) == {"bpe": LIFT, "word": 1.0 + LIFT}
    assert ticks(figure, 2) == {"3": 0.0, "1": 1.0}
    assert figure.layout.title.text == "sweep &lt;b&gt;"
    assert list(figure.layout.xaxis.ticktext) == [
        "train.<br>lr",
        "tokenizer.<br>kind",
        "validation<br>loss",
    ]


def test_the_best_is_recognizable_without_color_and_drawn_on_top():
    drawn = list(
        lines(parallel_coordinates([LR, LOSS], ["a", "b", "c"], best=0, title="")).values()
    )
    assert [line.name for line in drawn] == ["b", "c", "a"]
    assert {line.marker.symbol for line in drawn[:2]} == {"circle"}
    assert drawn[2].marker.symbol == "diamond"
    assert drawn[2].line.width > drawn[0].line.width
    assert "(best)" in drawn[2].hovertext[0]
    assert "(best)" not in drawn[0].hovertext[0]


def test_what_people_wrote_is_no_markup():
    figure = parallel_coordinates([ParallelAxis("<i>", ("<b>", "&"))], ["<u>", "b"], title="")
    assert lines(figure)["&lt;u&gt;"].hovertext == ("&lt;u&gt;<br>&lt;i&gt;: &lt;b&gt;",)
    assert set(ticks(figure, 0)) == {"&lt;b&gt;", "&amp;"}
    assert list(figure.layout.xaxis.ticktext) == ["&lt;i&gt;"]


def test_a_constant_axis_centers_its_value_and_similar_numbers_are_spread_evenly():
    figure = parallel_coordinates(
        [
            ParallelAxis("a", (7, 7, 7)),
            ParallelAxis("b", (1, 2, 5)),
            ParallelAxis("c", (True, False, True)),
            ParallelAxis("d", (0, 10, 1000)),
        ],
        list("xyz"),
        title="",
    )
    ys = [[line.y[axis] for line in lines(figure).values()] for axis in range(4)]
    assert ys[0] == [0.5, 0.5, 0.5]
    assert ys[1] == [0.0, 0.25, 1.0]
    assert ys[2] == [0.0, 1.0, 0.0]
    assert ys[3] == [0.0, 0.01, 1.0], "0 has no logarithm"
    assert set(ticks(figure, 2)) == {"true", "false"}


def test_many_values_keep_ticks_that_can_be_read():
    for n in (2, 6, 7, 24, 100):
        places = sorted(
            ticks(
                parallel_coordinates(
                    [ParallelAxis("loss", tuple(1 + i / n for i in range(n)))],
                    [str(i) for i in range(n)],
                    title="",
                ),
                0,
            ).values()
        )
        assert places[0] == 0.0
        assert places[-1] == 1.0
        assert len(places) <= 7
        assert all(after - before > 0.069 for before, after in itertools.pairwise(places))


@pytest.mark.parametrize("broken", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_none_leaves_a_gap(broken):
    figure = parallel_coordinates([ParallelAxis("loss", (1.0, broken, 3.0))], list("abc"), title="")
    assert [line.y for line in lines(figure).values()] == [(0.0,), (None,), (1.0,)]


def test_values_stand_beside_their_axis():
    figure = parallel_coordinates([LR, KIND, LOSS], list("abc"), best=0, title="")
    (found,) = (trace for trace in figure.data if trace.mode == "text")
    sides = {x: side for x, side in zip(found.x, found.textposition, strict=True)}
    assert sides == {0: "middle left", 1: "top right", 2: "middle right"}, (
        "where no line runs, if there is such a side"
    )
    assert all(text != text.strip() for text in found.text)


def test_only_pictures_without_cells_write_their_texts_in_the_screens_ink():
    rules = [line for line in LOOK.read_text().splitlines() if ".textpoint" in line]
    assert rules
    with_cells = ("picture", "canvas", "utility")
    for rule in rules:
        keys = re.findall(r"st-key-(\w+)", rule)
        assert keys, "for some pictures only"
        assert not {*keys} & {*with_cells}, (
            "the numbers of a heatmap are black or white, as its cells need it"
        )


def test_nothing_to_show_says_why():
    for figure in (
        parallel_coordinates([], ["a"], title=""),
        parallel_coordinates([LR], [], title=""),
    ):
        assert figure.layout.annotations[0].text == "No run of this sweep has settings to show."
    assert parallel_coordinates([ParallelAxis("a", (None,))], ["x"], title="").data[0].y == (None,)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (True, "true"),
        (0.0005, "0.0005"),
        (1e-9, "1e-09"),
        (12345, "12,345"),
        ("bpe", "bpe"),
        (1.23456, "1.235"),
    ],
)
def test_written(value, text):
    assert format_value(value) == text


def test_the_lines_contrast_with_the_background():
    assert {
        line.line.color
        for line in lines(parallel_coordinates([LR], list("abc"), best=1, title="")).values()
    } <= set(theme.CATEGORICAL)
