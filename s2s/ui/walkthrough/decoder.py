"""The decoder: shifted target, causal mask, cross-attention, and the three kinds of attention side by side."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import streamlit as st

from s2s.analysis import AttentionTrace
from s2s.config import POSITION_KINDS
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
from s2s.ui.walkthrough.attention_scores import show_layer_input
from s2s.ui.walkthrough.code import Code
from s2s.ui.walkthrough.feed_forward import feed_forward_formula, show_hidden_layer
from s2s.ui.walkthrough.pictures import additive_mask, show_pairs, show_tensor, show_weights
from s2s.ui.walkthrough.step import (
    TracedSentence,
    WalkthroughStep,
    aligned,
    counted,
    quoted,
    verbatim,
)

DECODER_CONTROLS = ("layer", "head", "tgt")


def _draw_shifted(sentence: TracedSentence) -> None:
    reads = sentence.tgt_tokens
    predicts = sentence.target.tokens
    rows = [
        {"position": number, "reads": read, "predicts": predicted}
        for number, (read, predicted) in enumerate(zip(reads, predicts, strict=True), 1)
    ]
    st.dataframe(
        rows,
        hide_index=True,
        width="content",
        alt="What the decoder reads and predicts at each position",
    )
    whose = "its own translation" if sentence.is_model_output else "the target that you gave"
    st.caption(f"The target here is {whose}: you can type another under *Settings*.")
    if sentence.config.ids.forced_first is not None:
        st.caption(
            f"This model was trained with {quoted(predicts[0])} at the start of every target: it is written, whatever"
            " the model predicts there."
        )
    is_added = POSITION_KINDS[sentence.config.positions.kind].acts_on == "vectors"
    positions = " plus position vectors" if is_added else ""
    show_tensor(f"Embeddings of what it reads{positions}", sentence.trace.tgt.out, reads)


def _draw_causal(sentence: TracedSentence) -> None:
    show_layer_input(sentence, "decoder")
    attended = sentence.trace.decoder.self_attention
    tokens = sentence.tgt_tokens
    head = sentence.head
    row = sentence.position
    show_pairs(f"Scores, head {head + 1}", attended.scores[head], tokens, tokens, mark=row)
    show_pairs("The mask M: 0 or −∞", additive_mask(attended.mask), tokens, tokens, mark=row)
    show_pairs("Scores plus M", attended.masked_scores[head], tokens, tokens, mark=row)
    allowed = counted(int(attended.mask[row].sum()), "token")
    before = " and the tokens before it" if row else ""
    st.caption(f"The row that reads {quoted(tokens[row])} may attend to {allowed}: itself{before}.")


def _draw_self_attention(sentence: TracedSentence) -> None:
    attended = sentence.trace.decoder.self_attention
    tokens = sentence.tgt_tokens
    head = sentence.head
    weights = attended.weights[head]
    sums = attended.head_outputs[head]
    show_weights(f"Weights of head {head + 1}", weights, tokens, tokens, verb="reads")
    show_tensor(f"Weighted sums of head {head + 1}", sums, tokens, mark=sentence.position)


def _draw_cross_attention(sentence: TracedSentence) -> None:
    attended = _cross_attention(sentence)
    head = sentence.head
    row = sentence.position
    src = sentence.src_tokens
    reads = sentence.tgt_tokens
    predicts = sentence.target.tokens
    weights = attended.weights[head]
    show_tensor("Queries, from the decoder", attended.queries[head], reads, mark=row)
    show_tensor("Keys, from the memory", attended.keys[head], src)
    show_tensor("Values, from the memory", attended.values[head], src)
    show_weights(f"Weights of head {head + 1}", weights, predicts, src, verb="predicts")
    best = int(weights[row].argmax())
    st.caption(
        f"The position that reads {quoted(reads[row])} predicts {quoted(predicts[row])}: there, this head attends most"
        f" to {quoted(src[best])} ({weights[row, best]:.2f})."
    )
    n_heads, length, d_head = attended.keys.shape
    layers = counted(sentence.config.decoder.n_layers, "layer")
    size = f"{layers} × {counted(n_heads, 'head')} × {counted(length, 'token')} × {d_head} numbers"
    st.caption(
        f"The keys and values of the source are computed once per sentence and cached while the target grows: {size},"
        " once for keys and once for values."
    )


def _cross_attention(sentence: TracedSentence) -> AttentionTrace:
    attended = sentence.trace.decoder.cross_attention
    if attended is None:
        raise ValueError("a decoder layer has a cross-attention")
    return attended


def _draw_three_attentions(sentence: TracedSentence) -> None:
    src = sentence.src_tokens
    tgt = sentence.tgt_tokens
    trace = sentence.trace
    kinds = (
        ("Encoder", trace.encoder.self_attention, src, src, "reads"),
        ("Decoder", trace.decoder.self_attention, tgt, tgt, "reads"),
        ("Cross", _cross_attention(sentence), sentence.target.tokens, src, "predicts"),
    )
    with st.container(key="side by side"):
        columns = st.columns(3)
    for column, (name, attended, rows, keys, verb) in zip(columns, kinds, strict=True):
        head = min(sentence.head, len(attended.weights) - 1)  # a stack may have fewer
        with column:
            show_pairs(f"{name}: the mask M", additive_mask(attended.mask), rows, keys)
            weights = attended.weights[head]
            show_weights(f"{name}: weights of head {head + 1}", weights, rows, keys, verb=verb)
    st.caption(
        "This sentence stands alone, so nothing is padded: in a batch, the columns of `<pad>` would be −∞ in the"
        " encoder's mask and in the cross-attention's."
    )


def _draw_feed_forward(sentence: TracedSentence) -> None:
    decoder = sentence.trace.decoder
    tokens = sentence.tgt_tokens
    if decoder.feed_forward is not None:
        show_hidden_layer(sentence, decoder.feed_forward, tokens)
    n_layers = sentence.config.decoder.n_layers
    name = f"The stream after layer {sentence.layer + 1} of {n_layers}"
    show_tensor(name, decoder.out, tokens, mark=sentence.position)


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
            draw=_draw_shifted,
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
            draw=_draw_causal,
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
            draw=_draw_self_attention,
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
            draw=_draw_cross_attention,
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
            draw=_draw_three_attentions,
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
            draw=_draw_feed_forward,
            controls=("layer", "tgt"),
            stack="decoder",
        ),
    }
)
