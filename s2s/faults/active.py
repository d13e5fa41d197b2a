"""A model with a fault: for as long as a block lasts, or permanently."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from s2s.config import NO_FAULT, choose
from s2s.faults.fault import Fault
from s2s.faults.registry import FAULTS
from s2s.model import Transformer


def fault_of(name: str) -> Fault | None:
    """The fault with this name; None for an empty name. Raises UserError for an unknown one."""
    return None if name == NO_FAULT else choose("fault", name, FAULTS)


@contextlib.contextmanager
def active(model: Transformer, name: str, moment: str) -> Iterator[None]:
    """A context in which the model has the fault, if the fault acts in this moment: `training` or `inference`.

    Where it does not act, nothing is hooked. Raises UserError for an unknown name.
    """
    fault = fault_of(name)
    with contextlib.ExitStack() as hooks:
        if fault and fault.is_active(moment):
            fault.apply(model, hooks)
        yield


@contextlib.contextmanager
def as_trained(model: Transformer, name: str) -> Iterator[None]:
    """A context in which the model computes as it did in training with the fault. Hold its lock."""
    fault = fault_of(name)
    with active(model, name if fault and fault.when == "training" else NO_FAULT, "training"):
        yield


def install(model: Transformer, name: str) -> None:
    """Give a model that was trained with the fault what it needs whenever its run is opened, if anything."""
    fault = fault_of(name)
    if fault and fault.when == "both":
        fault.apply(model, contextlib.ExitStack())


def marked(title: str, name: str) -> str:
    """A run's title with its fault: `small` -> `small (fault: no positions)`; without one as it is."""
    fault = FAULTS.get(name)
    return f"{title} (fault: {fault.title[0].lower()}{fault.title[1:]})" if fault else title


def why_not_exported(name: str) -> str:
    """Why other libraries cannot load a run that was trained with the fault; empty where they can."""
    fault = fault_of(name)
    if fault is None or not fault.is_outside_weights:
        return ""
    return (
        f"its fault, `{name}`, is not in its weights, so that other libraries would compute something else; train it"
        " without the fault."
    )
