"""Trained tensors as safetensors files. Knows nothing of optimizers or runs."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor

from s2s.config import UserError
from s2s.model.transformer import Transformer

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
    return sorted(int(match[1]) for match in matches if match)


def trained_tensors(model: Transformer) -> dict[str, Tensor]:
    """Every trained tensor once, by name, on the CPU; shared ones under their first."""
    return {
        name: parameter.detach().cpu().contiguous() for name, parameter in model.named_parameters()
    }


def read_weights(path: Path) -> dict[str, Tensor]:
    """The tensors of a weights file by name. Raises UserError where it is broken."""
    try:
        return safetensors.torch.load_file(path)
    except (OSError, SafetensorError) as error:
        raise UserError(
            f"The checkpoint `{path.name}` cannot be read ({error}); use an older one of this run."
        ) from error


def load_weights(model: Transformer, path: Path) -> None:
    """Copy a weights file into the model. Raises UserError where the file is broken or of another shape."""
    found = read_weights(path)
    found_shapes = {name: tensor.shape for name, tensor in found.items()}
    shapes = {name: parameter.shape for name, parameter in model.named_parameters()}
    if found_shapes != shapes:
        raise UserError(
            f"The checkpoint `{path.name}` belongs to a model of another shape; open it with its own run's recipe."
        )
    put_weights(model, found)


def put_weights(model: Transformer, tensors: Mapping[str, Tensor]) -> None:
    """Copy tensors by name, as `trained_tensors` gives them, into the model."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(tensors[name])
