"""Trained tensors as safetensors files. Knows nothing of optimizers or runs."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

import safetensors.torch
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from s2s import files
from s2s.config import UserError
from s2s.model.transformer import Transformer

STEPS = "steps"  # in the metadata: the value of 1 in each tensor of integers, as JSON
LARGEST = 1e6  # of a weight; beyond, products overflow
STEP_FILE = re.compile(r"step-(\d+)\.safetensors")


def weights_path(folder: Path, step: int) -> Path:
    """The weights of that step of training."""
    return folder / f"step-{step:08d}.safetensors"


def saved_steps(folder: Path) -> list[int]:
    """The steps that have weights, ascending."""
    try:
        names = os.listdir(folder)  # every page asks, and a glob takes many times as long
    except (FileNotFoundError, NotADirectoryError):
        return []
    matches = map(STEP_FILE.fullmatch, names)
    return sorted({int(match[1]) for match in matches if match})


def trained_tensors(model: Transformer) -> dict[str, Tensor]:
    """Every trained tensor once, by name, on the CPU; shared ones under their first."""
    return {
        name: parameter.detach().cpu().contiguous() for name, parameter in model.named_parameters()
    }


def read_weights(path: Path) -> dict[str, Tensor]:
    """The tensors of a weights file by name. Raises UserError where it is broken.

    A tensor of integers counts steps; their size is in the metadata, see `write_steps`.
    """
    try:
        tensors = safetensors.torch.load_file(path)
        if all(tensor.is_floating_point() for tensor in tensors.values()):
            return tensors
        steps = step_sizes(path)
        return {
            name: tensor if tensor.is_floating_point() else tensor.float() * steps[name]
            for name, tensor in tensors.items()
        }
    except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
        raise UserError(
            f"The checkpoint `{path.name}` cannot be read ({error}); use an older one of this run."
        ) from error


def step_sizes(path: Path) -> dict[str, float]:
    """The value of 1 in each tensor of integers, as `write_steps` stored it. Raises ValueError for anything else."""
    with safe_open(path, "pt") as file:
        steps = json.loads((file.metadata() or {}).get(STEPS, "{}"))
    if not isinstance(steps, dict):
        raise ValueError("the steps have no names")
    return {str(name): float(step) for name, step in steps.items()}


def write_steps(path: Path, tensors: Mapping[str, Tensor], steps: Mapping[str, float]) -> None:
    """Write a weights file in which the tensors named in `steps` are whole multiples of their step, a power of two.

    These are stored as integers of one or two bytes, which compress to less than floating-point numbers do.
    """
    stored = dict(tensors)
    for name, step in steps.items():
        counts = tensors[name].float() / step
        is_small = bool(counts.abs().max() <= torch.iinfo(torch.int8).max)
        stored[name] = counts.to(torch.int8 if is_small else torch.int16)
    content = safetensors.torch.save(stored, {STEPS: json.dumps(dict(steps))})
    files.write_bytes(path, content)


def save_tensors(
    tensors: Mapping[str, Tensor], path: Path, metadata: dict[str, str] | None = None
) -> None:
    """Write a new weights file without a copy in memory; whoever may read its folder may read it.

    Raises OSError where it cannot be written, for which the library has an error of its own.
    """
    try:
        safetensors.torch.save_file(dict(tensors), path, metadata)
    except SafetensorError as error:
        raise OSError(str(error)) from error
    path.chmod(path.parent.stat().st_mode & 0o666)  # the library lets nobody but the writer read it


def load_weights(model: Transformer, path: Path) -> None:
    """Copy a weights file into the model. Raises UserError where the file is broken or of another shape."""
    found = read_weights(path)
    found_shapes = {name: tensor.shape for name, tensor in found.items()}
    shapes = {name: parameter.shape for name, parameter in model.named_parameters()}
    if found_shapes != shapes:
        raise UserError(
            f"The checkpoint `{path.name}` belongs to a model of another shape; open it with its own run's recipe."
        )
    if not all(map(are_usable, found.values())):
        raise UserError(
            f"The checkpoint `{path.name}` has weights that are no finite numbers, or larger than any training makes:"
            " it diverged; use an older one of this run."
        )
    put_weights(model, found)


def are_usable(weights: Tensor) -> bool:
    """Whether a model can compute with them: all are numbers of at most `LARGEST`."""
    return not weights.numel() or all(
        bool(extreme.abs() <= LARGEST) for extreme in torch.aminmax(weights)
    )


def put_weights(model: Transformer, tensors: Mapping[str, Tensor]) -> None:
    """Copy tensors by name, as `trained_tensors` gives them, into the model."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(tensors[name])
