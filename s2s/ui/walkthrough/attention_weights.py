"""Attention in the encoder, second half: weights, weighted sums, heads."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from s2s.model import Attention, attention_weights
from s2s.runs import Run
from s2s.ui.walkthrough.attention_scores import (
    ATTENTION_CONTROLS,
    bias_term,
    d_head_of,
    has_position_biases,
)
from s2s.ui.walkthrough.code import Code
from s2s.ui.walkthrough.step import WalkthroughStep, aligned


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
            controls=("layer", "src"),
        ),
    }
)
