"""All heads in one canvas, layers down and heads across, by mouse or keyboard. Knows nothing of models."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import streamlit as st

from s2s.plots import theme
from s2s.ui.canvas.sent import sent

MAX_PIXELS = 8_000_000  # bytes; beyond that, blocks of neighbors are pooled by their maximum
MEAN = -1  # in place of a layer or head: all of them
Head = tuple[int | None, int | None]  # layer and head, 0-based; None: the mean
OnHead = Callable[[int | None, int | None], None]
FOLDER = Path(__file__).parent


def pack_heads(
    weights: npt.NDArray[np.float32],
    rows: Sequence[str],
    keys: Sequence[str],
    verb: str,
    *,
    roles: Sequence[Sequence[str]] = (),
) -> bytes:
    """What `heads_canvas` draws: weights (layers, heads, rows, keys) from 0 to 1, with their tokens.

    `verb`: what a row does, `predicts` or `reads`. `roles`, by layer and head, stand below the thumbnails.

    A byte is 255 times the square root of a weight, so that hover shows small weights to the third decimal and large
    ones to the second.
    """
    side = pooling(weights.shape)
    scaled = np.sqrt(_pooled(weights, side)) * np.float32(255) + np.float32(0.5)
    pixels = scaled.astype(np.uint8).tobytes()
    layers, heads = weights.shape[:2]
    header = {
        "layers": layers,
        "heads": heads,
        "rows": _pooled_names(rows, side),
        "keys": _pooled_names(keys, side),
        "verb": verb,
        "roles": roles,
        "stamp": f"{zlib.crc32(pixels):08x}",
    }
    packed = json.dumps(header).encode()
    return len(packed).to_bytes(4, "little") + theme.palette().tobytes() + packed + pixels


def pooling(shape: Sequence[int]) -> int:
    """How many neighboring rows, and keys, share one pixel: 1 unless there are very many."""
    return max(1, math.ceil(math.sqrt(math.prod(shape) / MAX_PIXELS)))


def heads_canvas(
    pixels: bytes,
    chosen: Head,
    enlarged: tuple[int, int] | None,
    *,
    per_row: bool,
    key: str,
    on_pick: OnHead,
    on_enlarge: OnHead,
) -> None:
    """Draw all heads; `chosen` is outlined; `enlarged` is the head that fills the canvas, or None.

    A click calls `on_pick` with layer and head, None for the mean; `on_enlarge` gets the head to enlarge, or two None
    for all. What is chosen travels apart from the pixels, which the browser keeps. Texts travel as data only.
    """
    values = {
        "chosen": [MEAN if index is None else index for index in chosen],
        "enlarged": enlarged,
        "perRow": per_row,
    }
    with st.container(key=f"{key} and chosen", gap=None):
        CANVAS(
            key=key,
            data=pixels,
            on_pick_change=_callback(key, "pick", on_pick),
            on_enlarge_change=_callback(key, "enlarge", on_enlarge),
        )
        CHOSEN(key=f"{key} chosen", data=values, height=1)


def _callback(key: str, trigger: str, call: OnHead) -> Callable[[], None]:
    def triggered() -> None:
        given = sent(key, trigger)
        layer = given.get("layer")
        head = given.get("head")
        if isinstance(layer, int) and isinstance(head, int):
            call(None if layer == MEAN else layer, None if head == MEAN else head)

    return triggered


def _pooled(weights: npt.NDArray[np.float32], side: int) -> npt.NDArray[np.float32]:
    """The maximum of each block of `side` x `side` rows and keys; the last blocks may be smaller."""
    if side == 1:
        return weights
    for axis in (-1, -2):
        weights = np.maximum.reduceat(weights, range(0, weights.shape[axis], side), axis)
    return weights


def _pooled_names(tokens: Sequence[str], side: int) -> list[str]:
    blocks = [tokens[start : start + side] for start in range(0, len(tokens), side)]
    return [block[0] if len(block) == 1 else f"{block[0]} … {block[-1]}" for block in blocks]


CHOSEN = st.components.v2.component(
    "heads_chosen", html="<i></i>", js=(FOLDER / "heads_chosen.js").read_text(encoding="utf-8")
)
CANVAS = st.components.v2.component(
    "heads_canvas",
    html="""<div class="heads" tabindex="0" role="application">
<canvas aria-hidden="true"></canvas><div class="labels"></div><div class="ring"></div><div class="cursor"></div>
<div class="tip" aria-hidden="true"></div><div class="status" aria-live="polite"></div>
<button type="button" class="back">All heads</button>
</div>""",
    css=(FOLDER / "heads.css").read_text(encoding="utf-8"),
    js=(FOLDER / "heads_paint.js").read_text(encoding="utf-8")
    + (FOLDER / "heads.js").read_text(encoding="utf-8"),
)
