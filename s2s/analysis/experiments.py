"""Small experiments on one layer: another mask, one position erased, no residual connection, one update of weights.

Knows nothing of text or screens.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from s2s.analysis.forward_trace import Array, AttentionTrace, LayerTrace, Mask
from s2s.model import (
    ACTIVATIONS,
    EncoderLayer,
    Residual,
    Transformer,
    attention_weights,
    inference,
    masks,
)

BILLION = -1e9  # many programs add this instead of -inf


class WeightsByFill(NamedTuple):
    """The attention weights of one row, (keys,), by the number that a mask fills in for "may not look"."""

    lowest: Array  # the lowest finite number, then zeros: our own model
    minus_infinity: Array  # NaN where every key is masked
    minus_billion: Array


def weights_by_fill(trace: AttentionTrace, head: int, query: int, mask: Mask) -> WeightsByFill:
    """One query's weights under another mask (keys,), True = may look, for each number that can fill it in."""
    scores = torch.from_numpy(trace.scores[head, query])  # (keys,)
    allowed = torch.from_numpy(mask.copy())
    # d_head 1 and a query of 1: the dot products are the scores, so the model's own function masks them
    query_of_one = torch.ones(1, 1, 1, 1)
    keys = scores[None, None, :, None]  # (1, 1, keys, 1)
    # (1, 1, 1, keys)
    lowest = attention_weights(query_of_one, keys, allowed, None, scale=1.0)
    return WeightsByFill(
        lowest=lowest[0, 0, 0].numpy(),
        minus_infinity=scores.masked_fill(~allowed, -torch.inf).softmax(0).numpy(),
        minus_billion=(scores + BILLION * ~allowed).softmax(0).numpy(),
    )


def softmax(scores: Array) -> Array:
    return cast(Array, torch.from_numpy(scores).softmax(-1).numpy())


class ErasureEffect(NamedTuple):
    """The change of each sublayer's output when one position's input becomes zeros, each (src_len, d_model)."""

    attention: Array
    feed_forward: Array | None


def erasure_effect(
    model: Transformer, trace: LayerTrace, layer: int, position: int
) -> ErasureEffect:
    """The effect of erasing a position in the encoder's `layer` (from 0), traced in `trace`; all attend to all."""
    module = cast(EncoderLayer, model.encoder.layers[layer])
    with inference(model):
        x = trace.self_residual.sublayer_input
        attention = _change(_self_attention(model, module, len(x)), x, position, model.device)
        feed_forward = module.feed_forward
        residual = trace.feed_forward_residual
        if feed_forward is None or residual is None:
            return ErasureEffect(attention, None)
        x = residual.sublayer_input
        return ErasureEffect(attention, _change(feed_forward, x, position, model.device))


def _self_attention(
    model: Transformer, layer: EncoderLayer, length: int
) -> Callable[[Tensor], Tensor]:
    """The layer's self-attention as a function of its input alone: (1, len, d_model) -> (1, len, d_model)."""
    position = model.encoder.embed.position
    attention = layer.self_attention
    pad = model.config.ids.pad
    mask = masks.padding(torch.full((1, length), pad + 1, device=model.device), pad)
    order = position.order(length, device=model.device)
    return lambda x: cast(Tensor, attention(x, x, mask, order))


def _change(
    sublayer: Callable[[Tensor], Tensor], x: Array, position: int, device: torch.device
) -> Array:
    intact = torch.from_numpy(x).to(device)[None]  # (1, len, d_model)
    erased = intact.clone()
    erased[0, position] = 0
    change = sublayer(erased) - sublayer(intact)  # (1, len, d_model)
    return cast(Array, change[0].float().cpu().numpy())


class NormTrace(NamedTuple):
    """The steps of one norm, each (len, d_model)."""

    input: Array
    normalized: Array  # without the learned scale and shift
    out: Array
    scale: Array | None  # (d_model,)
    shift: Array | None  # (d_model,)


