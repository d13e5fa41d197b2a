"""Optimizers: from gradients to updates."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import torch
from torch import nn

from s2s.config import Choice, Optimizer

Groups = list[dict[str, Any]]
LEAST_EPS = 1e-16
WRAPPED = ("add_param_group", "load_state_dict", "state_dict", "zero_grad")


def _without_compiler(kind: type[torch.optim.Optimizer]) -> Callable[..., torch.optim.Optimizer]:
    """The same optimizer, without what imports torch's compiler: that takes a second and 70 MB.

    torch wraps these methods to keep them out of compiled programs; nothing here is compiled.
    """
    methods = {name: inspect.unwrap(getattr(kind, name)) for name in WRAPPED}
    step = torch.no_grad()(inspect.unwrap(kind.step))
    return type(kind.__name__, (kind,), {**methods, "step": step})


ADAM, ADAMW, ADAFACTOR, SGD = map(
    _without_compiler,
    (torch.optim.Adam, torch.optim.AdamW, torch.optim.Adafactor, torch.optim.SGD),
)


def _eps(settings: Optimizer) -> float:
    """The optimizer's epsilon, above 0: with 0, what never had a gradient would become 0 / 0."""
    return max(settings.eps, LEAST_EPS)


def _adam(groups: Groups, settings: Optimizer) -> torch.optim.Optimizer:
    return ADAM(groups, betas=(settings.beta1, settings.beta2), eps=_eps(settings), fused=True)


def _adamw(groups: Groups, settings: Optimizer) -> torch.optim.Optimizer:
    return ADAMW(groups, betas=(settings.beta1, settings.beta2), eps=_eps(settings), fused=True)


def _adafactor(groups: Groups, settings: Optimizer) -> torch.optim.Optimizer:
    return ADAFACTOR(groups)


def _sgd(groups: Groups, settings: Optimizer) -> torch.optim.Optimizer:
    return SGD(groups, lr=0.0, momentum=settings.beta1)


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
    """The optimizer of a model. Weight decay acts on matrices only, not on biases and norms. The learning rate is set
    before each step.
    """
    matrices = [parameter for parameter in model.parameters() if parameter.ndim >= 2]
    others = [parameter for parameter in model.parameters() if parameter.ndim < 2]
    groups: Groups = [{"params": matrices, "weight_decay": settings.weight_decay}]
    if others:
        groups.append({"params": others, "weight_decay": 0.0})
    return OPTIMIZERS[settings.kind].make(groups, settings)
