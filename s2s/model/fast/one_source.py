"""All decoder layers of a step of one source's rows as one function, which torch's own interpreter runs.

Half the time of such a step is spent between operations that take a microsecond each, and torch's interpreter spends less there.
"""

from __future__ import annotations

import functools
import threading
import warnings
from collections.abc import Callable
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor

COMPILING = threading.Lock()


def _run_layers(
    x: Tensor,
    mask: Tensor | None,
    used: int,
    *,
    buffers: list[Tensor],
    weights: list[list[Tensor | None]],
    memories: list[list[Tensor | None]],
    n_heads: int,
    eps: float,
    is_pre: bool,
    activation: str,
) -> Tensor:
    """(rows, d_model) -> (rows, d_model): what `FlatLayer` does, layer by layer, over memories that are folded.

    The cache's `buffers` (2, 1, heads, slots, d_head) are filled from slot `used` on. A layer's `weights` are those of `FlatLayer.parts`,
    its memory those of `Folded`, in their order.
    """
    for number, buffer in enumerate(buffers):
        w = weights[number]
        memory = memories[number]
        if is_pre:
            x = _look_back(
                _norm(x, w[8], w[9], eps), x, mask, used, buffer=buffer, w=w, n_heads=n_heads
            )
            x = _look_at(_norm(x, w[10], w[11], eps), x, memory, n_heads)
            x = _feed_forward(_norm(x, w[12], w[13], eps), x, w, activation)
        else:
            x = _norm(
                _look_back(x, x, mask, used, buffer=buffer, w=w, n_heads=n_heads), w[8], w[9], eps
            )
            x = _norm(_look_at(x, x, memory, n_heads), w[10], w[11], eps)
            x = _norm(_feed_forward(x, x, w, activation), w[12], w[13], eps)
    return x


def _look_back(
    y: Tensor,
    x: Tensor,
    mask: Tensor | None,
    used: int,
    *,
    buffer: Tensor,
    w: list[Tensor | None],
    n_heads: int,
) -> Tensor:
    rows = y.size(0)
    all_three = (
        _product(y, w[0], w[1]).view(rows, 3, 1, n_heads, -1).permute(1, 2, 3, 0, 4)
    )  # (3, 1, heads, rows, d_head)
    buffer.narrow(3, used, rows).copy_(all_three.narrow(0, 1, 2))
    seen = buffer.narrow(3, 0, used + rows)
    gathered = F.scaled_dot_product_attention(
        all_three.select(0, 0), seen.select(0, 0), seen.select(0, 1), mask, scale=1.0
    )
    return _onto(x, gathered.transpose(1, 2).reshape(rows, -1), w[2], w[3])


def _look_at(y: Tensor, x: Tensor, memory: list[Tensor | None], n_heads: int) -> Tensor:
    rows = y.size(0)
    weights = _product(y, memory[0], memory[1]).view(rows, n_heads, -1).softmax(-1).view(rows, -1)
    return _onto(x, weights, memory[2], memory[3])


def _feed_forward(y: Tensor, x: Tensor, w: list[Tensor | None], activation: str) -> Tensor:
    hidden = _product(y, w[4], w[5])
    if activation == "relu":
        hidden = torch.relu_(hidden)
    elif activation == "silu":
        hidden = F.silu(hidden)
    else:
        hidden = F.gelu(hidden, approximate="tanh" if activation == "gelu_tanh" else "none")
    return _onto(x, hidden, w[6], w[7])


def _norm(x: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float) -> Tensor:
    return torch.layer_norm(x, [x.size(1)], weight, bias, eps)


def _product(x: Tensor, turned: Tensor | None, bias: Tensor | None) -> Tensor:
    assert turned is not None
    return torch.mm(x, turned) if bias is None else torch.addmm(bias, x, turned)


def _onto(stream: Tensor, x: Tensor, turned: Tensor | None, bias: Tensor | None) -> Tensor:
    assert turned is not None
    return (
        torch.addmm(stream, x, turned)
        if bias is None
        else torch.addmm(bias, x, turned).add_(stream)
    )


@functools.cache
def run_layers() -> Callable[..., Tensor]:
    """`_run_layers` without Python. torch means to drop this way of compiling; the one to come needs a C++ compiler where it runs."""
    with COMPILING, warnings.catch_warnings():  # which another thread must not do meanwhile
        warnings.simplefilter("ignore", DeprecationWarning)
        return cast("Callable[..., Tensor]", torch.jit.script(_run_layers))
