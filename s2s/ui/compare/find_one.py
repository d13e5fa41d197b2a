"""The control Find one on Compare: a sentence is judged by the outputs of all rows."""

from __future__ import annotations

from collections.abc import Mapping

from s2s.runs import Run
from s2s.runs.properties import Decoding
from s2s.ui.compare import rows
from s2s.ui.compare.row import RowChoice
from s2s.ui.compare.view_state import STATE
from s2s.ui.kit import FindOne


def _prepare(name: str) -> None:
    if name == "strategies_differ" and len(rows.shown()) == 1:
        rows.add("greedy" if "!greedy!" not in rows.texts()[rows.KEYS[0]] else "beam")


FIND_ONE = FindOne(
    STATE,
    (
        "strategies_differ",
        "search_error",
        "length_penalty_decides",
        "agreement_across_clause",
        "unknown_word",
    ),
    prepare=_prepare,
)


def show(run: Run, text: str, choices: Mapping[str, RowChoice]) -> None:
    """Draw the sentence that was found, or the search; rows without valid settings decode nothing."""
    decodings = []
    for number, choice in enumerate(choices.values(), 1):
        if choice.run and not choice.error:
            other = choice.run if choice.run.key != run.key else None
            plain = Decoding(choice.strategy, choice.settings)
            name = f"row {number} ({plain})" if len(choices) > 1 else ""
            decodings.append(Decoding(choice.strategy, choice.settings, name, other))
    if decodings:
        FIND_ONE.show(run, text, *decodings)
