"""The view Ablation: switches of all heads, and what they change for one sentence and for many."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from s2s.analysis import INTERVENTIONS, Head, all_heads, switched
from s2s.config import UserError
from s2s.jobs import means_from
from s2s.runs import Interventions, Sentences
from s2s.ui.heads import ablated_sample, ablated_sentence
from s2s.ui.heads.experiment_panel import measured_of
from s2s.ui.heads.head_switches import head_switches
from s2s.ui.heads.request import HeadsRequest, sentences
from s2s.ui.kit import cached, forms, sentence, vocabulary


def show(request: HeadsRequest) -> None:
    """The switches, a sentence at once, the sample by a job."""
    run = request.run
    chosen = head_switches(run)
    facts = vocabulary.of(run)
    text = sentence.sentence_box(facts)
    sentence.unknown_words(run, facts, text)
    of_sentence = st.container()
    if chosen:
        st.subheader("Over the sample", anchor=False)
    sample = sentences(run.folder.id)
    with of_sentence:
        if not chosen:
            st.info(
                "Press heads, a layer, or all cross-attention: the new translation appears here next to the old one.",
                icon=":material/touch_app:",
            )
            return
        _warn(chosen, request)
        change = _interventions(request, sample, chosen)
        if change is None:
            return
        if text:
            _show_sentence(request, text, change)
    settings = {"heads": switched.to_text(chosen, all_heads(run.model))}
    found = measured_of(request, "ablation", sample, settings)
    if found is not None:
        ablated_sample.show(request, sample, found)


def _show_sentence(request: HeadsRequest, text: str, change: Interventions) -> None:
    try:
        ablated_sentence.show(request, text, change)
    except UserError as error:
        forms.show_error(error)
    except cached.PendingError as pending:
        pending.draw("ablation")


def _warn(chosen: Mapping[Head, str], request: HeadsRequest) -> None:
    """Say what cannot work any more."""
    cross = all_heads(request.run.model, "cross")
    if all(chosen.get(head) in ("off", "mean") for head in cross):
        st.caption(
            ":material/info: No head of cross-attention is left: the decoder no longer reads the source."
        )


def _interventions(
    request: HeadsRequest, sample: Sentences, chosen: Mapping[Head, str]
) -> Interventions | None:
    """With the means that they need; None where these are not measured yet, and the page offers to."""
    needed = [head for head, name in chosen.items() if INTERVENTIONS[name].change is None]
    means: dict[Head, tuple[float, ...]] = {}
    if needed:
        st.caption(
            "The corpus mean of a head is the mean of its outputs over all tokens of the sample."
        )
        content = measured_of(request, "means", sample)
        if content is None:
            return None
        means = means_from(content)
    return Interventions(
        tuple(sorted(chosen.items())), means=tuple((head, means[head]) for head in sorted(needed))
    )
