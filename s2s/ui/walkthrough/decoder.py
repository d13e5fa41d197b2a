"""The decoder: the shifted target, the causal mask, the bridge to the source, the three kinds of attention side by side."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import streamlit as st

from s2s.analysis import AttentionTrace
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
from s2s.ui.walkthrough.layer import ffn_formula, wide
from s2s.ui.walkthrough.pictures import counted, looks, numbers, pairs, weights
from s2s.ui.walkthrough.request import Step, Walk, lines, quoted


def _shifted(walk: Walk) -> None:
    reads = walk.tgt_tokens
    predicts = walk.written.tokens
    rows = [
        {"place": at, "reads": one, "predicts": other}
        for at, (one, other) in enumerate(zip(reads, predicts, strict=True), 1)
    ]
    st.dataframe(
        rows,
        hide_index=True,
        width="content",
        alt="What the decoder reads and predicts at each place",
    )
    whose = "its own translation" if walk.is_own else "the target that you gave"
    st.caption(
        f"The decoder is made to write {whose}: another can be typed under *Sentences, target*."
    )
    is_placed = walk.config.positions.kind in ("sinusoidal", "learned")
    numbers(
        f"What it reads, as vectors{' with positions' if is_placed else ''}",
        walk.seen.tgt.out,
        reads,
    )


def _causal(walk: Walk) -> None:
    seen = walk.seen.decoder.self_attention
    tokens = walk.tgt_tokens
    pairs(f"Scores, head {walk.head + 1}", seen.scores[walk.head], tokens, tokens, mark=walk.place)
    pairs("The mask M: 0 or −∞", looks(seen.mask), tokens, tokens, mark=walk.place)
    pairs("Scores plus M", seen.masked_scores[walk.head], tokens, tokens, mark=walk.place)
    sees = counted(int(seen.mask[walk.place].sum()), "token")
    st.caption(
        f"The row that reads {quoted(tokens[walk.place])} may look at {sees}: at itself and at what stands before it."
    )


def _self_attention(walk: Walk) -> None:
    seen = walk.seen.decoder.self_attention
    tokens = walk.tgt_tokens
    weights(f"Weights of head {walk.head + 1}", seen.weights[walk.head], tokens, tokens, "reads")
    numbers(
        f"What head {walk.head + 1} gathers", seen.head_outputs[walk.head], tokens, mark=walk.place
    )


def _bridge(walk: Walk) -> None:
    seen = _cross(walk)
    numbers("Queries, from the decoder", seen.queries[walk.head], walk.tgt_tokens, mark=walk.place)
    numbers("Keys, from the memory", seen.keys[walk.head], walk.src_tokens)
    numbers("Values, from the memory", seen.values[walk.head], walk.src_tokens)
    found = seen.weights[walk.head]
    weights(
        f"Weights of head {walk.head + 1}", found, walk.written.tokens, walk.src_tokens, "predicts"
    )
    best = int(found[walk.place].argmax())
    read, word, looked = (
        quoted(each)
        for each in (
            walk.tgt_tokens[walk.place],
            walk.written.tokens[walk.place],
            walk.src_tokens[best],
        )
    )
    st.caption(
        f"The place that reads {read} predicts {word}: there, this head looks most at {looked} ({found[walk.place, best]:.2f})."
    )
    n_layers, (n_heads, length, d_head) = walk.config.decoder.n_layers, seen.keys.shape
    size = f"{counted(n_layers, 'layer')} × {counted(n_heads, 'head')} × {counted(length, 'token')} × {d_head} numbers"
    st.caption(
        f"Keys and values are computed once a sentence and kept while the target grows: {size}, twice."
    )


def _cross(walk: Walk) -> AttentionTrace:
    seen = walk.seen.decoder.cross_attention
    if seen is None:
        raise ValueError("a decoder layer has a cross-attention")
    return seen


def _attentions(walk: Walk) -> None:
    src = walk.src_tokens
    tgt = walk.tgt_tokens
    seen = walk.seen
    kinds = (
        ("Encoder", seen.encoder.self_attention, src, src, "reads"),
        ("Decoder", seen.decoder.self_attention, tgt, tgt, "reads"),
        ("Bridge", _cross(walk), walk.written.tokens, src, "predicts"),
    )
    for place, (name, each, rows, columns, verb) in zip(st.columns(3), kinds, strict=True):
        with place:
            pairs(f"{name}: the mask M", looks(each.mask), rows, columns)
            weights(
                f"{name}: weights of head {_head(each, walk) + 1}",
                each.weights[_head(each, walk)],
                rows,
                columns,
                verb,
            )
    st.caption(
        "This sentence stands alone, so nothing is padded: in a batch, the columns of `<pad>` would be −∞ in the encoder and on the bridge,"
        " too."
    )


def _head(seen: AttentionTrace, walk: Walk) -> int:
    """The chosen head, or the last of a stack that has fewer."""
    return min(walk.head, len(seen.weights) - 1)


def _feed_forward(walk: Walk) -> None:
    fed = walk.seen.decoder.feed_forward
    n = walk.config.decoder.n_layers
    if fed is not None:
        wide(walk, fed, walk.tgt_tokens)
    name = f"The stream behind layer {walk.layer + 1} of {n}"
    numbers(name, walk.seen.decoder.out, walk.tgt_tokens, mark=walk.place)


def _bridge_formula(run: Run) -> str:
    config = run.recipe.model
    scale = rf" / \sqrt{{{config.d_head(config.decoder)}}}" if config.attention.scaled else ""
    return rf"\mathrm{{softmax}}\left(Q_{{tgt}} K_{{memory}}^\top{scale} + M\right) V_{{memory}}"


def _ffn_words(run: Run) -> tuple[str, str]:
    n = run.recipe.model.decoder.n_layers
    first = "As in the encoder, each place thinks over by itself what it has gathered, and the result joins the stream."
    if not run.recipe.model.decoder.d_ff:
        first = "This model's decoder has no feed-forward: what the attentions have added goes on as it is."
    if n == 1:
        return first, "This decoder has one layer, so its output goes on to the words."
    return first, f"Then the next layer begins with self-attention again, {n} layers in all."


LAYER = ("layer", "head", "tgt")
ROWS: Mapping[str, Step] = MappingProxyType(
    {
        "shifted": Step(
            "The target, shifted by one", "Decoder",
            lambda run: lines(
                r"\text{reads: } \texttt{<s>}, y_1, \ldots, y_{n-1}", r"\text{predicts: } y_1, \ldots, y_{n-1}, \texttt{</s>}"
            ),
            lambda run: (
                "At every place the decoder reads one token and has to predict the next; it starts from a token that says only: begin.",
                "When the whole target is known, as in training, all places are computed at once.",
            ),
            lambda run: (Code(Decoder.forward, "x = self.embed", "return"),),
            _shifted, stack="decoder",
        ),
        "causal": Step(
            "The causal mask", "Decoder",
            lambda run: r"s_{ij} + M_{ij},\;\; M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}",
            lambda run: (
                "All places are computed at once, but none may see what it is to predict: what stands to the right is closed.",
                "So a place reads exactly what it would have read if the words behind it had not been written yet.",
            ),
            lambda run: (Code(masks.causal), Code(attention_weights, "weights = scores.masked_fill", "return weights")),
            _causal, LAYER, "decoder",
        ),
        "self-attention": Step(
            "Self-attention over what is written", "Decoder",
            lambda run: r"z_i = \sum_{j \le i} a_{ij}\, v_j",
            lambda run: (
                "The words written so far are blended by their weights, as in the encoder, but for the closed half.",
                "So the decoder knows, say, that an article of a certain gender stands there already.",
            ),
            lambda run: (Code(DecoderLayer.forward, "x = self.self_residual"), Code(attention_weights, "scores =", "return"),),
            _self_attention, LAYER, "decoder",
        ),
        "bridge": Step(
            "Cross-attention: the bridge", "Decoder", _bridge_formula,
            lambda run: (
                "Here the two languages meet: each word being written asks, and the words of the source answer.",
                "Queries come from the decoder, keys and values from the memory, by matrices of their own in each layer.",
            ),
            lambda run: (Code(DecoderLayer.forward, "x = self.cross_residual"), Code(Attention.forward, "queries =", "keys, values =")),
            _bridge, LAYER, "decoder",
        ),
        "attentions": Step(
            "Three kinds of attention, side by side", "Decoder",
            lambda run: r"\begin{array}{lll} \text{encoder} & Q, K, V \text{ of src} & M_{pad} \\"
            r" \text{decoder} & Q, K, V \text{ of tgt} & M_{causal} \\"
            r" \text{bridge} & Q \text{ of tgt},\; K, V \text{ of src} & M_{pad} \end{array}",
            lambda run: (
                "It is one and the same computation three times: what differs is who asks, who answers, and who may look at whom.",
                "The bridge has no position bias and no causal mask: any source word may be looked at at any time.",
            ),
            lambda run: (
                Code(EncoderLayer.forward, "x = self.self_residual"),
                Code(DecoderLayer.forward, "x = self.self_residual", "x = self.cross_residual"),
            ),
            _attentions, ("layer", "head"), "decoder", is_wide=True,
        ),
        "decoder-feed-forward": Step(
            "Feed-forward, and the next layer", "Decoder",
            lambda run: ffn_formula(run) if run.recipe.model.decoder.d_ff else r"x \leftarrow x",
            _ffn_words,
            lambda run: (Code(FeedForward.forward), Code(Decoder.forward, "for layer", "return")),
            _feed_forward, ("layer", "tgt"), "decoder",
        ),
    }
)  # fmt: skip
