"""All heads of a sentence on one sheet for papers, layers down and heads across: arrays in, an SVG out."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from s2s.plots import theme
from s2s.plots.attention import Weights, by_row
from s2s.plots.svg import NOTHING, color_scale
from s2s.plots.svg_sheet import GRAY, message_sheet, rotated, safe, sheet, text

SHEET_WIDTH = 880  # pixels that the thumbnails fill, unless heads are many or few
WIDEST = 130
NARROWEST = 44
GAP = 8
ROLE_HEIGHT = 15
ROLE_FONT = 9.5
DOTS = 240  # of a thumbnail's longer side, at least: viewers that smooth pictures must not blur few large cells


def heads(
    weights: npt.NDArray[np.float32],
    roles: Sequence[Sequence[str]],
    *,
    title: str,
    caption: str = "",
    per_row: bool = False,
) -> str:
    """All heads as SVG thumbnails. `weights` is (layers, heads, rows, keys), from 0 to 1; `roles`, by layer and head,
    stand below them.

    `per_row` scales each row by its largest weight. Hovering a thumbnail shows its layer, head and role.
    """
    if weights.size == 0:
        return message_sheet(title, caption, NOTHING)
    n_layers, n_heads, n_rows, n_keys = weights.shape
    wide = max(NARROWEST, min(WIDEST, SHEET_WIDTH // n_heads - GAP))
    high = round(wide * min(1.4, max(0.7, n_rows / n_keys)))
    left = 40
    top = 34
    across = wide + GAP
    down = high + GAP + ROLE_HEIGHT
    width = n_heads * across - GAP
    height = n_layers * down - GAP
    names = [
        text("head", left + width / 2, 10, 12, anchor="middle", fill=GRAY),
        rotated("layer", 8, top + height / 2),
    ]
    names += [
        text(str(head + 1), left + head * across + wide / 2, top - 6, 12, anchor="middle")
        for head in range(n_heads)
    ]
    names += [
        text(str(layer + 1), left - 8, top + layer * down + high / 2 + 4, 12, anchor="end")
        for layer in range(n_layers)
    ]
    thumbnails = [
        _thumbnail(
            by_row(weights[layer, head]) if per_row else weights[layer, head],
            (left + head * across, top + layer * down, wide, high),
            f"layer {layer + 1} · head {head + 1}: {roles[layer][head]}",
            roles[layer][head],
        )
        for layer, head in np.ndindex(n_layers, n_heads)
    ]
    name = "share of the row maximum" if per_row else "weight"
    scale = color_scale(name, left + width + 18, top, min(height, 150))
    return sheet(title, caption, left + width + 66, top + height, [*names, *thumbnails, *scale])


def _thumbnail(shades: Weights, place: tuple[int, int, int, int], name: str, role: str) -> str:
    left, top, wide, high = place
    address = f"data:image/png;base64,{b64encode(_png(shades)).decode()}"
    box = f'x="{left}" y="{top}" width="{wide}" height="{high}"'
    # a role may be a little wider than its thumbnail: there is a gap on each side
    label = theme.shortened(role, max(4, int((wide + GAP) / (0.5 * ROLE_FONT))))
    below = text(
        label, left + wide / 2, top + high + ROLE_HEIGHT - 4, ROLE_FONT, anchor="middle", fill=GRAY
    )
    return (
        f'<g><title>{safe(name)}</title><image {box} preserveAspectRatio="none"'
        f' style="image-rendering:pixelated" href="{address}"/>{below}</g>'
    )


def _png(shades: Weights) -> bytes:
    factor = -(-DOTS // max(shades.shape))
    indices = (np.clip(shades, 0, 1) * 255 + 0.5).astype(np.uint8)
    pixels = indices.repeat(factor, 0).repeat(factor, 1)
    height, width = pixels.shape
    lines = np.insert(pixels, 0, 0, axis=1)  # each line starts with its filter, 0: none
    header = struct.pack(
        ">IIBBBBB", width, height, 8, 3, 0, 0, 0
    )  # 8 bits, 3: indices of a palette
    chunks = (
        (b"IHDR", header),
        (b"PLTE", theme.palette().tobytes()),
        (b"IDAT", zlib.compress(lines.tobytes())),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunks(chunks))


def _chunks(parts: Sequence[tuple[bytes, bytes]]) -> Iterator[bytes]:
    """The chunks of a PNG: length, kind, data and checksum of each (PNG specification, section 5.3)."""
    for kind, data in parts:
        checksum = zlib.crc32(kind + data)
        yield struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)
