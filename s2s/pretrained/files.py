"""The files of a published checkpoint: its settings, and its tensors under their own names. Knows no families."""

from __future__ import annotations

import json
import pickle
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor

from s2s.config import UserError, shortened

WEIGHTS = ("model.safetensors", "pytorch_model.bin")  # in order of preference
BROKEN = (OSError, ValueError, RuntimeError, EOFError, KeyError, SafetensorError)


def read_json(folder: Path, name: str) -> dict[str, Any]:
    """The object in a JSON file. Raises UserError where it is missing or broken."""
    try:
        content = json.loads((folder / name).read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(
            f"`{shortened(folder)}` has no {name} that can be read; give the folder of a Hugging Face checkpoint."
        ) from error
    if not isinstance(content, dict):
        raise UserError(f"{name} holds no settings; give the folder of a Hugging Face checkpoint.")
    return content


def read_tensors(folder: Path) -> dict[str, Tensor]:
    """Every tensor by its name, from safetensors, else from a torch file without code; from one file or several.

    Raises UserError where there are none, or they cannot be read.
    """
    for name in WEIGHTS:
        if (folder / name).exists():
            return _read(folder / name)
        if (folder / f"{name}.index.json").exists():
            return _read_shards(folder, f"{name}.index.json")
    raise UserError(
        f"`{shortened(folder)}` has no weights; it needs {' or '.join(WEIGHTS)}, or an index of several such files."
    )


def _read_shards(folder: Path, index: str) -> dict[str, Tensor]:
    weight_map = read_json(folder, index).get("weight_map")
    if not isinstance(weight_map, Mapping) or not weight_map:
        raise UserError(f"{index} does not say which file holds which tensor; download it again.")
    found: dict[str, Tensor] = {}
    for name in sorted(set(map(str, weight_map.values()))):
        if Path(name).name != name or not (folder / name).is_file():
            raise UserError(
                f"{index} names the file `{shortened(name)}`, which is not in the folder; download it, too."
            )
        found |= _read(folder / name)
    if lost := set(weight_map) - set(found):
        raise UserError(
            f"{index} names the tensor `{shortened(min(lost))}`, which its file lacks; download the weights again."
        )
    return found


def _read(path: Path) -> dict[str, Tensor]:
    try:
        if path.suffix == ".safetensors":
            return safetensors.torch.load_file(path)
        content = torch.load(
            path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path)
        )
    except pickle.UnpicklingError as error:
        raise UserError(
            f"{path.name} holds Python objects besides tensors, which could run code; give safetensors instead."
        ) from error
    except BROKEN as error:
        raise UserError(
            f"{path.name} cannot be read: it is truncated, or no such file; download it again."
        ) from error
    if not isinstance(content, dict) or not all(
        isinstance(one, Tensor) for one in content.values()
    ):
        raise UserError(f"{path.name} does not hold tensors by name; give safetensors instead.")
    if partial := [name for name, tensor in content.items() if not _is_whole(tensor)]:
        raise UserError(
            f"The tensor `{shortened(partial[0])}` of {path.name} has more numbers than the file holds; give"
            " safetensors instead."
        )
    return content


def _is_whole(tensor: Tensor) -> bool:
    if tensor.layout is not torch.strided:
        return False
    return tensor.numel() * tensor.element_size() <= tensor.untyped_storage().nbytes()
