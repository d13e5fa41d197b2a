import numpy as np
import pytest

from s2s.plots import alignment_error, attention_animation, entropy, role_strengths

STEPS = [50, 100, 150]


def values(layers: int, heads: int) -> np.ndarray:
    return np.random.default_rng(0).random((3, layers, heads)).astype(np.float32)


def test_every_head_has_its_line_and_looks_like_no_other() -> None:
    given = values(3, 4)
    figure = entropy(STEPS, given, title="<b>t</b>", chosen=(1, 2))
    assert [trace.name for trace in figure.data] == [
        f"L{layer} H{head}{' (chosen)' if (layer, head) == (2, 3) else ''}"
        for layer in (1, 2, 3)
        for head in (1, 2, 3, 4)
    ]
    for trace, row in zip(figure.data, given.reshape(3, 12).T, strict=True):
        np.testing.assert_array_equal(trace.y, row)
        np.testing.assert_array_equal(trace.x, STEPS)
    assert (
        len({(trace.line.dash, trace.marker.symbol) for trace in figure.data}) == 12
    )  # distinguishable without color
    widths = [trace.line.width for trace in figure.data]
    assert max(widths) == widths[6]
    assert widths.count(max(widths)) == 1
    assert "<b>" not in figure.layout.title.text


def test_many_heads_become_a_line_and_an_interval_per_layer() -> None:
    given = values(6, 8)
    figure = alignment_error(STEPS, given, title="t", chosen=(5, 7))
    shown = [trace for trace in figure.data if trace.showlegend is not False]
    assert [trace.name for trace in shown] == [
        *(f"layer {layer}" for layer in range(1, 7)),
        "L6 H8 (chosen)",
    ]
    low, high, mean = figure.data[3:6]
    np.testing.assert_array_equal(low.y, given[:, 1].min(1))
    np.testing.assert_array_equal(high.y, given[:, 1].max(1))
    np.testing.assert_allclose(mean.y, given[:, 1].mean(1))
    assert high.fill == "tonexty"
    assert len({(trace.line.dash, trace.marker.symbol) for trace in shown[:6]}) == 6


def test_what_the_lines_are_held_against() -> None:
    ceiling = entropy(STEPS, values(1, 2), title="t", uniform=np.float32([2, 2, 2])).data[-1]
    assert (ceiling.name, ceiling.line.dash, list(ceiling.y)) == (
        "uniform attention",
        "dot",
        [2, 2, 2],
    )
    mean = values(2, 2)[:, :, 0]
    figure = alignment_error(STEPS, values(2, 2), title="t", mean=mean)
    assert [trace.name for trace in figure.data[4:]] == ["L1 mean", "L2 mean"]
    np.testing.assert_array_equal(figure.data[5].y, mean[:, 1])
    assert tuple(figure.layout.yaxis.range) == (0, 1)
    assert (
        len(alignment_error(STEPS, values(2, 1), title="t", mean=mean).data) == 2
    )  # one head is its own mean


@pytest.mark.parametrize("draw", [entropy, alignment_error, role_strengths])
def test_before_the_first_checkpoint_the_picture_says_so(draw) -> None:
    for steps, given in (
        ([], np.zeros((0, 2, 2), np.float32)),
        ([1], np.full((1, 2, 2), np.nan, np.float32)),
    ):
        figure = draw(steps, given, title="t")
        assert not figure.data
        assert "first checkpoint" in figure.layout.annotations[0].text


def test_the_animation_holds_every_picture_and_its_step() -> None:
    pictures = {step: np.full((2, 3), step / 200, np.float32) for step in STEPS}
    figure = attention_animation(pictures, ("a", "b", "c"), ("x", "<i>"), title="run\nhead 1")
    assert [frame.name for frame in figure.frames] == ["50", "100", "150"]
    for frame, weights in zip(figure.frames, pictures.values(), strict=True):
        np.testing.assert_array_equal(frame.data[0].z, weights)
        assert list(frame.traces) == list(range(len(figure.data)))
        assert set(frame.data[1].text) == {f"{weights[0, 0]:.2f}".removeprefix("0")}
    assert figure.frames[2].layout.title.text == "<b>run · step 150<br>head 1</b>"
    (slider,) = figure.layout.sliders
    assert [stop.args[0] for stop in slider.steps] == [("50",), ("100",), ("150",)]
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == [
        "▶ Play",
        "❚❚ Pause",
    ]
    np.testing.assert_array_equal(figure.data[0].z, pictures[50])


def test_an_animation_of_nothing_says_so() -> None:
    assert "No step" in attention_animation({}, (), (), title="t").layout.annotations[0].text


def test_strengths_stand_beside_the_loss_on_an_axis_of_its_own() -> None:
    given = values(2, 2)
    loss = ([100, 150], np.float32([3.0, 2.0]))
    *heads, last = role_strengths(STEPS, given, title="t", loss=loss).data
    np.testing.assert_array_equal(heads[3].y, given[:, 1, 1])
    assert (last.name, last.yaxis, list(last.y)) == ("validation loss", "y2", [3.0, 2.0])
    assert len(role_strengths(STEPS, given, title="t").data) == 4