def norm_trace(norm: nn.Module, x: Array, out: Array) -> NormTrace | None:
    """The steps of a LayerNorm or RMSNorm from `x` to `out`; None where a model has no norm there."""
    if not isinstance(norm, nn.LayerNorm | nn.RMSNorm):
        return None
    normalized = _normalize(norm, torch.from_numpy(x)).numpy()
    scale = _copied(getattr(norm, "weight", None))
    shift = _copied(getattr(norm, "bias", None))
    return NormTrace(x, normalized, out, scale, shift)


def _copied(learned: Tensor | None) -> Array | None:
    if learned is None:
        return None
    return learned.detach().float().cpu().numpy().copy()


def _normalize(norm: nn.LayerNorm | nn.RMSNorm, x: Tensor) -> Tensor:
    shape = tuple(norm.normalized_shape)
    if isinstance(norm, nn.LayerNorm):
        return F.layer_norm(x, shape, eps=norm.eps)
    return F.rms_norm(x, shape, eps=norm.eps)


def activation_curves(inputs: Array) -> dict[str, Array]:
    """Every activation function of `inputs`, by the names of `config.FeedForwardConfig`."""
    x = torch.from_numpy(inputs)
    return {name: activation(x).numpy() for name, activation in ACTIVATIONS.items()}


class GradientFlow(NamedTuple):
    """Norm of the loss's gradient with respect to the residual stream before layer 1 and after each: (layers + 1,)."""

    encoder: Array
    decoder: Array
    loss: float  # nats per token


class WithoutResidual(nn.Module):
    """A `Residual` without its residual connection: the sublayer's output replaces the stream."""

    def __init__(self, residual: Residual) -> None:
        super().__init__()
        self.norm = residual.norm
        self.is_pre = residual.is_pre

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Replace the stream: (batch, len, d_model) -> (batch, len, d_model)."""
        out: Tensor = sublayer(self.norm(x)) if self.is_pre else self.norm(sublayer(x))
        return out


def frozen_copy(model: Transformer) -> Transformer:
    """New modules that share the weights and need no gradient for them: changing the copy never changes the model."""
    return _copied_model(model, lambda weight: nn.Parameter(weight.detach(), requires_grad=False))


def trainable_copy(model: Transformer) -> Transformer:
    """New modules with weights of their own, which can be trained, without dropout."""
    return _copied_model(model, lambda weight: nn.Parameter(weight.detach().clone()))


def _copied_model(
    model: Transformer, copied_weight: Callable[[nn.Parameter], nn.Parameter]
) -> Transformer:
    with model.lock:
        memo: dict[int, Any] = {id(model.lock): threading.RLock(), id(model.fused): None}
        memo |= {id(weight): copied_weight(weight) for weight in model.parameters()}
        return copy.deepcopy(model, memo).eval()


def without_residual(model: Transformer) -> Transformer:
    """A frozen copy in which every sublayer's output replaces the stream instead of being added to it."""
    changed = frozen_copy(model)
    for layer in (*changed.encoder.layers, *changed.decoder.layers):
        for name, module in [*layer.named_children()]:
            if isinstance(module, Residual):
                setattr(layer, name, WithoutResidual(module))
    return changed


def first_predicted(model: Transformer) -> int:
    """The first position of a target that the model predicts: not the start id, nor a first id that it is given."""
    return 1 if model.config.ids.forced_first is None else 2


