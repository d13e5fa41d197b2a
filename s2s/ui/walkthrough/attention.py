"""Inside one attention of the encoder: queries, keys, values, scores, mask, softmax, weighted sum, heads."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import streamlit as st

from s2s.analysis import AttentionTrace, experiments
from s2s.config import ModelConfig
from s2s.model import Attention, attention_weights, masks
from s2s.runs import Run
from s2s.ui.walkthrough import cached
from s2s.ui.walkthrough.code import Code
from s2s.ui.walkthrough.input import POSITION_FORMULAS, POSITION_WORDS
from s2s.ui.walkthrough.pictures import counted, heads, looks, numbers, pairs, signed, weights
from s2s.ui.walkthrough.request import Step, Walk, lines, quoted

PAD = "<pad>"
WAYS = ("way", "key")


def _attended(walk: Walk) -> AttentionTrace:
    return walk.seen.encoder.self_attention


def _queries(walk: Walk) -> None:
    seen = _attended(walk)
    tokens = walk.src_tokens
    head = walk.head
    for name, each in (("Queries", seen.queries), ("Keys", seen.keys), ("Values", seen.values)):
        numbers(f"{name} of head {head + 1}", each[head], tokens, mark=walk.place)


def _scores(walk: Walk) -> None:
    seen = _attended(walk)
    tokens = walk.src_tokens
    row = walk.place
    products = seen.dot_products[walk.head]
    pairs(f"Queries times keys, head {walk.head + 1}", products, tokens, tokens, mark=row)
    best = int(products[row].argmax())
    st.caption(
        f"The query of {quoted(tokens[row])} fits best the key of {quoted(tokens[best])}: {signed(products[row, best])}."
    )


def _scaling(walk: Walk) -> None:
    seen = _attended(walk)
    tokens = walk.src_tokens
    row = walk.place
    pairs(f"Scaled scores, head {walk.head + 1}", seen.scaled[walk.head], tokens, tokens, mark=row)
    both = np.stack(
        [experiments.softmax(each[walk.head, row]) for each in (seen.dot_products, seen.scaled)]
    )
    pairs(
        f"Softmax of the row of {tokens[row]}",
        both,
        ("not scaled", "in this model"),
        tokens,
        of=WAYS,
    )
    most = both.max(1)
    st.caption(
        f"The largest share of that row would be {most[0]:.2f} without scaling; it is {most[1]:.2f}."
    )


def _bias(walk: Walk) -> None:
    seen = _attended(walk)
    tokens = walk.src_tokens
    if seen.bias is not None:
        pairs(
            f"What positions add, head {walk.head + 1}",
            seen.bias[walk.head],
            tokens,
            tokens,
            mark=walk.place,
        )
    pairs("Scaled scores plus that", seen.scores[walk.head], tokens, tokens, mark=walk.place)


def _mask(walk: Walk) -> None:
    seen = cached.padded(walk.run, walk.src, walk.tgt, walk.layer).encoder.self_attention
    row = walk.place
    n_padded = len(seen.mask) - len(walk.src)
    tokens = [*walk.src_tokens, *[PAD] * n_padded]
    st.caption(
        f"As in a batch beside a sentence {counted(n_padded, 'token')} longer: `<pad>` fills the row."
    )
    pairs("Scores", seen.scores[walk.head], tokens, tokens, mark=row)
    pairs("The mask M: 0 or −∞", looks(seen.mask), tokens, tokens, mark=row)
    pairs("Scores plus M", seen.masked_scores[walk.head], tokens, tokens, mark=row)
    by_fill = ("−∞", "−1e9", "this model")
    st.markdown(
        "**What else could stand for “may not look”?** The softmax of the framed row, by what is added there:"
    )
    found = experiments.weights_by_fill(seen, walk.head, row, seen.mask[row])
    pairs(
        "Some keys are hidden",
        np.stack([found.minus_infinity, found.minus_billion, found.lowest]),
        by_fill,
        tokens,
        of=WAYS,
    )
    found = experiments.weights_by_fill(seen, walk.head, row, np.zeros_like(seen.mask[row]))
    pairs(
        "All keys are hidden",
        np.stack([found.minus_infinity, found.minus_billion, found.lowest]),
        by_fill,
        tokens,
        of=WAYS,
    )
    st.caption(
        "While some key may be looked at, all agree. Where none may, −∞ gives 0/0 = NaN, which spoils every number after it; −1e9 swallows"
        " the scores and spreads the look evenly over what is hidden; this model gives zeros: who may look at nothing takes nothing."
    )


def _softmax(walk: Walk) -> None:
    seen = _attended(walk)
    tokens = walk.src_tokens
    row = walk.place
    found = seen.weights[walk.head]
    weights(f"Weights of head {walk.head + 1}", found, tokens, tokens, "reads")
    best = int(found[row].argmax())
    st.caption(
        f"{quoted(tokens[row])} takes {found[row, best]:.0%} from {quoted(tokens[best])}; its row sums to {found[row].sum():.2f}."
    )


def _weighted(walk: Walk) -> None:
    seen = _attended(walk)
    tokens = walk.src_tokens
    row = walk.place
    shares = seen.weights[walk.head, row]
    values = seen.values[walk.head]
    parts = [f"{token} × {share:.2f}" for token, share in zip(tokens, shares, strict=True)]
    summed = np.concatenate([shares[:, None] * values, seen.head_outputs[walk.head, row][None]])
    numbers(
        f"What {tokens[row]} gathers: values by weight",
        summed,
        [*parts, "their sum"],
        mark=len(parts),
        noun="row",
    )
    numbers(
        f"What head {walk.head + 1} gathers for each",
        seen.head_outputs[walk.head],
        tokens,
        mark=row,
    )


def _heads(walk: Walk) -> None:
    seen = _attended(walk)
    tokens = walk.src_tokens
    heads(
        "The heads side by side", seen.concatenated, tokens, len(seen.head_outputs), mark=walk.place
    )
    if walk.config.attention.output_projection:
        numbers("Mixed by the output matrix", seen.out, tokens, mark=walk.place)


def _bias_term(config: ModelConfig, name: str) -> str:
    return f" + b_{name}" if config.attention.bias else ""


def _queries_formula(run: Run) -> str:
    config = run.recipe.model
    x = r"\mathrm{norm}(x)" if config.norm.place == "pre" and config.norm.kind != "none" else "x"
    turn = "R_t" if config.positions.kind == "rotary" else ""
    products = {name: f"{x} W_{name}{_bias_term(config, name)}" for name in "QKV"}
    parts = [
        f"{name.lower()} = {turn}({each})" if turn and name != "V" else f"{name.lower()} = {each}"
        for name, each in products.items()
    ]
    return lines(*parts)


def _queries_words(run: Run) -> tuple[str, str]:
    config = run.recipe.model
    first = "From its vector each word makes three: a query (what it looks for), a key (what it can be found by) and a value (what it gives)."
    where = (
        "its normed vector"
        if config.norm.place == "pre" and config.norm.kind != "none"
        else "the vector itself"
    )
    d_head = config.d_head(config.encoder)
    n_heads = config.encoder.n_heads
    size = f"{counted(n_heads, 'head')}, {d_head} numbers each"
    return (
        first,
        f"Each is {where} times a matrix that training has set; this layer does so for {size}.",
    )


def _d_head(run: Run) -> int:
    config = run.recipe.model
    return config.d_head(config.encoder)


def _scaling_formula(run: Run) -> str:
    if not run.recipe.model.attention.scaled:
        return r"s_{ij} = q_i \cdot k_j"
    return rf"s_{{ij}} = \frac{{q_i \cdot k_j}}{{\sqrt{{{_d_head(run)}}}}}"


def _scaling_words(run: Run) -> tuple[str, str]:
    d_head = _d_head(run)
    if not run.recipe.model.attention.scaled:
        return (
            "This model does not scale, as T5 does not: its weights began so small that the scores stay moderate by themselves.",
            "The other models here divide by the square root of a head's width, so that the softmax does not become all or nothing.",
        )
    return (
        f"A sum of {d_head} products grows with the width of a head, so it is divided by √{d_head} = {d_head**0.5:.2f}.",
        "Otherwise the softmax would give nearly everything to the largest score, and training could hardly change its mind.",
    )


def _heads_words(run: Run) -> tuple[str, str]:
    config = run.recipe.model
    first = f"{counted(config.encoder.n_heads, 'head')} look each in its own way, and what they gather is put side by side."
    if config.attention.output_projection:
        return (
            first,
            f"One more matrix mixes them into the {config.d_model} numbers that the stream has.",
        )
    return (
        first,
        "This model has no matrix to mix them: they are the sublayer's output as they stand.",
    )


def _heads_formula(run: Run) -> str:
    config = run.recipe.model
    joined = r"\mathrm{Concat}(z^{(1)}, \ldots, z^{(%d)})" % config.encoder.n_heads  # noqa: UP031 (braces)
    return (
        rf"{joined}\,W_O{_bias_term(config, 'O')}" if config.attention.output_projection else joined
    )


def _softmax_formula(run: Run) -> str:
    bias = r" + b" if run.recipe.model.positions.kind in ("alibi", "relative") else ""
    scale = rf"/\sqrt{{{_d_head(run)}}}" if run.recipe.model.attention.scaled else ""
    return lines(
        r"a_{ij} = \exp s_{ij} \,/\, \textstyle\sum_k \exp s_{ik}",
        rf"A = \mathrm{{softmax}}\left(QK^\top{scale}{bias} + M\right)",
    )


LAYER = ("layer", "head", "src")
ROWS: Mapping[str, Step] = MappingProxyType(
    {
        "queries": Step(
            "Queries, keys, values of one head", "Encoder", _queries_formula, _queries_words,
            lambda run: (Code(Attention.forward, "queries =", "keys, values ="), Code(Attention.keys_values)),
            _queries, LAYER,
        ),
        "scores": Step(
            "Scores: every query meets every key", "Encoder",
            lambda run: rf"q_i \cdot k_j = \sum_{{c=1}}^{{{_d_head(run)}}} q_{{ic}}\, k_{{jc}}",
            lambda run: (
                "The numbers of a query and a key are multiplied in pairs and added up: the more alike they point, the larger the sum.",
                "Each row is one word asking, each column one word answering; all pairs are computed at once, as one product of matrices.",
            ),
            lambda run: (Code(attention_weights, "scores ="),),
            _scores, LAYER,
        ),
        "scaling": Step(
            "Scaling the scores", "Encoder",
            _scaling_formula, _scaling_words,
            lambda run: (Code(Attention.__init__, "self.scale ="), Code(attention_weights, "scores =")),
            _scaling, LAYER,
        ),
        "bias": Step(
            "Positions are added to the scores", "Encoder",
            lambda run: POSITION_FORMULAS[run.recipe.model.positions.kind],
            lambda run: (
                POSITION_WORDS[run.recipe.model.positions.kind],
                "The same numbers are added whatever the words are: they know places only.",
            ),
            lambda run: (Code(type(run.model.encoder.embed.position).bias), Code(attention_weights, "if bias", "scores = scores")),
            _bias, LAYER, when=lambda config: config.positions.kind in ("alibi", "relative"),
        ),
        "mask": Step(
            "The padding mask is added", "Encoder",
            lambda run: r"s_{ij} + M_{ij},\;\; M_{ij} = \begin{cases} 0 & j \text{ is a token} \\ -\infty & \text{padding} \end{cases}",
            lambda run: (
                "Sentences of a batch have one length, so short ones are filled up with `<pad>`, which nobody should look at.",
                "Minus infinity becomes 0 in the softmax that follows, so the weights of the real words are as if the padding were not"
                " there.",
            ),
            lambda run: (Code(masks.padding), Code(attention_weights, "weights = scores.masked_fill", "return weights")),
            _mask, LAYER,
        ),
        "softmax": Step(
            "Softmax: from scores to weights", "Encoder", _softmax_formula,
            lambda run: (
                "Each row of scores becomes shares that are positive and sum to 1: how much the word takes from each of the others.",
                "A score that is larger by 1 gets 2.72 times the share, so differences count, not sizes.",
            ),
            lambda run: (Code(attention_weights, "weights =", "return weights"),),
            _softmax, LAYER,
        ),
        "weighted": Step(
            "The weighted sum of the values", "Encoder",
            lambda run: r"z_i = \sum_j a_{ij}\, v_j",
            lambda run: (
                "Each word's value is taken by its weight, and all are added: a blend of what the others give, mostly of those looked"
                " at most.",
                "This is the only place of the encoder where words learn of each other.",
            ),
            lambda run: (Code(Attention.forward, "weights = attention_weights", "heads = F.dropout"),),
            _weighted, LAYER,
        ),
        "heads": Step(
            "Heads, joined again", "Encoder", _heads_formula, _heads_words,
            lambda run: (Code(Attention.split), Code(Attention.forward, "joined =", "return")),
            _heads, ("layer", "src"),
        ),
    }
)  # fmt: skip
