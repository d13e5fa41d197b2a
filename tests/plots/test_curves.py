import numpy as np
import pandas as pd
import pytest

from s2s.plots import PLOTS, Curve, CurveOptions, StepMark, curve_points, curves, sentence_lengths
from s2s.plots.curves import DEFAULT_OPTIONS, MAX_LABELED, smoothed

TRAIN = Curve("training", [1, 2, 3], [3.0, 2.0, 1.0])
VALID = Curve("validation", [0, 3], [3.5, 1.5], is_held_out=True)


def drawn(*lines: Curve, options: CurveOptions = DEFAULT_OPTIONS, marks: tuple[StepMark, ...] = ()):  # type: ignore[no-untyped-def]
    return curves(
        lines, title="<b>run</b>", y_label="loss (nats per token)", options=options, marks=marks
    )


def test_both_curves_hold_what_was_given() -> None:
    figure = drawn(TRAIN, VALID)
    train, valid = figure.data
    np.testing.assert_array_equal(train.y, np.float32([3, 2, 1]))
    np.testing.assert_array_equal(valid.x, np.float32([0, 3]))
    assert valid.line.dash == "dash"  # distinguishable without color
    assert figure.layout.yaxis.title.text == "loss (nats per token)"
    assert "<b>" not in figure.layout.title.text


@pytest.mark.parametrize(
    "lines", [(), (Curve("a", [], []),), (Curve("a", np.array([1]), np.array([np.nan])),)], ids=len
)
def test_before_the_first_step_the_picture_says_so(lines: tuple[Curve, ...]) -> None:
    figure = drawn(*lines)
    assert not figure.data
    assert "first step" in figure.layout.annotations[0].text


def test_runs_beside_each_other_are_told_apart_by_marker_and_color() -> None:
    names = [f"<i>{run}</i>" for run in range(6)]
    figure = drawn(*(TRAIN._replace(name=names[run], run=run) for run in range(6)))
    styles = [(trace.marker.symbol, trace.line.color) for trace in figure.data]
    assert {trace.line.dash for trace in figure.data} == {"solid"}
    for looks in zip(*styles, strict=True):
        assert len(set(looks)) == 6
    assert [trace.name for trace in figure.data] == [
        name.replace("<", "&lt;").replace(">", "&gt;") for name in names
    ]


def test_training_and_validation_of_a_run_among_others_differ_without_color() -> None:
    for lines in ((TRAIN, VALID), (TRAIN, VALID, TRAIN._replace(run=1))):
        train, valid, *others = drawn(*lines).data
        assert (train.line.dash, valid.line.dash) == ("solid", "dash")
        assert train.line.color == valid.line.color
        assert all(other.line.color != train.line.color for other in others)
        assert not others or train.marker.symbol != valid.marker.symbol


def test_a_run_out_of_sight_changes_no_style() -> None:
    other = TRAIN._replace(run=1, steps=[100, 200, 300])
    near, all_of_it = (
        drawn(TRAIN, other, options=CurveOptions(steps=stretch)).data[0]
        for stretch in ((1, 3), (1, 300))
    )
    assert (near.line, near.marker) == (all_of_it.line, all_of_it.marker)


@pytest.mark.parametrize("weight", [0.0, 0.3, 0.9, 0.99])
@pytest.mark.parametrize("hole", [False, True])
def test_smoothing_is_the_exponential_average_that_pandas_knows(weight: float, hole: bool) -> None:
    values = np.random.default_rng(0).normal(3, 1, 200)
    if hole:
        values[50:60] = np.nan
    expected = (
        pd.Series(values)
        .ewm(alpha=1 - weight, adjust=True, ignore_na=True)
        .mean()
        .where(~np.isnan(values))
    )
    np.testing.assert_allclose(smoothed(values, weight), expected.astype(np.float32), rtol=1e-5)


def test_a_smoothed_curve_stands_over_the_faint_one_and_validation_stays() -> None:
    faint, train, valid = drawn(TRAIN, VALID, options=CurveOptions(smoothing=0.5)).data
    np.testing.assert_array_equal(faint.y, np.float32([3, 2, 1]))
    assert faint.opacity < 0.5
    assert not faint.showlegend
    np.testing.assert_array_equal(train.y, smoothed([3.0, 2.0, 1.0], 0.5))
    np.testing.assert_array_equal(valid.y, np.float32([3.5, 1.5]))


