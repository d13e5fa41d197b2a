"""What each fault changes of a model, from outside: hooks and replaced methods, undone when `hooks` closes.

Every change puts a hook where the fused path would bypass it, so that the model runs its modules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any, cast

import torch
from torch import Tensor, nn

from s2s.model import Attention, Dropout, Position, Residual, Transformer


def see_later_tokens(model: Transformer, hooks: ExitStack) -> None:
    """Take the mask from the decoder's self-attention."""
    for layer in _layers(model.decoder):
        _unmask(layer.self_attention, hooks)


def see_padding(model: Transformer, hooks: ExitStack) -> None:
    """Take the mask from the encoder's self-attention and from cross-attention."""
    for layer in _layers(model.encoder):
        _unmask(layer.self_attention, hooks)
    for layer in _layers(model.decoder):
        _unmask(layer.cross_attention, hooks)


def forget_order(model: Transformer, hooks: ExitStack) -> None:
    """Make positions add nothing to vectors, queries, keys and scores."""
    for embed in (model.encoder.embed, model.decoder.embed):
        position: Position = embed.position
        _replace(position, "add", lambda x, is_real, start=0: x, hooks)
        _replace(position, "rotate", lambda x, start=0: x, hooks)
        _replace(position, "bias", lambda query_len, key_len, device: None, hooks)
        _run_modules(embed, hooks)


def leave_scores_unscaled(model: Transformer, hooks: ExitStack) -> None:
    """Leave scores unscaled: queries grow by what attention divides their scores by."""
    for attention in _attentions(model):
        scale = attention.scale

        def enlarge(
            module: nn.Module, inputs: Any, queries: Tensor, scale: float = scale
        ) -> Tensor:
            return queries / scale

        hooks.callback(attention.query.register_forward_hook(enlarge).remove)


def drop_residuals(model: Transformer, hooks: ExitStack) -> None:
    """Make each sublayer's output replace its input: f(norm(x)) with pre-norm, norm(f(x)) with post-norm."""
    for residual in model.modules():
        if isinstance(residual, Residual):
            _replace(residual, "forward", _without_input(residual), hooks)
            _run_modules(residual, hooks)


def leave_dropout_on(model: Transformer, hooks: ExitStack) -> None:
    """Make modules that drop values do so, although the model is not training."""
    for module in model.modules():
        if isinstance(module, (Attention, Dropout)):
            hooks.callback(setattr, module, "training", module.training)
            module.training = True
    for embed in (model.encoder.embed, model.decoder.embed):
        _run_modules(embed, hooks)


def _without_input(residual: Residual) -> Callable[..., Tensor]:
    def forward(x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if residual.is_pre:
            return cast(Tensor, residual.dropout(sublayer(residual.norm(x))))
        return cast(Tensor, residual.norm(residual.dropout(sublayer(x))))

    return forward


def _unmask(attention: Attention, hooks: ExitStack) -> None:
    def unmask(module: nn.Module, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        x, memory, mask, *order = inputs
        return x, memory, torch.ones_like(mask), *order

    hooks.callback(attention.register_forward_pre_hook(unmask).remove)


def _replace(module: nn.Module, name: str, method: Callable[..., Any], hooks: ExitStack) -> None:
    if name not in vars(module):
        setattr(module, name, method)
        hooks.callback(delattr, module, name)


def _run_modules(module: nn.Module, hooks: ExitStack) -> None:
    hooks.callback(module.register_forward_hook(lambda *call: None).remove)


def _attentions(model: Transformer) -> Iterable[Attention]:
    return (module for module in model.modules() if isinstance(module, Attention))


def _layers(stack: nn.Module) -> Iterable[Any]:
    return cast(Iterable[Any], stack.layers)
