"""The costs of a model as tables: by component, by group of components, and for the five sizes of T5."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from s2s.config import PRESETS
from s2s.sizing.components import BatchSizes, Component, cost, within
from s2s.sizing.kinds import COMPONENT_GROUPS, COMPONENT_KINDS
from s2s.sizing.spec import ModelSpec
from s2s.sizing.t5 import T5_SIZES
from s2s.sizing.training import BYTES, moments

Row = dict[str, object]


def component_rows(spec: ModelSpec, sizes: BatchSizes) -> list[Row]:
    """One row per component. Training memory: weights, gradients, the optimizer's moments, and the activations saved
    for the backward pass.
    """
    components = spec.components(sizes)
    total = cost(components).parameters
    numbers = 2 + moments(spec.recipe)  # per parameter: its weight, its gradient, its moments
    return [_row(component, total, numbers) for component in components]


def _row(component: Component, total_parameters: int, numbers_per_parameter: int) -> Row:
    costs = cost([component])
    training_state = numbers_per_parameter * costs.parameters
    stack = component.name.partition(".")[0]
    return {
        "component": f"{stack}: {COMPONENT_KINDS[component.kind].label.lower()}",
        "module": component.name.rpartition(".")[2],
        "copies": component.copies,
        "parameters": costs.parameters,
        "share (%)": round(100 * costs.parameters / total_parameters, 2),
        "FLOPs forward": costs.flops,
        "training memory (bytes)": BYTES * (training_state + costs.saved_activations),
    }


def group_parameters(spec: ModelSpec) -> list[int]:
    """Parameters of each of COMPONENT_GROUPS."""
    found = spec.components(BatchSizes(1, 1, 1))
    return [
        cost(component for component in found if component.group == group).parameters
        for group in COMPONENT_GROUPS
    ]


def t5_rows() -> list[Row]:
    """One row per size of T5: its shape, its parameters as published and as counted here."""
    return [_t5_row(name) for name in T5_SIZES]


def t5_spec(name: str) -> ModelSpec:
    """A size of T5 by the name of its preset."""
    preset = PRESETS[name]
    return ModelSpec(preset.recipe, preset.src_vocab_size, preset.tgt_vocab_size)


def _t5_row(name: str) -> Row:
    published = T5_SIZES[name]
    components = t5_spec(name).components(BatchSizes(1, 1, 1))
    counted = cost(components).parameters
    embedding = cost(within(components, "encoder.tokens")).parameters
    shape = {key: value for key, value in published._asdict().items() if key != "parameters"}
    return {
        "size": name,
        **shape,
        "published": published.parameters,
        "our count": counted,
        "embedding counted twice": counted + embedding,
        "in the embedding (%)": round(100 * embedding / counted, 1),
    }


class Term(NamedTuple):
    """Parameters of one kind in one stack, as a product that somebody can check: `6 layers × 4 × 512 × 512`."""

    what: str
    product: str
    parameters: int


def arithmetic(components: Sequence[Component]) -> list[Term]:
    """Terms that add up to a model's parameters; all norms of a stack are one, and a shared matrix counts once."""
    found: dict[str, list[Component]] = {}
    for component in components:
        if component.weights:
            found.setdefault(_term_name(component, components), []).append(component)
    return [Term(name, _product(rows), cost(rows).parameters) for name, rows in found.items()]


def _term_name(component: Component, components: Sequence[Component]) -> str:
    stack = component.name.partition(".")[0]
    if component.group == "norms":
        return f"{stack}: norms"
    name = f"{stack}: {COMPONENT_KINDS[component.kind].label.lower()}"
    uses = 1 + sum(other.tied_to == component.name for other in components)
    return name if uses == 1 else f"{name}, used {uses} times"


def _product(rows: Sequence[Component]) -> str:
    copies = rows[0].copies if len(rows) == 1 else 1
    shapes: Counter[tuple[int, ...]] = Counter()
    for row in rows:
        for weight in row.weights:
            shapes[tuple(sorted(weight.lengths, reverse=True))] += row.copies // copies
    terms = [
        " × ".join([*([f"{n:,}"] if n > 1 else []), *(f"{length:,}" for length in lengths)])
        for lengths, n in shapes.items()
    ]
    whole = " + ".join(terms)
    if copies == 1:
        return whole
    return f"{copies} layers × {f'({whole})' if len(terms) > 1 else whole}"


def rounded(n: int) -> str:
    """A count in words, with three digits.

    >>> rounded(60_506_624), rounded(1_086_976), rounded(60_928), rounded(78)
    ('60.5 million', '1.09 million', '60,900', '78')
    """
    for unit, size in (("billion", 10**9), ("million", 10**6)):
        if n >= 0.9995 * size:
            return f"{n / size:.3g} {unit}"
    return f"{round(n, min(0, 3 - len(str(n)))):,}"
