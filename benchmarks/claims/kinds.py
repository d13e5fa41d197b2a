"""What an encoder, a decoder-only model and an encoder-decoder need, computed from the sizes alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from s2s.config import PRESETS
from s2s.lessons.claims import Measured, Picture, Series
from s2s.sizing import BYTES, BatchSizes, Component, ModelSpec, cache_bytes, cost

PRESET = "transformer-base"
LENGTH = 64  # tokens of the source, and as many of the target
PARAMETERS = (1.8, 2.6)  # times as many: what counts as twice
FLOPS = (0.75, 1.25)  # what counts as about the same
# By property, of each kind: formulas in L layers, d = d_model, d_ff = 4 d, n source and m target tokens. A property
# that is measured, too, has its key.
PROPERTIES: Mapping[str, tuple[str, ...] | str] = {
    "examples": ("BERT", "GPT, most chat models", "T5, BART, Marian, this program"),
    "masks": (
        "padding",
        "causal, over source and target in one sequence",
        "padding (source), causal (target), padding of the source again in cross-attention",
    ),
    "attention modules": "attention",
    "parameters of the layers": ("12 L d²", "12 L d²", "28 L d²"),
    "parameters with these sizes": "parameters",
    "FLOPs of one pass": (
        "24 L d² n + 4 L d n²",
        "24 L d² (n + m) + 4 L d (n + m)²",
        "28 L d² (n + m) + 4 L d (n² + m² + n m)",
    ),
    "FLOPs with these sizes": "flops",
    "numbers cached": ("none", "2 L d (n + m)", "2 L d (n + m)"),
    "cached with these sizes": "cache",
    "generates": (
        "no: it labels or fills in tokens",
        "yes, one token at a time",
        "yes, one token at a time; the source is read once",
    ),
}
QUANTITIES = {
    "parameters": "parameters",
    "flops": "FLOPs of one pass",
    "cache": "numbers cached",
}


def measure() -> dict[str, Any]:
    """Attention modules, parameters of all layers, FLOPs of one pass and numbers in the cache, by kind; of the preset's
    width and depth.

    Embeddings and the output matrix are left out: they are the same for all kinds.
    """
    row = PRESETS[PRESET]
    spec = ModelSpec(row.recipe, row.src_vocab_size, row.tgt_vocab_size)
    sizes = BatchSizes(1, LENGTH, LENGTH)
    pair = [one for one in spec.components(sizes) if ".layer." in one.name]
    # in one sequence, the decoder reads the source, too
    joined = spec.components(sizes._replace(tgt_len=2 * LENGTH))
    decoder = [
        one for one in joined if one.name.startswith("decoder.layer.") and ".cross_" not in one.name
    ]
    cached = sum(cache_bytes(spec, sizes)) // BYTES
    parts: dict[str, tuple[Sequence[Component], int]] = {
        "encoder": ([one for one in pair if one.name.startswith("encoder.")], 0),
        "decoder-only": (decoder, cached),
        "encoder-decoder": (pair, cached),
    }
    return {
        "preset": PRESET,
        "length": LENGTH,
        "kinds": {name: _numbers(*found) for name, found in parts.items()},
    }


def _numbers(found: Sequence[Component], cached: int) -> dict[str, int]:
    total = cost(found)
    return {
        "attention": sum(one.copies for one in found if one.kind.endswith("attention")),
        "parameters": total.parameters,
        "flops": total.flops,
        "cache": cached,
    }


def report(results: Mapping[str, Any]) -> Measured:
    """Each quantity as a multiple of the decoder-only model's; the level, from the encoder-decoder's multiples."""
    kinds, length = results["kinds"], results["length"]
    model = PRESETS[results["preset"]].recipe.model
    times = {
        name: {key: found[key] / kinds["decoder-only"][key] for key in QUANTITIES}
        for name, found in kinds.items()
    }
    both = times["encoder-decoder"]
    is_twice = PARAMETERS[0] <= both["parameters"] <= PARAMETERS[1]
    is_same = FLOPS[0] <= both["flops"] <= FLOPS[1]
    table: dict[str, tuple[str, ...]] = {"": tuple(PROPERTIES)}
    for at, (name, found) in enumerate(kinds.items()):
        table[name] = tuple(
            f"{found[cells]:,}" if isinstance(cells, str) else cells[at]
            for cells in PROPERTIES.values()
        )
    return Measured(
        "holds" if is_twice and is_same else "partly" if is_twice or is_same else "fails",
        f"The encoder-decoder has {both['parameters']:.2f} times the decoder-only model's parameters and takes"
        f" {both['flops']:.2f} times its FLOPs; their caches hold {both['cache']:.2f} times as many numbers.",
        f"Computed, not measured: the width and depth of {results['preset']} (L = {model.encoder.n_layers} layers per"
        f" stack, d = {model.d_model}, d_ff = {model.encoder.d_ff}), n = m = {length} tokens. FLOPs: 2 per multiply-add"
        " of a matrix product, masked products included. The formulas leave out biases and norms, the numbers do not."
        " Embeddings and the output matrix are left out of both.",
        Picture(
            "What each kind of model needs",
            "times the decoder-only model",
            "",
            tuple(
                Series(name, (), tuple(round(one, 2) for one in found.values()))
                for name, found in times.items()
            ),
            f"Of models of the same width and depth per stack, for {length} source and as many target tokens. The"
            " encoder reads the source alone, and caches nothing.",
            tuple(QUANTITIES.values()),
        ),
        table,
    )
