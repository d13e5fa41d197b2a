"""Capture without flags: hooks on the seams that the model leaves."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from torch import Tensor, nn

from s2s.model import Transformer, inference


@dataclass
class Trace:
    """Attention weights of what ran inside `capture`, one tensor a layer: (batch, heads, query_len, key_len)."""

    encoder: list[Tensor] = field(default_factory=list)
    decoder: list[Tensor] = field(default_factory=list)
    cross: list[Tensor] = field(default_factory=list)


@contextlib.contextmanager
def capture(model: Transformer) -> Iterator[Trace]:
    """Record every attention of the model while it runs, in inference mode; the model is held meanwhile."""
    trace = Trace()
    with inference(model), contextlib.ExitStack() as hooks:

        def watch(seam: nn.Module, into: list[Tensor]) -> None:
            hooks.callback(seam.register_forward_hook(_keep(into)).remove)

        for layer in model.encoder.layers:
            watch(layer.self_attention.weights, trace.encoder)  # type: ignore[union-attr, arg-type]
        for layer in model.decoder.layers:
            watch(layer.self_attention.weights, trace.decoder)  # type: ignore[union-attr, arg-type]
            watch(layer.cross_attention.weights, trace.cross)  # type: ignore[union-attr, arg-type]
        yield trace


def _keep(into: list[Tensor]) -> Callable[[nn.Module, tuple[Tensor, ...], Tensor], None]:
    def hook(seam: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        into.append(output)

    return hook
