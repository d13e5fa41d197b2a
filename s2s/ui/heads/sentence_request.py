"""The sentence that a view of Heads is about, and the target that the model is forced to produce for it."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from s2s.runs import Run, Target, probes
from s2s.ui.heads.request import HeadsRequest
from s2s.ui.kit import RunVocabulary, cached, sentence, vocabulary
from s2s.ui.kit import target as kit_target

STRATEGY = "greedy"  # under teacher forcing of its own output, the model prefers each token of it


@dataclass(frozen=True)
class SentenceRequest:
    """A source and its target under teacher forcing."""

    run: Run
    title: str  # run and checkpoint
    vocabulary: RunVocabulary
    text: str
    target: str
    ids: tuple[int, ...]  # of the target; the last is `</s>`

    @property
    def src_tokens(self) -> list[str]:
        """The last is `</s>`."""
        return self.run.src_tokenizer.tokens(probes.source_ids(self.run, self.text))

    @property
    def tgt_tokens(self) -> list[str]:
        """The last is `</s>`."""
        return self.run.tgt_tokenizer.tokens(self.ids)


def read_sentence(request: HeadsRequest, what: str) -> SentenceRequest | None:
    """Draw the controls and read them. None, and a hint that says `what` will appear, where there is no sentence."""
    run = request.run
    facts = vocabulary.of(run)
    with st.container():
        text = sentence.sentence_box(facts)
        sentence.unknown_words(run, facts, text)
    sentence.example_chips(facts)
    if not text:
        st.info(
            f"Type a sentence above, or press an example: {what} appears here.",
            icon=":material/edit:",
        )
        return None
    own = cached.decoded(run, text, STRATEGY, {})
    wanted = kit_target.target_box(run, text, own.text)
    target, ids = kit_target.with_fallback(wanted, own, lambda target: _fitting(run, text, target))
    if unknown := sentence.unknown_in_target(run, target.text, "in the target"):
        st.caption(unknown)
    return SentenceRequest(run, request.title, facts, text, target.text, ids)


def _fitting(run: Run, text: str, target: Target) -> tuple[int, ...]:
    """The ids of a target. Raises UserError for one that is longer than the model's positions."""
    ids = run.target_ids(target)
    cached.next_tokens(run, text, ids[:-1])
    return ids
