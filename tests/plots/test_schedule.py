import numpy as np

from s2s.plots import expected_quality, schedule


def test_the_line_is_what_was_given_and_the_marks_say_where() -> None:
    figure = schedule([1, 200, 1200], [0.001, 0.003, 0.0], warmup=200, title="<b>x</b>")
    (line,) = figure.data
    np.testing.assert_array_equal(line.x, np.float32([1, 200, 1200]))
    np.testing.assert_array_equal(line.y, np.float32([0.001, 0.003, 0]))
    assert [each.text for each in figure.layout.annotations] == ["warmup: 200", "end: 1,200"]
    assert [shape.x0 for shape in figure.layout.shapes] == [200, 1200]
    assert "<b>" not in figure.layout.title.text


def test_a_warm_up_longer_than_the_run_is_written_on_the_picture() -> None:
    (annotation,) = schedule([1, 100], [0.0, 0.001], warmup=4000, title="").layout.annotations
    assert "still in warmup" in annotation.text


def test_no_warm_up_has_no_mark_and_no_step_no_line() -> None:
    assert [
        each.text for each in schedule([1, 100], [1, 1], warmup=0, title="").layout.annotations
    ] == ["end: 100"]
    assert not schedule([], [], warmup=5, title="").data


def test_the_interval_leaves_out_what_is_not_known() -> None:
    low, high = expected_quality([1, 2, 3], [np.nan, 5, 6], [np.nan, 9, 10], title="t").data
    np.testing.assert_array_equal(low.x, np.float32([2, 3]))
    np.testing.assert_array_equal(high.y, np.float32([9, 10]))
    assert high.fill == "tonexty"
    assert expected_quality([1], [np.nan], [np.nan], title="t").layout.annotations
