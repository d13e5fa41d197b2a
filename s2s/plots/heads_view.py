"""The picture of `HeadsOf`: every head of a sentence as a small square."""

from __future__ import annotations

from functools import partial

from s2s.plots import svg_heads
from s2s.plots.attention_view import map_title
from s2s.plots.picture import AllHeads, Picture
from s2s.questions import HeadsInSentence, HeadsOf, head_at

CAPTION = (
    "Below each head: its role in this sentence, by a rule of thumb; a monotonic head is mostly diagonal, and single"
    " words may cross. Click or tap a head to open it; a double click enlarges it."
)
AVERAGE = " Click or tap the number of a row or column to average it."


def pictures(question: HeadsOf, answer: HeadsInSentence, model: str) -> list[Picture]:
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
    which = question.which(answer)
    figure = AllHeads(
        shown.weights,
        shown.rows,
        shown.keys,
        shown.verb,
        answer.roles,
        (which.layer, which.head),
        head_at(question.alone, n_layers, n_heads),
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
