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
    picture: DeltaGenerator
    beside: DeltaGenerator  # what chooses a head and what a tab alone has, so that it does not push the picture down
