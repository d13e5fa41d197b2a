"""The picture of `AttentionLines`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from s2s.plots import svg
from s2s.plots.attention_view import map_title, names_of, paper_lines
from s2s.plots.picture import LinkedTokens, Picture
from s2s.questions import AttentionLines, ForcedAttention

MAX_LINES = 16_000  # of one map: all between 126 tokens and 126
MAX_DASHED_LINES = 4_000  # of several heads, whose dashes take a browser far longer


def pictures(question: AttentionLines, answer: ForcedAttention, model: str) -> list[Picture]:
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
    """At most as many lines as a browser can draw, and the number before that limit."""
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
