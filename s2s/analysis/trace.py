"""Record attention while a model runs, through hooks; the model's code knows nothing of it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import torch
from torch import Tensor, nn

from s2s.analysis.attention import KINDS
from s2s.model import Attention, Transformer, inference


@dataclass
class Trace:
    """What was recorded: one tensor per layer, by kind of attention."""

    encoder: list[Tensor] = field(default_factory=list)
    decoder: list[Tensor] = field(default_factory=list)
    cross: list[Tensor] = field(default_factory=list)


@contextlib.contextmanager
def capture(model: Transformer) -> Iterator[Trace]:
    """Record every attention's weights, (batch, heads, query_len, key_len).

    In inference mode and holding the model's lock.
    """
    with _recorded(model, "weights", lambda _, weights: weights) as trace:
        yield trace


@contextlib.contextmanager
def capture_grams(model: Transformer) -> Iterator[Trace]:
    """Record the `gram` of every attention, (batch, key_len, heads, heads), as `capture` does."""
    with _recorded(model, "value", gram) as trace:
        yield trace


@contextlib.contextmanager
def capture_value_norms(model: Transformer) -> Iterator[Trace]:
    """Record the `value_norms` of every attention, (batch, heads, key_len), as `capture` does."""
    with _recorded(model, "value", value_norms) as trace:
        yield trace


@contextlib.contextmanager
def capture_values(model: Transformer) -> Iterator[Trace]:
    """Record every attention's values, (batch, heads, key_len, d_head), as `capture` does."""
    with _recorded(model, "value", lambda attention, values: attention.split(values)) as trace:
        yield trace


def value_norms(attention: Attention, values: Tensor) -> Tensor:
    """Norm of what each head adds per unit of weight on a key, (batch, heads, key_len): the root of `gram`'s diagonal.

    Kobayashi et al. 2020, eq. 3. For heads taken one by one it is all that is needed, and far smaller.
    """
    heads = attention.split(values.double())  # (batch, heads, key_len, d_head)
    if not isinstance(attention.output, nn.Linear):
        norms: Tensor = torch.linalg.vector_norm(heads, dim=-1)
        return norms
    # (heads, d_head, d_model)
    slices = attention.output.weight.double().T.view(attention.n_heads, attention.d_head, -1)
    products = slices @ slices.mT  # (heads, d_head, d_head)
    squares: Tensor = ((heads @ products) * heads).sum(-1)  # (batch, heads, key_len)
    return squares.clamp(min=0).sqrt()


def gram(attention: Attention, values: Tensor) -> Tensor:
    """The Gram matrices of the heads: inner products of what they add per unit of weight, (batch, key_len, heads,
    heads).

    A head's slice of the output projection maps a key's value to what it would add to the residual stream; without a
    projection, each head adds to a slice of its own. These products are all that the norm of a weighted sum needs, and
    small enough to keep.
    """
    heads = attention.split(values.double()).transpose(1, 2)  # (batch, key_len, heads, d_head)
    if not isinstance(attention.output, nn.Linear):
        return heads.square().sum(-1).diag_embed()
    # (heads, d_head, d_model)
    slices = attention.output.weight.double().T.view(attention.n_heads, attention.d_head, -1)
    added = (heads[..., None, :] @ slices).squeeze(-2)  # (batch, key_len, heads, d_model)
    products: Tensor = added @ added.mT
    return products


@contextlib.contextmanager
def _recorded(
    model: Transformer, submodule: str, convert: Callable[[Attention, Tensor], Tensor]
) -> Iterator[Trace]:
    trace = Trace()
    with inference(model), contextlib.ExitStack() as hooks:

        def hook(attention: Attention, tensors: list[Tensor]) -> None:
            def record(module: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
                tensors.append(convert(attention, output))

            handle = attention.get_submodule(submodule).register_forward_hook(record)
            hooks.callback(handle.remove)

        for kind in KINDS:
            for attention in attentions(model, kind):
                hook(attention, getattr(trace, kind))
        yield trace


def attentions(model: Transformer, kind: str) -> list[Attention]:
    """The modules of one of `KINDS`, one per layer."""
    layers: Any = model.encoder.layers if kind == "encoder" else model.decoder.layers
    name = "cross_attention" if kind == "cross" else "self_attention"
    return [cast(Attention, getattr(layer, name)) for layer in layers]