def test_a_stretch_is_smoothed_as_the_whole_is() -> None:
    steps = np.arange(1, 101)
    line = Curve("a", steps, np.sin(steps))
    whole = curve_points(line, CurveOptions(0.9))
    part = curve_points(line, CurveOptions(0.9, (40, 60)))
    np.testing.assert_array_equal(part.smoothed, whole.smoothed[38:61])


def test_a_stretch_holds_its_points_and_the_next_on_either_side() -> None:
    for seed in range(20):
        draw = np.random.default_rng(seed)
        steps = np.unique(draw.integers(0, 200, 40))
        low, high = np.sort(draw.integers(0, 200, 2))
        found = curve_points(Curve("a", steps, steps), CurveOptions(steps=(low, high))).steps
        inside = steps[(steps >= low) & (steps <= high)]
        if not len(inside):
            assert not len(found)
            continue
        beside = [*steps[steps < low][-1:], *steps[steps > high][:1]]
        assert set(found) == {*inside, *beside}


def test_the_axis_shows_the_stretch_and_log_axes_leave_out_what_they_cannot_show() -> None:
    figure = drawn(
        TRAIN,
        VALID,
        Curve("zero", [1, 2], [0.0, 1.0]),
        options=CurveOptions(steps=(1, 100), is_log_x=True, is_log_y=True),
    )
    assert tuple(figure.layout.xaxis.range) == (0.0, 2.0)
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    assert [trace.x.tolist() for trace in figure.data] == [[1, 2, 3], [3], [2]]
    assert tuple(drawn(TRAIN, options=CurveOptions(steps=(2, 3))).layout.xaxis.range) == (2, 3)
    assert (
        "more steps" in drawn(TRAIN, options=CurveOptions(steps=(8, 9))).layout.annotations[0].text
    )


def test_changes_are_dotted_lines_and_the_newest_are_named() -> None:
    marks = tuple(StepMark(step, f"<{step}>") for step in range(1, 9))
    shapes = drawn(Curve("a", [0, 10], [1, 1]), marks=marks).layout.shapes
    assert [shape.x0 for shape in shapes] == list(range(1, 9))
    assert {shape.line.dash for shape in shapes} == {"dot"}
    assert [shape.label.text for shape in shapes] == [""] * (8 - MAX_LABELED) + [
        "&lt;5&gt;",
        "&lt;6&gt;",
        "&lt;7&gt;",
        "&lt;8&gt;",
    ]
    assert [shape.label.xanchor for shape in shapes][
        -1
    ] == "right"  # there is no room beyond the rim
    assert (
        len(
            drawn(
                Curve("a", [0, 10], [1, 1]), marks=marks, options=CurveOptions(steps=(3, 10))
            ).layout.shapes
        )
        == 6
    )


def test_numbers_beyond_float32_are_left_out() -> None:
    assert curve_points(Curve("a", [1, 2], [1e300, 1.0]), DEFAULT_OPTIONS).steps.tolist() == [2]


def test_lengths_count_every_text() -> None:
    src = [0, 4, 3, 1]
    tgt = [0, 0, 2, 2, 4]
    figure = sentence_lengths(src, tgt, title="t")
    assert sum(figure.data[0].y) == sum(src)
    assert sum(figure.data[1].y) == sum(tgt)
    assert figure.data[1].customdata[2] == "2 words"
    assert figure.data[1].customdata[1] == "1 word"


def test_many_lengths_share_bars() -> None:
    counts = [1] * 1000
    figure = sentence_lengths(counts, counts, title="t")
    assert len(figure.data[0].x) <= 40
    assert sum(figure.data[0].y) == 1000
    assert figure.data[0].customdata[0] == "0 to 24 words"


def test_nothing_to_measure_is_said() -> None:
    assert sentence_lengths([], [], title="t").layout.annotations


def test_every_plot_says_how_to_read_it() -> None:
    assert all(row.caption.endswith(".") for row in PLOTS.values())
