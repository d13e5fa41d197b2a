"""All heads on one sheet: every weight is in its picture, and the roles are text."""

import io
import re
import struct
import zlib
from base64 import b64decode
from xml.etree import ElementTree

import numpy as np
import pytest

from s2s.plots import svg_heads, theme
from tests.plots.test_svg import HOSTILE, SPACE, dirichlet, texts


def decoded(png: bytes) -> np.ndarray:
    """(rows, keys) palette indices of a PNG of ours; its checksums and its palette are checked."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    file = io.BytesIO(png[8:])
    parts: dict[bytes, bytes] = {}
    while head := file.read(8):
        length, kind = struct.unpack(">I4s", head)
        parts[kind] = file.read(length)
        assert file.read(4) == struct.pack(">I", zlib.crc32(kind + parts[kind]))
    assert parts[b"PLTE"] == theme.palette().tobytes()
    width, height = struct.unpack(">II", parts[b"IHDR"][:8])
    lines = np.frombuffer(zlib.decompress(parts[b"IDAT"]), np.uint8).reshape(height, width + 1)
    assert not lines[:, 0].any()
    return lines[:, 1:]


def pictures(sheet: str) -> list[np.ndarray]:
    return [
        decoded(b64decode(each.attrib["href"].removeprefix("data:image/png;base64,")))
        for each in ElementTree.fromstring(sheet).iter(f"{SPACE}image")
    ]


@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (2, 4, 10, 9), (6, 8, 128, 100), (1, 30, 3, 50)])
@pytest.mark.parametrize("per_row", [False, True])
def test_every_weight_has_its_color(shape: tuple[int, int, int, int], *, per_row: bool) -> None:
    layers, heads, rows, keys = shape
    weights = np.stack([dirichlet(rows, keys, seed) for seed in range(layers * heads)])
    weights = weights.reshape(shape)
    roles = [["mixed"] * heads] * layers
    found = pictures(svg_heads.heads(weights, roles, title="t", per_row=per_row))
    wanted = weights / weights.max(-1, keepdims=True) if per_row else weights
    assert len(found) == layers * heads
    for indices, own in zip(found, wanted.reshape(-1, rows, keys), strict=True):
        factor = len(indices) // rows
        assert max(indices.shape) >= svg_heads.DOTS
        np.testing.assert_allclose(indices[::factor, ::factor] / 255, own, atol=0.5 / 255 + 1e-6)
        np.testing.assert_array_equal(
            indices, indices[::factor, ::factor].repeat(factor, 0).repeat(factor, 1)
        )


def test_heads_are_numbered_and_any_text_stays_text() -> None:
    weights = np.full((2, 3, 2, 2), 0.5, np.float32)
    roles = [["first token", HOSTILE[0], "mixed"], [HOSTILE[1], "end", "current input token"]]
    sheet = svg_heads.heads(weights, roles, title=HOSTILE[1], caption=HOSTILE[0])
    assert [word for word in texts(sheet) if re.fullmatch(r"\d", word)] == [*"12312", "1", "0"]
    assert {"first token", "end", "current input token", "layer", "head"} <= {*texts(sheet)}
    assert "layer 2 · head 3: current input token" in sheet
    tags = {each.tag.removeprefix(SPACE) for each in ElementTree.fromstring(sheet).iter()}
    assert tags == {"svg", "title", "desc", "g", "rect", "text", "image"}


def test_no_tokens_are_said() -> None:
    empty = svg_heads.heads(np.zeros((2, 2, 3, 0), np.float32), [["", ""]] * 2, title="t")
    assert "one side has no tokens" in " ".join(texts(empty))
