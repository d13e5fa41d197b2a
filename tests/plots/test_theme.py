import numpy as np
import pytest
from plotly.colors import sample_colorscale, unlabel_rgb

from s2s.plots import theme


def contrast(one: float, other: float) -> float:
    light = max(one, other)
    dark = min(one, other)
    return (light + 0.05) / (dark + 0.05)


def test_numbers_can_be_read_on_every_colour_of_the_scale() -> None:
    values = np.linspace(0, 1, 101, dtype=np.float32)
    colors = sample_colorscale(theme.SEQUENTIAL, values.astype(float))
    for ink, color in zip(theme.text_colors(values), colors, strict=True):
        assert (
            contrast(theme.luminance(unlabel_rgb(color)), 1.0 if ink == "#ffffff" else 0.0) >= 4.5
        )


@pytest.mark.parametrize(
    ("token", "length", "short"), [("house", 5, "house"), ("houses", 5, "hous…"), ("", 5, "")]
)
def test_short(token: str, length: int, short: str) -> None:
    assert theme.shortened(token, length) == short


def test_an_empty_picture_says_why_in_plain_text() -> None:
    assert (
        theme.empty("no <b>words</b>").layout.annotations[0].text == "no &lt;b&gt;words&lt;/b&gt;"
    )
