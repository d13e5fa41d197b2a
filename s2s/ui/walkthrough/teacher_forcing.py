"""Teacher forcing beside free running."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import streamlit as st

from s2s.model import Transformer
from s2s.runs import DecodedHypothesis, Reference, Run, first_difference
from s2s.ui.walkthrough.code import Code
from s2s.ui.walkthrough.loss_target import show_loss_target
from s2s.ui.walkthrough.output import own_translation
from s2s.ui.walkthrough.step import TracedSentence, WalkthroughStep, aligned, quoted

COLUMNS = ("position", "teacher: reads", "would choose", "correct", "free: reads", "chooses")


def _draw_forcing(sentence: TracedSentence) -> None:
    own = own_translation(sentence)
    reference = show_loss_target(sentence).forced
    if own is None:
        return
    start = sentence.tgt_tokens[0]
    st.html(_table(own, reference, start))
    differs_at = first_difference(own.ids, reference.ids)
    if differs_at is None:
        st.caption(
            "Both read the same everywhere, because the model's translation is the target. Choose another target to"
            " see them differ."
        )
        return
    forced = quoted(" ".join((start, *reference.tokens[: differs_at + 1])))
    free = quoted(" ".join((start, *own.tokens[: differs_at + 1])))
    with st.container(key="walk difference"):  # a lesson hides it where it asks for this position
        st.caption(
            f"They first differ at position {differs_at + 1}: after it, the teacher makes the model read {forced},"
            f" whatever it would have chosen; when running freely, it reads {free}, its own choice."
        )


def _table(own: DecodedHypothesis, reference: Reference, start: str) -> str:
    """Side by side; what differs is underlined."""
    forced = [*zip((start, *reference.tokens), reference.predicted, reference.tokens, strict=False)]
    free = [*zip((start, *own.tokens), own.tokens, strict=False)]
    rows = []
    for at in range(max(len(forced), len(free))):
        forced_reads, predicted, correct = forced[at] if at < len(forced) else ("", "", "")
        free_reads, chosen = free[at] if at < len(free) else ("", "")
        cells = [html.escape(text) for text in (str(at + 1), forced_reads, predicted, correct)]
        cells += [_marked(free_reads, forced_reads), _marked(chosen, correct)]
        rows.append(_row(cells))
    head = "".join(f'<th scope="col">{name}</th>' for name in COLUMNS)
    return f'<div class="samples wide"><table><tr>{head}</tr>{"".join(rows)}</table></div>'


def _row(cells: Sequence[str]) -> str:
    """Each cell carries the name of its column."""
    named = zip(COLUMNS, cells, strict=True)
    row = "".join(f'<td dir="auto" data-of="{name}">{cell}</td>' for name, cell in named)
    return f"<tr>{row}</tr>"


def _marked(text: str, other: str) -> str:
    return html.escape(text) if text == other else f"<u>{html.escape(text)}</u>"


FORCING_STEPS: Mapping[str, WalkthroughStep] = MappingProxyType(
    {
        "forcing": WalkthroughStep(
            title="Teacher forcing and free running",
            section="Writing",
            formula=lambda run: aligned(
                r"\text{teacher: } P(y_t \mid y_{<t}, X)",
                r"\text{free: } P(\hat y_t \mid \hat y_{<t}, X)",
            ),
            explanation=lambda run: (
                "In training, the decoder reads the correct tokens, whatever it would have chosen itself: teacher"
                " forcing.",
                "When it translates, it reads its own choices, and a mistake stays: it has to continue from there,"
                " which it never had to in training.",
            ),
            code=lambda run: (
                Code(Transformer.forward, "memory =", "return"),
                Code(Run.next_tokens, "with inference", "log_probs"),
            ),
            draw=_draw_forcing,
            stack="decoder",
        ),
    }
)