def gradient_flow(model: Transformer, src: Sequence[int], tgt: Sequence[int]) -> GradientFlow:
    """The gradients of the mean -log p of the tokens of `tgt` that the model predicts, by depth.

    `model` is a frozen copy of the caller's own.
    """
    streams: dict[str, list[Tensor]] = {"encoder": [], "decoder": []}
    for name, stack in (("encoder", model.encoder), ("decoder", model.decoder)):
        stack.embed.register_forward_hook(_record_as_leaf(streams[name]))
        for layer in stack.layers:
            layer.register_forward_hook(_record(streams[name]))
    src_ids = torch.tensor([[*src]], device=model.device)  # (1, src_len)
    tgt_ids = torch.tensor([[*tgt]], device=model.device)  # (1, tgt_len)
    first = first_predicted(model)
    with torch.enable_grad():
        logits = model(src_ids, tgt_ids[:, :-1])  # (1, tgt_len - 1, vocab)
        loss = F.cross_entropy(logits[0, first - 1 :].float(), tgt_ids[0, first:])
        both = [*streams["encoder"], *streams["decoder"]]
        gradients = torch.autograd.grad(loss, both)
        lengths = np.array([float(gradient.norm()) for gradient in gradients], np.float32)
    n_encoder = len(streams["encoder"])
    return GradientFlow(lengths[:n_encoder], lengths[n_encoder:], float(loss.detach()))


def _record_as_leaf(
    outputs: list[Tensor],
) -> Callable[[nn.Module, tuple[Any, ...], Tensor], Tensor]:
    def hook(module: nn.Module, inputs: tuple[Any, ...], output: Tensor) -> Tensor:
        leaf = output.detach().requires_grad_()
        outputs.append(leaf)
        return leaf

    return hook


def _record(outputs: list[Tensor]) -> Callable[[nn.Module, tuple[Any, ...], Tensor], None]:
    def hook(module: nn.Module, inputs: tuple[Any, ...], output: Tensor) -> None:
        outputs.append(output)

    return hook


class WeightUpdate(NamedTuple):
    """What one update of all weights does: to the output vectors of the target's tokens, and to their losses.

    A first token that the model is given is left out.
    """

    before: Array  # (tgt_len, d_model): the vector that gives each token its logit
    gradient: Array  # (tgt_len, d_model): of the mean loss with respect to `before`
    after: Array  # (tgt_len, d_model): before - rate * gradient
    losses_before: Array  # (tgt_len,) in nats
    losses_after: Array  # (tgt_len,) in nats

    def steepest(self, width: int) -> tuple[int, int]:
        """Row and column, from 0, of the weight with the largest gradient, of the first `width` of each vector."""
        sizes = np.abs(self.gradient[:, :width])
        row, column = divmod(int(sizes.argmax()), sizes.shape[1])
        return row, column


def weight_update(
    model: Transformer, src: Sequence[int], tgt: Sequence[int], *, rate: float
) -> WeightUpdate:
    """Update every weight of a copy of the model once, on the mean -log p of each token of `tgt` that it predicts."""
    learner = trainable_copy(model)
    src_ids, tgt_ids = (torch.tensor([[*ids]], device=model.device) for ids in (src, tgt))
    table = learner.projection.weight  # (vocab, d_model)
    labels = tgt_ids[0, first_predicted(model) :]  # (tgt_len,)
    before = _array(table[labels])
    with torch.enable_grad():
        losses = _losses(learner, src_ids, tgt_ids)
        losses.mean().backward()  # type: ignore[no-untyped-call]
    gradient = _array(_gradient(table)[labels])
    with torch.no_grad():
        for weight in learner.parameters():
            if weight.grad is not None:  # some models have weights that they do not use
                weight.sub_(rate * weight.grad)
        losses_after = _losses(learner, src_ids, tgt_ids)
    return WeightUpdate(
        before, gradient, _array(table[labels]), _array(losses), _array(losses_after)
    )


def _losses(model: Transformer, src: Tensor, tgt: Tensor) -> Tensor:
    first = first_predicted(model)
    logits = model(src, tgt[:, :-1])  # (1, inputs, vocab)
    return F.cross_entropy(logits[0, first - 1 :].float(), tgt[0, first:], reduction="none")


def _gradient(weight: Tensor) -> Tensor:
    return torch.zeros_like(weight) if weight.grad is None else weight.grad


def _array(tensor: Tensor) -> Array:
    return tensor.detach().float().cpu().numpy().copy()
