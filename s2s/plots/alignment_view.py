"""The picture of `Alignment`."""

from __future__ import annotations

from functools import partial

from s2s.analysis import LINK_METHODS, to_pharaoh
from s2s.plots import svg
from s2s.plots.alignment_marks import mark_alignment
from s2s.plots.attention import heatmap
from s2s.plots.picture import NamedFile, Picture
from s2s.questions import KIND_NAMES, Aligned, Alignment

PHARAOH = "One line of source-target positions from 0, as alignment tools read and write it."
MARKS = "Frame: predicted link."
GOLD = "Diamond: correct link. Alignment error rate: 1 − 2 · correct / (predicted + gold); 0 is best (Och & Ney 2003)."
WORDS = "Tokens are merged into words, and </s> is left out."


def pictures(question: Alignment, answer: Aligned, model: str) -> list[Picture]:
    """The links over the heatmap of their weights. `model` names the run and its checkpoint."""
    words = answer.words
    method = LINK_METHODS[question.links]
    # three lines: on a phone a title is no wider than the run's name
    title = f"{model}\n{KIND_NAMES['cross']} · {words.name}\nlinks: {method.label.lower()}"
    figure = heatmap(words.weights, words.keys, words.rows, title=title, verb=words.verb)
    links = sorted(answer.links, key=lambda link: link[::-1])
    pairs = ", ".join(f"{words.rows[tgt]} with {words.keys[src]}" for src, tgt in links)
    drawn = [(tgt, src, float(words.weights[tgt, src])) for src, tgt in links]
    about = [f"{method.about} ({method.source})", MARKS, GOLD if answer.gold else "", WORDS]
    return [
        Picture(
            "alignment",
            title,
            mark_alignment(figure, answer.links, answer.gold or ()),
            f"Heatmap of {title.replace(chr(10), ', ')}; linked: {pairs or 'nothing'}",
            question.table(answer),
            question.finding(answer),
            " ".join(filter(None, about)),
            vector=partial(svg.lines, {"links": drawn}, words.keys, words.rows, verb=words.verb),
            files=(NamedFile("Links (i-j)", "align", f"{to_pharaoh(answer.links)}\n", PHARAOH),),
        )
    ]
