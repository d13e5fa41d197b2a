import numpy as np

from s2s.plots import PLOTS, curves, lengths


def test_both_curves_hold_what_was_given() -> None:
    figure = curves([1, 2, 3], [3.0, 2.0, 1.0], [0, 3], [3.5, 1.5], title="<b>run</b>")
    train, valid = figure.data
    np.testing.assert_array_equal(train.y, np.float32([3, 2, 1]))
    np.testing.assert_array_equal(valid.x, np.float32([0, 3]))
    assert valid.line.dash == "dash"  # told apart without colour
    assert figure.layout.yaxis.title.text == "loss (nats a token)"
    assert "<b>" not in figure.layout.title.text


def test_before_the_first_step_the_picture_says_so() -> None:
    figure = curves(np.array([]), np.array([]), [], [], title="")
    assert not figure.data
    assert "first step" in figure.layout.annotations[0].text


def test_lengths_count_every_text() -> None:
    src, tgt = [0, 4, 3, 1], [0, 0, 2, 2, 4]
    figure = lengths(src, tgt, title="t")
    assert sum(figure.data[0].y) == sum(src)
    assert sum(figure.data[1].y) == sum(tgt)
    assert figure.data[1].customdata[2] == "2 words"
    assert figure.data[1].customdata[1] == "1 word"


def test_many_lengths_share_bars() -> None:
    counts = [1] * 1000
    figure = lengths(counts, counts, title="t")
    assert len(figure.data[0].x) <= 40
    assert sum(figure.data[0].y) == 1000
    assert figure.data[0].customdata[0] == "0 to 24 words"


def test_nothing_to_measure_is_said() -> None:
    assert lengths([], [], title="t").layout.annotations


def test_every_plot_says_how_to_read_it() -> None:
    assert all(row.reading.endswith(".") for row in PLOTS.values())
