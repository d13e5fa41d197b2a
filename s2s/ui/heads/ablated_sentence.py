"""One sentence with and without interventions: both translations, and the probability of each token."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from s2s import plots
from s2s.runs import Interventions, Reference, Run, RunKey, active, teacher_forcing
from s2s.ui.heads.picture import download, draw
from s2s.ui.heads.request import HeadsRequest
from s2s.ui.kit import cached, compared_texts, nats, plain, shortened

STRATEGY = "greedy"


def show(request: HeadsRequest, text: str, change: Interventions) -> None:
    """Raises UserError for a sentence that is too long, PendingError while a search works in the background."""
    run = request.run
    before = cached.continuation(run, text, (), STRATEGY, {})
    after = cached.continuation(run, text, (), STRATEGY, {}, interventions=change)
    is_same = before.text == after.text
    st.markdown(
        "**The translation stays the same.**" if is_same else "**The translation changes.**"
    )
    compared_texts(*plots.both_translations(before, after))
    if not before.text:
        return
    plain_run = cached.reference(run, text, before.text)
    changed = _reference(run.key, text, before.text, repr(change), (run, change))
    _tokens(request, text, plain_run, changed)


@cached.by_sentence(64)
def _reference(
    key: RunKey, text: str, target: str, interventions: str, _found: tuple[Run, Interventions]
) -> Reference:
    run, change = _found
    with active(run, change):
        return teacher_forcing.reference(run, text, target)


def _tokens(request: HeadsRequest, text: str, before: Reference, after: Reference) -> None:
    """The old translation under teacher forcing, token by token."""
    title = f"Tokens of the old translation\n{request.title}\n{shortened(text)}"
    series = {
        "without the change": np.array(before.log_probs),
        "with the change": np.array(after.log_probs),
    }
    figure = plots.paired_bars(before.tokens, series, title=title, y_label="log-probability, nats")
    draw(figure, title)
    change = np.array(after.log_probs) - np.array(before.log_probs)
    most = int(np.abs(change).argmax())
    st.caption(
        f"The old translation under teacher forcing: {nats(before.log_prob)} nats without the change,"
        f" {nats(after.log_prob)} with it. *{plain(before.tokens[most])}* changes most:"
        f" {nats(float(change[most]))} nats."
    )
    download(pd.DataFrame({"token": before.tokens, **series}), "Tokens (CSV)", title)
