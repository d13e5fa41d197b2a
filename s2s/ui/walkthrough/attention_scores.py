"""Attention in the encoder, first half: queries, keys and values; scores, their scaling, biases and mask."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from s2s.config import POSITION_KINDS, ModelConfig
from s2s.model import Attention, attention_weights, masks
from s2s.questions import walked
from s2s.runs import Run
from s2s.ui.walkthrough.code import Code
from s2s.ui.walkthrough.reading import POSITION_FORMULAS, position_explanation
from s2s.ui.walkthrough.step import WalkthroughStep, aligned, is_pre_norm

ATTENTION_CONTROLS = ("layer", "head", "src")


def has_position_biases(config: ModelConfig) -> bool:
    """Whether biases for positions are added to the attention scores."""
    return POSITION_KINDS[config.positions.kind].acts_on == "scores"


def d_head_of(run: Run) -> int:
    """Width of the encoder's heads."""
    config = run.recipe.model
    return config.d_head(config.encoder)


def bias_term(config: ModelConfig, name: str) -> str:
    """The bias of a projection in a formula: ` + b_Q` where the projections have biases, else empty."""
    return f" + b_{name}" if config.attention.bias else ""


def _queries_formula(run: Run) -> str:
    config = run.recipe.model
    x = r"\mathrm{norm}(x)" if is_pre_norm(config) else "x"
    query, key, value = (f"{x} W_{name}{bias_term(config, name)}" for name in "QKV")
    if config.positions.kind == "rotary":
        return aligned(f"q = R_t({query})", f"k = R_t({key})", f"v = {value}")
    return aligned(f"q = {query}", f"k = {key}", f"v = {value}")


def _queries_explanation(run: Run) -> tuple[str, str]:
    config = run.recipe.model
    layer_input = "normalized input" if is_pre_norm(config) else "input"
    heads = walked.counted(config.encoder.n_heads, "head")
    return (
        "Each token's vector is projected to three others: a query (what the token looks for), a key (what it can be"
        " found by) and a value (what it passes on).",
        f"Each is the layer's {layer_input} times a learned matrix, split into {heads} of {d_head_of(run)} numbers."
        " Some implementations keep the three matrices as one (a fused one): one product, which is then split in three,"
        " with the same numbers.",
    )


def _scaling_formula(run: Run) -> str:
    if not run.recipe.model.attention.scaled:
        return r"s_{ij} = q_i \cdot k_j"
    return rf"s_{{ij}} = \frac{{q_i \cdot k_j}}{{\sqrt{{{d_head_of(run)}}}}}"


def _scaling_explanation(run: Run) -> tuple[str, str]:
    d_head = d_head_of(run)
    if not run.recipe.model.attention.scaled:
        return (
            "This model does not scale its scores, as T5 does not: its initial weights are small enough to keep the"
            " scores moderate.",
            "Most transformers divide by the square root of a head's width, so that the softmax does not put all"
            " weight on one key.",
        )
    return (
        f"The typical size of a sum of {d_head} products grows with √{d_head} = {d_head**0.5:.2f}, so it is divided by"
        " that.",
        "Otherwise the softmax would give more weight to the largest score, with wide heads nearly all, and gradients"
        " would become too small to learn from.",
    )


SCORE_STEPS: Mapping[str, WalkthroughStep] = MappingProxyType(
    {
        "queries": WalkthroughStep(
            title="Queries, keys and values",
            section="Encoder",
            formula=_queries_formula,
            explanation=_queries_explanation,
            code=lambda run: (
                Code(Attention.forward, "queries =", "memory ="),
                Code(Attention.keys_values),
            ),
            controls=ATTENTION_CONTROLS,
        ),
        "scores": WalkthroughStep(
            title="Scores: every query times every key",
            section="Encoder",
            formula=lambda run: (
                rf"q_i \cdot k_j = \sum_{{c=1}}^{{{d_head_of(run)}}} q_{{ic}}\, k_{{jc}}"
            ),
            explanation=lambda run: (
                "The score of a query and a key is their dot product: the more their directions agree, the larger it"
                " is.",
                "Each row is one query, each column one key; a single matrix product computes all pairs at once.",
            ),
            code=lambda run: (Code(attention_weights, "scores ="),),
            controls=ATTENTION_CONTROLS,
        ),
        "scaling": WalkthroughStep(
            title="Scaling the scores",
            section="Encoder",
            formula=_scaling_formula,
            explanation=_scaling_explanation,
            code=lambda run: (
                Code(Attention.__init__, "self.scale ="),
                Code(attention_weights, "scores ="),
            ),
            controls=ATTENTION_CONTROLS,
        ),
        "bias": WalkthroughStep(
            title="Position biases",
            section="Encoder",
            formula=lambda run: POSITION_FORMULAS.get(run.recipe.model.positions.kind, ""),
            explanation=lambda run: (
                position_explanation(run)[0],
                "The biases are the same whatever the words are: they depend on positions alone.",
            ),
            code=lambda run: (
                Code(type(run.model.encoder.embed.position).bias),
                Code(attention_weights, "if bias", "scores = scores"),
            ),
            controls=ATTENTION_CONTROLS,
            exists=has_position_biases,
        ),
        "mask": WalkthroughStep(
            title="The padding mask",
            section="Encoder",
            formula=lambda run: (
                r"s_{ij} + M_{ij},\;\; M_{ij} ="
                r" \begin{cases} 0 & j \text{ is a token} \\ -\infty & \text{padding} \end{cases}"
            ),
            explanation=lambda run: (
                "All sentences in a batch have the same length: shorter ones are padded with `<pad>`, which no token"
                " should attend to.",
                "The softmax that follows turns −∞ into 0, so the weights of the real tokens are the same as without"
                " padding.",
            ),
            code=lambda run: (
                Code(masks.padding),
                Code(attention_weights, "lowest =", "return weights"),
            ),
            controls=ATTENTION_CONTROLS,
        ),
    }
)
