import numpy as np
import pytest

from s2s.plots import activations, gradient_flow, ranked_tokens


def test_the_models_own_activation_is_thick_and_the_inputs_are_shares() -> None:
    x = np.linspace(-1, 1, 5, dtype=np.float32)
    bars, first, second = activations(
        x, {"relu": np.maximum(x, 0), "silu": x}, [1, 3], [-1.0, 0.0, 1.0], title="t", used="silu"
    ).data
    np.testing.assert_allclose(bars.y, [0.25, 0.75])
    np.testing.assert_allclose(bars.x, [-0.5, 0.5])
    assert (first.line.width, second.line.width) == (2, 4)
    assert first.line.dash != second.line.dash  # distinguishable without color
    np.testing.assert_array_equal(first.y, np.maximum(x, 0))
    assert (
        "no activation"
        in activations(x, {}, [], [], title="t", used="relu").layout.annotations[0].text
    )


def test_two_lines_are_distinguishable_without_color() -> None:
    figure = gradient_flow(["E in", "E1"], {"with": [0.5, 1.0], "without": [3.0, 1.0]}, title="t")
    assert [[*bar.y] for bar in figure.data] == [[0.5, 1.0], [3.0, 1.0]]
    assert {bar.marker.pattern.shape for bar in figure.data} == {"", "/"}
    assert figure.layout.yaxis.type == "log"
    assert "no layers" in gradient_flow([], {}, title="t").layout.annotations[0].text


@pytest.mark.parametrize("values", [(0.9, 0.1), (3.0, -2.0)])
def test_bars_stand_in_order_with_room_for_their_numbers(values: tuple[float, float]) -> None:
    figure = ranked_tokens(
        [("<b>", values[0]), ("b", values[1])], title="t", x_label="logit", chosen=0
    )
    (bars,) = figure.data
    assert [*bars.x] == [*values]
    assert figure.layout.yaxis.ticktext[0] == "&lt;b&gt;"
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]
    assert [*bars.marker.pattern.shape] == ["/", ""]
    low, high = figure.layout.xaxis.range
    assert low <= min(0, *values)
    assert high > max(values)
    assert not figure.layout.xaxis.tickformat
    shares = ranked_tokens([("a", 0.9)], title="t", x_label="probability", is_share=True)
    assert shares.layout.xaxis.tickformat.endswith("%")  # as the numbers at the bars
    assert "no tokens" in ranked_tokens([], title="t", x_label="x").layout.annotations[0].text
