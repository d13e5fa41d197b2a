"""The target of all steps about the loss: typed, a reference of the dataset, or the model's own translation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from s2s.runs import Reference
from s2s.ui.kit import as_markdown, cached, plain, references, shortened, show_pair
from s2s.ui.walkthrough.step import TracedSentence, quoted

MAX_PAIRS = 3  # of the run's own sentences, to choose from


class LossTarget(NamedTuple):
    """A target under teacher forcing, and where it is from, in words."""

    forced: Reference
    origin: str
    is_reference: bool  # False for the model's own translation
    others: tuple[str, ...] = ()  # references of the same sentence
    problem: str = ""  # why the dataset was not searched


def loss_target(sentence: TracedSentence) -> LossTarget:
    """The target; of several references the one that the model writes, or the first."""
    run = sentence.run
    own = sentence.target.text
    if not sentence.is_model_output:
        return LossTarget(sentence.target, "the given target", is_reference=True)
    known, problem = references.of(run, sentence.text)
    if not known:
        origin = "the model's own translation; no reference of this sentence is known"
        return LossTarget(sentence.target, origin, is_reference=False, problem=problem)
    chosen = own if own in known else known[0]
    origin = "the reference in the run's dataset"
    if len(known) > 1:
        which = "the one that the model writes" if chosen == own else "the first"
        origin = f"of the {len(known)} references in the run's dataset {which}"
    others = tuple(text for text in known if text != chosen)
    forced = cached.reference(run, sentence.text, chosen)
    return LossTarget(forced, origin, is_reference=True, others=others, problem=problem)


def show_loss_target(sentence: TracedSentence) -> LossTarget:
    """The target in words, and buttons that take another one."""
    target = loss_target(sentence)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"Target: {quoted(target.forced.text)} ({target.origin}).")
        with st.popover("Another target", icon=":material/rule:"):
            _choices(sentence, target)
    if target.problem:
        st.caption(as_markdown(target.problem))
    return target


def _choices(sentence: TracedSentence, target: LossTarget) -> None:
    text = sentence.text
    _buttons(sentence, "The dataset's other references", [(text, tgt) for tgt in target.others])
    ranked = cached.decoded(sentence.run, text, "beam", {"num_return_sequences": 2}).hypotheses
    second = [(text, each.text) for each in ranked if each.text != target.forced.text][:1]
    _buttons(sentence, "Another translation of the model", second)
    pairs = [pair for pair in cached.probes(sentence.run) if pair[0] != text][:MAX_PAIRS]
    _buttons(sentence, "Another pair of this run", pairs)
    st.caption("Or type a target under *Settings*.")


def _buttons(sentence: TracedSentence, label: str, pairs: Sequence[tuple[str, str]]) -> None:
    """Each takes a source together with its target."""
    if pairs:
        st.caption(label)
    for number, (source, target) in enumerate(pairs):
        st.button(
            f"{plain(shortened(source))} → {plain(shortened(target))}",
            key=f"walkthrough {label} {number}",
            on_click=show_pair,
            args=(sentence.run.key, source, target),
        )
