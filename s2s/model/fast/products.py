"""Matrix products of one vector a row, each by the fastest kernel that torch has for so many rows. Knows nothing of layers."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from s2s.model.fast.memory import keep_few_shapes

Turn = Callable[[Tensor], Tensor]
MANY = (
    2**19
)  # multiplications from which on oneDNN is worth the 10 microseconds that a call of it costs
FEW = 16  # rows up to which each number of them is multiplied as it is
LARGE = (
    2**22
)  # numbers of a weight that is not copied into the order in which few rows are multiplied fastest


class Product:
    """(rows, in) -> (rows, out) by a weight (out, in), in float32. The weight may not change.

    MKL's product, by the turned weight, is the fastest one for few rows; oneDNN's, by a weight that it has laid out itself, for many:
    up to three times as fast, and no less exact. The setting in torch that lets all products be oneDNN's would let some be bf16.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        self.weight = weight.detach()
        self.bias = bias
        self.many = max(2, -(-MANY // weight.numel())) if can_pack(weight) else sys.maxsize

    @functools.cached_property
    def turned(self) -> Tensor:
        """(in, out); made when few rows come."""
        turned = self.weight.t()
        return turned if turned.numel() > LARGE else turned.contiguous()

    @functools.cached_property
    def packed(self) -> Tensor:
        """As oneDNN lays it out; made when many rows come."""
        keep_few_shapes()
        laid_out: Tensor = torch.ops.mkldnn._reorder_linear_weight(self.weight, None)
        return laid_out

    def __call__(self, x: Tensor) -> Tensor:
        if x.size(0) >= self.many:
            return self._packed_product(x)
        return (
            torch.mm(x, self.turned)
            if self.bias is None
            else torch.addmm(self.bias, x, self.turned)
        )

    def onto(self, x: Tensor, stream: Tensor) -> Tensor:
        """The product of x, added to the stream (rows, out)."""
        if x.size(0) >= self.many:
            return self._packed_product(x).add_(stream)
        return added(x, self.turned, self.bias, stream)

    def _packed_product(self, x: Tensor) -> Tensor:
        """oneDNN makes code for each number of rows, in the time of one or two products, and keeps it with working memory.

        So rows are rounded up to eight numbers between a power of two and the next.
        """
        rows = x.size(0)
        if rows > FEW and (missing := -rows % max(FEW, 2 ** (rows.bit_length() - 4))):
            x = F.pad(x, (0, 0, 0, missing))
        found: Tensor = torch.ops.mkldnn._linear_pointwise(
            x, self.packed, self.bias, "none", [], ""
        )
        return found.narrow(0, 0, rows)


class NoProduct:
    """Where the vectors are added as they come."""

    def onto(self, x: Tensor, stream: Tensor) -> Tensor:
        """Added to the stream."""
        return stream + x


def added(x: Tensor, turned: Tensor, bias: Tensor | None, stream: Tensor) -> Tensor:
    """The product by a weight (in, out), added to the stream (rows, out)."""
    return (
        torch.addmm(stream, x, turned)
        if bias is None
        else torch.addmm(bias, x, turned).add_(stream)
    )


def affine(
    maps: Sequence[nn.Linear], first_scale: float = 1.0, *, ahead: Tensor | None = None
) -> Product:
    """Several linear maps of one vector as one product, the first times a scale: (rows, in) -> (rows, all outs).

    `ahead` (in,) is what the vectors that come hold too much.
    """
    scales = [first_scale, *[1.0] * (len(maps) - 1)]
    weight = (
        torch.cat([one.weight * scale for one, scale in zip(maps, scales, strict=True)])
        if scales != [1.0]
        else maps[0].weight
    )
    bias = (
        None
        if maps[0].bias is None
        else torch.cat([one.bias * scale for one, scale in zip(maps, scales, strict=True)])
    )
    if ahead is not None:
        bias = -(weight @ ahead) if bias is None else bias - weight @ ahead
    return Product(weight, bias)


def can_pack(weight: Tensor) -> bool:
    """Whether oneDNN has a product for this weight in torch."""
    is_plain = weight.device.type == "cpu" and weight.dtype == torch.float32
    has_onednn = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    return is_plain and has_onednn and hasattr(torch.ops.mkldnn, "_linear_pointwise")


def can_round(device: torch.device) -> bool:
    """Whether there are products of 8-bit numbers for `project_fast`."""
    return device.type == "cpu" and hasattr(torch.ops.onednn, "qlinear_pointwise")


def rounded(weight: Tensor, bias: Tensor | None) -> Turn:
    """(rows, in) -> (rows, out) by a weight (out, in); rows and weight as whole numbers up to 127, each row on a scale of its own."""
    scales = weight.abs().amax(1).clamp(min=1e-12) / 127
    whole = (weight / scales[:, None]).round().to(torch.int8)
    packed = torch.ops.onednn.qlinear_prepack(whole, None)
    zeros = torch.zeros(len(weight), dtype=torch.long)

    def product(x: Tensor) -> Tensor:
        peaks = x.abs().amax(1, keepdim=True).clamp(min=1e-12)
        given = (
            (x * (127 / peaks)).round_().add_(128).to(torch.uint8)
        )  # unsigned, as oneDNN wants it: 128 stands for 0
        options: tuple[Any, ...] = (None, 1.0, 0, torch.float32, "none", [], "none")
        found: Tensor = torch.ops.onednn.qlinear_pointwise(
            given, 1 / 127, 128, packed, scales, zeros, *options
        )
        found.mul_(peaks)
        return found if bias is None else found.add_(bias)

    return product
