"""Small experiments on the parts of one layer: another mask, one position erased, no residual. Arrays out; knows nothing of screens."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from s2s.analysis.anatomy import Array, Attended, Layer, Mask
from s2s.model import Transformer, inference, masks
from s2s.model.attention import attention_weights
from s2s.model.layers import ACTIVATIONS, Residual
from s2s.model.transformer import EncoderLayer

BILLION = -1e9  # what many programs add in place of -inf


class Fills(NamedTuple):
    """The weights of one row, (keys,), by what stands for "may not look"."""

    ours: Array  # the lowest number, then zeros
    infinite: Array  # -inf: NaN where nothing may be looked at
    billion: Array  # -1e9


def fills(seen: Attended, head: int, query: int, may: Mask) -> Fills:
    """One query under another mask, `may` (keys,)."""
    row = torch.from_numpy(seen.scores[head, query])
    mask = torch.from_numpy(may.copy())
    # The scores as keys of one number each: the model's own function then takes them as they are.
    ours = attention_weights(
        torch.ones(1, 1, 1, 1), row[None, None, :, None], mask, None, scale=1.0
    )
    parts = (
        ours[0, 0, 0],
        row.masked_fill(~mask, -torch.inf).softmax(0),
        (row + BILLION * ~mask).softmax(0),
    )
    return Fills(*(part.numpy() for part in parts))


def sharpened(scores: Array) -> Array:
    """The softmax over the last axis."""
    return cast(Array, torch.from_numpy(scores).softmax(-1).numpy())


class Erased(NamedTuple):
    """How far each number of a sublayer's output moves when one position's input becomes zeros, both (src_len, d_model)."""

    attention: Array
    feed_forward: Array | None


def erased(model: Transformer, seen: Layer, layer: int, position: int) -> Erased:
    """Of the encoder's `layer`, from 0, which took in what `seen` holds; every position may look at every other."""
    module = cast(EncoderLayer, model.encoder.layers[layer])
    with inference(model):
        attend = _attention(model, module, len(seen.self_joined.read))
        read = seen.self_joined.read
        attended = _moved(attend, read, position, model.device)
        fed = module.feed_forward
        if fed is None or seen.fed_joined is None:
            return Erased(attended, None)
        return Erased(attended, _moved(fed, seen.fed_joined.read, position, model.device))


def _attention(model: Transformer, layer: EncoderLayer, length: int) -> Callable[[Tensor], Tensor]:
    place = model.encoder.embed.position
    attention = layer.self_attention
    device = model.device
    mask = masks.padding(
        torch.full((1, length), model.config.ids.pad + 1, device=device), model.config.ids.pad
    )
    bias = place.bias(length, length, device)
    return lambda x: cast(
        Tensor, attention(attention.queries(x, place), attention.keys_values(x, place), mask, bias)
    )


def _moved(
    sublayer: Callable[[Tensor], Tensor], read: Array, position: int, device: torch.device
) -> Array:
    whole = torch.from_numpy(read).to(device)[None]
    torn = whole.clone()
    torn[0, position] = 0
    return cast(Array, (sublayer(torn) - sublayer(whole))[0].float().cpu().numpy())


class Normed(NamedTuple):
    """One norm: what it is given, the same without the learned scale and shift, and what comes out, all (len, d_model)."""

    given: Array
    plain: Array
    out: Array
    scale: Array | None  # (d_model,)
    shift: Array | None


def normed(norm: nn.Module, given: Array, out: Array) -> Normed | None:
    """Of what a LayerNorm or RMSNorm made of something; None where a model has no norm there."""
    if not isinstance(norm, nn.LayerNorm | nn.RMSNorm):
        return None
    x = torch.from_numpy(given)
    size = tuple(norm.normalized_shape)
    plain = (
        F.layer_norm(x, size, eps=norm.eps)
        if isinstance(norm, nn.LayerNorm)
        else F.rms_norm(x, size, eps=norm.eps)
    )
    learned = [getattr(norm, name, None) for name in ("weight", "bias")]
    scale, shift = (
        None if each is None else each.detach().float().cpu().numpy().copy() for each in learned
    )
    return Normed(given, plain.numpy(), out, scale, shift)


def curves(inputs: Array) -> dict[str, Array]:
    """Each activation of some inputs, by the names of `config.FeedForwardConfig`."""
    x = torch.from_numpy(inputs)
    return {name: activation(x).numpy() for name, activation in ACTIVATIONS.items()}


class Flow(NamedTuple):
    """The length of the loss's gradient by the whole residual stream: before the first layer and behind each, (layers + 1,)."""

    encoder: Array
    decoder: Array
    loss: float  # nats a token


class Cut(nn.Module):
    """A `Residual` without the residual: the sublayer's output goes on alone."""

    def __init__(self, residual: Residual) -> None:
        super().__init__()
        self.norm = residual.norm
        self.is_pre = residual.is_pre

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """(batch, len, d_model) -> (batch, len, d_model)."""
        out: Tensor = sublayer(self.norm(x)) if self.is_pre else self.norm(sublayer(x))
        return out


def twin(model: Transformer) -> Transformer:
    """The same modules anew over the same numbers, which want no gradient: what is done to it, the model never sees."""
    with model.lock:
        known: dict[int, Any] = {id(model.lock): threading.RLock(), id(model.flat): None}
        known |= {
            id(weight): nn.Parameter(weight.detach(), requires_grad=False)
            for weight in model.parameters()
        }
        return copy.deepcopy(model, known).eval()


def without_residual(model: Transformer) -> Transformer:
    """A twin in which every sublayer's output replaces the stream in place of joining it."""
    cut = twin(model)
    for layer in (*cut.encoder.layers, *cut.decoder.layers):
        for name, part in [*layer.named_children()]:
            if isinstance(part, Residual):
                setattr(layer, name, Cut(part))
    return cut


def flow(model: Transformer, src: Sequence[int], tgt: Sequence[int]) -> Flow:
    """Of the mean -log p of `tgt`'s tokens but the first, given those before; `model` is a twin that nobody else uses."""
    streams: dict[str, list[Tensor]] = {"encoder": [], "decoder": []}
    for name, stack in (("encoder", model.encoder), ("decoder", model.decoder)):
        stack.embed.register_forward_hook(_begin(streams[name]))
        for layer in stack.layers:
            layer.register_forward_hook(_keep(streams[name]))
    src_ids, tgt_ids = (torch.tensor([[*ids]], device=model.device) for ids in (src, tgt))
    with torch.enable_grad():
        loss = F.cross_entropy(model(src_ids, tgt_ids[:, :-1])[0].float(), tgt_ids[0, 1:])
        both = [*streams["encoder"], *streams["decoder"]]
        lengths = np.array(
            [float(gradient.norm()) for gradient in torch.autograd.grad(loss, both)], np.float32
        )
    n_encoder = len(streams["encoder"])
    return Flow(lengths[:n_encoder], lengths[n_encoder:], float(loss.detach()))


def _begin(into: list[Tensor]) -> Callable[[nn.Module, tuple[Any, ...], Tensor], Tensor]:
    def hook(module: nn.Module, inputs: tuple[Any, ...], output: Tensor) -> Tensor:
        into.append(output.detach().requires_grad_())
        return into[-1]

    return hook


def _keep(into: list[Tensor]) -> Callable[[nn.Module, tuple[Any, ...], Tensor], None]:
    def hook(module: nn.Module, inputs: tuple[Any, ...], output: Tensor) -> None:
        into.append(output)

    return hook
