"""Change attention while a model runs: switch heads off, make them uniform or their mean over a sample, or override
where cross-attention looks.
"""

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
from s2s.model import Attention, KeysValues, Transformer, inference


class Head(NamedTuple):
    """One head of a model: a row of `KINDS`, layer and head 0-based."""

    kind: str
    layer: int
    head: int


# What a head adds per position before the output projection, (d_head,) on the model's device: its mean over a sample.
Means = Mapping[Head, Tensor]
NO_MEANS: Means = MappingProxyType({})


class Intervention(NamedTuple):
    """A change of a head's weights, (batch, heads, query_len, key_len), given the mask that they were computed with.

    Where `change` is None, the weights stay and the head's output is replaced by its mean, which is measured before.
    """

    label: str
    change: Callable[[Tensor, Tensor | None], Tensor] | None
    about: str
    source: str


@contextlib.contextmanager
def ablate(
    model: Transformer, heads: Mapping[Head, str], means: Means = NO_MEANS
) -> Iterator[None]:
    """A context in which these heads are changed by rows of `INTERVENTIONS`, in inference mode and holding the model's
    lock.

    `means`: of at least the heads that become their mean. Hooks that are added inside see the changed weights: `with
    ablate(...), capture(model)`. Raises UserError for a head or an intervention that doesn't exist.
    """
    for head, name in heads.items():
        check_head(model, head)
        if name not in INTERVENTIONS:
            raise UserError(f"A head cannot be made `{name}`; choose {' or '.join(INTERVENTIONS)}.")
        if INTERVENTIONS[name].change is None and head not in means:
            raise UserError(
                f"The mean of {_name(head)} is not known; measure it over a sample first."
            )
    with inference(model), contextlib.ExitStack() as hooks:
        for kind in KINDS:
            for layer, attention in enumerate(attentions(model, kind)):
                changed = {
                    head.head: name
                    for head, name in heads.items()
                    if (head.kind, head.layer) == (kind, layer)
                }
                if changed:
                    _ablate(attention, changed, hooks)
                    _set_outputs(
                        attention,
                        {
                            head: means[Head(kind, layer, head)]
                            for head, name in changed.items()
                            if INTERVENTIONS[name].change is None
                        },
                        hooks,
                    )
        yield


def all_heads(model: Transformer, kind: str | None = None, layer: int | None = None) -> list[Head]:
    """The heads of a model, of one of `KINDS` (None: all) and one layer (None: all), in this order."""
    return [
        Head(each, number, head)
        for each in KINDS
        if kind in (None, each)
        for number, attention in enumerate(attentions(model, each))
        if layer in (None, number)
        for head in range(attention.n_heads)
    ]


@contextlib.contextmanager
def override_attention(
    model: Transformer, position: int, keys: Sequence[int], heads: Collection[Head] | None = None
) -> Iterator[None]:
    """A context in which, while the token at `position` (0-based) is predicted, all weight of cross-attention is on
    these keys.

    They share it in proportion to what they had, evenly where they had nothing. `heads`: which ones, all if None. Works
    under teacher forcing, where `position` is a row, and one token at a time. Inside `ablate` a head that is off stays
    off.
    """
    if position < 0 or not keys or min(keys) < 0:
        raise UserError(
            f"Attention at position {position} cannot be moved to {list(keys)}; give positions from 0."
        )
    for head in heads or ():
        check_head(model, head)
        if head.kind != "cross":
            raise UserError(f"Only cross-attention looks at the source; {_name(head)} does not.")
    with inference(model), contextlib.ExitStack() as hooks:
        first_row = [0]

        def find_first_row(module: nn.Module, args: tuple[Any, ...]) -> None:
            """The queries are the last tokens of the target so far; its keys are all of them."""
            x, memory = args[:2]
            is_cached = isinstance(memory, KeysValues)
            key_len = memory.keys.shape[2] if is_cached else memory.shape[1]
            first_row[0] = key_len - x.shape[1]

        def override(
            chosen: Tensor, module: nn.Module, args: tuple[Tensor, ...], weights: Tensor
        ) -> Tensor:
            rows = torch.arange(weights.shape[2], device=weights.device) + first_row[0]
            is_row = (rows == position)[:, None]  # (query_len, 1)
            return torch.where(chosen & is_row, moved(weights, keys), weights)

        self_attention = attentions(model, "decoder")[0]
        hooks.callback(self_attention.register_forward_pre_hook(find_first_row).remove)
        for layer, cross in enumerate(attentions(model, "cross")):
            chosen = [
                head
                for head in range(cross.n_heads)
                if heads is None or Head("cross", layer, head) in heads
            ]
            if chosen:
                hook = partial(override, _head_mask(chosen, cross.n_heads, model.device))
                hooks.callback(cross.weights.register_forward_hook(hook).remove)
        yield


