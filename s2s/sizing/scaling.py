"""How a model's costs grow with length, width, depth and vocabulary, all else equal. Nothing is built."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from s2s.config import UserError, override
from s2s.sizing.components import BatchSizes, Component, Cost, cost
from s2s.sizing.spec import ModelSpec, cache_bytes, memory_bytes

LONGEST = 4096  # tokens: the most that a recipe's data.max_length allows


class Variable(NamedTuple):
    """A quantity to vary: its name, unit, present value, and the factors to scale it by."""

    label: str
    factors: tuple[Fraction, ...]
    scale: Callable[[ModelSpec, BatchSizes, Fraction], tuple[ModelSpec, BatchSizes]]
    value: Callable[[ModelSpec, BatchSizes], int]


class Measure(NamedTuple):
    """A cost to plot: its name, unit, and the terms that add up to it."""

    label: str
    terms: Callable[[ModelSpec, BatchSizes], Mapping[str, float]]


class CostPoint(NamedTuple):
    """The terms of a cost at one value of a variable."""

    value: int
    terms: Mapping[str, float]

    @property
    def total(self) -> float:
        return sum(self.terms.values())


def cost_curve(
    spec: ModelSpec, sizes: BatchSizes, variable: Variable, measure: Measure
) -> tuple[CostPoint, ...]:
    """The cost at each value that gives a valid model; values out of range or not whole are left out."""
    found = []
    for factor in variable.factors:
        try:
            scaled, new_sizes = variable.scale(spec, sizes, factor)
            terms = measure.terms(scaled, new_sizes)
        except UserError:
            continue
        found.append(CostPoint(variable.value(scaled, new_sizes), terms))
    return tuple(found)


def _times(factor: Fraction, *numbers: int) -> list[int]:
    products = [number * factor for number in numbers]
    if any(product.denominator > 1 for product in products):
        raise UserError(f"{numbers} times {factor} are not whole numbers; choose another factor.")
    return [int(product) for product in products]


def _scale_length(
    spec: ModelSpec, sizes: BatchSizes, factor: Fraction
) -> tuple[ModelSpec, BatchSizes]:
    src_len, tgt_len = _times(factor, sizes.src_len, sizes.tgt_len)
    limit = min(spec.max_length() or LONGEST, LONGEST)
    if max(src_len, tgt_len) > limit:
        raise UserError(f"{max(src_len, tgt_len)} tokens are too many; at most {limit} fit.")
    return spec, BatchSizes(sizes.batch, src_len, tgt_len)


def _scale_width(
    spec: ModelSpec, sizes: BatchSizes, factor: Fraction
) -> tuple[ModelSpec, BatchSizes]:
    model = spec.recipe.model
    (d_model,) = _times(factor, model.d_model)
    changes = {"model.d_model": d_model}
    for name, stack in (("encoder", model.encoder), ("decoder", model.decoder)):
        d_ff, d_head = _times(factor, stack.d_ff, model.d_head(stack))
        changes |= {f"model.{name}.d_ff": d_ff, f"model.{name}.d_head": d_head}
    return _changed(spec, changes), sizes


def _scale_depth(
    spec: ModelSpec, sizes: BatchSizes, factor: Fraction
) -> tuple[ModelSpec, BatchSizes]:
    model = spec.recipe.model
    encoder, decoder = _times(factor, model.encoder.n_layers, model.decoder.n_layers)
    changes = {"model.encoder.n_layers": encoder, "model.decoder.n_layers": decoder}
    return _changed(spec, changes), sizes


def _scale_vocabulary(
    spec: ModelSpec, sizes: BatchSizes, factor: Fraction
) -> tuple[ModelSpec, BatchSizes]:
    return ModelSpec(spec.recipe, *_times(factor, *spec.vocab_sizes)), sizes


def _changed(spec: ModelSpec, changes: Mapping[str, int]) -> ModelSpec:
    return ModelSpec(override(spec.recipe, changes), *spec.vocab_sizes)


def powers(low: int, high: int) -> tuple[Fraction, ...]:
    """The powers of two from 2**low to 2**high."""
    return tuple(Fraction(2) ** power for power in range(low, high + 1))


VARIABLES: MappingProxyType[str, Variable] = MappingProxyType(
    {
        "length": Variable(
            "length (source tokens)",
            powers(-3, 9),
            _scale_length,
            lambda spec, sizes: sizes.src_len,
        ),
        "width": Variable(
            "width (d_model)",
            powers(-3, 4),
            _scale_width,
            lambda spec, sizes: spec.recipe.model.d_model,
        ),
        "depth": Variable(
            "depth (encoder layers)",
            powers(-3, 4),
            _scale_depth,
            lambda spec, sizes: spec.recipe.model.encoder.n_layers,
        ),
        "vocabulary": Variable(
            "vocabulary (target entries)",
            powers(-3, 6),
            _scale_vocabulary,
            lambda spec, sizes: spec.tgt_vocab_size,
        ),
    }
)


def _flops(spec: ModelSpec, sizes: BatchSizes) -> dict[str, float]:
    found = spec.components(sizes)
    attention = _cost_of(found, _is_attention)
    return {
        "attention products (QKᵀ, AV)": attention.attention_flops,
        "attention projections": attention.flops - attention.attention_flops,
        "feed-forward": _cost_of(found, _is_feed_forward).flops,
        "output projection": _cost_of(found, lambda component: component.kind == "output").flops,
    }


def _parameters(spec: ModelSpec, sizes: BatchSizes) -> dict[str, float]:
    found = spec.components(sizes)
    vocabulary = _cost_of(found, lambda component: component.group in ("embeddings", "output"))
    return {
        "embeddings and output": vocabulary.parameters,
        "attention": _cost_of(found, _is_attention).parameters,
        "feed-forward": _cost_of(found, _is_feed_forward).parameters,
        "norms": _cost_of(found, lambda component: component.group == "norms").parameters,
    }


def _is_attention(component: Component) -> bool:
    return component.kind.endswith("attention")


def _is_feed_forward(component: Component) -> bool:
    return component.kind == "feed_forward"


def _cost_of(found: Iterable[Component], is_counted: Callable[[Component], bool]) -> Cost:
    return cost(component for component in found if is_counted(component))


def _cache(spec: ModelSpec, sizes: BatchSizes) -> dict[str, float]:
    cached = cache_bytes(spec, sizes)
    return {"generated tokens": cached.target, "source": cached.source}


def _memory(spec: ModelSpec, sizes: BatchSizes) -> dict[str, float]:
    return {"training": memory_bytes(spec, sizes)}


MEASURES: MappingProxyType[str, Measure] = MappingProxyType(
    {
        "flops": Measure("FLOPs of a forward pass", _flops),
        "memory": Measure("training memory (bytes)", _memory),
        "cache": Measure("KV cache (bytes)", _cache),
        "parameters": Measure("parameters", _parameters),
    }
)
