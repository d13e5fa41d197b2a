"""What the Architecture page shows: a model, another beside it, the sizes of a batch, one component; and its link."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from s2s.runs import Run
from s2s.sizing import BatchSizes, Component, ModelSpec
from s2s.ui.architecture.models import GROUPS, THIS_RUN, NamedSpec, model_names, named_spec
from s2s.ui.kit import ViewState, cached, field, pickers, vocabulary

NO_MODEL = "nothing"
MAX_SENTENCES = 128
MAX_TOKENS = 512


@dataclass(frozen=True)
class ArchitectureView:
    """What the link's `set` holds."""

    model: str = field(THIS_RUN)
    other: str = field(NO_MODEL, link="against")
    batch: int = field(32)
    src_len: int = field(20)
    tgt_len: int = field(20)
    component: str = field("", link="part")  # or one of GROUPS
    view: str = field("parameters")
    vary: str = field("length")
    cost: str = field("flops")
    masks: str = field("yours")


STATE = ViewState("architecture", ArchitectureView)


@dataclass(frozen=True)
class ArchitectureRequest:
    """What the page shows. `selected` names a component, or one of GROUPS."""

    run: Run
    model: NamedSpec
    other: NamedSpec | None
    sizes: BatchSizes
    components: tuple[Component, ...]
    selected: str


def read_request() -> ArchitectureRequest:
    """The models and sizes that the widgets choose."""
    STATE.from_url()
    run = cached.open_run(st.session_state["run"])
    # Only the view Masks has a sentence box, but a link's sentence is kept in every view.
    first_example = next(iter(vocabulary.of(run).examples), "")
    st.session_state.setdefault("src", st.query_params.get("src", first_example))
    names = model_names(run)
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls model"):
        name = STATE.choice("model", "Model", names, width=200)
        others = {NO_MODEL: "no other model", **names}
        other_name = STATE.choice("other", "Compare with", others, width=200)
        model = named_spec(run, name)
        sizes = _sizes(model.spec)
    components = model.spec.components(sizes)
    other = None if other_name in (NO_MODEL, name) else named_spec(run, other_name)
    return ArchitectureRequest(run, model, other, sizes, components, _selected(components))


def select_component(name: str) -> None:
    """Show another component from the next run on: for callbacks."""
    STATE.remember(component=name)


def _sizes(spec: ModelSpec) -> BatchSizes:
    longest = min(spec.max_length() or MAX_TOKENS, MAX_TOKENS)
    return BatchSizes(
        STATE.slider("batch", "Sentences", 1, MAX_SENTENCES, width=140),
        STATE.slider("src_len", "Source tokens", 1, longest, width=140),
        STATE.slider("tgt_len", "Target tokens", 1, longest, width=140),
    )


def _selected(components: tuple[Component, ...]) -> str:
    name = STATE.now.component
    if name in GROUPS or any(component.name == name for component in components):
        return name
    pickers.notify(f"This model has no component {name[:40]}; the whole model is shown instead.")
    STATE.remember(component="")
    return ""
