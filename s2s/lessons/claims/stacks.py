"""Claim: a decoder layer is an encoder layer with a mask and cross-attention. Computed from the sizes alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from s2s.config import PRESETS
from s2s.lessons.claims.claim import Claim, Finding, Picture, Proof, Results, Row, Series
from s2s.lessons.lesson import View
from s2s.links import share
from s2s.sizing import BatchSizes, Component, ModelSpec

PRESET = "transformer-base"
LENGTH = 64  # tokens of the source, and of the target
STACKS = ("encoder", "decoder")
ADDED = (
    "cross_attention",
    "cross_residual",
)  # what a decoder layer has beside the same as an encoder layer
TOLERANCE = 0.02  # of the ratio of parameters
# (row, encoder, decoder): what no size says.
USE = (
    ("reads", "all source tokens", "the target tokens so far, from <s>"),
    (
        "self-attention",
        "each position to all, padding excepted",
        "each position to itself and earlier ones",
    ),
    ("cross-attention", "none", "each position to all of the encoder's output, padding excepted"),
    (
        "in training",
        "once per sentence, all positions in parallel",
        "once per sentence, all positions in parallel",
    ),
    ("in generation", "once per sentence", "once per token; keys and values are cached"),
    ("gives", "one vector per source token", "one vector per target token, projected to logits"),
)


@cache
def results() -> Results:
    """Parameters and FLOPs of the components of one layer, by stack; FLOPs of one pass, in parallel."""
    row = PRESETS[PRESET]
    spec = ModelSpec(row.recipe, row.src_vocab_size, row.tgt_vocab_size)
    found = spec.components(BatchSizes(1, LENGTH, LENGTH))
    return {
        "preset": PRESET,
        "length": LENGTH,
        "stacks": {stack: _layer(found, f"{stack}.layer.") for stack in STACKS},
        "layers": {stack: row.recipe.model.encoder.n_layers for stack in STACKS},
    }


def _layer(found: Sequence[Component], prefix: str) -> dict[str, dict[str, int]]:
    return {
        one.name.removeprefix(prefix): {"parameters": one.parameters, "flops": one.flops}
        for one in found
        if one.name.startswith(prefix)
    }


def expected_ratio() -> float:
    """Parameters of a decoder layer per encoder layer, from the shapes: 2 attentions instead of 1.

    >>> round(expected_ratio(), 2)
    1.33
    """
    model = PRESETS[PRESET].recipe.model
    attention = 4 * model.d_model**2
    feed_forward = 2 * model.d_model * model.encoder.d_ff
    return (2 * attention + feed_forward) / (attention + feed_forward)


def _label(name: str) -> str:
    """`cross_residual` -> `cross-attention's add and norm`."""
    of, _, what = name.rpartition("_")
    if what != "residual":
        return name.replace("_", "-")
    return f"{'feed-forward' if of == 'feed_forward' else f'{of}-attention'}'s add and norm"


def judge(results: Results) -> Finding:
    """From the components of the two layers and the ratio of their parameters."""
    encoder, decoder = (results["stacks"][stack] for stack in STACKS)
    more = sorted(set(decoder) - set(encoder))
    sizes = [sum(one["parameters"] for one in layer.values()) for layer in (encoder, decoder)]
    ratio = sizes[1] / sizes[0]
    names = " and ".join(_label(name) for name in more)
    sentence = (
        f"A decoder layer has {names} more than an encoder layer, and {ratio:.3f} times its parameters; the shapes say"
        f" {expected_ratio():.3f}."
    )
    is_added = more == sorted(ADDED) and not set(encoder) - set(decoder)
    is_larger = abs(ratio / expected_ratio() - 1) <= TOLERANCE
    if is_added and is_larger:
        return Finding("holds", sentence)
    return Finding("partly" if is_added or is_larger else "fails", sentence)


def picture(results: Results) -> Picture:
    """Parameters of one layer, by component."""
    names = list(results["stacks"]["decoder"])
    return Picture(
        "One layer of the encoder and of the decoder",
        "parameters",
        "",
        tuple(
            Series(
                stack, (), tuple(layer.get(name, {"parameters": 0})["parameters"] for name in names)
            )
            for stack, layer in results["stacks"].items()
        ),
        "The longer a bar, the more parameters. Where only one bar is visible, the other stack lacks the component.",
        tuple(_label(name) for name in names),
    )


def rows(results: Results) -> list[Row]:
    """A row per property, encoder and decoder side by side."""
    encoder, decoder = (results["stacks"][stack] for stack in STACKS)
    table: list[Row] = [
        {"": name, "encoder": first, "decoder": second} for name, first, second in USE
    ]
    for name in decoder:
        kinds = [
            f"{layer[name]['parameters']:,} parameters, {layer[name]['flops']:,} FLOPs"
            if name in layer
            else "none"
            for layer in (encoder, decoder)
        ]
        table.append({"": f"per layer: {_label(name)}", "encoder": kinds[0], "decoder": kinds[1]})
    return table


def method(results: Results) -> str:
    """Which size."""
    return (
        f"Computed, not measured: one layer of {results['preset']}, for one sentence of {results['length']} source and"
        f" {results['length']} target tokens. FLOPs: 2 per multiply-add of a matrix product."
    )


CLAIM = Claim(
    id="stacks",
    title="Encoder and decoder",
    statement="A decoder layer is an encoder layer with a causal mask, and cross-attention on top: a third more"
    " parameters.",
    source="Vaswani et al. 2017, section 3.1",
    criterion="It holds where the decoder's layer has cross-attention (with its norm) and nothing else beside the"
    " encoder's components, and as many more parameters as their shapes say; partly where one of the two is so.",
    proofs=(
        Proof(
            "Both in the diagram",
            View(
                "architecture",
                {
                    "set": share.pack(
                        {"model": PRESET, "part": "decoder.layer", "view": "parameters"}
                    )
                },
            ),
        ),
        Proof("One sentence through both", View("walkthrough", {"run": "demo-en-fr"})),
    ),
    results=results,
    judge=judge,
    picture=picture,
    rows=rows,
    method=method,
)
