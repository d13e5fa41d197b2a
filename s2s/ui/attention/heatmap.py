"""One attention map as a heatmap; of a large one a part."""

from __future__ import annotations

from dataclasses import replace

from s2s.plots import part_names
from s2s.ui.attention.asked import Asked
from s2s.ui.attention.view_state import STATE
from s2s.ui.kit import show_all
from s2s.views import view_of


def show(asked: Asked) -> None:
    """The picture."""
    names = part_names(asked.question.simplified(asked.answer).picture)
    part = ""
    if len(names) > 1:
        usual = next(iter(names))
        part = STATE.choice("part", "Part", names, default=usual, width=270)
    question = replace(asked.question, part=part)
    show_all(
        question, asked.answer, view_of(question).pictures(question, asked.answer, asked.model)
    )
