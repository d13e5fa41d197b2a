"""oneDNN's products, by operators that torch keeps private: each is tried on a small case before it is used."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch import Tensor

from s2s.model.fast.memory import keep_few_shapes

# Relative. A product in bf16, which a processor may choose, is off by 3e-3, one of 8-bit integers by 1e-2.
TOLERANCE = 3e-2
# What a call of a missing or changed operator raises.
ABSENT = (AttributeError, NotImplementedError, RuntimeError, TypeError)


def reordered(weight: Tensor) -> Tensor:
    """A weight (out, in) in oneDNN's layout, for `product`."""
    keep_few_shapes()
    found: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight, None)
    return found


def product(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """(rows, in) -> (rows, out) by a `reordered` weight, in float32."""
    found: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
    return found


def reordered_integers(weight: Tensor) -> Tensor:
    """An int8 weight (out, in) in oneDNN's layout, for `integer_product`."""
    found: Tensor = torch.ops.onednn.qlinear_prepack(weight, None)
    return found


def integer_product(
    x: Tensor, weight: Tensor, scales: Tensor, zeros: Tensor, *, levels: int
) -> Tensor:
    """(rows, in) in uint8, where levels + 1 is 0 and 2 levels + 1 is 1, -> (rows, out) in float32.

    By `reordered_integers` times the scales (out,); zeros (out,) is what stands for 0 in them.
    """
    options: tuple[Any, ...] = (None, 1.0, 0, torch.float32, "none", [], "none")
    found: Tensor = torch.ops.onednn.qlinear_pointwise(
        x, 1 / levels, levels + 1, weight, scales, zeros, *options
    )
    return found


@functools.cache
def has_product() -> bool:
    """Whether `product` is there and multiplies."""
    if not torch.backends.mkldnn.is_available():  # type: ignore[no-untyped-call]
        return False
    x, weight, bias = _small_case()
    try:
        found = product(x, reordered(weight), bias)
    except ABSENT:
        return False
    return _is_near(found, x.double() @ weight.double().t() + bias)


@functools.cache
def integer_levels() -> int:
    """The integer that stands for 1 where `integer_product` is correct: 127, else 63; 0 where neither is.

    Without VNNI a processor adds two products in 16 bits: 2 * 255 * 127 overflows, 2 * 127 * 127 does not.
    """
    return next((levels for levels in (127, 63) if _is_integer_product_right(levels)), 0)


def _is_integer_product_right(levels: int) -> bool:
    x, weight, scales = _small_case()
    unsigned = (x * levels + levels + 1).round().to(torch.uint8)
    integers = (weight * 127).round().to(torch.int8)
    zeros = torch.zeros(len(weight), dtype=torch.long)
    try:
        found = integer_product(
            unsigned, reordered_integers(integers), scales, zeros, levels=levels
        )
    except ABSENT:
        return False
    return _is_near(found, (x.double() @ (127 * weight.double()).t()) * scales)


def _small_case() -> tuple[Tensor, Tensor, Tensor]:
    """x (rows, in), a weight (out, in) and a vector (out,), all between -1 and 1; the vector is above 0."""
    generator = torch.Generator().manual_seed(0)
    x, weight = (torch.rand(n, 24, generator=generator) * 2 - 1 for n in (20, 16))
    return x, weight, torch.rand(16, generator=generator) + 0.1


def _is_near(found: object, wanted: Tensor) -> bool:
    if not isinstance(found, Tensor) or found.shape != wanted.shape:
        return False
    return bool((found.double() - wanted).norm() <= TOLERANCE * wanted.norm())
