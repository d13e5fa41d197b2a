"""Which part of a large attention map is drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from s2s.plots import part_names
from s2s.questions import AttentionOf, ForcedAttention
from s2s.ui.kit.state import ViewState


def with_part(state: ViewState[Any], question: AttentionOf, answer: ForcedAttention) -> AttentionOf:
    """The question with the chosen part of a large map."""
    names = part_names(question.simplified(answer).picture)
    if len(names) == 1:
        return question
    part = state.choice("part", "Part", names, default=next(iter(names)), width=270)
    return replace(question, part=part)
