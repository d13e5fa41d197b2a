"""Attention in the encoder, second half: weights, weighted sums, heads."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import streamlit as st

from s2s.model import Attention, attention_weights
from s2s.runs import Run
from s2s.ui.walkthrough.attention_scores import (
    ATTENTION_CONTROLS,
    bias_term,
    d_head_of,
    has_position_biases,
)
from s2s.ui.walkthrough.code import Code
from s2s.ui.walkthrough.pictures import show_heads, show_tensor, show_weights
from s2s.ui.walkthrough.step import TracedSentence, WalkthroughStep, aligned, quoted


def _draw_softmax(sentence: TracedSentence) -> None:
    tokens = sentence.src_tokens
    weights = sentence.trace.encoder.self_attention.weights[sentence.head]
    show_weights(f"Weights of head {sentence.head + 1}", weights, tokens, tokens, verb="reads")
    row = weights[sentence.position]
    best = int(row.argmax())
    st.caption(
        f"{quoted(tokens[sentence.position])} takes {row[best]:.0%} from {quoted(tokens[best])}; its row sums to"
        f" {row.sum():.2f}."
    )


def _draw_weighted_sum(sentence: TracedSentence) -> None:
    attended = sentence.trace.encoder.self_attention
    tokens = sentence.src_tokens
    token = tokens[sentence.position]
    weights = attended.weights[sentence.head, sentence.position]  # (keys,)
    weighted = weights[:, None] * attended.values[sentence.head]  # (keys, d_head)
    total = attended.head_outputs[sentence.head, sentence.position]  # (d_head,)
    labels = [f"{key} × {weight:.2f}" for key, weight in zip(tokens, weights, strict=True)]
    show_tensor(
        f"Values weighted for {token}, and their sum",
        np.concatenate([weighted, total[None]]),
        [*labels, "sum"],
        mark=len(labels),
        noun="row",
    )
    show_tensor(
        f"Weighted sums of head {sentence.head + 1}",
        attended.head_outputs[sentence.head],
        tokens,
        mark=sentence.position,
    )


def _draw_heads(sentence: TracedSentence) -> None:
    attended = sentence.trace.encoder.self_attention
    tokens = sentence.src_tokens
    row = sentence.position
    n_heads = len(attended.head_outputs)
    show_heads("The heads, concatenated", attended.concatenated, tokens, n_heads, mark=row)
    if sentence.config.attention.output_projection:
        show_tensor("After the output projection", attended.out, tokens, mark=row)


def _softmax_formula(run: Run) -> str:
    bias = r" + b" if has_position_biases(run.recipe.model) else ""
    scale = rf"/\sqrt{{{d_head_of(run)}}}" if run.recipe.model.attention.scaled else ""
    return aligned(
        r"a_{ij} = \exp s_{ij} \,/\, \textstyle\sum_k \exp s_{ik}",
        rf"A = \mathrm{{softmax}}\left(QK^\top{scale}{bias} + M\right)",
    )


def _heads_formula(run: Run) -> str:
    config = run.recipe.model
    concat = rf"\mathrm{{Concat}}(z^{{(1)}}, \ldots, z^{{({config.encoder.n_heads})}})"
    if not config.attention.output_projection:
        return concat
    return rf"{concat}\,W_O{bias_term(config, 'O')}"


def _heads_explanation(run: Run) -> tuple[str, str]:
    config = run.recipe.model
    n_heads = config.encoder.n_heads
    first = (
        f"Each of the {n_heads} heads attends in its own way, and their results are concatenated."
    )
    if n_heads == 1:
        first = "This encoder has a single head, so its result is used as it is."
    if not config.attention.output_projection:
        return first, "This model has no output projection: that is the sublayer's output."
    return (
        first,
        f"One more matrix, the output projection, mixes them into the {config.d_model} numbers of the residual stream.",
    )


WEIGHT_STEPS: Mapping[str, WalkthroughStep] = MappingProxyType(
    {
        "softmax": WalkthroughStep(
            title="Softmax: from scores to weights",
            section="Encoder",
            formula=_softmax_formula,
            explanation=lambda run: (
                "The softmax turns each row of scores into positive weights that sum to 1: how much the token takes"
                " from every token, itself included.",
                "A score that is larger by 1 gets 2.72 times the weight: only differences between scores matter.",
            ),
            code=lambda run: (Code(attention_weights, "lowest =", "return weights"),),
            draw=_draw_softmax,
            controls=ATTENTION_CONTROLS,
        ),
        "weighted": WalkthroughStep(
            title="The weighted sum of the values",
            section="Encoder",
            formula=lambda run: r"z_i = \sum_j a_{ij}\, v_j",
            explanation=lambda run: (
                "Each value is multiplied by its weight, and all are added: a mixture in which the values with the"
                " largest weights dominate.",
                "This is the only step in the encoder that moves information between tokens.",
            ),
            code=lambda run: (
                Code(Attention.attend, "weights = attention_weights", "return F.dropout"),
            ),
            draw=_draw_weighted_sum,
            controls=ATTENTION_CONTROLS,
        ),
        "heads": WalkthroughStep(
            title="Concatenating the heads",
            section="Encoder",
            formula=_heads_formula,
            explanation=_heads_explanation,
            code=lambda run: (
                Code(Attention.split),
                Code(Attention.forward, "joined =", "return"),
            ),
            draw=_draw_heads,
            controls=("layer", "src"),
        ),
    }
)
