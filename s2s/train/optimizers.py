"""Optimizers: from gradients to updates."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import torch
from torch import nn

from s2s.config import Choice, Optimizer

Groups = list[dict[str, Any]]


def _adam(groups: Groups, settings: Optimizer) -> torch.optim.Optimizer:
    return torch.optim.Adam(
        groups, betas=(settings.beta1, settings.beta2), eps=settings.eps, fused=True
    )


def _adamw(groups: Groups, settings: Optimizer) -> torch.optim.Optimizer:
    return torch.optim.AdamW(
        groups, betas=(settings.beta1, settings.beta2), eps=settings.eps, fused=True
    )


def _adafactor(groups: Groups, settings: Optimizer) -> torch.optim.Optimizer:
    return torch.optim.Adafactor(groups)


def _sgd(groups: Groups, settings: Optimizer) -> torch.optim.Optimizer:
    return torch.optim.SGD(groups, lr=0.0, momentum=settings.beta1)


OPTIMIZERS: MappingProxyType[str, Choice[Callable[[Groups, Optimizer], torch.optim.Optimizer]]] = (
    MappingProxyType(
        {
            "adam": Choice(
                _adam,
                Optimizer,
                "Steps scaled by running means of the gradient and its square.",
                "Kingma & Ba 2015",
            ),
            "adamw": Choice(
                _adamw,
                Optimizer,
                "Adam with weight decay apart from the gradient.",
                "Loshchilov & Hutter 2019",
            ),
            "adafactor": Choice(
                _adafactor,
                Optimizer,
                "Adam's second moment, kept by row and column only.",
                "Shazeer & Stern 2018",
            ),
            "sgd": Choice(_sgd, Optimizer, "The gradient itself, with momentum.", "Polyak 1964"),
        }
    )
)


def make_optimizer(model: nn.Module, settings: Optimizer) -> torch.optim.Optimizer:
    """Weight decay acts on matrices only, not on biases and norms. The learning rate is set before each step."""
    matrices = [parameter for parameter in model.parameters() if parameter.ndim >= 2]
    others = [parameter for parameter in model.parameters() if parameter.ndim < 2]
    groups: Groups = [{"params": matrices, "weight_decay": settings.weight_decay}]
    if others:
        groups.append({"params": others, "weight_decay": 0.0})
    return OPTIMIZERS[settings.kind].make(groups, settings)
