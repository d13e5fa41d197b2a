"""The decoder: shifted target, causal mask, cross-attention, and the three kinds of attention side by side."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from s2s.model import (
    Attention,
    Decoder,
    DecoderLayer,
    EncoderLayer,
    FeedForward,
    attention_weights,
    masks,
)
from s2s.runs import Run
from s2s.ui.walkthrough.code import Code
from s2s.ui.walkthrough.feed_forward import feed_forward_formula
from s2s.ui.walkthrough.step import WalkthroughStep, aligned, verbatim

DECODER_CONTROLS = ("layer", "head", "tgt")


def _cross_formula(run: Run) -> str:
    config = run.recipe.model
    scale = rf" / \sqrt{{{config.d_head(config.decoder)}}}" if config.attention.scaled else ""
    return rf"\mathrm{{softmax}}\left(Q_{{tgt}} K_{{memory}}^\top{scale} + M\right) V_{{memory}}"


def _feed_forward_explanation(run: Run) -> tuple[str, str]:
    stack = run.recipe.model.decoder
    first = "As in the encoder, each position is transformed separately, and the result is added to the stream."
    if not stack.d_ff:
        first = "This model's decoder has no feed-forward: the stream continues unchanged."
    if stack.n_layers == 1:
        return first, "This decoder has one layer, so its output leads to the logits."
    return (
        first,
        f"The next layer begins with self-attention again; there are {stack.n_layers} layers in all.",
    )


def _decoder_feed_forward_formula(run: Run) -> str:
    return feed_forward_formula(run) if run.recipe.model.decoder.d_ff else r"x \leftarrow x"


def _shifted_formula(run: Run) -> str:
    ids = run.recipe.model.ids
    start, end = map(verbatim, run.tgt_tokenizer.tokens((ids.start, ids.eos)))
    return aligned(
        rf"\text{{reads: }} {start}, y_1, \ldots, y_{{n-1}}",
        rf"\text{{predicts: }} y_1, \ldots, y_{{n-1}}, {end}",
    )


DECODER_STEPS: Mapping[str, WalkthroughStep] = MappingProxyType(
    {
        "shifted": WalkthroughStep(
            title="The target, shifted by one",
            section="Decoder",
            formula=_shifted_formula,
            explanation=lambda run: (
                "At each position, the decoder reads one token and predicts the next; it begins with a start token.",
                "When the whole target is known, as in training, all positions are computed at once.",
            ),
            code=lambda run: (Code(Decoder.forward, "tgt_len =", "return"),),
            stack="decoder",
        ),
        "causal": WalkthroughStep(
            title="The causal mask",
            section="Decoder",
            formula=lambda run: (
                r"s_{ij} + M_{ij},\;\; M_{ij} ="
                r" \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}"
            ),
            explanation=lambda run: (
                "All positions are computed at once, but none may see what it has to predict: everything to its right"
                " is masked.",
                "So each position computes exactly the same as if the tokens after it had not been written yet.",
            ),
            code=lambda run: (
                Code(masks.causal),
                Code(attention_weights, "lowest =", "return weights"),
            ),
            controls=DECODER_CONTROLS,
            stack="decoder",
        ),
        "self-attention": WalkthroughStep(
            title="Masked self-attention",
            section="Decoder",
            formula=lambda run: r"z_i = \sum_{j \le i} a_{ij}\, v_j",
            explanation=lambda run: (
                "The values of the tokens so far are summed by their weights, as in the encoder, except for the"
                " masked half.",
                "This is how the decoder knows, for example, which article it has already written.",
            ),
            code=lambda run: (
                Code(DecoderLayer.forward, "x = self.self_residual"),
                Code(attention_weights, "scores =", "return"),
            ),
            controls=DECODER_CONTROLS,
            stack="decoder",
        ),
        "bridge": WalkthroughStep(
            title="Cross-attention",
            section="Decoder",
            formula=_cross_formula,
            explanation=lambda run: (
                "This is where the target reads the source: each target position attends to all source tokens.",
                "Queries come from the decoder, keys and values from the memory, each by a learned matrix of the"
                " layer. The queries are made of self-attention's output, as in the paper; some tutorials make them of"
                " the embedded input.",
            ),
            code=lambda run: (
                Code(DecoderLayer.forward, "x = self.cross_residual"),
                Code(Attention.forward, "queries =", "memory ="),
            ),
            controls=DECODER_CONTROLS,
            stack="decoder",
        ),
        "attentions": WalkthroughStep(
            title="Three kinds of attention, side by side",
            section="Decoder",
            formula=lambda run: (
                r"\begin{array}{lll} \text{encoder} & Q, K, V \text{ of src} & M_{pad} \\"
                r" \text{decoder} & Q, K, V \text{ of tgt} & M_{causal} \\"
                r" \text{cross} & Q \text{ of tgt},\; K, V \text{ of src} & M_{pad} \end{array}"
            ),
            explanation=lambda run: (
                "All three are the same computation: they differ in where queries, keys and values come from, and in"
                " the mask.",
                "Cross-attention has no position bias and no causal mask: every target position may attend to every"
                " source token.",
            ),
            code=lambda run: (
                Code(EncoderLayer.forward, "x = self.self_residual"),
                Code(DecoderLayer.forward, "x = self.self_residual", "x = self.cross_residual"),
            ),
            controls=("layer", "head"),
            stack="decoder",
            is_wide=True,
        ),
        "decoder-feed-forward": WalkthroughStep(
            title="Feed-forward, and the next layer",
            section="Decoder",
            formula=_decoder_feed_forward_formula,
            explanation=_feed_forward_explanation,
            code=lambda run: (
                Code(FeedForward.forward),
                Code(Decoder.forward, "for layer", "return"),
            ),
            controls=("layer", "tgt"),
            stack="decoder",
        ),
    }
)
