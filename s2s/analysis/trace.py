"""Capture without flags: hooks on the seams that the model leaves."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from torch import Tensor, nn

from s2s.analysis.attention import KINDS
from s2s.model import Transformer, inference
from s2s.model.attention import Attention


@dataclass
class Trace:
    """What was recorded of every attention, one tensor a layer."""

    encoder: list[Tensor] = field(default_factory=list)
    decoder: list[Tensor] = field(default_factory=list)
    cross: list[Tensor] = field(default_factory=list)


@contextlib.contextmanager
def capture(model: Transformer) -> Iterator[Trace]:
    """Record every attention's weights, (batch, heads, query_len, key_len), while the model runs.

    That is in inference mode, and the model is held meanwhile.
    """
    with _recorded(model, "weights", lambda _, weights: weights) as trace:
        yield trace


@contextlib.contextmanager
def capture_grams(model: Transformer) -> Iterator[Trace]:
    """Record the `gram` of every attention, (batch, key_len, heads, heads), while the model runs, in inference mode."""
    with _recorded(model, "value", gram) as trace:
        yield trace


def gram(attention: Attention, values: Tensor) -> Tensor:
    """Inner products of what the heads make of each key: (batch, key_len, heads * d_head) -> (batch, key_len, heads, heads).

    A head's part of the output projection turns a key's value into what it would add to the stream; where there is no
    projection, each head adds to a slice of its own. All that norms of weighted sums need, at a size that one may keep.
    """
    heads = attention.split(values.double()).transpose(1, 2)  # (batch, key_len, heads, d_head)
    if not isinstance(attention.output, nn.Linear):
        return heads.square().sum(-1).diag_embed()
    parts = attention.output.weight.double().T.view(
        attention.n_heads, attention.d_head, -1
    )  # (heads, d_head, d_model)
    added = (heads[..., None, :] @ parts).squeeze(-2)  # (batch, key_len, heads, d_model)
    products: Tensor = added @ added.mT
    return products


@contextlib.contextmanager
def _recorded(
    model: Transformer, seam: str, make: Callable[[Attention, Tensor], Tensor]
) -> Iterator[Trace]:
    """Keep what `make` makes of the output of one module of every attention."""
    trace = Trace()
    with inference(model), contextlib.ExitStack() as hooks:

        def watch(attention: Attention, into: list[Tensor]) -> None:
            def keep(module: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
                into.append(make(attention, output))

            hooks.callback(attention.get_submodule(seam).register_forward_hook(keep).remove)

        for kind in KINDS:
            for attention in attentions(model, kind):
                watch(attention, getattr(trace, kind))
        yield trace


def attentions(model: Transformer, kind: str) -> list[Attention]:
    """The modules of one of `KINDS`, a layer each."""
    layers: Any = model.encoder.layers if kind == "encoder" else model.decoder.layers
    return [
        cast(Attention, layer.cross_attention if kind == "cross" else layer.self_attention)
        for layer in layers
    ]
