"""The pictures of `Masks`: causal, cross and padding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from s2s.plots.mask import mask
from s2s.plots.picture import Picture
from s2s.questions import Masks, PaddedPair, masks

CAUSAL = (
    "In the decoder, each token attends to itself and to earlier tokens. Padding comes last, so this mask already hides"
    " it."
)
CROSS = (
    "Every target token may attend to every source token except padding: the source's padding mask, repeated in each"
    " row."
)
PADDING = (
    "All sentences in a batch have the same length, so the shorter one is padded with <pad>, which no token may attend"
    " to. Here the second sentence is “{second}”."
)
READING = "Each row is a query, each column a key: ✓ it may attend to it, ✕ it may not."


def pictures(question: Masks, answer: PaddedPair, model: str) -> list[Picture]:
    src, tgt = answer.src[question.row], answer.tgt[question.row]
    of_both = ("your sentence", "the second")
    cross = answer.cross(question.row)
    found = [
        _picture("Causal mask of the target, (tgt_len, tgt_len)", answer.causal, tgt, tgt),
        _picture("Cross mask, (tgt_len, src_len)", cross, src, tgt),
        _picture("Padding mask of both sources, (batch, src_len)", answer.padding, src, of_both),
    ]
    captions = (f"{READING} {CAUSAL}", CROSS, PADDING.format(second=answer.texts[1]))
    shown = [
        replace(each, title=f"{model}\n{each.title}", caption=caption)
        for each, caption in zip(found, captions, strict=True)
    ]
    shown[0] = replace(shown[0], finding=question.finding(answer))
    return shown


def _picture(
    title: str, allowed: masks.Allowed, keys: Sequence[str], rows: Sequence[str]
) -> Picture:
    alt = f"{title}: attention allowed for {int(allowed.sum())} of {allowed.size} pairs"
    figure = mask(allowed, keys, rows, title=title)
    name = " ".join(title.lower().split()[:2]).rstrip(",")
    return Picture(name, title, figure, alt, masks.mask_table(allowed, keys, rows))
