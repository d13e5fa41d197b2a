"""The picture of `HeadsOf`: every head of a sentence as a small square."""

from __future__ import annotations

from functools import partial

from s2s.plots import svg_heads
from s2s.plots.attention_view import map_title
from s2s.plots.picture import AllHeads, Picture
from s2s.questions import HeadsInSentence, HeadsOf

CAPTION = (
    "Below each head: its role in this sentence, by a rule of thumb; a monotonic head is mostly diagonal, and single"
    " words may cross. Click or tap a head to open it; a double click enlarges it."
)
AVERAGE = " Click or tap the number of a row or column to average it."


def pictures(question: HeadsOf, answer: HeadsInSentence, model: str) -> list[Picture]:
    """All heads; the selected one is outlined. `model` names the run and its checkpoint."""
    shown = answer.view
    n_layers, n_heads = shown.weights.shape[:2]
    title = map_title(
        model, question.kind, f"{n_layers} layer{'s' * (n_layers > 1)} of {n_heads} heads"
    )
    about = (
        f"{model} · weights\n{answer.source} → {answer.target}\nIn each square, a row {shown.verb} one token; columns"
        " are the tokens that it attends to. The first tokens are at the top left. Below a square: the head's role by a"
        " rule of thumb."
    )
    per_row = question.scale == "row"
    figure = AllHeads(
        shown.weights,
        shown.rows,
        shown.keys,
        shown.verb,
        answer.roles,
        (_index(question.layer or str(n_layers)), _index(question.head)),
        _enlarged(question.alone, n_layers, n_heads),
        per_row,
    )
    return [
        Picture(
            "heads",
            title,
            figure,
            f"Grid of {title.replace(chr(10), ', ')}",
            question.table(answer),
            question.finding(answer),
            CAPTION + (AVERAGE if max(n_layers, n_heads) > 1 else ""),
            about,
            partial(svg_heads.heads, shown.weights, answer.roles, per_row=per_row),
            ("layer", "head"),
        )
    ]


def _index(given: str) -> int | None:
    return int(given) - 1 if given.isdecimal() else None


def _enlarged(alone: str, n_layers: int, n_heads: int) -> tuple[int, int] | None:
    """The head that fills the grid; None where there is no such one."""
    layer, _, head = alone.partition(".")
    if not (layer.isdecimal() and head.isdecimal()):
        return None
    is_there = 1 <= int(layer) <= n_layers and 1 <= int(head) <= n_heads
    return (int(layer) - 1, int(head) - 1) if is_there else None
