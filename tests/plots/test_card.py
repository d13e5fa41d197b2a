"""The picture of a link, read back from its PNG."""

import io
from pathlib import Path

import numpy as np
import pytest
import streamlit as st
from PIL import Image

from s2s.plots import card
from s2s.plots.card import Card

FONT = next(Path(st.__file__).parent.glob("static/static/media/SourceSansVF-Upright*.woff2"))


def pixels(drawn: Card) -> np.ndarray:
    """(height, width, 3)."""
    image = Image.open(io.BytesIO(card.png(drawn, FONT)))
    assert image.size == (card.WIDTH, card.HEIGHT)
    return np.asarray(image)


def test_the_heatmap_has_the_palette_of_the_pages() -> None:
    weights = np.array([[0, 1], [0.5, 0]], np.float32)
    seen = pixels(Card("Attention", ["the red house"], weights, ("la", "maison"), ("the", "house")))
    found = {tuple(color) for color in seen[:, card.SPLIT :].reshape(-1, 3)}
    assert {tuple(color) for color in card._palette()[[0, 128, 255]]} <= found
    assert tuple(card._palette()[0]) == (0, 34, 78)  # Cividis


@pytest.mark.parametrize(
    "drawn",
    [
        Card("", []),
        Card("x" * 500, ["y" * 500, "z z " * 300], np.zeros((0, 3), np.float32)),
        Card("", [""], np.full((60, 90), np.nan, np.float32), ["a"] * 60, ["b"] * 90),
        Card("<b>", ["你好 \u0000 👩‍👩‍👧"], np.ones((1, 1), np.float32), ["你"], ["الولد" * 9]),
    ],
)
def test_any_text_and_weights_stay_within_the_picture(drawn: Card) -> None:
    seen = pixels(drawn)
    edge = np.concatenate([seen[:8].reshape(-1, 3), seen[:, -8:].reshape(-1, 3)])
    assert (edge == card.BACKGROUND).all()


def test_what_the_font_lacks_is_a_rectangle() -> None:
    font = card.opened(FONT, 20, card.REGULAR)
    assert card.drawable("été 你 привет", font) == f"été {card.NO_GLYPH} привет"


def test_long_text_ends_in_an_ellipsis() -> None:
    font = card.opened(FONT, 20, card.REGULAR)
    assert card.wrapped("one two three", font, 10_000, 2) == ["one two three"]
    lines = card.wrapped("one two three four five six", font, 80, 2)
    assert len(lines) == 2
    assert lines[-1].endswith("…")
    assert all(font.getlength(line) <= 80 for line in lines)
