"""Words joined by links: the pictures of `Alignment` and of `AttentionLines`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from s2s.analysis import LINK_METHODS, REDUCTIONS, to_pharaoh
from s2s.plots import svg, theme
from s2s.plots.attention import heatmap_data
from s2s.plots.attention_view import map_title, names_of, paper_lines
from s2s.plots.picture import Figure, LinkedTokens, NamedFile, Picture
from s2s.questions import Aligned, Alignment, AttentionLines, ForcedAttention

PHARAOH = "One line of source-target positions from 0, as alignment tools read and write it."
MARKS = "Frame: predicted link."
GOLD = "Diamond: correct link. Alignment error rate: 1 − 2 · correct / (predicted + gold); 0 is best (Och & Ney 2003)."
JOINED = "Lines join linked words."
WORDS = "Tokens are merged into words, and </s> is left out."
CORNER = 0.34  # from the middle of a cell, where its number stands
Links = Collection[tuple[int, int]]
MAX_LINES = 16_000  # of one map: all between 126 tokens and 126
MAX_DASHED_LINES = 4_000  # of several heads, whose dashes take a browser far longer


def alignment(question: Alignment, answer: Aligned, model: str) -> list[Picture]:
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
    about = [f"{model} · {reduction}", f"{answer.source} → {answer.target}", JOINED]
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


def mark_alignment(figure: Mapping[str, Any], predicted: Links, correct: Links) -> dict[str, Any]:
    """Add frames for predicted links and diamonds for correct ones, (column, row), to a heatmap's data."""
    cells, *others = figure["data"]
    texts = np.array(cells["customdata"], dtype=object)
    marked = cells | {"customdata": _hover_text(texts, predicted, correct)}
    shapes = [
        _frame(link, color, width) for color, width in theme.FRAME for link in sorted(predicted)
    ]
    layout = {**figure["layout"], "shapes": shapes}
    return {"data": [marked, *others, _diamonds(correct)], "layout": layout}


def _hover_text(
    texts: npt.NDArray[np.object_], predicted: Links, correct: Links
) -> npt.NDArray[np.object_]:
    for column, row in predicted:
        texts[row, column] += ", <b>linked</b>"
    for column, row in correct:
        texts[row, column] += ", correct link"
    return texts


def _frame(link: tuple[int, int], color: str, width: int) -> dict[str, object]:
    column, row = link
    reach = 0.5 - theme.INSET
    edges = {"x0": column - reach, "x1": column + reach, "y0": row - reach, "y1": row + reach}
    return {
        "type": "rect",
        "xref": "x",
        "yref": "y",
        **edges,
        "line": {"color": color, "width": width},
        "layer": "above",
    }


def _diamonds(correct: Links) -> dict[str, Any]:
    columns, rows = zip(*sorted(correct), strict=True) if correct else ((), ())
    return {
        "type": "scatter",
        "x": [column + CORNER for column in columns],
        "y": [row - CORNER for row in rows],
        "mode": "markers",
        "marker": {
            "symbol": "diamond",
            "size": 8,
            "color": "#ffffff",
            "line": {"color": "#000000", "width": 2},
        },
        "hoverinfo": "skip",
        "cliponaxis": False,
    }


def lines(question: AttentionLines, answer: ForcedAttention, model: str) -> list[Picture]:
    maps = question.maps(answer)
    cells: Mapping[str, svg.Links] = question.cells(answer)
    links, n_lines = strongest(cells)
    note = _drawn_note(float(question.share), sum(map(len, links.values())), n_lines)
    one = next(iter(maps.values()))
    title = map_title(model, question.kind, names_of([*cells], one.name))
    about = [*paper_lines(question, answer, model, question.simplified(answer)), note]
    return [
        Picture(
            "lines",
            title,
            LinkedTokens(links, one.keys, one.rows, one.verb),
            f"Lines of {title.replace(chr(10), ', ')}",
            question.table(answer),
            question.finding(answer),
            " ".join(about[2:]),
            "\n".join(about),
            partial(svg.lines, links, one.keys, one.rows, verb=one.verb),
        )
    ]


def strongest(links: Mapping[str, svg.Links]) -> tuple[Mapping[str, svg.Links], int]:
    """The strongest links, as many as a browser can draw, and how many there were."""
    weights = [weight for of_head in links.values() for _, _, weight in of_head]
    most = MAX_LINES if len(links) == 1 else MAX_DASHED_LINES
    if len(weights) <= most:
        return links, len(weights)
    limit = sorted(weights, reverse=True)[most]
    kept: dict[str, svg.Links] = {}
    for name, of_head in links.items():
        kept[name] = [link for link in of_head if link[2] > limit]
    return kept, len(weights)


def _drawn_note(share: float, n_drawn: int, n_lines: int) -> str:
    if n_drawn < n_lines:
        return f"Only the {n_drawn:,} strongest of {n_lines:,} lines are drawn, as many as a browser can show at once."
    if share == 1:
        return "All lines are drawn."
    return (
        f"For each word, the strongest lines are drawn until they cover {share:.0%} of its weight."
    )
