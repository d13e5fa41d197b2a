"""The tokens of a translation, each with its probability and the candidates at its position."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from s2s.config import UserError
from s2s.questions import NextCandidates, NextToken
from s2s.ui.canvas import Alternative, StripToken, token_strip
from s2s.ui.kit import cached, pickers
from s2s.ui.kit.state import ViewState

N_CANDIDATES = 5  # of each position


def with_usable_words(question: NextToken, state: ViewState[Any]) -> NextToken:
    """The question, without forced ids that the model cannot use: the page says so and forgets them."""
    if question.forced:
        try:
            cached.SCREEN.answer(question.continued)
        except UserError as error:
            pickers.notify(f"The forced words cannot be used: {error}")
            state.remember(forced="")
            return replace(question, forced="")
    return question


def candidates_strip(
    answer: NextCandidates,
    *,
    key: str,
    force: Callable[[str], None],
    on_pick: Callable[[int], None] | None = None,
) -> None:
    """Draw the tokens. Pressing a candidate calls `force` with the ids up to it, such as `6.152`; a token calls
    `on_pick`, if given.
    """
    ids, tokens = answer.found.hypotheses[0].ids, answer.found.hypotheses[0].tokens
    columns = zip(tokens, answer.probabilities, answer.candidates, strict=True)
    cells = [
        StripToken(
            token,
            probability,
            [Alternative(*each) for each in candidates[:N_CANDIDATES]],
            "forced" if at < answer.n_forced else "",
        )
        for at, (token, probability, candidates) in enumerate(columns)
    ]
    token_strip(
        cells,
        answer.position,
        key=key,
        on_pick=on_pick,
        on_alternative=lambda at, token: force(".".join(map(str, (*ids[:at], token)))),
    )
