"""Changing attention while a model works: heads switched off or made uniform, the look at the source moved by hand."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from s2s.analysis.attention import KINDS
from s2s.analysis.trace import attentions
from s2s.config import UserError
from s2s.model import Transformer, inference
from s2s.model.attention import Attention


class Head(NamedTuple):
    """One head of a model: a row of `KINDS`, layer and head 0-based."""

    kind: str
    layer: int
    head: int


class How(NamedTuple):
    """One row: what becomes of a head's weights (batch, heads, query_len, key_len), given the mask that made them."""

    label: str
    change: Callable[[Tensor, Tensor | None], Tensor]
    about: str
    source: str


@contextlib.contextmanager
def ablate(model: Transformer, heads: Mapping[Head, str]) -> Iterator[None]:
    """Change these heads by rows of `HOWS` while the model runs, in inference mode; the model is held meanwhile.

    What is entered inside sees the changed weights: `with ablate(...), capture(model)`. Raises UserError for a head or a
    way that there is not.
    """
    for head, how in heads.items():
        _check(model, head)
        if how not in HOWS:
            raise UserError(f"A head cannot be made `{how}`; choose {' or '.join(HOWS)}.")
    with inference(model), contextlib.ExitStack() as hooks:
        for kind in KINDS:
            for layer, attention in enumerate(attentions(model, kind)):
                own = {
                    head.head: how
                    for head, how in heads.items()
                    if (head.kind, head.layer) == (kind, layer)
                }
                if own:
                    _ablate(attention, own, hooks)
        yield


@contextlib.contextmanager
def force(
    model: Transformer, place: int, keys: Sequence[int], heads: Collection[Head] | None = None
) -> Iterator[None]:
    """Move cross-attention while the token at `place` (0-based) is predicted: all of each row's mass onto these keys.

    They share it in proportion to what they had, evenly where they had nothing. `heads`: whose, all where None. It holds
    under teacher forcing, where `place` is a row, and one token at a time. Inside `ablate` a head that is off stays off.
    """
    if place < 0 or not keys or min(keys) < 0:
        raise UserError(
            f"Attention at place {place} cannot be moved to {list(keys)}; give a place and source positions from 0 on."
        )
    for head in heads or ():
        _check(model, head)
        if head.kind != "cross":
            raise UserError(f"Only cross-attention looks at the source; {_name(head)} does not.")
    with inference(model), contextlib.ExitStack() as hooks:
        first_row = [0]

        def count(module: nn.Module, args: tuple[Any, ...]) -> None:
            """Of what is written the last tokens ask, and all of them are keys."""
            queries, seen = args[:2]
            first_row[0] = seen.keys.shape[2] - queries.shape[2]

        def move(
            chosen: Tensor, seam: nn.Module, args: tuple[Tensor, ...], weights: Tensor
        ) -> Tensor:
            is_row = torch.arange(weights.shape[2], device=weights.device) == place - first_row[0]
            return torch.where(chosen & is_row[:, None], moved(weights, keys), weights)

        hooks.callback(attentions(model, "decoder")[0].register_forward_pre_hook(count).remove)
        for layer, cross in enumerate(attentions(model, "cross")):
            own = [
                head
                for head in range(cross.n_heads)
                if heads is None or Head("cross", layer, head) in heads
            ]
            if own:
                hook = partial(move, _these(own, cross.n_heads, model.device))
                hooks.callback(cross.weights.register_forward_hook(hook).remove)
        yield


def moved(weights: Tensor, keys: Sequence[int]) -> Tensor:
    """(..., key_len) -> the same, each row's sum standing on these keys alone."""
    chosen = torch.zeros_like(weights)
    chosen[..., list(keys)] = 1.0
    had = weights * chosen
    total = had.sum(-1, keepdim=True)
    evenly = chosen / chosen.sum(-1, keepdim=True)
    shares = torch.where(total > torch.finfo(weights.dtype).tiny, had / total, evenly)
    return weights.sum(-1, keepdim=True) * shares


def off(weights: Tensor, mask: Tensor | None) -> Tensor:
    """The head gathers nothing: what the output projection gets of it is zero."""
    return torch.zeros_like(weights)


def uniform(weights: Tensor, mask: Tensor | None) -> Tensor:
    """Alike over every key that the mask allows, whether or not its weight was so small that it came out as 0."""
    allowed = (
        torch.ones_like(weights) if mask is None else mask.expand_as(weights).to(weights.dtype)
    )
    return allowed / allowed.sum(-1, keepdim=True).clamp(
        min=1.0
    )  # a row that may look at nothing stays empty


# A slug stands in links, as `switched` of `set`: a rename keeps the old one working.
HOWS: Mapping[str, How] = MappingProxyType(
    {
        "off": How(
            "Off",
            off,
            "The head adds nothing, as if it were not there.",
            "Michel et al. 2019, eq. 1",
        ),
        "uniform": How(
            "Uniform",
            uniform,
            "The head looks at everything alike: it still passes on an average, but chooses no longer.",
            "Wiegreffe and Pinter 2019, section 3.2",
        ),
    }
)


def _ablate(attention: Attention, hows: Mapping[int, str], hooks: contextlib.ExitStack) -> None:
    """By head of this layer. The mask is taken where it goes in: a weight of 0 may be allowed, only very small."""
    masks: list[Tensor | None] = [None]

    def remember(module: nn.Module, args: tuple[Any, ...]) -> None:
        masks[0] = args[2]

    def change(seam: nn.Module, args: tuple[Tensor, ...], weights: Tensor) -> Tensor:
        for how in HOWS:
            own = _these(
                [head for head, name in hows.items() if name == how],
                attention.n_heads,
                weights.device,
            )
            weights = torch.where(own, HOWS[how].change(weights, masks[0]), weights)
        return weights

    hooks.callback(attention.register_forward_pre_hook(remember).remove)
    hooks.callback(attention.weights.register_forward_hook(change).remove)


def _these(heads: Sequence[int], n_heads: int, device: torch.device) -> Tensor:
    """(n_heads, 1, 1) bool."""
    chosen = torch.zeros(n_heads, 1, 1, dtype=torch.bool, device=device)
    chosen[list(heads)] = True
    return chosen


def _check(model: Transformer, head: Head) -> None:
    if head.kind not in KINDS:
        raise UserError(f"There is no attention `{head.kind}`; there are {', '.join(KINDS)}.")
    layers = attentions(model, head.kind)
    if not (0 <= head.layer < len(layers) and 0 <= head.head < layers[0].n_heads):
        has = f"this model has layers 0 to {len(layers) - 1} and heads 0 to {layers[0].n_heads - 1} of it"
        raise UserError(f"There is no {_name(head)}; {has}.")


def _name(head: Head) -> str:
    return f"{head.kind} attention, layer {head.layer}, head {head.head}"
