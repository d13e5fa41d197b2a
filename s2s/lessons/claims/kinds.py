"""Claim: what an encoder, a decoder-only model and an encoder-decoder need. Computed from the sizes alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from s2s.config import PRESETS
from s2s.lessons.claims.claim import Claim, Finding, Picture, Proof, Results, Row, Series
from s2s.lessons.lesson import View
from s2s.links import share
from s2s.sizing import BYTES, BatchSizes, Component, ModelSpec, cache_bytes, cost

PRESET = "transformer-base"
LENGTH = 64  # tokens of the source, and as many of the target
PARAMETERS = (1.8, 2.6)  # times as many: what counts as twice
FLOPS = (0.75, 1.25)  # what counts as about the same


@dataclass(frozen=True)
class Kind:
    """One kind of model, with formulas in L layers, d = d_model, d_ff = 4 d, n source and m target tokens."""

    name: str
    examples: str
    masks: str
    parameters: str
    flops: str
    cache: str
    writes: str


KINDS = (
    Kind(
        "encoder",
        "BERT",
        "padding",
        "12 L d²",
        "24 L d² n + 4 L d n²",
        "none",
        "no: it labels or fills in tokens",
    ),
    Kind(
        "decoder-only",
        "GPT, most chat models",
        "causal, over source and target in one sequence",
        "12 L d²",
        "24 L d² (n + m) + 4 L d (n + m)²",
        "2 L d (n + m)",
        "yes, one token at a time",
    ),
    Kind(
        "encoder-decoder",
        "T5, BART, Marian, this program",
        "padding (source), causal (target), padding of the source again in cross-attention",
        "28 L d²",
        "28 L d² (n + m) + 4 L d (n² + m² + n m)",
        "2 L d (n + m)",
        "yes, one token at a time; the source is read once",
    ),
)


@cache
def results() -> Results:
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


def judge(results: Results) -> Finding:
    """From the encoder-decoder's parameters and FLOPs, as multiples of the decoder-only model's."""
    both, alone = (results["kinds"][name] for name in ("encoder-decoder", "decoder-only"))
    parameters = both["parameters"] / alone["parameters"]
    flops = both["flops"] / alone["flops"]
    sentence = (
        f"The encoder-decoder has {parameters:.2f} times the decoder-only model's parameters and takes {flops:.2f}"
        f" times its FLOPs; their caches hold {both['cache'] / alone['cache']:.2f} times as many numbers."
    )
    is_twice = PARAMETERS[0] <= parameters <= PARAMETERS[1]
    is_same = FLOPS[0] <= flops <= FLOPS[1]
    if is_twice and is_same:
        return Finding("holds", sentence)
    return Finding("partly" if is_twice or is_same else "fails", sentence)


def picture(results: Results) -> Picture:
    """Each quantity, as a multiple of the decoder-only model's."""
    quantities = {
        "parameters": "parameters",
        "flops": "FLOPs of one pass",
        "cache": "numbers cached",
    }
    alone = results["kinds"]["decoder-only"]
    return Picture(
        "What each kind of model needs",
        "times the decoder-only model",
        "",
        tuple(
            Series(name, (), tuple(round(found[key] / alone[key], 2) for key in quantities))
            for name, found in results["kinds"].items()
        ),
        f"Of models of the same width and depth per stack, for {results['length']} source and as many target tokens."
        " The encoder reads the source alone, and caches nothing.",
        tuple(quantities.values()),
    )


def rows(results: Results) -> list[Row]:
    """A row per property: formulas, and their values."""
    found = results["kinds"]
    properties: dict[str, Callable[[Kind], str]] = {
        "examples": lambda kind: kind.examples,
        "masks": lambda kind: kind.masks,
        "attention modules": lambda kind: f"{found[kind.name]['attention']}",
        "parameters of the layers": lambda kind: kind.parameters,
        "parameters with these sizes": lambda kind: f"{found[kind.name]['parameters']:,}",
        "FLOPs of one pass": lambda kind: kind.flops,
        "FLOPs with these sizes": lambda kind: f"{found[kind.name]['flops']:,}",
        "numbers cached": lambda kind: kind.cache,
        "cached with these sizes": lambda kind: f"{found[kind.name]['cache']:,}",
        "generates": lambda kind: kind.writes,
    }
    return [
        {"": name} | {kind.name: say(kind) for kind in KINDS} for name, say in properties.items()
    ]


def method(results: Results) -> str:
    """Which size, and what is not counted."""
    model = PRESETS[results["preset"]].recipe.model
    return (
        f"Computed, not measured: the width and depth of {results['preset']} (L = {model.encoder.n_layers} layers per"
        f" stack, d = {model.d_model}, d_ff = {model.encoder.d_ff}), n = m = {results['length']} tokens. FLOPs: 2 per"
        " multiply-add of a matrix product, masked products included. The formulas leave out biases and norms, the"
        " numbers do not. Embeddings and the output matrix are left out of both."
    )


CLAIM = Claim(
    id="kinds",
    title="Three kinds of models",
    statement="An encoder-decoder has about twice the parameters of a decoder-only model of the same depth, at about"
    " the same cost: each half reads only its own side.",
    source="Raffel et al. 2020, section 3.2.2",
    criterion=f"It holds where parameters are {PARAMETERS[0]} to {PARAMETERS[1]} times as many and FLOPs {FLOPS[0]} to"
    f" {FLOPS[1]} times; partly where one of the two is; otherwise it fails.",
    proofs=(
        Proof(
            "The masks of a sentence",
            View("architecture", {"set": share.pack({"model": PRESET, "view": "masks"})}),
        ),
        Proof(
            "Costs by length",
            View("architecture", {"set": share.pack({"model": PRESET, "view": "costs"})}),
        ),
    ),
    results=results,
    judge=judge,
    picture=picture,
    rows=rows,
    method=method,
)
