"""The picture of `Alignment`."""

from __future__ import annotations

from functools import partial

from s2s.analysis import LINK_METHODS, REDUCTIONS, to_pharaoh
from s2s.plots import svg, theme
from s2s.plots.alignment_marks import mark_alignment
from s2s.plots.attention import heatmap_data
from s2s.plots.attention_view import map_title
from s2s.plots.picture import Figure, NamedFile, Picture
from s2s.questions import Aligned, Alignment

PHARAOH = "One line of source-target positions from 0, as alignment tools read and write it."
MARKS = "Frame: predicted link."
GOLD = "Diamond: correct link. Alignment error rate: 1 − 2 · correct / (predicted + gold); 0 is best (Och & Ney 2003)."
LINES = "Lines join linked words."
WORDS = "Tokens are merged into words, and </s> is left out."


def pictures(question: Alignment, answer: Aligned, model: str) -> list[Picture]:
    words = answer.words
    method = LINK_METHODS[question.links]
    title = map_title(model, "cross", f"{words.name}\nlinks: {method.label.lower()}")
    if words.weights.size:
        cells = heatmap_data(words.weights, words.keys, words.rows, title=title, verb=words.verb)
        figure: Figure = mark_alignment(cells, answer.links, answer.gold or ())
    else:
        figure = theme.empty("There are no words to link: one side has none.")
    links = sorted(answer.links, key=lambda link: link[::-1])
    pairs = ", ".join(f"{words.rows[tgt]} with {words.keys[src]}" for src, tgt in links)
    drawn = [(tgt, src, float(words.weights[tgt, src])) for src, tgt in links]
    caption = [f"{method.about} ({method.source}).", MARKS, GOLD if answer.gold else "", WORDS]
    reduction = REDUCTIONS[question.reduce].label.lower()
    about = [f"{model} · {reduction}", f"{answer.source} → {answer.target}", LINES]
    return [
        Picture(
            "alignment",
            title,
            figure,
            f"Heatmap of {title.replace(chr(10), ', ')}; linked: {pairs or 'nothing'}",
            question.table(answer),
            question.finding(answer),
            " ".join(filter(None, caption)),
            "\n".join(about),
            vector=partial(svg.lines, {"links": drawn}, words.keys, words.rows, verb=words.verb),
            files=(
                NamedFile(
                    "Links (i-j)",
                    ".align",
                    "text/plain",
                    lambda: f"{to_pharaoh(answer.links)}\n",
                    PHARAOH,
                ),
            ),
        )
    ]
