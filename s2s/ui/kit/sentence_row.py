"""The first row of a page about a sentence: the box, examples, and the folded settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import streamlit as st

from s2s.runs import Run
from s2s.ui.kit import cached, sentence, vocabulary
from s2s.ui.kit.text import plain, shortened
from s2s.ui.kit.vocabulary import RunVocabulary
from s2s.ui.streamlit_parts import DeltaGenerator

MOST = 2  # named in the title


class SentenceRow(NamedTuple):
    """What the first row of a page gives: the run at its best checkpoint, the sentence, and where more controls go."""

    best: Run
    facts: RunVocabulary
    text: str  # empty before one is typed
    beside: DeltaGenerator  # the sentence


def sentence_row(what: str, more: Callable[[], None] | None = None) -> SentenceRow:
    """Draw the row; without a sentence, say that `what` appears here. `more` draws a button beside the examples."""
    best = cached.open_run(st.session_state["run"])
    facts = vocabulary.of(best)
    beside = st.container(horizontal=True, vertical_alignment="center", key="sentence row")
    with beside:
        text = sentence.sentence_box(facts)
        examples(facts, more)
    sentence.before_reading(best, facts, text)
    if not text:
        st.info(
            f"Type a sentence above, or press an example: {what} appears here.",
            icon=":material/edit:",
        )
    return SentenceRow(best, facts, text, beside)


def examples(facts: RunVocabulary, more: Callable[[], None] | None = None) -> None:
    """Draw a panel of sentences to choose from; `more` draws a button beside them."""
    icon = ":material/format_list_bulleted:"  # on a phone without the word
    with st.popover("*Examples*", icon=icon, key="examples", width="content"):
        sentence.example_chips(facts, more)


def settings_box(best: Run | None, is_changed: Mapping[str, bool]) -> DeltaGenerator:
    """Draw the Settings popover; `is_changed` says of each setting whether it differs: `{"rollout": True}`."""
    changed = [
        *(_checkpoint(best) if best else []),
        *(name for name, differs in is_changed.items() if differs),
    ]
    named = [shortened(each, 24) for each in changed[:MOST]]
    more = [f"{len(changed) - MOST} more"] if len(changed) > MOST else []
    said = ", ".join([*map(plain, named), *more])
    title = f"*Settings:* {said}" if said else "*Settings*"  # on a phone without the word
    return st.popover(title, icon=":material/tune:", key="settings", width="content")


def _checkpoint(best: Run) -> list[str]:
    step = st.query_params.get("step", "")
    if step in ("", str(best.step)) or step not in map(str, best.folder.steps_by_choice()):
        return []
    return [f"checkpoint step {step}"]
