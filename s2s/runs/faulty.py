"""A healthy run looked at with a fault that acts at inference."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace

from s2s import faults
from s2s.model import inference
from s2s.runs.run import Run


@contextlib.contextmanager
def with_fault(run: Run, name: str) -> Iterator[Run]:
    """The same weights with the fault, in inference mode and holding the model's lock.

    Raises UserError for an unknown name.
    """
    fault = faults.fault_of(name)
    ids = run.recipe.model.ids
    model = replace(run.recipe.model, ids=fault.ids(ids) if fault else ids)
    with inference(run.model), faults.active(run.model, name, "inference"):
        yield replace(run, recipe=replace(run.recipe, model=model))
