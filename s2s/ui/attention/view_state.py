"""The state of Attention that no bound widget holds; links carry it in `set`."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.questions import Alignment, Intervene
from s2s.ui.kit import ViewState, field, is_position, target

SHARE_STEP = 0.05


def is_share(text: str) -> bool:
    """Whether a link's text is a share of the weight that the slider can show."""
    try:
        return SHARE_STEP <= float(text) <= 1
    except ValueError:
        return False


@dataclass(frozen=True)
class AttentionView:
    """Positions mean nothing in another sentence; heads are the model's and stay."""

    strategy: str = field(target.DEFAULT_STRATEGY)
    view: str = field("map")  # a row of VIEWS
    words: bool = field(False)  # merge tokens into words
    drop: bool = field(False)  # hide sinks
    share: str = field("0.75", is_share)  # of each row's weight, drawn as lines or linked
    scale: str = field("all")
    part: str = field("", scope="sentence", link="from")  # of a large map: `33.1`, row and column
    heads: str = field("")  # drawn side by side: `1.2 2.4`, layer.head from 1
    alone: str = field("")  # the head that fills the canvas: `2.4`
    find: str = field("", is_position)  # the sentence that "Find one" found


STATE = ViewState("attention", AttentionView, Alignment, Intervene)
