"""What a machine costs, and how that grows: one thing varied, all else as it is. Nothing is built."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from s2s.config import Recipe, UserError, override
from s2s.sizing.parts import Cost, Part, Sizes, cost, parts
from s2s.sizing.size import BYTES, training_bytes

LONGEST = 4096  # tokens of a text that a recipe allows


@dataclass(frozen=True)
class Machine:
    """A recipe with the sizes of its vocabularies: all that decides what it costs."""

    recipe: Recipe
    src_vocab_size: int
    tgt_vocab_size: int

    @property
    def vocab_sizes(self) -> tuple[int, int]:
        """Source, target."""
        return self.src_vocab_size, self.tgt_vocab_size

    def parts(self, sizes: Sizes) -> tuple[Part, ...]:
        """As `parts.parts`."""
        is_explicit = self.recipe.train.precision == "fast"
        return parts(self.recipe.model, self.vocab_sizes, sizes, is_explicit=is_explicit)

    def longest(self) -> int | None:
        """Most tokens a text may have, or None where the model sets no limit."""
        positions = self.recipe.model.positions
        return positions.max_length if positions.kind == "learned" else None


class Cached(NamedTuple):
    """Bytes of the keys and values that decoding keeps in all layers, in float32."""

    written: int  # of the tokens written so far
    memory: int  # of the source, as cross-attention sees it


def cache_bytes(machine: Machine, sizes: Sizes) -> Cached:
    """2 (keys and values) x layers x heads x d_head x tokens x rows x 4 bytes. `sizes.batch` rows, each with a source of its own."""
    stack = machine.recipe.model.decoder
    a_token = 2 * stack.n_layers * stack.n_heads * machine.recipe.model.d_head(stack) * BYTES
    return Cached(a_token * sizes.batch * sizes.tgt_len, a_token * sizes.batch * sizes.src_len)


def memory_bytes(machine: Machine, sizes: Sizes) -> int:
    """What training takes, by `size.training_bytes`, with batches of these sizes; the longer side counts for both."""
    longest = max(sizes.src_len, sizes.tgt_len)
    recipe = override(machine.recipe, {"data.max_length": max(2, longest)})
    return training_bytes(recipe, machine.vocab_sizes, slots=sizes.batch * longest)


class Crossing(NamedTuple):
    """Tokens on each side from which the one takes more FLOPs than the other."""

    attention: int  # all of attention, against the feed-forward
    looks: int  # tokens looking at tokens, against all products with weights


def crossing(machine: Machine) -> Crossing:
    """Looking grows with the square of the length, all else in proportion to it."""
    found = machine.parts(Sizes(1, 1, 1))
    whole = cost(found)
    forward = cost(part for part in found if part.kind == "feed_forward")
    attention = cost(part for part in found if part.kind.endswith("attention"))
    ahead = forward.flops - (attention.flops - attention.looks)
    return Crossing(
        max(1, ahead // whole.looks + 1), (whole.flops - whole.looks) // whole.looks + 1
    )


class Variable(NamedTuple):
    """One thing that is varied: a name with its unit, by what it is multiplied, how, and what it is."""

    label: str
    factors: tuple[Fraction, ...]
    scaled: Callable[[Machine, Sizes, Fraction], tuple[Machine, Sizes]]
    value: Callable[[Machine, Sizes], int]


class Measure(NamedTuple):
    """One cost: a name with its unit, and its terms, which add up to it."""

    label: str
    terms: Callable[[Machine, Sizes], Mapping[str, float]]


class Grown(NamedTuple):
    """The terms of a cost at one value of what is varied."""

    value: int
    terms: Mapping[str, float]

    @property
    def total(self) -> float:
        """All of them."""
        return sum(self.terms.values())


def grown(
    machine: Machine, sizes: Sizes, variable: Variable, measure: Measure
) -> tuple[Grown, ...]:
    """The cost at each value that makes a whole machine; values that are out of range or no whole numbers are left out."""
    found = []
    for factor in variable.factors:
        try:
            other, longer = variable.scaled(machine, sizes, factor)
            found.append(Grown(variable.value(other, longer), measure.terms(other, longer)))
        except UserError:
            continue
    return tuple(found)


def _times(factor: Fraction, *numbers: int) -> list[int]:
    products = [number * factor for number in numbers]
    if any(product.denominator > 1 for product in products):
        raise UserError(f"{numbers} times {factor} are no whole numbers; choose another factor.")
    return [int(product) for product in products]


def _longer(machine: Machine, sizes: Sizes, factor: Fraction) -> tuple[Machine, Sizes]:
    src_len, tgt_len = _times(factor, sizes.src_len, sizes.tgt_len)
    limit = machine.longest() or 2**31
    if max(src_len, tgt_len) > min(limit, LONGEST):
        raise UserError(
            f"{max(src_len, tgt_len)} tokens are too many; at most {min(limit, LONGEST)} fit."
        )
    return machine, Sizes(sizes.batch, src_len, tgt_len)


def _wider(machine: Machine, sizes: Sizes, factor: Fraction) -> tuple[Machine, Sizes]:
    model = machine.recipe.model
    (d_model,) = _times(factor, model.d_model)
    stacks = {"encoder": model.encoder, "decoder": model.decoder}
    widths = {
        name: _times(factor, stack.d_ff, model.d_head(stack)) for name, stack in stacks.items()
    }
    changes = {
        f"model.{name}.{key}": value
        for name, both in widths.items()
        for key, value in zip(("d_ff", "d_head"), both, strict=True)
    }
    return _changed(machine, {"model.d_model": d_model, **changes}), sizes


def _deeper(machine: Machine, sizes: Sizes, factor: Fraction) -> tuple[Machine, Sizes]:
    encoder, decoder = _times(
        factor, machine.recipe.model.encoder.n_layers, machine.recipe.model.decoder.n_layers
    )
    return _changed(
        machine, {"model.encoder.n_layers": encoder, "model.decoder.n_layers": decoder}
    ), sizes


def _richer(machine: Machine, sizes: Sizes, factor: Fraction) -> tuple[Machine, Sizes]:
    return Machine(machine.recipe, *_times(factor, *machine.vocab_sizes)), sizes


def _changed(machine: Machine, changes: Mapping[str, int]) -> Machine:
    return Machine(override(machine.recipe, changes), *machine.vocab_sizes)


def powers(low: int, high: int) -> tuple[Fraction, ...]:
    """2 to each whole number of that range."""
    return tuple(Fraction(2) ** power for power in range(low, high + 1))


VARIABLES: MappingProxyType[str, Variable] = MappingProxyType(
    {
        "length": Variable(
            "length (source tokens)", powers(-3, 9), _longer, lambda machine, sizes: sizes.src_len
        ),
        "width": Variable(
            "width (d_model)",
            powers(-3, 4),
            _wider,
            lambda machine, sizes: machine.recipe.model.d_model,
        ),
        "depth": Variable(
            "depth (encoder layers)",
            powers(-3, 4),
            _deeper,
            lambda machine, sizes: machine.recipe.model.encoder.n_layers,
        ),
        "vocabulary": Variable(
            "vocabulary (target pieces)",
            powers(-3, 6),
            _richer,
            lambda machine, sizes: machine.tgt_vocab_size,
        ),
    }
)


def _flops(machine: Machine, sizes: Sizes) -> dict[str, float]:
    found = machine.parts(sizes)
    attention = _of(found, lambda part: part.kind.endswith("attention"))
    return {
        "looking (tokens x tokens)": attention.looks,
        "attention's matrices": attention.flops - attention.looks,
        "feed-forward": _of(found, lambda part: part.kind == "feed_forward").flops,
        "output": _of(found, lambda part: part.kind == "output").flops,
    }


def _parameters(machine: Machine, sizes: Sizes) -> dict[str, float]:
    found = machine.parts(sizes)
    return {
        "embeddings and output": _of(
            found, lambda part: part.group in ("embeddings", "output")
        ).parameters,
        "attention": _of(found, lambda part: part.kind.endswith("attention")).parameters,
        "feed-forward": _of(found, lambda part: part.kind == "feed_forward").parameters,
        "norms": _of(found, lambda part: part.group == "norms").parameters,
    }


def _of(found: Iterable[Part], wanted: Callable[[Part], bool]) -> Cost:
    return cost(part for part in found if wanted(part))


def _cache(machine: Machine, sizes: Sizes) -> dict[str, float]:
    cached = cache_bytes(machine, sizes)
    return {"tokens written": cached.written, "memory of the source": cached.memory}


MEASURES: MappingProxyType[str, Measure] = MappingProxyType(
    {
        "flops": Measure("FLOPs of a forward pass", _flops),
        "memory": Measure(
            "training memory (bytes)",
            lambda machine, sizes: {"training": memory_bytes(machine, sizes)},
        ),
        "cache": Measure("KV cache (bytes)", _cache),
        "parameters": Measure("parameters", _parameters),
    }
)
