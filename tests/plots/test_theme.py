import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plotly.colors import sample_colorscale, unlabel_rgb

from s2s.plots import theme


def contrast(one: float, other: float) -> float:
    light = max(one, other)
    dark = min(one, other)
    return (light + 0.05) / (dark + 0.05)


def test_numbers_can_be_read_on_every_color_of_the_scale() -> None:
    values = np.linspace(0, 1, 101, dtype=np.float32)
    colors = sample_colorscale(theme.SEQUENTIAL, values.astype(float))
    for ink, color in zip(theme.text_colors(values), colors, strict=True):
        assert (
            contrast(theme.luminance(unlabel_rgb(color)), 1.0 if ink == "#ffffff" else 0.0) >= 4.5
        )


def test_shades_are_the_colors_of_the_scale() -> None:
    values = np.linspace(-0.1, 1.1, 121, dtype=np.float32)
    colors = sample_colorscale(theme.SEQUENTIAL, values.clip(0, 1).astype(float))
    found = [tuple(bytes.fromhex(shade[1:])) for shade in theme.shades(values)]
    np.testing.assert_allclose(found, [unlabel_rgb(color) for color in colors], atol=1.5)


@pytest.mark.parametrize(
    ("token", "length", "short"), [("house", 5, "house"), ("houses", 5, "hous…"), ("", 5, "")]
)
def test_short(token: str, length: int, short: str) -> None:
    assert theme.shortened(token, length) == short


def test_an_empty_picture_says_why_in_plain_text() -> None:
    assert (
        theme.empty("no <b>words</b>").layout.annotations[0].text == "no &lt;b&gt;words&lt;/b&gt;"
    )


@given(low=st.floats(1e-20, 1e20), ratio=st.one_of(st.floats(1.001, 10), st.floats(10, 1e15)))
def test_ticks_of_a_log_axis_are_few_rising_and_span_it(low: float, ratio: float) -> None:
    high = low * ratio
    ticks = theme.log_ticks(low, high)
    assert 2 <= len(ticks) <= 14
    assert ticks == sorted(set(ticks))
    assert any(low <= tick <= high for tick in ticks)
    texts = theme.log_axis(low, high)["ticktext"]
    assert len(set(texts)) == len(texts)


def test_between_decades_a_label_has_its_power_of_ten() -> None:
    """Plotly's own labels read 5 1 2 5 10 2."""
    assert theme.log_axis(0.5, 20)["ticktext"] == ["0.5", "1", "2", "5", "10", "20"]
    assert theme.log_axis(1, 1500)["ticktext"] == ["1", "10", "100", "1,000"]
    assert theme.log_axis(1e5, 1e7)["ticktext"][-2:] == ["5·10<sup>6</sup>", "10<sup>7</sup>"]


def test_a_token_of_a_right_to_left_script_has_its_own_direction() -> None:
    assert theme.label("▁ال") == "\u2068▁ال\u2069"
    assert theme.label("2 ▁הבית") == "2 \u2068▁הבית\u2069"
    assert theme.label("2 ▁<b>") == "2 ▁&lt;b&gt;"
    assert theme.label("12 ▁house") == "12 ▁house"
