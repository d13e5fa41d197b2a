"""The costs of a model as tables: by component, by group of components, and for the five sizes of T5."""

from __future__ import annotations

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


def _t5_row(name: str) -> Row:
    published = T5_SIZES[name]
    preset = PRESETS[name]
    spec = ModelSpec(preset.recipe, preset.src_vocab_size, preset.tgt_vocab_size)
    components = spec.components(BatchSizes(1, 1, 1))
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
