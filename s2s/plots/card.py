"""The picture that chats show beside a link: a few lines of text and, where there is one, a heatmap. A PNG."""

from __future__ import annotations

import functools
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont
from plotly.colors import sample_colorscale

from s2s.plots.theme import SEQUENTIAL, shortened
from s2s.versions import NAME

WIDTH = 1200  # pixels; chats show 1.91 to 1
HEIGHT = 630
MARGIN = 60
SPLIT = 580  # where the heatmap begins
BACKGROUND = (255, 255, 255)
INK = (27, 36, 48)
MUTED = (86, 97, 112)
TITLE_SIZE = 54
TEXT_SIZE = 32
LABEL_SIZE = 22
MOST_TITLE_LINES = 3
MOST_TEXT_LINES = 3
MOST_LABELS = 24  # tokens at one side; more are drawn without labels
MAX_LABEL = 12  # characters
NO_GLYPH = "\N{WHITE VERTICAL RECTANGLE}"
BOLD = 700
REGULAR = 400
Font = ImageFont.FreeTypeFont


@dataclass(frozen=True)
class Card:
    """The content of a card: texts, and optionally weights (rows, keys) from 0 to 1 for a heatmap."""

    title: str
    lines: Sequence[str]
    weights: npt.NDArray[np.float32] | None = None
    rows: Sequence[str] = ()
    keys: Sequence[str] = ()


def png(card: Card, font: Path) -> bytes:
    """The card as PNG, WIDTH x HEIGHT pixels, with a variable font. Characters that it lacks become rectangles."""
    image = Image.new("RGB", (WIDTH, HEIGHT), BACKGROUND)
    draw = ImageDraw.Draw(image)
    has_map = card.weights is not None and card.weights.size > 0
    width = (SPLIT if has_map else WIDTH) - 2 * MARGIN
    y = MARGIN + 10
    for line in wrapped(card.title, opened(font, TITLE_SIZE, BOLD), width, MOST_TITLE_LINES):
        draw.text((MARGIN, y), line, INK, opened(font, TITLE_SIZE, BOLD))
        y += round(TITLE_SIZE * 1.2)
    y += 20
    for text in card.lines:
        for line in wrapped(text, opened(font, TEXT_SIZE, REGULAR), width, MOST_TEXT_LINES):
            draw.text((MARGIN, y), line, MUTED, opened(font, TEXT_SIZE, REGULAR))
            y += round(TEXT_SIZE * 1.3)
        y += 14
    draw.text((MARGIN, HEIGHT - MARGIN), NAME, INK, opened(font, TEXT_SIZE, BOLD), anchor="ls")
    if has_map:
        _draw_map(image, card, font)
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


@functools.lru_cache(maxsize=8)
def opened(path: Path, size: int, weight: int) -> Font:
    """A font at a size in pixels."""
    font = ImageFont.truetype(str(path), size)
    font.set_variation_by_axes([weight])
    return font


def wrapped(text: str, font: Font, width: int, most: int) -> list[str]:
    """The text in at most `most` lines of at most `width` pixels; the last ends in `…` where the rest is missing."""
    words = drawable(text, font).split()
    lines: list[str] = []
    while words and len(lines) < most:
        line, words = _first_line(words, font, width)
        lines.append(line)
    if words:
        lines[-1] = _fitting(f"{lines[-1]} {words[0]}", font, width)
    return lines


def drawable(text: str, font: Font) -> str:
    """The text with a rectangle for each character that the font lacks."""
    missing = _pixels(font, "\U0010fffe")
    return "".join(
        character if character == " " or _pixels(font, character) != missing else NO_GLYPH
        for character in text
    )


@functools.lru_cache(maxsize=4096)
def _pixels(font: Font, character: str) -> bytes:
    return bytes(font.getmask(character))


def _first_line(words: Sequence[str], font: Font, width: int) -> tuple[str, list[str]]:
    n = 1
    while n < len(words) and font.getlength(" ".join(words[: n + 1])) <= width:
        n += 1
    return _fitting(" ".join(words[:n]), font, width), list(words[n:])


def _fitting(text: str, font: Font, width: int) -> str:
    if font.getlength(text) <= width:
        return text
    while text and font.getlength(f"{text}…") > width:
        text = text[:-1]
    return f"{text.rstrip()}…"


def _draw_map(image: Image.Image, card: Card, font: Path) -> None:
    assert card.weights is not None
    n_rows, n_keys = card.weights.shape
    label = opened(font, LABEL_SIZE, REGULAR)
    is_labeled = max(n_rows, n_keys) <= MOST_LABELS
    rows = [_token(token, label) for token in card.rows] if is_labeled else []
    keys = [_token(token, label) for token in card.keys] if is_labeled else []
    left = SPLIT + round(max(map(label.getlength, rows), default=0)) + 14
    widest = round(max(map(label.getlength, keys), default=0))
    side = min((WIDTH - MARGIN - left) // n_keys, (HEIGHT - 2 * MARGIN - widest - 14) // n_rows)
    is_upright = widest <= side - 6  # the labels of the keys need no rotation
    above = (LABEL_SIZE if is_upright else widest) + 14
    side = max(1, min((WIDTH - MARGIN - left) // n_keys, (HEIGHT - 2 * MARGIN - above) // n_rows))
    top = MARGIN + above
    cells = Image.fromarray(_colors(card.weights))
    image.paste(cells.resize((n_keys * side, n_rows * side), Image.Resampling.NEAREST), (left, top))
    draw = ImageDraw.Draw(image)
    for row, token in enumerate(rows):
        draw.text((left - 12, top + (row + 0.5) * side), token, INK, label, anchor="rm")
    for key, token in enumerate(keys):
        _draw_key(image, token, label, (left + (key + 0.5) * side, top - 10), is_upright)


def _draw_key(
    image: Image.Image, token: str, font: Font, foot: tuple[float, float], is_upright: bool
) -> None:
    if is_upright:
        ImageDraw.Draw(image).text(foot, token, INK, font, anchor="ms")
        return
    length = max(1, round(font.getlength(token)))
    strip = Image.new("RGB", (length, LABEL_SIZE + 8), BACKGROUND)
    ImageDraw.Draw(strip).text((0, (LABEL_SIZE + 8) / 2), token, INK, font, anchor="lm")
    rotated = strip.transpose(Image.Transpose.ROTATE_90)
    image.paste(rotated, (round(foot[0] - rotated.width / 2), round(foot[1] - length)))


def _token(token: str, font: Font) -> str:
    return drawable(shortened(token, MAX_LABEL), font)


@functools.cache
def _palette() -> npt.NDArray[np.uint8]:
    sampled = sample_colorscale(SEQUENTIAL, list(np.linspace(0, 1, 256)), colortype="tuple")
    return np.round(np.array(sampled) * 255).astype(np.uint8)


def _colors(weights: npt.NDArray[np.float32]) -> npt.NDArray[np.uint8]:
    """The color of each weight: (rows, keys) -> (rows, keys, 3)."""
    levels = np.clip(np.nan_to_num(weights), 0, 1) * 255
    return _palette()[np.round(levels).astype(np.uint8)]
