"""Weights and everything needed to go on training as if nothing had happened, in safetensors.

A checkpoint of step 200 is two files: `step-00000200.safetensors` (weights, float32) and
`step-00000200.state.safetensors` (optimiser, generators, place in the data). The weights are written last: where they
stand, the checkpoint is whole.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from s2s.config import Recipe, UserError, flat
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


class OtherRecipeError(UserError):
    """The checkpoint was written by another recipe than the one that is to go on."""


FREE = ("train.steps", "train.lr", "train.threads", "train.device", "train.precision", "train.watch.")  # may change in between


def _state_path(folder: Path, step: int) -> Path:
    return folder / f"step-{step:08d}.state.safetensors"


def save(
    folder: Path, model: Transformer, optimizer: torch.optim.Optimizer, *, rng: Mapping[str, Tensor], progress: Progress, recipe: Recipe
) -> Path:
    """Write the checkpoint of `progress.step`; older ones are untouched, also when this fails."""
    weights = safetensors.torch.save(trained_tensors(model))
    tensors, numbers = _flatten(optimizer.state_dict())
    tensors |= {f"rng.{name}": state for name, state in rng.items()}
    metadata = {"progress": json.dumps(asdict(progress)), "optimizer": json.dumps(numbers), "recipe": json.dumps(flat(recipe))}
    metadata |= {"sum": _sum(tensors), "weights_sum": f"{zlib.crc32(weights):08x}"}
    write_bytes(_state_path(folder, progress.step), safetensors.torch.save(tensors, metadata))
    path = weights_path(folder, progress.step)
    write_bytes(path, weights)
    return path


def _sum(tensors: Mapping[str, Tensor]) -> str:
    """A checksum: a disk may give back other bytes than were written, in a file that looks whole."""
    total = 0
    for name in sorted(tensors):
        total = zlib.crc32(tensors[name].reshape(-1).view(torch.uint8).numpy().tobytes(), total)
    return f"{total:08x}"


def load(
    folder: Path, step: int, model: Transformer, optimizer: torch.optim.Optimizer, recipe: Recipe
) -> tuple[Progress, dict[str, Tensor]]:
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
    _check_recipe(metadata, recipe)
    weights = weights_path(folder, step)
    _check_sum(path, metadata.get("sum"), _sum(tensors))
    _check_sum(weights, metadata.get("weights_sum"), f"{zlib.crc32(weights.read_bytes()):08x}")
    load_weights(model, weights)
    rng = {name.removeprefix("rng."): tensor for name, tensor in tensors.items() if name.startswith("rng.")}
    optimizer.load_state_dict(_unflatten(optimizer.state_dict(), tensors, json.loads(metadata["optimizer"])))
    return Progress(**json.loads(metadata["progress"])), rng


def _check_sum(path: Path, written: str | None, found: str) -> None:
    """Older checkpoints have none."""
    if written not in (None, found):
        why = "it holds other bytes than were written"
        raise UserError(f"The checkpoint `{path.name}` cannot be read ({why}); use an older one of this run.")


def _check_recipe(metadata: Mapping[str, str], recipe: Recipe) -> None:
    """Older checkpoints do not say theirs; settings that came later are passed over."""
    before, now = json.loads(metadata.get("recipe", "{}")), json.loads(json.dumps(flat(recipe)))
    changed = [key for key in before if key in now and before[key] != now[key] and not key.startswith(FREE)]
    if changed:
        said = ", ".join(f"`{key}` {now[key]} where it was {before[key]}" for key in changed[:3])
        raise OtherRecipeError(f"The run's recipe was changed since it was trained: {said}; put that back, or start a new run with it.")


def load_newest(
    folder: Path, model: Transformer, optimizer: torch.optim.Optimizer, recipe: Recipe
) -> tuple[Progress, dict[str, Tensor], list[str]]:
    """The newest checkpoint that can be read, and a sentence for each newer one that could not."""
    broken: list[str] = []
    for step in reversed(saved_steps(folder)):
        try:
            return *load(folder, step, model, optimizer, recipe), broken
        except OtherRecipeError:
            raise
        except UserError as error:
            broken.append(str(error))
    if broken:
        raise UserError(f"No checkpoint of this run can be gone on from: {' '.join(broken)} Start a new run.")
    raise UserError("This run has no checkpoint to go on from; start a new one.")


def drop_after(folder: Path, step: int) -> None:
    """Delete the checkpoints after that step, and what processes that were killed have left of others."""
    _drop(folder, [later for later in saved_steps(folder) if later > step])
    known = {_state_path(folder, step) for step in saved_steps(folder)}
    for path in (*folder.glob(".step-*"), *(set(folder.glob("step-*.state.safetensors")) - known)):
        path.unlink(missing_ok=True)


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
