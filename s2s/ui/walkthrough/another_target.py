"""Buttons that take another target for the steps about the loss."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from s2s.questions import Translate, packed, validation_pairs, walked
from s2s.runs import Run
from s2s.ui.kit import cached, plain, shortened, show_pair

MAX_PAIRS = 3  # of the run's own sentences, to choose from
TWO = packed({"num_return_sequences": 2})


def show(run: Run, text: str, target: walked.LossTarget) -> None:
    """Draw buttons for another reference, translation or pair of the run."""
    _buttons(run, "The dataset's other references", [(text, tgt) for tgt in target.others])
    ranked = cached.SCREEN.answer(Translate(cached.named(run), text, "beam", TWO)).hypotheses
    second = [(text, each.text) for each in ranked if each.text != target.forced.text][:1]
    _buttons(run, "Another translation of the model", second)
    pairs = [pair for pair in validation_pairs(run) if pair[0] != text][:MAX_PAIRS]
    _buttons(run, "Another pair of this run", pairs)


def _buttons(run: Run, label: str, pairs: Sequence[tuple[str, str]]) -> None:
    if pairs:
        st.caption(label)
    for number, (source, target) in enumerate(pairs):
        st.button(
            f"{plain(shortened(source))} → {plain(shortened(target))}",
            key=f"walkthrough {label} {number}",
            on_click=show_pair,
            args=(run.key, source, target),
        )
