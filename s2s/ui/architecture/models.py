"""The models that Architecture can show: the run's and the presets', and the settings in which two of them differ."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s.config import PRESETS, flat
from s2s.runs import Run, differences
from s2s.sizing import COMPONENT_KINDS, Component, ModelSpec
from s2s.ui.kit import cached

THIS_RUN = "run"
# What a diagram's group boxes stand for, by the beginning of their components' names.
GROUPS: Mapping[str, str] = MappingProxyType(
    {
        "": "The whole model",
        "encoder": "Encoder",
        "encoder.layer": "One encoder layer",
        "decoder": "Decoder",
        "decoder.layer": "One decoder layer",
    }
)


class NamedSpec(NamedTuple):
    """A model to be sized, under the name of its run or preset."""

    name: str
    spec: ModelSpec


def model_names(run: Run) -> dict[str, str]:
    """Every model to choose from: its name in links, and its label."""
    this_run = f"this run: {cached.title(run.folder.id)}"
    return {THIS_RUN: this_run, **{name: name for name in PRESETS}}


def named_spec(run: Run, name: str) -> NamedSpec:
    """`run`, or the name of a preset."""
    if name == THIS_RUN:
        spec = ModelSpec(run.recipe, run.src_tokenizer.vocab_size, run.tgt_tokenizer.vocab_size)
        return NamedSpec(cached.title(run.folder.id), spec)
    row = PRESETS[name]
    return NamedSpec(name, ModelSpec(row.recipe, row.src_vocab_size, row.tgt_vocab_size))


def differing_settings(model: NamedSpec, other: NamedSpec | None) -> list[differences.SettingRow]:
    """Those of the models' shapes, and the sizes of their vocabularies; none without another model."""
    if other is None:
        return []
    rows = differences.setting_rows([_settings(model.spec), _settings(other.spec)])
    return [row for row in rows if row.differs]


def _settings(spec: ModelSpec) -> dict[str, Any]:
    sizes = {"src_vocab_size": spec.src_vocab_size, "tgt_vocab_size": spec.tgt_vocab_size}
    return flat(spec.recipe.model) | sizes


def label_of(components: tuple[Component, ...], name: str) -> str:
    """The label of a component or of one of GROUPS."""
    component = next((component for component in components if component.name == name), None)
    return GROUPS[name] if component is None else COMPONENT_KINDS[component.kind].label


def settings_of(component: Component) -> tuple[str, ...]:
    """The settings that shape a component: keys below `model`, and vocabulary sizes."""
    stack = component.name.partition(".")[0]
    # d_model shapes every component; it is reported once per stack, where the stream begins.
    sizes = {
        "encoder.tokens": ("d_model", "src_vocab_size"),
        "decoder.tokens": ("d_model", "tgt_vocab_size"),
        "decoder.output": ("tgt_vocab_size",),
    }
    keys = (key.replace("{stack}", stack) for key in COMPONENT_KINDS[component.kind].settings)
    return (*keys, *sizes.get(component.name, ()))
