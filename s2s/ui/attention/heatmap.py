"""One attention map as a heatmap; of a large one a part."""

from __future__ import annotations

from s2s.ui.attention.asked import Asked
from s2s.ui.attention.view_state import STATE
from s2s.ui.kit import show_all, with_part


def show(asked: Asked) -> None:
    """Draw the heatmap."""
    with asked.beside:
        question = with_part(STATE, asked.question, asked.answer)
    show_all(question, asked.answer, asked.model)
