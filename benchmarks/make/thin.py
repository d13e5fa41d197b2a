"""What ships of a demo run takes little room in the compressed package: rounded weights, fewer lines of metrics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

POINTS = 400  # lines about updates, at most; a chart of a demo needs no more
DIGITS = 5  # significant ones, of every measured number
# Steps per standard deviation of a matrix, as a power of two. Embeddings are looked up, so that their rounding
# errors are not averaged over many inputs: with one bit less, log-probabilities change half as much again.
BITS = 4
EMBEDDING_BITS = 5
LARGEST = 127  # of a signed byte


class ThinWeights(NamedTuple):
    """Tensors by name, and the step of which each matrix is a whole multiple."""

    tensors: dict[str, Tensor]
    steps: dict[str, float]


def thin_weights(weights: Mapping[str, Tensor]) -> ThinWeights:
    """Each matrix rounded to multiples of a power of two, so that it can be stored as small integers.

    Vectors (norms, biases) are few and keep half precision.
    """
    steps = {name: _step(name, tensor) for name, tensor in weights.items() if tensor.dim() > 1}
    tensors = {
        name: torch.round(tensor.float() / steps[name]) * steps[name]
        if name in steps
        else tensor.half()
        for name, tensor in weights.items()
    }
    return ThinWeights(tensors, steps)


def eight_bit_weights(weights: Mapping[str, Tensor]) -> ThinWeights:
    """Like `thin_weights`, in one byte per weight.

    The step of a matrix is the one with the least squared error; weights beyond LARGEST steps are clipped.
    """
    steps = {name: _best_step(tensor) for name, tensor in weights.items() if tensor.dim() > 1}
    tensors = {
        name: _clipped(tensor, steps[name]) if name in steps else tensor.half()
        for name, tensor in weights.items()
    }
    return ThinWeights(tensors, steps)


def _best_step(matrix: Tensor) -> float:
    covering = math.ceil(math.log2(float(matrix.abs().max()) / LARGEST))
    candidates = [2.0 ** (covering - finer) for finer in range(4)]
    return min(candidates, key=lambda step: float((_clipped(matrix, step) - matrix).square().sum()))


def _clipped(matrix: Tensor, step: float) -> Tensor:
    return torch.round(matrix.float() / step).clamp(-LARGEST, LARGEST) * step


def _step(name: str, matrix: Tensor) -> float:
    bits = EMBEDDING_BITS if ".embed." in name else BITS
    return float(2.0 ** (round(math.log2(float(matrix.float().std()))) - bits))


def thin_metrics(lines: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The lines of a `metrics.jsonl`; updates in a row become one line, and numbers get `DIGITS` digits.

    Such a line has the step and the time of the last update, the sums of tokens and seconds, and the means of the rest.
    It never reaches across a line of another kind.
    """
    rows = list(lines)
    n_updates = sum(row["kind"] == "train" for row in rows)
    size = math.ceil(n_updates / POINTS)
    group: list[Mapping[str, Any]] = []
    for row in rows:
        if row["kind"] == "train" and len(group) < size:
            group.append(row)
            continue
        if group:
            yield _joined(group)
        group = [row] if row["kind"] == "train" else []
        if not group:
            yield _shortened(row)
    if group:
        yield _joined(group)


def _joined(group: list[Mapping[str, Any]]) -> dict[str, Any]:
    sums = {key: sum(row[key] for row in group) for key in ("n_tokens", "seconds")}
    means = {key: sum(row[key] for row in group) / len(group) for key in ("loss", "grad_norm")}
    return _shortened({**group[0], **group[-1], **means, **sums})


def _shortened(row: Mapping[str, Any]) -> dict[str, Any]:
    # the time of day has more digits before its point
    return {key: value if key == "time" else _digits(value) for key, value in row.items()}


def _digits(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, list):
        return [_digits(one) for one in value]
    return value
