"""The pictures of the steps through the decoder: from the shifted target to the chosen tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import plotly.graph_objects as go

from s2s.analysis import Array, AttentionTrace, experiments
from s2s.config import POSITION_KINDS
from s2s.plots import theme
from s2s.plots.picture import Picture
from s2s.plots.walk_encoder import hidden_layer, layer_input
from s2s.plots.walk_tensors import (
    additive_mask,
    of_pairs,
    of_tokens,
    of_weights,
    picture,
    table_of,
)
from s2s.questions import Table, Walked, Walkthrough, walked
from s2s.words import fine_percent, significant

TOP = 10  # tokens that have a bar
RANKED = "One bar per token, the largest on top; greedy search chooses the striped one."
ALONE = (
    "This sentence stands alone, so nothing is padded: in a batch, the columns of <pad> would be −∞ in the encoder's"
    " mask and in the cross-attention's."
)
ROW = 26  # pixels


def shifted(question: Walkthrough, answer: Walked) -> list[Picture]:
    at = answer.at
    pairs = zip(at.tgt_tokens, at.predicts, strict=True)
    rows = [[number, *pair] for number, pair in enumerate(pairs, 1)]
    table = Table(("position", "reads", "predicts"), rows)
    whose = "its own translation" if at.is_own else "the target that you gave"
    is_added = POSITION_KINDS[at.config.positions.kind].acts_on == "vectors"
    positions = " plus position vectors" if is_added else ""
    said = f"The target here is {whose}: you can type another under Settings."
    return [
        picture(None, "What the decoder reads and predicts", table, said),
        of_tokens(f"Embeddings of what it reads{positions}", at.trace.tgt.out, at.tgt_tokens),
    ]


def causal(question: Walkthrough, answer: Walked) -> list[Picture]:
    at, row, head = answer.at, question.row(answer.at), question.head
    attended, words = at.trace.decoder.self_attention, at.tgt_tokens
    made = {
        f"Scores, head {head}": attended.scores[head - 1],
        "The mask M: 0 or −∞": additive_mask(attended.mask),
        "Scores plus M": attended.masked_scores[head - 1],
    }
    return [
        *layer_input(question, at, "decoder"),
        *(of_pairs(name, values, words, words, mark=row) for name, values in made.items()),
    ]


def self_attention(question: Walkthrough, answer: Walked) -> list[Picture]:
    at, row, head = answer.at, question.row(answer.at), question.head
    attended, words = at.trace.decoder.self_attention, at.tgt_tokens
    weights, sums = attended.weights[head - 1], attended.head_outputs[head - 1]
    return [
        of_weights(f"Weights of head {head}", weights, words, words, verb="reads", mark=row),
        of_tokens(f"Weighted sums of head {head}", sums, words, mark=row),
    ]


def bridge(question: Walkthrough, answer: Walked) -> list[Picture]:
    at, row, head = answer.at, question.row(answer.at), question.head
    attended, src = _cross(answer), at.src_tokens
    weights = attended.weights[head - 1]
    n_heads, length, d_head = attended.keys.shape
    layers = walked.counted(at.config.decoder.n_layers, "layer")
    size = f"{layers} × {walked.counted(n_heads, 'head')} × {walked.counted(length, 'token')} × {d_head} numbers"
    cached = (
        "The keys and values of the source are computed once per sentence and cached while the target grows:"
        f" {size}, once for keys and once for values."
    )
    shown = of_weights(
        f"Weights of head {head}", weights, at.predicts, src, verb="predicts", mark=row
    )
    values = of_tokens("Values, from the memory", attended.values[head - 1], src)
    return [
        shown,
        of_tokens("Queries, from the decoder", attended.queries[head - 1], at.tgt_tokens, mark=row),
        of_tokens("Keys, from the memory", attended.keys[head - 1], src),
        replace(values, caption=f"{cached} {values.caption}"),
    ]


def _cross(answer: Walked) -> AttentionTrace:
    attended = answer.at.trace.decoder.cross_attention
    if attended is None:
        raise ValueError("a decoder layer has a cross-attention")
    return attended


def three_attentions(question: Walkthrough, answer: Walked) -> list[Picture]:
    """Pictures of the masks and weights of the three kinds of attention."""
    at = answer.at
    src, tgt, trace = at.src_tokens, at.tgt_tokens, at.trace
    kinds = (
        ("Encoder", trace.encoder.self_attention, src, src, "reads"),
        ("Decoder", trace.decoder.self_attention, tgt, tgt, "reads"),
        ("Cross", _cross(answer), at.predicts, src, "predicts"),
    )
    shown = []
    for name, attended, rows, keys, verb in kinds:
        head = min(question.head, len(attended.weights))  # a stack may have fewer
        weights = attended.weights[head - 1]
        shown += [
            of_pairs(f"{name}: the mask M", additive_mask(attended.mask), rows, keys),
            of_weights(f"{name}: weights of head {head}", weights, rows, keys, verb=verb),
        ]
    shown[-1] = replace(shown[-1], caption=f"{shown[-1].caption} {ALONE}")
    return shown


def feed_forward(question: Walkthrough, answer: Walked) -> list[Picture]:
    at, row = answer.at, question.row(answer.at)
    decoder, words = at.trace.decoder, at.tgt_tokens
    fed = decoder.feed_forward
    name = f"The stream after layer {question.layer} of {at.config.decoder.n_layers}"
    after = of_tokens(name, decoder.out, words, mark=row)
    return [*(hidden_layer(fed, words, row) if fed else ()), after]


def logits(question: Walkthrough, answer: Walked) -> list[Picture]:
    at, row = answer.at, question.row(answer.at)
    n, decoder = at.config.decoder.n_layers, at.config.decoder
    normed = ", normalized" if decoder.final_norm and at.config.norm.kind != "none" else ""
    layers = {1: "the layer", 2: "both layers"}.get(n, f"all {n} layers")
    name = f"Decoder output after {layers}{normed}"
    found, _ = _ranked(answer, at.trace.logits[row], f"Logits after {at.tgt_tokens[row]}", "logit")
    states = of_tokens(name, at.trace.decoder_states, at.tgt_tokens, mark=row)
    return [states, found]


def probabilities(question: Walkthrough, answer: Walked) -> list[Picture]:
    at, row = answer.at, question.row(answer.at)
    values = experiments.softmax(at.trace.logits[row])
    name = f"Probabilities after {at.tgt_tokens[row]}"
    found, shown = _ranked(answer, values, name, "probability")
    others = fine_percent(max(0.0, 1.0 - shown))
    said = f"Together, the tokens not shown have {others}. Raising a logit by 1 multiplies the token's odds by 2.72."
    return [replace(found, caption=f"{said} {found.caption}")]


def _ranked(answer: Walked, row: Array, name: str, across: str) -> tuple[Picture, float]:
    order = np.argsort(-row, kind="stable")
    bars = [(answer.words[at], float(row[at])) for at in order[:TOP]]
    title = f"{name}\nthe {len(bars)} largest of {len(row):,}"
    is_share = across == "probability"
    figure = ranked_tokens(bars, title=title, x_label=across, chosen=0, is_share=is_share)
    names = [answer.words[at] for at in order]
    table = table_of(row[order][:, None], names, (across,))
    return picture(figure, title, table, RANKED), sum(value for _, value in bars)


def chosen(question: Walkthrough, answer: Walked) -> list[Picture]:
    """Pictures of what the decoder reads and chooses at each step."""
    own, start = answer.own, answer.at.tgt_tokens[0]
    rows = (
        [
            [number, " ".join((start, *own.tokens[: number - 1])), token, float(np.exp(log_prob))]
            for number, (token, log_prob) in enumerate(
                zip(own.tokens, own.token_log_probs, strict=True), 1
            )
        ]
        if own
        else []
    )
    table = Table(("step", "reads", "chooses", "probability"), rows)
    return [picture(None, "What is read and chosen at each step", table)]


DRAW = MappingProxyType(
    {
        "shifted": shifted,
        "causal": causal,
        "self-attention": self_attention,
        "bridge": bridge,
        "attentions": three_attentions,
        "decoder-feed-forward": feed_forward,
        "logits": logits,
        "probabilities": probabilities,
        "chosen": chosen,
    }
)


def ranked_tokens(
    bars: Sequence[tuple[str, float]],
    *,
    title: str,
    x_label: str,
    chosen: int | None = None,
    is_share: bool = False,
) -> go.Figure:
    """A bar chart with one bar per token, in the given order from the top; the one at index `chosen` is striped and of
    another color.
    """
    if not bars:
        return theme.empty("There are no tokens to show.")
    names = [theme.escaped(token) for token, _ in bars]
    values = [value for _, value in bars]
    written = fine_percent if is_share else significant
    is_chosen = [at == chosen for at in range(len(bars))]
    figure = go.Figure(
        go.Bar(
            x=values,
            y=[*range(len(bars))],
            orientation="h",
            text=[*map(written, values)],
            textposition="outside",
            cliponaxis=False,
            marker={
                "color": [theme.CATEGORICAL[3 if chosen else 0] for chosen in is_chosen],
                "pattern": {"shape": ["/" if chosen else "" for chosen in is_chosen]},
            },
            customdata=names,
            hovertemplate=f"%{{customdata}}: %{{x:.3{'~%' if is_share else '~g'}}}<extra></extra>",
        )
    )
    low = min(0.0, *values)
    high = max(0.0, *values)
    room = 0.18 * (high - low or 1.0)
    rows = {
        "tickmode": "array",
        "tickvals": [*range(len(bars))],
        "ticktext": [theme.escaped(theme.shortened(token)) for token, _ in bars],
    }
    return figure.update_layout(
        title=theme.heading(title),
        height=112 + ROW * len(bars),
        margin={"l": 8, "r": 8, "t": 64, "b": 48},
        xaxis={
            "title": {"text": x_label},
            "range": [low - (room if low else 0), high + room],
            "fixedrange": True,
            "nticks": 5,
            "tickformat": ".2~%" if is_share else "",
        },
        yaxis=rows
        | {
            "range": [len(bars) - 0.5, -0.5],
            "automargin": True,
            "fixedrange": True,
            "showgrid": False,
            "zeroline": False,
        },
        bargap=0.25,
        dragmode=False,
    )
