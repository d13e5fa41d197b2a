"""Matrix products of one vector per row, each by the fastest kernel that torch has for that many rows."""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from s2s.model.fast import onednn

Map = Callable[[Tensor], Tensor]
# Multiplications from which oneDNN is worth what a call of it costs, 10 microseconds and more.
MANY = 2**20
FEW = 16  # up to this many rows are multiplied without rounding their number up
# Numbers of a weight too large to be copied into the order in which few rows are fastest.
LARGE = 2**22
# Most outputs of a part. glibc reuses the memory of its product up to 32 MB: 512 rows.
WIDE = 2**14


class PackedLinear:
    """A linear map (rows, in) -> (rows, out) by a weight (out, in) that may not change, in float32.

    MKL's product with the transposed weight is fastest for few rows; oneDNN's, with a weight in its own layout, for
    many: up to three times as fast and no less exact. torch's switch that gives all products to oneDNN would let some
    be bf16.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        self.weight = weight.detach()
        self.bias = bias
        # Rows from which oneDNN multiplies them.
        self.many = sys.maxsize
        if can_pack(weight):
            self.many = max(2, math.ceil(MANY / weight.numel()))

    @functools.cached_property
    def transposed(self) -> Tensor:
        """The weight transposed, (in, out); made when few rows come."""
        transposed = self.weight.t()
        if transposed.numel() > LARGE:
            return transposed
        return transposed.contiguous()

    @functools.cached_property
    def packed(self) -> Tensor:
        """The weight in oneDNN's layout; made when many rows come."""
        return onednn.reordered(self.weight)

    def __call__(self, x: Tensor) -> Tensor:
        if x.size(0) >= self.many:
            return self._packed_product(x)
        if self.bias is None:
            return torch.mm(x, self.transposed)
        return torch.addmm(self.bias, x, self.transposed)

    def add_to(self, stream: Tensor, x: Tensor) -> Tensor:
        """The product of x, plus the stream (rows, out)."""
        if x.size(0) >= self.many:
            return self._packed_product(x).add_(stream)
        return add_product(stream, x, self.transposed, self.bias)

    def _packed_product(self, x: Tensor) -> Tensor:
        """oneDNN compiles code for each number of rows, in the time of one or two products, and keeps working memory.

        So rows are rounded up to one of eight numbers between a power of two and the next.
        """
        rows = x.size(0)
        if rows > FEW:
            step = max(FEW, 2 ** (rows.bit_length() - 4))
            missing = -rows % step
            if missing:
                x = F.pad(x, (0, 0, 0, missing))  # (rows + missing, in)
        return onednn.product(x, self.packed, self.bias).narrow(0, 0, rows)


class WideLinear:
    """A linear map (rows, in) -> (rows, out), in parts of the output; each call overwrites what the one before
    returned.

    A new array of 64 MB costs page faults, a quarter of the time of its product. This one is written to again.
    """

    def __init__(self, parts: Sequence[Map], out: int) -> None:
        self.parts = parts
        self.out = out
        self.room = torch.empty(0, out)  # (most rows so far, out)

    def __call__(self, x: Tensor) -> Tensor:
        first, *others = self.parts
        product = first(x)  # (rows, part of out)
        if not others:
            return product
        rows = x.size(0)
        if rows > self.room.size(0):
            self.room = product.new_empty(rows, self.out)
        found = self.room.narrow(0, 0, rows)  # (rows, out)
        end = product.size(1)
        found.narrow(1, 0, end).copy_(product)
        for part in others:
            del product  # whose memory is the next one's
            product = part(x)
            found.narrow(1, end, product.size(1)).copy_(product)
            end += product.size(1)
        return found


class NoLinear:
    """Stands for the output projection where a sublayer's output joins the residual stream without one."""

    def add_to(self, stream: Tensor, x: Tensor) -> Tensor:
        """x plus the stream."""
        return stream + x


def in_parts(
    make: Callable[[Tensor, Tensor | None], Map], weight: Tensor, bias: Tensor | None
) -> list[Map]:
    """The maps that `make` makes of equal parts of a weight (out, in), at most `WIDE` outputs each."""
    n = math.ceil(len(weight) / WIDE)
    biases = [None] * n if bias is None else bias.chunk(n)
    return [make(*part) for part in zip(weight.chunk(n), biases, strict=True)]


def add_product(stream: Tensor, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """The product by a weight (in, out), plus the stream (rows, out)."""
    if bias is None:
        return torch.addmm(stream, x, weight)
    return torch.addmm(bias, x, weight).add_(stream)


def packed(
    linears: Sequence[nn.Linear], first_scale: float = 1.0, *, pre_added: Tensor | None = None
) -> PackedLinear:
    """Several linear maps of one vector as one product, the first times a scale: (rows, in) -> (rows, all outs).

    `pre_added` (in,) is what was added to the vectors in advance; its product is subtracted again.
    """
    first, *others = linears
    weight = first.weight
    if first_scale != 1.0:
        weight = weight * first_scale
    if others:
        weight = torch.cat([weight, *(linear.weight for linear in others)])
    bias = None
    if first.bias is not None:
        bias = torch.cat([first.bias * first_scale, *(linear.bias for linear in others)])
    if pre_added is not None:
        added = weight @ pre_added  # (all outs,)
        bias = -added if bias is None else bias - added
    return PackedLinear(weight, bias)


def can_pack(weight: Tensor) -> bool:
    """Whether oneDNN has a product for this weight in torch."""
    is_plain = weight.device.type == "cpu" and weight.dtype == torch.float32
    return is_plain and onednn.has_product()


def can_round(device: torch.device) -> bool:
    """Whether there are products of 8-bit integers for `rounded`."""
    return device.type == "cpu" and onednn.integer_levels() > 0


def rounded(weight: Tensor, bias: Tensor | None) -> Map:
    """A linear map (rows, in) -> (rows, out) in 8-bit integers; each row of the weight (out, in) and of x has its own
    scale.
    """
    scales = weight.abs().amax(1).clamp(min=1e-12) / 127  # (out,)
    integers = (weight / scales[:, None]).round().to(torch.int8)
    prepacked = onednn.reordered_integers(integers)
    zeros = torch.zeros(len(weight), dtype=torch.long)
    levels = onednn.integer_levels()

    def rounded_product(x: Tensor) -> Tensor:
        peaks = x.abs().amax(1, keepdim=True).clamp(min=1e-12)  # (rows, 1)
        signed = (x * (levels / peaks)).round_()
        # Unsigned, as oneDNN wants it: levels + 1 stands for 0.
        unsigned = signed.add_(levels + 1).to(torch.uint8)
        out = onednn.integer_product(unsigned, prepacked, scales, zeros, levels=levels)
        out.mul_(peaks)
        return out if bias is None else out.add_(bias)

    return rounded_product
