"""The sheet that a figure for papers is drawn on, and text on it, as SVG."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable
from xml.sax.saxutils import escape

FONT = "'Helvetica Neue', Helvetica, Arial, 'Noto Sans', sans-serif"
INK = "#0C131D"
GRAY = "#5A6473"
MARGIN = 16
MIN_WIDTH = 440.0  # pixels of a sheet, without its margins


def sheet(title: str, caption: str, width: float, height: float, body: Iterable[str]) -> str:
    """The whole SVG: white, with a title above the body and a caption below."""
    inner = max(width, text_width(title, 16), MIN_WIDTH)
    notes = [line for part in caption.split("\n") for line in _wrapped(part, inner, 11.5)]
    bottom = height + 32
    total_width = f"{inner + 2 * MARGIN:.0f}"
    total_height = f"{bottom + 18 * len(notes) + 2 * MARGIN + 12:.0f}"
    lines = [
        f'<text x="0" y="{bottom + 26 + 17 * at:.1f}" font-size="12" fill="{GRAY}">{safe(line)}</text>'
        for at, line in enumerate(notes)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total_width}" height="{total_height}"'
        f' viewBox="0 0 {total_width} {total_height}" font-family="{FONT}" role="img">'
        f"<title>{safe(title)}</title><desc>{safe(' · '.join(caption.splitlines()))}</desc>"
        f'<rect width="100%" height="100%" fill="#ffffff"/><g transform="translate({MARGIN} {MARGIN})">'
        f'<text x="0" y="14" font-size="16" font-weight="600" fill="{INK}">{safe(title)}</text>'
        f'<g transform="translate({(inner - width) / 2:.1f} 32)">{"".join(body)}</g>{"".join(lines)}</g></svg>'
    )


def message_sheet(title: str, caption: str, message: str) -> str:
    """A sheet that says why there is no figure."""
    return sheet(title, caption, MIN_WIDTH, 40, [text(message, 0, 22, 14)])


def text(
    words: str,
    x: float,
    y: float,
    font: float,
    *,
    anchor: str = "start",
    fill: str = INK,
    more: str = "",
    title: str = "",
) -> str:
    about = f"<title>{safe(title)}</title>" if title else ""
    style = f'font-size="{font}" text-anchor="{anchor}" fill="{fill}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}{more}>{safe(words)}{about}</text>'


def rotated(words: str, x: float, y: float, font: int = 12) -> str:
    words = text(words, 0, 4, font, anchor="middle", fill=GRAY)
    return f'<g transform="translate({x:.1f} {y:.1f}) rotate(-90)">{words}</g>'


def text_width(words: str, font: float) -> float:
    """The approximate width of a text in pixels: there is no browser to measure it."""
    return font * sum(map(_character_width, words))


def _character_width(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    return 1.05 if unicodedata.east_asian_width(character) in "WF" else 0.6


def _wrapped(words: str, width: float, font: float) -> list[str]:
    per_character = max(0.86 * text_width(words, font) / max(1, len(words)), 0.4 * font)
    return textwrap.wrap(words, max(1, int(width / per_character)))


def safe(words: str) -> str:
    return escape(visible_controls(words), {'"': "&quot;"})


def visible_controls(words: str) -> str:
    """Text with control characters as symbols, a tab as `␉`; what else XML forbids (XML 1.0, section 2.2) as U+FFFD."""
    return "".join(map(_visible, words))


def _visible(character: str) -> str:
    if ord(character) < 32:
        return chr(0x2400 + ord(character))
    is_surrogate = "\ud800" <= character <= "\udfff"
    is_forbidden = is_surrogate or character in "\ufffe\uffff" or "\x7f" <= character <= "\x9f"
    return "\ufffd" if is_forbidden else character
