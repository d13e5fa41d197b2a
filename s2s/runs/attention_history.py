"""The attention that a training job saved: one pair at each checkpoint, and two numbers per head. Knows nothing of
training.

attention/step-00000200.safetensors     float16 weights of every kind, tokens and texts in the metadata
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import safetensors.numpy
from safetensors import SafetensorError, safe_open

from s2s.analysis import KINDS, Attention, Weights
from s2s.config import UserError
from s2s.files import write_bytes
from s2s.runs.store import RunFolder

log = logging.getLogger(__name__)
MOST = 100  # files per run
TOKENS = ("src_tokens", "tgt_inputs", "tgt_tokens")

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class SavedAttention:
    """The attention of the fixed pair at one step."""

    step: int
    source: str
    target: str
    attention: Attention


@dataclass(frozen=True)
class AttentionHistory:
    """Entropy and alignment error of every head by step.

    A value missing from one line is NaN; one missing from all is None.
    """

    steps: npt.NDArray[np.int64]
    entropy: Floats  # (n, layers, heads): of cross-attention, nats, mean over rows
    aer: Floats | None  # (n, layers, heads): alignment error rate, 0 to 1
    aer_mean: Floats | None  # (n, layers): of the mean over the heads of a layer
    uniform: Floats | None  # (n,): the entropy of uniform attention, nats
    n_pairs: int  # over which the newest line averages


def save(folder: RunFolder, kept: SavedAttention) -> None:
    """Write one step, and thin out the files beyond MOST. Raises UserError if it cannot be written."""
    attention = kept.attention
    tensors = {kind: np.ascontiguousarray(getattr(attention, kind), np.float16) for kind in KINDS}
    about = {key: getattr(attention, key) for key in TOKENS} | {
        "source": kept.source,
        "target": kept.target,
    }
    content = safetensors.numpy.save(tensors, {"pair": json.dumps(about, ensure_ascii=False)})
    write_bytes(_path(folder, kept.step), content)
    for step in steps_to_drop(saved_steps(folder), MOST):
        _path(folder, step).unlink(missing_ok=True)


def steps_to_drop(known: Sequence[int], most: int) -> list[int]:
    """The steps to drop so that `most` remain: always the one with the closest neighbors, never the first or last."""
    left = list(known)
    dropped = []
    while len(left) > max(most, 2):
        gaps = [after - before for before, after in zip(left, left[2:], strict=False)]
        dropped.append(left.pop(1 + gaps.index(min(gaps))))
    return dropped


def saved_steps(folder: RunFolder) -> list[int]:
    """The steps whose attention is saved, ascending; none for runs of older versions."""
    found = (
        re.fullmatch(r"step-(\d{8,})\.safetensors", path.name)
        for path in (folder.path / "attention").glob("step-*.safetensors")
    )
    return sorted(int(match[1]) for match in found if match)


def load(folder: RunFolder, step: int) -> SavedAttention:
    """The attention saved at a step, rows summing to 1. Raises UserError if the file is missing or broken."""
    path = _path(folder, step)
    try:
        with safe_open(path, "np") as file:
            about = json.loads(file.metadata()["pair"])
            cross, encoder, decoder = (_whole(file.get_tensor(kind)) for kind in KINDS)
        src, inputs, tgt = (tuple(str(token) for token in about[key]) for key in TOKENS)
        attention = Attention(src, inputs, tgt, cross, encoder, decoder)
        _check(attention)
        return SavedAttention(step, str(about["source"]), str(about["target"]), attention)
    except (OSError, SafetensorError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise UserError(
            f"The attention kept at step {step} (`{path.name}`) cannot be read; choose another step."
        ) from error


def _whole(weights: npt.NDArray[np.float16]) -> Weights:
    """Float32 rows that sum to 1 again after rounding to float16."""
    exact = weights.astype(np.float32)
    sums = exact.sum(-1, keepdims=True)
    normalized: Weights = np.divide(exact, sums, out=exact, where=sums > 0)
    return normalized


def _check(attention: Attention) -> None:
    for kind in KINDS:
        view = attention.view(kind)
        if view.weights.ndim != 4 or view.weights.shape[2:] != (len(view.rows), len(view.keys)):
            raise ValueError(f"the {kind} weights are {view.weights.shape}")


def delete_after(folder: RunFolder, step: int) -> None:
    """Delete the attention saved after that step; after 0, everything."""
    for later in saved_steps(folder):
        if later > step:
            _path(folder, later).unlink(missing_ok=True)


def history(folder: RunFolder) -> AttentionHistory | None:
    """The lines of kind `attention` in metrics.jsonl, ascending by step; None if there are none.

    Broken lines, and those of another number of heads than the newest, are logged and left out.
    """
    path = folder.path / "metrics.jsonl"
    lines: dict[int, Mapping[str, Any]] = {}
    for line in _attention_lines(path):
        try:
            lines[int(line["step"])] = {**line, "entropy": _grid(line["entropy"], 2)}
        except (KeyError, TypeError, ValueError) as error:
            _warn(path, error)
    if not lines:
        return None
    shape = lines[max(lines)]["entropy"].shape
    rows = [lines[step] for step in sorted(lines) if lines[step]["entropy"].shape == shape]
    if len(rows) < len(lines):
        log.warning("%s: %d lines have another number of heads", path, len(lines) - len(rows))
    return AttentionHistory(
        steps=np.array([int(row["step"]) for row in rows], np.int64),
        entropy=np.stack([row["entropy"] for row in rows]),
        aer=_stacked(path, rows, "aer", shape),
        aer_mean=_stacked(path, rows, "aer_mean", shape[:1]),
        uniform=_stacked(path, rows, "uniform", ()),
        n_pairs=int(rows[-1].get("n_pairs") or 0),
    )


def _warn(path: Path, error: Exception) -> None:
    log.warning("%s: a broken attention line is left out (%r)", path, error)


def _attention_lines(path: Path) -> list[dict[str, Any]]:
    """Parses only lines that name the kind: a long run has tens of thousands of others."""
    if not path.exists():
        return []
    found = []
    with path.open("rb") as file:
        for line in file:
            if b'"attention"' in line and line.endswith(b"\n"):
                try:
                    found.append(json.loads(line))
                except (ValueError, RecursionError) as error:
                    _warn(path, error)
    return [line for line in found if isinstance(line, dict) and line.get("kind") == "attention"]


def _grid(values: Any, depth: int) -> Floats:
    grid = np.array(values, np.float32)
    if grid.ndim != depth or not grid.size:
        raise ValueError(f"{grid.ndim} dimensions of shape {grid.shape} instead of {depth}")
    return grid


def _stacked(
    path: Path, rows: Sequence[Mapping[str, Any]], key: str, shape: tuple[int, ...]
) -> Floats | None:
    values = np.full((len(rows), *shape), np.nan, np.float32)
    for i, row in enumerate(rows):
        if row.get(key) is None:
            continue
        try:
            grid = _grid(row[key], len(shape))
            if grid.shape != shape:
                raise ValueError(f"`{key}` has shape {grid.shape} instead of {shape}")
            values[i] = grid
        except (TypeError, ValueError) as error:
            _warn(path, error)
    return None if np.isnan(values).all() else values


def _path(folder: RunFolder, step: int) -> Path:
    return folder.path / "attention" / f"step-{step:08d}.safetensors"
