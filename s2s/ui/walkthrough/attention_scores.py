"""Attention in the encoder, first half: queries, keys and values; scores, their scaling, biases and mask."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import streamlit as st

from s2s.analysis import AttentionTrace, experiments
from s2s.config import POSITION_KINDS, ModelConfig
from s2s.model import Attention, attention_weights, masks
from s2s.runs import Run
from s2s.ui.walkthrough import cached
from s2s.ui.walkthrough.code import Code
from s2s.ui.walkthrough.pictures import additive_mask, show_pairs, show_tensor
from s2s.ui.walkthrough.reading import POSITION_FORMULAS, position_explanation
from s2s.ui.walkthrough.step import (
    NO_SCALE,
    TracedSentence,
    WalkthroughStep,
    aligned,
    counted,
    is_pre_norm,
    quoted,
    signed,
)

PAD = "<pad>"
VARIANTS = ("variant", "key")  # what rows and columns are where variants of one row are compared
FILLS = ("−∞", "−1e9", "this model")
ATTENTION_CONTROLS = ("layer", "head", "src")


def show_layer_input(sentence: TracedSentence, stack: str) -> None:
    """The stream that the chosen layer reads: no tensor changes between two steps without a word."""
    is_encoder = stack == "encoder"
    layer = sentence.trace.encoder if is_encoder else sentence.trace.decoder
    joined = layer.self_residual
    tokens = sentence.src_tokens if is_encoder else sentence.tgt_tokens
    number = sentence.layer + 1
    if sentence.layer:
        before = f"the output of layer {sentence.layer}"
        st.caption(
            f"From here on, the pictures show layer {number} of the {stack}, whose input is {before}, not the"
            " embeddings of the steps before. Choose layer 1 to follow those."
        )
    else:
        before = "the embeddings of the steps before"
    show_tensor(f"Input of layer {number}: {before}", joined.before, tokens, mark=sentence.position)
    if is_pre_norm(sentence.config):
        show_tensor("The input, normalized", joined.sublayer_input, tokens, mark=sentence.position)


def _attended(sentence: TracedSentence) -> AttentionTrace:
    return sentence.trace.encoder.self_attention


def _draw_queries(sentence: TracedSentence) -> None:
    show_layer_input(sentence, "encoder")
    attended = _attended(sentence)
    tokens = sentence.src_tokens
    head = sentence.head
    row = sentence.position
    show_tensor(f"Queries of head {head + 1}", attended.queries[head], tokens, mark=row)
    show_tensor(f"Keys of head {head + 1}", attended.keys[head], tokens, mark=row)
    show_tensor(f"Values of head {head + 1}", attended.values[head], tokens, mark=row)


def _draw_scores(sentence: TracedSentence) -> None:
    tokens = sentence.src_tokens
    row = sentence.position
    products = _attended(sentence).dot_products[sentence.head]
    show_pairs(f"Queries times keys, head {sentence.head + 1}", products, tokens, tokens, mark=row)
    best = int(products[row].argmax())
    st.caption(
        f"The query of {quoted(tokens[row])} matches the key of {quoted(tokens[best])} best"
        f" ({signed(products[row, best])})."
    )


def _draw_scaling(sentence: TracedSentence) -> None:
    attended = _attended(sentence)
    tokens = sentence.src_tokens
    row = sentence.position
    scaled = attended.scaled[sentence.head]
    show_pairs(f"Scaled scores, head {sentence.head + 1}", scaled, tokens, tokens, mark=row)
    if not sentence.config.attention.scaled:
        st.caption("The factor is 1 in this model: these are the scores of the step before.")
        return
    if sentence.run.recipe.train.fault == NO_SCALE:
        largest_weight = float(experiments.softmax(scaled[row]).max())
        st.caption(
            "This run's fault makes each query as many times as large, so that dividing changes nothing: the largest"
            f" weight of that row is {largest_weight:.2f}."
        )
        return
    rows = (attended.dot_products[sentence.head, row], scaled[row])
    both = np.stack([experiments.softmax(scores) for scores in rows])
    largest = both.max(1)
    with st.container(key="walk softmax"):  # a lesson hides it where it asks for a weight
        show_pairs(
            f"Softmax of the row of “{tokens[row]}”",
            both,
            ("not scaled", "scaled"),
            tokens,
            nouns=VARIANTS,
        )
        st.caption(
            f"The largest weight of that row would be {largest[0]:.2f} without scaling; it is {largest[1]:.2f}."
        )


def _draw_bias(sentence: TracedSentence) -> None:
    attended = _attended(sentence)
    tokens = sentence.src_tokens
    row = sentence.position
    if attended.bias is not None:
        bias = attended.bias[sentence.head]
        show_pairs(f"Position biases, head {sentence.head + 1}", bias, tokens, tokens, mark=row)
    scores = attended.scores[sentence.head]
    show_pairs("Scaled scores plus biases", scores, tokens, tokens, mark=row)


def _draw_mask(sentence: TracedSentence) -> None:
    trace = cached.padded(sentence.run, sentence.src_ids, sentence.tgt_ids, sentence.layer)
    attended = trace.encoder.self_attention
    head = sentence.head
    row = sentence.position
    n_padded = len(attended.mask) - len(sentence.src_ids)
    tokens = [*sentence.src_tokens, *[PAD] * n_padded]
    st.caption(
        f"As in a batch with a sentence that is {counted(n_padded, 'token')} longer: `<pad>` fills the rest."
    )
    show_pairs("Scores", attended.scores[head], tokens, tokens, mark=row)
    show_pairs("The mask M: 0 or −∞", additive_mask(attended.mask), tokens, tokens, mark=row)
    show_pairs("Scores plus M", attended.masked_scores[head], tokens, tokens, mark=row)
    st.markdown(
        "**What if another number stands for “not allowed”?** The softmax of the framed row, with −∞, with −1e9, and"
        " as this model computes it:"
    )
    allowed = attended.mask[row]
    _draw_fills(
        "Some keys are masked", experiments.weights_by_fill(attended, head, row, allowed), tokens
    )
    nothing = np.zeros_like(allowed)
    _draw_fills(
        "All keys are masked", experiments.weights_by_fill(attended, head, row, nothing), tokens
    )
    st.caption(
        "While at least one key is allowed, all three agree. If none is, −∞ gives 0/0 = NaN, which spoils every"
        " number computed from it; −1e9 rounds the scores away and gives all masked keys the same weight; in this"
        " model, a row with no allowed key is all zeros."
    )


def _draw_fills(name: str, fills: experiments.WeightsByFill, tokens: list[str]) -> None:
    rows = np.stack([fills.minus_infinity, fills.minus_billion, fills.lowest])
    show_pairs(name, rows, FILLS, tokens, nouns=VARIANTS)


def has_position_biases(config: ModelConfig) -> bool:
    """Whether positions are added to the scores."""
    return POSITION_KINDS[config.positions.kind].acts_on == "scores"


def d_head_of(run: Run) -> int:
    """Width of the encoder's heads."""
    config = run.recipe.model
    return config.d_head(config.encoder)


def bias_term(config: ModelConfig, name: str) -> str:
    """` + b_Q` where the projections have biases."""
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
    heads = counted(config.encoder.n_heads, "head")
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
            draw=_draw_queries,
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
            draw=_draw_scores,
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
            draw=_draw_scaling,
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
            draw=_draw_bias,
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
            draw=_draw_mask,
            controls=ATTENTION_CONTROLS,
        ),
    }
)
