"""Weights and everything needed to go on training as if nothing had happened, in safetensors.

A checkpoint of step 200 is two files: `step-00000200.safetensors` (weights, float32) and
`step-00000200.state.safetensors` (optimiser, generators, place in the data). The weights are written last: where they
stand, the checkpoint is whole.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from s2s.config import UserError
from s2s.files import write_bytes
from s2s.model.transformer import Transformer
from s2s.model.weights import load_weights, saved_steps, trained_tensors, weights_path


@dataclass(frozen=True)
class Progress:
    """Where training stands after a step: enough to take the next one."""

    step: int = 0
    epoch: int = 0
    batch: int = 0  # batches of this epoch already used
    best_step: int = 0
    best_loss: float = float("inf")
    stale: int = 0  # validations since the best


def _state_path(folder: Path, step: int) -> Path:
    return folder / f"step-{step:08d}.state.safetensors"


def save(folder: Path, model: Transformer, optimizer: torch.optim.Optimizer, rng: Mapping[str, Tensor], progress: Progress) -> Path:
    """Write the checkpoint of `progress.step`; older ones are untouched, also when this fails."""
    tensors, numbers = _flatten(optimizer.state_dict())
    tensors |= {f"rng.{name}": state for name, state in rng.items()}
    metadata = {"progress": json.dumps(asdict(progress)), "optimizer": json.dumps(numbers)}
    write_bytes(_state_path(folder, progress.step), safetensors.torch.save(tensors, metadata))
    path = weights_path(folder, progress.step)
    write_bytes(path, safetensors.torch.save(trained_tensors(model)))
    return path


def load(folder: Path, step: int, model: Transformer, optimizer: torch.optim.Optimizer) -> tuple[Progress, dict[str, Tensor]]:
    """Put model and optimiser back to that step; returns where training stood, and the generators' states."""
    path = _state_path(folder, step)
    if not path.exists():
        raise UserError(f"Step {step} has weights but no optimiser state (a shipped or imported run).")
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata()
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no mapping)
    except (OSError, SafetensorError) as error:
        raise UserError(f"The checkpoint `{path.name}` cannot be read ({error}); use an older one of this run.") from error
    load_weights(model, weights_path(folder, step))
    rng = {name.removeprefix("rng."): tensor for name, tensor in tensors.items() if name.startswith("rng.")}
    optimizer.load_state_dict(_unflatten(optimizer.state_dict(), tensors, json.loads(metadata["optimizer"])))
    return Progress(**json.loads(metadata["progress"])), rng


def load_newest(folder: Path, model: Transformer, optimizer: torch.optim.Optimizer) -> tuple[Progress, dict[str, Tensor], list[str]]:
    """The newest checkpoint that can be read, and a sentence for each newer one that could not."""
    broken: list[str] = []
    for step in reversed(saved_steps(folder)):
        try:
            return *load(folder, step, model, optimizer), broken
        except UserError as error:
            broken.append(str(error))
    if broken:
        raise UserError(f"No checkpoint of this run can be gone on from: {' '.join(broken)} Start a new run.")
    raise UserError("This run has no checkpoint to go on from; start a new one.")


def drop_after(folder: Path, step: int) -> None:
    """Delete the checkpoints after that step."""
    _drop(folder, [later for later in saved_steps(folder) if later > step])


def _drop(folder: Path, steps: list[int]) -> None:
    for step in steps:
        weights_path(folder, step).unlink(missing_ok=True)
        _state_path(folder, step).unlink(missing_ok=True)


def prune(folder: Path, *, keep: int, best_step: int) -> None:
    """Delete all but the newest `keep` checkpoints and the best one."""
    _drop(folder, [step for step in saved_steps(folder)[:-keep] if step != best_step])


def _flatten(state: Mapping[str, Any]) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """An optimiser's state as tensors by `index.name`, and the plain numbers beside them."""
    tensors, numbers = {}, {}
    for index, values in state["state"].items():
        for name, value in values.items():
            if isinstance(value, Tensor):
                tensors[f"{index}.{name}"] = value.detach().cpu().contiguous()
            else:
                numbers[f"{index}.{name}"] = value
    return tensors, numbers


def _unflatten(fresh: dict[str, Any], tensors: Mapping[str, Tensor], numbers: Mapping[str, Any]) -> dict[str, Any]:
    """The opposite; the groups' settings come from the recipe, not from the file."""
    state: dict[int, dict[str, Any]] = {}
    for key, value in [*tensors.items(), *numbers.items()]:
        index, _, name = key.partition(".")
        if index.isdecimal():
            state.setdefault(int(index), {})[name] = value
    return {"state": state, "param_groups": fresh["param_groups"]}
