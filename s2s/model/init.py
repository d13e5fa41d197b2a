"""First weights, drawn from one generator in a fixed order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from s2s.config import ModelConfig
from s2s.model.attention import Attention
from s2s.model.layers import FeedForward, TokenEmbedding
from s2s.model.positions import Position
from s2s.model.transformer import Transformer


class WithoutDraws(TorchFunctionMode):
    """Modules made within it hold whatever was in memory instead of random weights: the caller sets all of them.

    Drawing the weights of `nn.Linear` and `nn.Embedding` takes most of the time of making a model.
    """

    DRAWS = (nn.init.kaiming_uniform_, nn.init.uniform_, nn.init.normal_)

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given = kwargs or {}
        return given["tensor"] if func in self.DRAWS else func(*args, **given)


def new_model(
    config: ModelConfig, src_vocab_size: int, tgt_vocab_size: int, seed: int
) -> Transformer:
    """A transformer with the first weights of this seed."""
    with WithoutDraws():
        model = Transformer(config, src_vocab_size, tgt_vocab_size)
    initialize(model, seed)
    return model


def initialize(model: Transformer, seed: int) -> None:
    """Draw every weight on the CPU, so that all devices start alike."""
    generator = torch.Generator().manual_seed(seed)
    config = model.config

    def draw(tensor: Tensor, std: float) -> None:
        nn.init.normal_(tensor, std=std, generator=generator)

    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, TokenEmbedding):
                draw(module.weight, _embedding_std(config))
            elif isinstance(module, nn.Linear):
                if module is not model.output or not config.output.tied:
                    _linear(module, config, generator)
                elif module.bias is not None:  # its weight is the embedding's
                    _bias(module.bias, module.in_features, config, generator)
            elif isinstance(module, Position):
                module.initialize(draw)
        if config.init.kind == "fairseq":
            _narrow(model, generator)
        if not config.attention.scaled:
            _absorb_scale(model)


def _embedding_std(config: ModelConfig) -> float:
    if config.init.kind == "normal":
        return config.init.std
    return 1.0 if config.init.kind == "torch" else config.d_model**-0.5


def _linear(linear: nn.Linear, config: ModelConfig, generator: torch.Generator) -> None:
    if config.init.kind == "torch":
        _as_torch_does(linear, generator)
        return
    if config.init.kind == "normal":
        nn.init.normal_(linear.weight, std=config.init.std, generator=generator)
    else:  # Glorot & Bengio 2010, eq. 16
        nn.init.xavier_uniform_(linear.weight, generator=generator)
    if linear.bias is not None:
        nn.init.zeros_(linear.bias)


def _bias(bias: Tensor, width: int, config: ModelConfig, generator: torch.Generator) -> None:
    if config.init.kind == "torch":
        nn.init.uniform_(bias, -(width**-0.5), width**-0.5, generator=generator)
    else:
        nn.init.zeros_(bias)


def _as_torch_does(linear: nn.Linear, generator: torch.Generator) -> None:
    bound = linear.in_features**-0.5
    nn.init.uniform_(linear.weight, -bound, bound, generator=generator)
    if linear.bias is not None:
        nn.init.uniform_(linear.bias, -bound, bound, generator=generator)


def _narrow(model: Transformer, generator: torch.Generator) -> None:
    """As fairseq's transformer starts: with norms after the sums, wider weights soon make all positions of a source
    alike.

    Queries, keys and values at 1 / sqrt(2) of Xavier's width; the feed-forward as torch draws it.
    """
    for module in model.modules():
        if isinstance(module, Attention):
            for linear in (module.query, module.key, module.value):
                linear.weight.mul_(2**-0.5)
        elif isinstance(module, FeedForward):
            _as_torch_does(module.up, generator)
            _as_torch_does(module.down, generator)
            if module.gate is not None:
                _as_torch_does(module.gate, generator)


def _absorb_scale(model: Transformer) -> None:
    """Unscaled scores start as wide as scaled ones when the queries start narrower (Raffel et al. 2020)."""
    for module in model.modules():
        if isinstance(module, Attention):
            module.query.weight.mul_(module.d_head**-0.5)
