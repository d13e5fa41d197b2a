"""How a step is laid out: pictures on the left, explanation on the right; on a phone the pictures come first."""

from __future__ import annotations

import streamlit as st

from s2s.faults import fault_of
from s2s.runs import Run
from s2s.ui.kit import as_markdown
from s2s.ui.walkthrough.code import excerpt
from s2s.ui.walkthrough.pictures import begin, show_legend
from s2s.ui.walkthrough.step import TracedSentence, WalkthroughStep


def show(step: WalkthroughStep, sentence: TracedSentence) -> None:
    """Explanation and pictures of a step."""
    if step.is_wide:
        explanation = st.container(key="walk explanation")
        pictures = st.container(key="walk pictures")
    else:
        with st.container(key="walk"):
            pictures, explanation = st.columns([3, 2], gap="medium")
    with explanation, st.container(border=True):
        _explain(step, sentence.run)
    with pictures, st.container(border=True):
        begin()
        step.draw(sentence)
        show_legend()


def _explain(step: WalkthroughStep, run: Run) -> None:
    """Formula, two sentences, source code."""
    if fault := fault_of(run.recipe.train.fault):
        what = (
            "Where a formula has that term, this run leaves it out; the pictures show what it computes."
            if fault.is_outside_weights
            else "It acted while the run was trained, not now: the pictures show how the run translates."
        )
        st.warning(
            f"This run has a fault, made on purpose: {as_markdown(fault.title)}. {what}",
            icon=":material/bug_report:",
        )
    st.latex(step.formula(run))
    for text in step.explanation(run):
        st.markdown(text)
    with st.expander("Source code", icon=":material/code:"):
        for code in step.code(run):
            part = excerpt(code)
            st.caption(f"`{part.file}`, from line {part.start}")
            st.code(part.text, language="python")
