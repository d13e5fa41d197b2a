"""A row of tokens, each with its probability; pressing or hovering one shows its alternatives. Knows no models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from s2s.plots import fine_percent
from s2s.ui.canvas.sent import sent

FULL = 45  # percent of the color in the background of a token with probability 1
FILE = Path(__file__)


class Alternative(NamedTuple):
    """Another candidate for a position, with its probability."""

    token: int
    text: str
    probability: float


@dataclass(frozen=True)
class StripToken:
    """A token with its probability, the alternatives at its position, and a note that is shown (`forced`), or none."""

    text: str
    probability: float
    alternatives: Sequence[Alternative]
    note: str = ""


def token_strip(
    tokens: Sequence[StripToken],
    chosen: int,
    *,
    key: str,
    on_pick: Callable[[int], None] | None,
    on_alternative: Callable[[int, int], None],
) -> None:
    """Draw a row of tokens. A token opens its alternatives and calls `on_pick`, if given, with its 0-based position,
    which marks it as chosen; an alternative calls `on_alternative` with position and token id. Visitors' text travels
    as data only.
    """

    def picked() -> None:
        position = st.session_state[key].get("pick")
        if on_pick and isinstance(position, int) and position in range(len(tokens)):
            on_pick(position)

    def preferred() -> None:
        given = sent(key, "alternative")
        for position, token in enumerate(tokens):
            for alternative in token.alternatives:
                if (position, alternative.token) == (given.get("position"), given.get("token")):
                    on_alternative(position, alternative.token)

    data = {
        "chosen": chosen if on_pick else None,
        "tokens": [_data(at, token) for at, token in enumerate(tokens)],
    }
    STRIP(key=key, data=data, on_pick_change=picked, on_alternative_change=preferred)


def _data(position: int, token: StripToken) -> dict[str, object]:
    probability = fine_percent(token.probability)
    parts = [token.text, probability, *([token.note] if token.note else [])]
    return {
        "text": token.text,
        "probability": probability,
        "fill": f"{round(FULL * token.probability)}%",
        "note": token.note,
        "alternatives": [
            [other.token, other.text, fine_percent(other.probability)]
            for other in token.alternatives
        ],
        "label": f"Position {position + 1}: {', '.join(parts)}",
        "of": f"Candidates at position {position + 1}",
    }


STRIP = st.components.v2.component(
    "token_strip",
    html='<div class="strip" role="group" aria-label="The tokens, in order"></div>',
    css=FILE.with_suffix(".css").read_text(encoding="utf-8"),
    js=FILE.with_suffix(".js").read_text(encoding="utf-8"),
)
