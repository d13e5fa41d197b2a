"""The sentence of a view of Many sentences, the target that is forced, and whether a large model may compute now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from s2s.questions import FORCED_BY, ForcedIds, Probed, TargetIds, Translate
from s2s.runs import Run
from s2s.runs.decoder import HEAVY, request_seconds
from s2s.ui.heads.page import HeadsPage
from s2s.ui.kit import (
    RunVocabulary,
    action_button,
    cached,
    duration,
    sentence,
    sentence_row,
    settings_box,
)
from s2s.ui.kit import target as kit_target
from s2s.ui.streamlit_parts import DeltaGenerator


class HeadsSentence(NamedTuple):
    """What a view about one sentence gets: the chosen checkpoint, a sentence with its target, and where more settings
    go.
    """

    run: Run
    facts: RunVocabulary
    text: str
    target: str  # empty for the model's own
    forced: ForcedIds
    settings: DeltaGenerator

    @property
    def asked(self) -> Mapping[str, str]:
        return {"run": cached.named(self.run), "text": self.text, "target": self.target}


def read_sentence(
    page: HeadsPage, what: str, changed: Mapping[str, bool] | None = None
) -> HeadsSentence | None:
    """Draw the sentence with its Settings; None, and a hint that says `what` will appear, where there is none."""
    row = sentence_row(what)
    if not row.text:
        return None
    is_forced = kit_target.is_forced(row.best, row.text, FORCED_BY)
    with row.beside:
        settings = settings_box(page.best, {"another target": is_forced} | dict(changed or {}))
    with settings:
        run = kit_target.checkpoint(page.best)
        own = cached.SCREEN.answer(Translate(cached.named(run), row.text, FORCED_BY)).text
        target = kit_target.target_box(run, row.text, own)
    forced = cached.SCREEN.answer(TargetIds(cached.named(run), row.text, target))
    kit_target.note_unfitting(forced.note, forced.target)
    if unknown := sentence.unknown_in_target(run, forced.target, "in the target"):
        st.caption(unknown)
    return HeadsSentence(run, row.facts, row.text, target, forced, settings)


def may_ask(run: Run, probes: Sequence[Probed], what: str) -> bool:
    """Whether to ask these questions now: they are quick together, or the visitor has pressed the button that is drawn
    here.
    """
    seconds = sum(request_seconds(run, probe.beside(cached.SCREEN)) for probe in probes)
    wanted = f"probe of {what}"
    if seconds <= HEAVY or st.session_state.get(wanted) == tuple(probes):
        return True
    label, key = f"Measure {what}", f"measure {what}"
    click = action_button(label, key=key, icon=":material/speed:", type="primary")
    st.caption(
        f"About {duration(seconds)}, beside the dashboard: this model or this sentence is large."
    )
    if click.is_waiting:
        st.session_state[wanted] = tuple(probes)
        click.done()
        st.rerun()
    return False
