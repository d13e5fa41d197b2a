"""What a decoder layer has beside the same as an encoder layer, computed from the sizes alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from s2s.config import PRESETS
from s2s.lessons.claims import Measured, Picture, Series
from s2s.sizing import BatchSizes, ModelSpec

PRESET = "transformer-base"
LENGTH = 64  # tokens of the source, and of the target
STACKS = ("encoder", "decoder")
ADDED = {"cross_attention", "cross_residual"}  # of a decoder layer
TOLERANCE = 0.02  # of the ratio of parameters
# Of encoder and decoder: what no size says.
USE = {
    "reads": ("all source tokens", "the target tokens so far, from <s>"),
    "self-attention": (
        "each position to all, padding excepted",
        "each position to itself and earlier ones",
    ),
    "cross-attention": ("none", "each position to all of the encoder's output, padding excepted"),
    "in training": 2 * ("once per sentence, all positions in parallel",),
    "in generation": ("once per sentence", "once per token; keys and values are cached"),
    "gives": ("one vector per source token", "one vector per target token, projected to logits"),
}


def measure() -> dict[str, Any]:
    """Parameters and FLOPs of the components of one layer, by stack; FLOPs of one pass, in parallel."""
    row = PRESETS[PRESET]
    spec = ModelSpec(row.recipe, row.src_vocab_size, row.tgt_vocab_size)
    found = spec.components(BatchSizes(1, LENGTH, LENGTH))
    stacks: dict[str, dict[str, dict[str, int]]] = {stack: {} for stack in STACKS}
    for one in found:
        stack, _, name = one.name.partition(".layer.")
        if name:
            stacks[stack][name] = {"parameters": one.parameters, "flops": one.flops}
    return {"preset": PRESET, "length": LENGTH, "stacks": stacks}


def expected_ratio() -> float:
    """Parameters of a decoder layer per encoder layer, from the shapes: 2 attentions instead of 1.

    >>> round(expected_ratio(), 2)
    1.33
    """
    model = PRESETS[PRESET].recipe.model
    attention = 4 * model.d_model**2
    feed_forward = 2 * model.d_model * model.encoder.d_ff
    return (2 * attention + feed_forward) / (attention + feed_forward)


def report(results: Mapping[str, Any]) -> Measured:
    """Parameters by component; the level, from the components of the two layers and the ratio of their parameters."""
    encoder, decoder = (results["stacks"][stack] for stack in STACKS)
    more = set(decoder) - set(encoder)
    n_encoder, n_decoder = (
        sum(one["parameters"] for one in layer.values()) for layer in (encoder, decoder)
    )
    ratio = n_decoder / n_encoder
    is_added = more == ADDED and set(encoder) < set(decoder)
    is_larger = abs(ratio / expected_ratio() - 1) <= TOLERANCE
    labels = {name: _label(name) for name in decoder}
    return Measured(
        "holds" if is_added and is_larger else "partly" if is_added or is_larger else "fails",
        f"A decoder layer has {' and '.join(map(_label, sorted(more)))} more than an encoder layer, and {ratio:.3f}"
        f" times its parameters; the shapes say {expected_ratio():.3f}.",
        f"Computed, not measured: one layer of {results['preset']}, for one sentence of {results['length']} source and"
        f" {results['length']} target tokens. FLOPs: 2 per multiply-add of a matrix product.",
        Picture(
            "One layer of the encoder and of the decoder",
            "parameters",
            "",
            tuple(
                Series(
                    stack,
                    (),
                    tuple(layer[name]["parameters"] if name in layer else 0 for name in labels),
                )
                for stack, layer in results["stacks"].items()
            ),
            "The longer a bar, the more parameters. Where only one bar is visible, the other stack lacks the"
            " component.",
            tuple(labels.values()),
        ),
        {
            "": (*USE, *(f"per layer: {label}" for label in labels.values())),
            **{
                stack: (
                    *(cells[at] for cells in USE.values()),
                    *(_cell(results["stacks"][stack], name) for name in labels),
                )
                for at, stack in enumerate(STACKS)
            },
        },
    )


def _cell(layer: Mapping[str, Mapping[str, int]], name: str) -> str:
    if name not in layer:
        return "none"
    return f"{layer[name]['parameters']:,} parameters, {layer[name]['flops']:,} FLOPs"


def _label(name: str) -> str:
    """`cross_residual` -> `cross-attention's add and norm`."""
    of, _, what = name.rpartition("_")
    if what != "residual":
        return name.replace("_", "-")
    return f"{'feed-forward' if of == 'feed_forward' else f'{of}-attention'}'s add and norm"
