"""What Attention asks, and the answer: what each view of the page gets."""

from __future__ import annotations

from typing import NamedTuple

from s2s.questions import AttentionOf, ForcedAttention
from s2s.runs import Run
from s2s.ui.streamlit_parts import DeltaGenerator


class Asked(NamedTuple):
    """The run at its checkpoint, the question with every field, the answer, and the model's name in titles."""

    run: Run
    question: AttentionOf
    answer: ForcedAttention
    model: str
    beside: DeltaGenerator  # the picture: where a tab's own controls go, so that they do not push it down
