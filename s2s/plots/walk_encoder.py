"""The pictures of the steps through the encoder: from tokens to the memory."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np

from s2s.analysis import Array, FeedForwardTrace, experiments
from s2s.config import POSITION_KINDS
from s2s.plots.picture import Picture
from s2s.plots.walk_tensors import (
    activations,
    additive_mask,
    of_heads,
    of_pairs,
    of_tokens,
    of_weights,
    picture,
    shared_limit,
    table_of,
)
from s2s.questions import TracedSentence, Walked, Walkthrough, walked

BINS = 48  # bars of the histogram
POINTS = 241  # of each curve
RANGE = 3.0  # the curves reach at least this far to both sides of 0
VARIANTS = ("variant", "key")  # what rows and columns are where variants of one row are compared
FILLS = ("−∞", "−1e9", "this model")
ALL_THREE = (
    "What if another number stands for “not allowed”? The softmax of the framed row, with −∞, with −1e9, and as this"
    " model computes it: while at least one key is allowed, all three agree."
)
ALL_MASKED = (
    "If no key is allowed, −∞ gives 0/0 = NaN, which spoils every number computed from it; −1e9 rounds the scores away"
    " and gives all masked keys the same weight; in this model, a row with no allowed key is all zeros."
)
ACTIVATIONS = "The gray bars show this layer's real inputs; only there does it matter whether the curves differ."
ERASED = (
    "The input of “{token}” is set to zeros; the pictures show how each sublayer's output changes."
)
MOMENTS = (
    "Of each token's numbers: before the norm, normalized, and after the learned scale and shift."
)


def tokens(question: Walkthrough, answer: Walked) -> list[Picture]:
    """A picture of the tokens, with their ids in its table."""
    table = question.table(answer)
    return [picture(None, f"Tokens\n{walked.counted(len(table.rows), 'token')}", table)]


def embedding(question: Walkthrough, answer: Walked) -> list[Picture]:
    at, row = answer.at, question.row(answer.at)
    found = at.trace.src
    shown = [of_tokens("Embeddings: rows of the table", found.vectors, at.src_tokens, mark=row)]
    if at.config.embeddings.scaled:
        scaled = of_tokens("Embeddings times √d_model", found.scaled, at.src_tokens, mark=row)
        shown.append(scaled)
    return shown


def position(question: Walkthrough, answer: Walked) -> list[Picture]:
    at, row, words = answer.at, question.row(answer.at), answer.at.src_tokens
    found, attended = at.trace.src, at.trace.encoder.self_attention
    acts_on = POSITION_KINDS[at.config.positions.kind].acts_on
    if acts_on == "vectors":
        vectors = found.with_positions - found.scaled
        shown = [
            of_tokens("Position vectors", vectors, words, mark=row),
            of_tokens("Embeddings plus position vectors", found.with_positions, words, mark=row),
        ]
    elif acts_on == "queries and keys":
        where = f"layer {question.layer}, head 1"
        before, after = attended.unrotated_queries[0], attended.queries[0]
        shown = [
            of_tokens(f"Queries before rotation ({where})", before, words, mark=row),
            of_tokens(f"Queries after rotation ({where})", after, words, mark=row),
        ]
    elif attended.bias is not None:
        shown = [of_pairs("Added to the scores (head 1)", attended.bias[0], words, words, mark=row)]
    else:
        name = "Embeddings, without positions"
        shown = [of_tokens(name, found.with_positions, words, mark=row)]
    if at.config.norm.after_embeddings:
        shown.append(of_tokens("After the embedding norm", found.out, words, mark=row))
    return shown


def layer_input(question: Walkthrough, at: TracedSentence, stack: str) -> list[Picture]:
    """Pictures of the stream that the chosen layer reads, so that the text explains every tensor between two steps."""
    is_encoder = stack == "encoder"
    joined = (at.trace.encoder if is_encoder else at.trace.decoder).self_residual
    words = at.src_tokens if is_encoder else at.tgt_tokens
    number, row = question.layer, question.row(at)
    before = (
        "the embeddings of the steps before" if number == 1 else f"the output of layer {number - 1}"
    )
    found = of_tokens(f"Input of layer {number}: {before}", joined.before, words, mark=row)
    if number > 1:
        found = replace(
            found,
            caption=f"From here on, the pictures show layer {number} of the {stack}, whose input is {before}, not the"
            f" embeddings of the steps before. Choose layer 1 to follow those. {found.caption}",
        )
    if at.config.norm.place != "pre" or at.config.norm.kind == "none":
        return [found]
    return [found, of_tokens("The input, normalized", joined.sublayer_input, words, mark=row)]


def queries(question: Walkthrough, answer: Walked) -> list[Picture]:
    at, row, head = answer.at, question.row(answer.at), question.head
    attended = at.trace.encoder.self_attention
    made = {"Queries": attended.queries, "Keys": attended.keys, "Values": attended.values}
    return [
        *layer_input(question, at, "encoder"),
        *(
            of_tokens(f"{name} of head {head}", values[head - 1], at.src_tokens, mark=row)
            for name, values in made.items()
        ),
    ]


def scores(question: Walkthrough, answer: Walked) -> list[Picture]:
    at, row, head = answer.at, question.row(answer.at), question.head
    products = at.trace.encoder.self_attention.dot_products[head - 1]
    best = int(products[row].argmax())
    name, words = f"Queries times keys, head {head}", at.src_tokens
    return [of_pairs(name, products, words, words, mark=row, cell=best)]


def scaling(question: Walkthrough, answer: Walked) -> list[Picture]:
    at, row, head = answer.at, question.row(answer.at), question.head
    attended, words = at.trace.encoder.self_attention, at.src_tokens
    scaled = attended.scaled[head - 1]
    shown = [of_pairs(f"Scaled scores, head {head}", scaled, words, words, mark=row)]
    if not at.config.attention.scaled or at.fault == walked.NO_SCALE:
        return shown
    rows = (attended.dot_products[head - 1, row], scaled[row])
    both = np.stack([experiments.softmax(each) for each in rows])
    largest = both.max(1)
    name = f"Softmax of the row of “{words[row]}”"
    softmax = of_pairs(name, both, ("not scaled", "scaled"), words, nouns=VARIANTS)
    said = f"The largest weight of that row would be {largest[0]:.2f} without scaling; it is {largest[1]:.2f}."
    return [*shown, replace(softmax, finding=said)]


def bias(question: Walkthrough, answer: Walked) -> list[Picture]:
    at, row, head = answer.at, question.row(answer.at), question.head
    attended, words = at.trace.encoder.self_attention, at.src_tokens
    made = {} if attended.bias is None else {"Position biases": attended.bias}
    made |= {"Scaled scores plus biases": attended.scores}
    return [
        of_pairs(f"{name}, head {head}", values[head - 1], words, words, mark=row)
        for name, values in made.items()
    ]


def mask(question: Walkthrough, answer: Walked) -> list[Picture]:
    at, row, head = answer.at, question.row(answer.at), question.head - 1
    attended = answer.padded
    if attended is None:
        raise ValueError("the step `mask` traces padding")
    n_padded = len(attended.mask) - len(at.src_ids)
    words = [*at.src_tokens, *["<pad>"] * n_padded]
    batch = f"As in a batch with a sentence that is {walked.counted(n_padded, 'token')} longer: <pad> fills the rest."
    first = of_pairs("Scores", attended.scores[head], words, words, mark=row)
    allowed = attended.mask[row]
    nothing = np.zeros_like(allowed)
    fills = experiments.weights_by_fill(attended, head, row, allowed)
    none = experiments.weights_by_fill(attended, head, row, nothing)
    masked = attended.masked_scores[head]
    return [
        replace(first, caption=f"{batch} {first.caption}"),
        of_pairs("The mask M: 0 or −∞", additive_mask(attended.mask), words, words, mark=row),
        of_pairs("Scores plus M", masked, words, words, mark=row),
        replace(_fills("Some keys are masked", fills, words), caption=ALL_THREE),
        replace(_fills("All keys are masked", none, words), caption=ALL_MASKED),
    ]


def _fills(name: str, fills: experiments.WeightsByFill, words: list[str]) -> Picture:
    rows = np.stack([fills.minus_infinity, fills.minus_billion, fills.lowest])
    return of_pairs(name, rows, FILLS, words, nouns=VARIANTS)


def softmax(question: Walkthrough, answer: Walked) -> list[Picture]:
    at, head = answer.at, question.head
    weights = at.trace.encoder.self_attention.weights[head - 1]
    name, words, row = f"Weights of head {head}", at.src_tokens, question.row(at)
    return [of_weights(name, weights, words, words, verb="reads", mark=row)]


def weighted(question: Walkthrough, answer: Walked) -> list[Picture]:
    at, row, head = answer.at, question.row(answer.at), question.head
    attended, words = at.trace.encoder.self_attention, at.src_tokens
    weights = attended.weights[head - 1, row]  # (keys,)
    values = weights[:, None] * attended.values[head - 1]  # (keys, d_head)
    total = attended.head_outputs[head - 1, row]  # (d_head,)
    labels = [f"{key} × {weight:.2f}" for key, weight in zip(words, weights, strict=True)]
    both = np.concatenate([values, total[None]])
    name = f"Values weighted for {words[row]}, and their sum"
    sums = attended.head_outputs[head - 1]
    return [
        of_tokens(name, both, [*labels, "sum"], mark=len(labels), noun="row"),
        of_tokens(f"Weighted sums of head {head}", sums, words, mark=row),
    ]


def heads(question: Walkthrough, answer: Walked) -> list[Picture]:
    at, row = answer.at, question.row(answer.at)
    attended, words = at.trace.encoder.self_attention, at.src_tokens
    n_heads, joined = len(attended.head_outputs), attended.concatenated
    shown = [of_heads("The heads, concatenated", joined, words, n_heads, mark=row)]
    if at.config.attention.output_projection:
        shown.append(of_tokens("After the output projection", attended.out, words, mark=row))
    return shown


def residual(question: Walkthrough, answer: Walked) -> list[Picture]:
    """Pictures of the stream before a sublayer, what is added to it, and the stream after."""
    at, row = answer.at, question.row(answer.at)
    joined, norm, number = at.trace.encoder.self_residual, at.config.norm, question.layer
    is_normed = norm.place == "post" and norm.kind != "none"
    is_replaced = at.fault == walked.NO_RESIDUAL
    does, result = ("writes", "What replaces it") if is_replaced else ("adds", "Their sum")
    made = {
        f"Before the attention of layer {number}": joined.before,
        f"What the attention of layer {number} {does}": joined.sublayer_output,
        f"{result} in layer {number}{', normalized' if is_normed else ''}": joined.after,
    }
    limit = shared_limit(*made.values())
    shown = [
        of_tokens(name, values, at.src_tokens, mark=row, limit=limit)
        for name, values in made.items()
    ]
    first = replace(shown[0], caption=f"{shown[0].caption} The three have one color scale.")
    return [first, *shown[1:]]


def norm(question: Walkthrough, answer: Walked) -> list[Picture]:
    at, row, found = answer.at, question.row(answer.at), answer.norm
    words = at.src_tokens
    if found is None:
        stream = at.trace.encoder.self_residual.after
        return [of_tokens("The stream, without a norm", stream, words, mark=row)]
    place = "after the sum of stream and attention"
    if at.config.norm.place == "pre":
        place = f"before the {'feed-forward' if answer.is_next_norm else 'attention'}"
    before = of_tokens("Before the norm", found.input, words, mark=row)
    said = f"Every layer has several; this is the one {place}. {before.caption}"
    shown = [
        replace(before, caption=said),
        of_tokens("After the norm", found.out, words, mark=row),
    ]
    learned = {"scale γ": found.scale, "shift β": found.shift}
    vectors = {name: vector for name, vector in learned.items() if vector is not None}
    if vectors:
        both = np.stack([*vectors.values()])
        shown.append(of_tokens("Learned parameters", both, [*vectors], noun="vector"))
    stages = {"before": found.input, "normalized": found.normalized, "after": found.out}
    columns = [f"mean {name}" for name in stages] + [f"variance {name}" for name in stages]
    moments: Array = np.stack(
        [each.mean(1) for each in stages.values()] + [each.var(1) for each in stages.values()], 1
    )
    table = table_of(moments.round(3), words, columns)
    return [*shown, picture(None, "Mean and variance of each token", table, MOMENTS)]


def feed_forward(question: Walkthrough, answer: Walked) -> list[Picture]:
    at = answer.at
    fed = at.trace.encoder.feed_forward
    if fed is None:
        return [of_tokens("The stream", at.trace.encoder.out, at.src_tokens)]
    return hidden_layer(fed, at.src_tokens, question.row(at))


def hidden_layer(fed: FeedForwardTrace, words: tuple[str, ...], row: int) -> list[Picture]:
    """Pictures of the hidden layer of a feed-forward, and of its output."""
    gate = {} if fed.gate is None else {"The gate, before its activation": fed.gate}
    made = gate | {
        "The hidden layer, after the activation": fed.hidden,
        "What the feed-forward adds": fed.out,
    }
    return [of_tokens(name, values, words, mark=row) for name, values in made.items()]


def activation(question: Walkthrough, answer: Walked) -> list[Picture]:
    fed = answer.at.trace.encoder.feed_forward
    if fed is None:
        return feed_forward(question, answer)
    inputs = fed.activation_inputs
    counts, edges = np.histogram(inputs, BINS)
    limit = max(RANGE, float(np.abs(inputs).max()))
    grid = np.linspace(-limit, limit, POINTS, dtype=np.float32)
    used = answer.at.config.feed_forward.activation
    shown = {
        name: curve
        for name, curve in experiments.activation_curves(grid).items()
        if name in ("relu", "gelu", "silu", used)
    }
    size = f"{walked.counted(len(inputs), 'token')} × {inputs.shape[1]:,}"
    title = f"Activation functions and this layer's inputs\n{inputs.size:,} numbers: {size}"
    figure = activations(
        grid, shown, [*map(int, counts)], [*map(float, edges)], title=title, used=used
    )
    table = table_of(np.stack([*shown.values()]), [*shown], [f"{x:.3f}" for x in grid])
    return [picture(figure, title, table, ACTIVATIONS)]


def one_position(question: Walkthrough, answer: Walked) -> list[Picture]:
    at, row, erased = answer.at, question.row(answer.at), answer.erased
    if erased is None:
        raise ValueError("the step `one-position` erases one")
    made = {"self-attention": erased.attention}
    if erased.feed_forward is not None:
        made = {"feed-forward": erased.feed_forward} | made
    shown = [
        of_tokens(f"Change in the {name}'s output", values, at.src_tokens, mark=row)
        for name, values in made.items()
    ]
    said = f"{ERASED.format(token=at.src_tokens[row])} {shown[0].caption}"
    return [replace(shown[0], caption=said), *shown[1:]]


def memory(question: Walkthrough, answer: Walked) -> list[Picture]:
    at = answer.at
    n = at.config.encoder.n_layers
    name = {1: "After the layer", 2: "After both layers"}.get(n, f"After all {n} layers")
    shown = [of_tokens(name, at.trace.encoder_stream, at.src_tokens)]
    if at.config.encoder.final_norm and at.config.norm.kind != "none":
        final = of_tokens("The memory: after the final norm", at.trace.memory, at.src_tokens)
        shown.append(final)
    return shown


DRAW = MappingProxyType(
    {
        "pieces": tokens,
        "ids": tokens,
        "embedding": embedding,
        "position": position,
        "queries": queries,
        "scores": scores,
        "scaling": scaling,
        "bias": bias,
        "mask": mask,
        "softmax": softmax,
        "weighted": weighted,
        "heads": heads,
        "residual": residual,
        "norm": norm,
        "feed-forward": feed_forward,
        "activation": activation,
        "one-position": one_position,
        "memory": memory,
    }
)