def moved(weights: Tensor, keys: Sequence[int]) -> Tensor:
    """Weights with each row's sum moved onto these keys: (..., key_len) -> (..., key_len)."""
    chosen = torch.zeros_like(weights)
    chosen[..., list(keys)] = 1.0
    kept = weights * chosen
    total = kept.sum(-1, keepdim=True)
    evenly = chosen / chosen.sum(-1, keepdim=True)
    shares = torch.where(total > torch.finfo(weights.dtype).tiny, kept / total, evenly)
    return weights.sum(-1, keepdim=True) * shares


def off(weights: Tensor, mask: Tensor | None) -> Tensor:
    """All weights 0: the head's input to the output projection is zero."""
    return torch.zeros_like(weights)


def uniform(weights: Tensor, mask: Tensor | None) -> Tensor:
    """Weights that are equal on every key that the mask allows, even where a weight underflowed to 0."""
    everything = torch.ones_like(weights)
    allowed = everything if mask is None else mask.expand_as(weights).to(weights.dtype)
    return allowed / allowed.sum(-1, keepdim=True).clamp(min=1.0)  # a row without any key stays 0


# A slug is stored in links, as `switched` in `set`: if you rename one, keep reading the old one.
INTERVENTIONS: Mapping[str, Intervention] = MappingProxyType(
    {
        "off": Intervention(
            "Off",
            off,
            "The head adds nothing, as if it did not exist.",
            "Michel et al. 2019, eq. 1",
        ),
        "uniform": Intervention(
            "Uniform",
            uniform,
            "The head gives every key the same weight: it passes on an average and no longer selects.",
            "Wiegreffe and Pinter 2019, section 3.2",
        ),
        "mean": Intervention(
            "Corpus mean",
            None,
            "The head adds the same vector at every position: the mean of its outputs over a sample of the corpus.",
            "Wang et al. 2022, mean ablation",
        ),
    }
)
# Those that need nothing measured before.
WEIGHT_INTERVENTIONS: Mapping[str, Intervention] = MappingProxyType(
    {name: row for name, row in INTERVENTIONS.items() if row.change}
)


def _ablate(attention: Attention, changed: Mapping[int, str], hooks: contextlib.ExitStack) -> None:
    """Change heads of one layer: `changed` has an intervention by head.

    The mask is read from the inputs, since an allowed weight may underflow to 0.
    """
    masks: list[Tensor | None] = [None]
    by_change = {
        row.change: [head for head, chosen in changed.items() if chosen == name]
        for name, row in INTERVENTIONS.items()
        if row.change and name in changed.values()
    }

    def read_mask(module: nn.Module, args: tuple[Any, ...]) -> None:
        masks[0] = args[2]

    def change(module: nn.Module, args: tuple[Tensor, ...], weights: Tensor) -> Tensor:
        for of_weights, heads in by_change.items():
            mask = _head_mask(heads, attention.n_heads, weights.device)
            weights = torch.where(mask, of_weights(weights, masks[0]), weights)
        return weights

    if by_change:
        hooks.callback(attention.register_forward_pre_hook(read_mask).remove)
        hooks.callback(attention.weights.register_forward_hook(change).remove)


def _set_outputs(
    attention: Attention, vectors: Mapping[int, Tensor], hooks: contextlib.ExitStack
) -> None:
    def replace(module: nn.Module, args: tuple[Tensor, ...]) -> Tensor:
        joined = args[0].clone()  # (batch, query_len, heads * d_head)
        for head, vector in vectors.items():
            joined[..., head * attention.d_head : (head + 1) * attention.d_head] = vector
        return joined

    if vectors:
        hooks.callback(attention.output.register_forward_pre_hook(replace).remove)


def _head_mask(heads: Sequence[int], n_heads: int, device: torch.device) -> Tensor:
    """The given heads as a mask, (n_heads, 1, 1) bool."""
    chosen = torch.zeros(n_heads, 1, 1, dtype=torch.bool, device=device)
    chosen[list(heads)] = True
    return chosen


def check_head(model: Transformer, head: Head) -> None:
    """Check a head. Raises UserError for one that the model does not have."""
    if head.kind not in KINDS:
        raise UserError(f"There is no attention `{head.kind}`; there are {', '.join(KINDS)}.")
    layers = attentions(model, head.kind)
    n_heads = layers[0].n_heads
    if not (0 <= head.layer < len(layers) and 0 <= head.head < n_heads):
        raise UserError(
            f"There is no {_name(head)}; this model has layers 0 to {len(layers) - 1} and heads 0 to {n_heads - 1}."
        )


def _name(head: Head) -> str:
    return f"{head.kind} attention, layer {head.layer}, head {head.head}"
