"""Weights and everything that resuming needs to be bit-identical to an uninterrupted run, in safetensors.

A checkpoint of step 200 is two files: `step-00000200.safetensors` (weights, float32) and
`step-00000200.state.safetensors` (optimizer, random generators, position in the data). The weights are written last:
where they exist, the checkpoint is whole. They are what the run gives; where that is a mean of several checkpoints
(averaging.py), the state also holds the weights that training continues from.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from s2s.config import Recipe, UserError, flat
from s2s.files import UNREADABLE, write_bytes
from s2s.model import (
    Transformer,
    load_weights,
    read_weights,
    saved_steps,
    trained_tensors,
    weights_path,
)
from s2s.training.distributed import Group
from s2s.training.progress import Progress


@dataclass(frozen=True)
class Restored:
    """What a checkpoint holds besides the weights of the model."""

    progress: Progress
    rng: dict[str, Tensor]
    # What training continues from, where the model's weights are a mean; else empty.
    trained: dict[str, Tensor]


class OtherRecipeError(UserError):
    """The checkpoint was written with another recipe than the one to continue."""


# What may change when training resumes.
FREE = (
    "train.steps",
    "train.minutes",
    "train.lr",
    "train.threads",
    "train.processes",
    "train.device",
    "train.precision",
    "train.average_last",
    "train.watch.",
)


def _state_path(folder: Path, step: int) -> Path:
    return folder / f"step-{step:08d}.state.safetensors"


def save(
    folder: Path,
    model: Transformer,
    optimizer: torch.optim.Optimizer,
    state: Restored,
    recipe: Recipe,
) -> Path:
    """Write the checkpoint of `state.progress.step`; older ones are untouched, also when this fails."""
    weights = safetensors.torch.save(trained_tensors(model))
    step = state.progress.step
    tensors, numbers = _flatten(optimizer.state_dict())
    tensors |= {f"rng.{name}": stream for name, stream in state.rng.items()}
    tensors |= {f"trained.{name}": tensor for name, tensor in state.trained.items()}
    metadata = {
        "progress": json.dumps(asdict(state.progress)),
        "optimizer": json.dumps(numbers),
        "recipe": json.dumps(flat(recipe)),
    }
    metadata |= {"sum": _sum(tensors), "weights_sum": f"{zlib.crc32(weights):08x}"}
    write_bytes(_state_path(folder, step), safetensors.torch.save(tensors, metadata))
    path = weights_path(folder, step)
    write_bytes(path, weights)
    return path


def _files(folder: Path, step: int) -> dict[str, bytes]:
    paths = (_state_path(folder, step), weights_path(folder, step))
    return {path.name: path.read_bytes() for path in paths}


def _sum(tensors: Mapping[str, Tensor]) -> str:
    total = 0
    for name in sorted(tensors):
        content = tensors[name].reshape(-1).view(torch.uint8).numpy().tobytes()
        total = zlib.crc32(content, total)
    return f"{total:08x}"


def load(
    folder: Path, step: int, model: Transformer, optimizer: torch.optim.Optimizer, recipe: Recipe
) -> Restored:
    """Restore model and optimizer to that step; returns what else its checkpoint holds."""
    metadata, tensors = _read_state(folder, step)
    _check_recipe(metadata, recipe)
    _check_weights(folder, step, metadata)
    load_weights(model, weights_path(folder, step))
    try:
        numbers = json.loads(metadata["optimizer"])
        state = _unflatten(optimizer.state_dict(), tensors, numbers)
        _check_optimizer(optimizer, state["state"])
        optimizer.load_state_dict(state)
        restored = Restored(
            progress=_progress(metadata["progress"], step),
            rng=_named(tensors, "rng."),
            trained=_named(tensors, "trained."),
        )
        torch.Generator().set_state(
            restored.rng["cpu"]
        )  # one of another size would end the training
    except (*UNREADABLE, IndexError, RuntimeError) as error:
        raise UserError(
            f"The checkpoint `{_state_path(folder, step).name}` is not one of this run; use an older one."
        ) from error
    return restored


def _progress(text: str, step: int) -> Progress:
    content = json.loads(text)
    plan = tuple((int(step), int(steps)) for step, steps in content.get("plan", ()))
    progress = Progress(**content | {"plan": plan})
    counts = (
        progress.epoch,
        progress.batch,
        progress.best_step,
        progress.stale,
        progress.sound_step,
    )
    is_whole = all(isinstance(count, int) and count >= 0 for count in counts)
    numbers = (progress.best_loss, progress.seconds, progress.observation)
    are_numbers = all(isinstance(number, (int, float)) for number in numbers)
    if progress.step != step or not is_whole or not are_numbers:
        raise ValueError("it is of another step")
    return progress


def _check_optimizer(
    optimizer: torch.optim.Optimizer, state: Mapping[int, Mapping[str, Any]]
) -> None:
    """Raises ValueError for means of another shape than their weights; some optimizers keep them by row and column."""
    parameters = [each for group in optimizer.param_groups for each in group["params"]]
    for index, values in state.items():
        shape = parameters[index].shape
        allowed = {(), (1,), (*shape,), (*shape[:-1], 1), (*shape[:-2], 1, *shape[-1:])}
        for name, value in values.items():
            if isinstance(value, Tensor) and tuple(value.shape) not in allowed:
                raise ValueError(f"{name} has the shape {tuple(value.shape)}")


def trained(folder: Path, step: int) -> dict[str, Tensor]:
    """The weights as they were trained, even where the run gives a mean. Raises UserError where they cannot be read."""
    metadata, tensors = _read_state(folder, step)
    _check_weights(folder, step, metadata)
    return _named(tensors, "trained.") or read_weights(weights_path(folder, step))


def _read_state(folder: Path, step: int) -> tuple[dict[str, str], dict[str, Tensor]]:
    path = _state_path(folder, step)
    if not path.exists():
        raise UserError(
            f"Step {step} has weights but no optimizer state (a shipped or imported run)."
        )
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no mapping)
    except (OSError, SafetensorError) as error:
        raise UserError(
            f"The checkpoint `{path.name}` cannot be read ({error}); use an older one of this run."
        ) from error
    _check_sum(path, metadata.get("sum"), _sum(tensors))
    return metadata, tensors


def _named(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }


def _check_weights(folder: Path, step: int, metadata: Mapping[str, str]) -> None:
    path = weights_path(folder, step)
    try:
        found = f"{zlib.crc32(path.read_bytes()):08x}"
    except OSError as error:
        raise UserError(
            f"The checkpoint `{path.name}` cannot be read ({error}); use an older one of this run."
        ) from error
    _check_sum(path, metadata.get("weights_sum"), found)


def _check_sum(path: Path, written: str | None, found: str) -> None:
    if written not in (None, found):
        why = "it holds other bytes than were written"
        raise UserError(
            f"The checkpoint `{path.name}` cannot be read ({why}); use an older one of this run."
        )


def _check_recipe(metadata: Mapping[str, str], recipe: Recipe) -> None:
    """Raise OtherRecipeError where a setting differs. Older checkpoints have no recipe; settings added since are
    skipped.
    """
    before = json.loads(metadata.get("recipe", "{}"))
    now = json.loads(json.dumps(flat(recipe)))
    known = [key for key in before if key in now and not key.startswith(FREE)]
    changed = [key for key in known if before[key] != now[key]]
    if changed:
        changes = ", ".join(f"`{key}` {now[key]} where it was {before[key]}" for key in changed[:3])
        raise OtherRecipeError(
            f"The run's recipe has changed since it was trained: {changes}; put that back, or start a new run with it."
        )


def load_newest(
    folder: Path, model: Transformer, optimizer: torch.optim.Optimizer, recipe: Recipe
) -> tuple[Restored, list[str]]:
    """Restore the newest checkpoint that can be read; returns it and a sentence for each newer one that could not."""
    broken: list[str] = []
    for step in reversed(saved_steps(folder)):
        try:
            return load(folder, step, model, optimizer, recipe), broken
        except OtherRecipeError:
            raise
        except UserError as error:
            broken.append(str(error))
    if broken:
        raise UserError(
            f"No checkpoint of this run can be resumed: {' '.join(broken)} Start a new run."
        )
    raise UserError("This run has no checkpoint to resume from; start a new one.")


def load_together(
    group: Group,
    folder: Path,
    model: Transformer,
    optimizer: torch.optim.Optimizer,
    recipe: Recipe,
) -> tuple[Restored, list[str]]:
    """Restore the newest readable checkpoint in several processes, of which the first hands its own to the others;
    later ones, which are broken, are deleted, so that they do not count as kept.
    """
    if group.rank:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in group.received().items():
            (folder / name).write_bytes(content)
    restored, broken = load_newest(folder, model, optimizer, recipe)
    drop_after(folder, restored.progress.step)
    if group.size > 1 and not group.rank:
        group.hand_over(_files(folder, restored.progress.step))
    return restored, broken


def drop_after(folder: Path, step: int) -> None:
    """Delete the checkpoints after that step, and the remains of writes that were interrupted."""
    _drop(folder, [later for later in saved_steps(folder) if later > step])
    whole = {_state_path(folder, step) for step in saved_steps(folder)}
    states = set(folder.glob("step-*.state.safetensors"))
    for path in (*folder.glob(".step-*"), *(states - whole)):
        path.unlink(missing_ok=True)


def _drop(folder: Path, steps: list[int]) -> None:
    for step in steps:
        weights_path(folder, step).unlink(missing_ok=True)
        _state_path(folder, step).unlink(missing_ok=True)


def prune(folder: Path, *, keep: int, spared: Collection[int]) -> None:
    """Delete all but the newest `keep` checkpoints and those of the given steps."""
    older = saved_steps(folder)[:-keep]
    _drop(folder, [step for step in older if step not in spared])


def _flatten(state: Mapping[str, Any]) -> tuple[dict[str, Tensor], dict[str, Any]]:
    tensors = {}
    numbers = {}
    for index, values in state["state"].items():
        for name, value in values.items():
            if isinstance(value, Tensor):
                tensors[f"{index}.{name}"] = value.detach().cpu().contiguous()
            else:
                numbers[f"{index}.{name}"] = value
    return tensors, numbers


def _unflatten(
    fresh: dict[str, Any], tensors: Mapping[str, Tensor], numbers: Mapping[str, Any]
) -> dict[str, Any]:
    state: dict[int, dict[str, Any]] = {}
    for key, value in [*tensors.items(), *numbers.items()]:
        index, _, name = key.partition(".")
        if index.isdecimal():
            state.setdefault(int(index), {})[name] = value
    return {"state": state, "param_groups": fresh["param_groups"]}
