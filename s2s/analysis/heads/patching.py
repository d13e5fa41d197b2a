"""Activation patching: how much of the answer follows a state or a head's output from one run into another.

A run on source A and a run on source B read the same target prefix and then prefer different tokens. One tensor of
the run on A replaces the same tensor of the run on B (Vig et al. 2020 for heads; Meng et al. 2022 for states). The
metric is the one that Zhang and Nanda 2024 recommend, a difference of two logits. Knows nothing of text.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from s2s.analysis.alignment import Floats
from s2s.analysis.states import state_modules
from s2s.analysis.trace import attentions
from s2s.config import ModelConfig, Stack
from s2s.model import Transformer, inference

PATCH_ROWS = 64  # patches per forward pass
MIN_DIFFERENCE = (
    0.1  # nats between the two runs; effects are shares of it, which noise would rule below
)
EVERYTHING = slice(None)


@dataclass(frozen=True)
class Contrast:
    """Two sources, the target prefix that both runs read, and two tokens that may come after it. All are ids."""

    source_a: tuple[int, ...]
    source_b: tuple[int, ...]  # as many ids as `source_a`
    prefix: tuple[int, ...]  # begins with the start id
    token_a: int
    token_b: int

    def __post_init__(self) -> None:
        if len(self.source_a) != len(self.source_b):
            raise ValueError("positions of sources of different lengths do not correspond")
        if not self.prefix or self.token_a == self.token_b:
            raise ValueError("a contrast needs a prefix with the start id and two different tokens")

    def source(self, name: str) -> tuple[int, ...]:
        return self.source_a if name == "a" else self.source_b


@dataclass(frozen=True)
class PatchingResult:
    """The difference of two logits, A's minus B's, in nats: of the run on A, of that on B, and of the latter per patch.

    As both logits belong to one distribution, this is also the difference of their log-probabilities.
    """

    own_a: float
    own_b: float
    patched: Floats  # states: (n_layers + 1, len); heads: (layers, heads)

    @property
    def is_measurable(self) -> bool:
        return abs(self.own_a - self.own_b) >= MIN_DIFFERENCE

    @property
    def effects(self) -> Floats:
        """Each patch's effect, (patched - own_b) / (own_a - own_b): 0 as the run on B, 1 as the run on A, and beyond
        both is possible.

        All NaN where the runs hardly differ.
        """
        if not self.is_measurable:
            return np.full_like(self.patched, np.nan)
        effects: Floats = (self.patched - self.own_b) / (self.own_a - self.own_b)
        return effects


class Site(NamedTuple):
    """A tensor of a run, (batch, len, width), by its module: what that returns, or its input."""

    module: nn.Module
    is_input: bool


class Patch(NamedTuple):
    """The positions and columns of a tensor that come from the run on A."""

    site: Site
    positions: slice = EVERYTHING
    columns: slice = EVERYTHING


def patch_states(
    model: Transformer, contrast: Contrast, side: str
) -> Generator[float, None, PatchingResult]:
    """Patch each state of one of `SIDES`, one position at a time: (n_layers + 1, len).

    Row 0 is the input of layer 1; the last is the state after the stack's final norm, if it has one. Yields the share
    done.
    """
    is_encoder = side == "encoder"
    modules = state_modules(model.encoder if is_encoder else model.decoder)
    length = len(contrast.source_a if is_encoder else contrast.prefix)
    patches = [
        Patch(Site(module, is_input=False), slice(position, position + 1))
        for module in modules
        for position in range(length)
    ]
    values = yield from _patched(model, contrast, patches, is_encoder=is_encoder)
    return _result(model, contrast, values.reshape(len(modules), length))


def patch_heads(
    model: Transformer, contrast: Contrast, kind: str
) -> Generator[float, None, PatchingResult]:
    """Patch the output of each head of one of `KINDS`, at all positions at once: (layers, heads).

    A head's output is its columns of what the output projection reads. Yields the share done.
    """
    layers = attentions(model, kind)
    patches = [
        Patch(
            Site(attention.output, is_input=True),
            columns=slice(head * attention.d_head, (head + 1) * attention.d_head),
        )
        for attention in layers
        for head in range(attention.n_heads)
    ]
    values = yield from _patched(model, contrast, patches, is_encoder=kind == "encoder")
    return _result(model, contrast, values.reshape(len(layers), -1))


class PatchKind(NamedTuple):
    """What is patched, and how many patches that makes for a model and a contrast."""

    label: str
    patch: Callable[[Transformer, Contrast], Generator[float, None, PatchingResult]]
    n_patches: Callable[[ModelConfig, Contrast], int]
    about: str
    is_state: bool  # (n_layers + 1, len), not (layers, heads)


def _n_heads(stack: Stack) -> int:
    return stack.n_layers * stack.n_heads


# A slug is stored in links, in `set`: if you rename one, keep reading the old one.
PATCHES: Mapping[str, PatchKind] = MappingProxyType(
    {
        "encoder": PatchKind(
            "Encoder states",
            partial(patch_states, side="encoder"),
            lambda config, contrast: (config.encoder.n_layers + 1) * len(contrast.source_a),
            "One state of the encoder at a time, at one position, comes from the run on A.",
            is_state=True,
        ),
        "decoder": PatchKind(
            "Decoder states",
            partial(patch_states, side="decoder"),
            lambda config, contrast: (config.decoder.n_layers + 1) * len(contrast.prefix),
            "One state of the decoder at a time, at one position of the prefix, comes from the run on A.",
            is_state=True,
        ),
        "cross-heads": PatchKind(
            "Cross-attention heads",
            partial(patch_heads, kind="cross"),
            lambda config, contrast: _n_heads(config.decoder),
            "The output of one cross-attention head, at all positions, comes from the run on A.",
            is_state=False,
        ),
        "encoder-heads": PatchKind(
            "Encoder heads",
            partial(patch_heads, kind="encoder"),
            lambda config, contrast: _n_heads(config.encoder),
            "The output of one head of the encoder, at all positions, comes from the run on A.",
            is_state=False,
        ),
        "decoder-heads": PatchKind(
            "Decoder heads",
            partial(patch_heads, kind="decoder"),
            lambda config, contrast: _n_heads(config.decoder),
            "The output of one self-attention head of the decoder, at all positions, comes from the run on A.",
            is_state=False,
        ),
    }
)


def next_logits(model: Transformer, contrast: Contrast, name: str) -> Tensor:
    """The logits after the prefix, (vocab,), of the run on `a` or on `b`."""
    with inference(model):
        src = torch.tensor([contrast.source(name)], device=model.device)
        return _next_logits(model, contrast, src, model.encode(src))[0]


def logit_difference(contrast: Contrast, logits: Tensor) -> Tensor:
    """Token A's logit minus token B's, nats: (..., vocab) -> (...)."""
    of_a = logits[..., contrast.token_a]
    return (of_a - logits[..., contrast.token_b]).double()


def _result(model: Transformer, contrast: Contrast, patched: Floats) -> PatchingResult:
    own_a, own_b = (
        float(logit_difference(contrast, next_logits(model, contrast, name))) for name in ("a", "b")
    )
    return PatchingResult(own_a, own_b, patched)


def _patched(
    model: Transformer, contrast: Contrast, patches: Sequence[Patch], *, is_encoder: bool
) -> Generator[float, None, Floats]:
    from_a = _record(model, contrast, {patch.site for patch in patches})
    found: list[Tensor] = []
    for start in range(0, len(patches), PATCH_ROWS):
        rows = patches[start : start + PATCH_ROWS]
        found.append(_run(model, contrast, rows, from_a, is_encoder=is_encoder))
        yield (start + len(rows)) / len(patches)
    values: Floats = torch.cat(found).cpu().numpy()
    return values


def _record(model: Transformer, contrast: Contrast, sites: set[Site]) -> dict[Site, Tensor]:
    """The tensors of the run on A at these sites, (len, width) each."""
    kept: dict[Site, Tensor] = {}

    def keep(site: Site, tensor: Tensor) -> Tensor:
        kept[site] = tensor[0]
        return tensor

    with inference(model), contextlib.ExitStack() as hooks:
        for site in sites:
            hooks.callback(_change(site, partial(keep, site)).remove)
        next_logits(model, contrast, "a")
    return kept


def _run(
    model: Transformer,
    contrast: Contrast,
    patches: Sequence[Patch],
    from_a: dict[Site, Tensor],
    *,
    is_encoder: bool,
) -> Tensor:
    def replace(site: Site, tensor: Tensor) -> Tensor:
        changed = tensor.clone()  # (patches, len, width)
        for row, patch in enumerate(patches):
            if patch.site == site:
                at = (patch.positions, patch.columns)
                changed[row][at] = from_a[site][at]
        return changed

    with inference(model), contextlib.ExitStack() as hooks:
        for site in {patch.site for patch in patches}:
            hooks.callback(_change(site, partial(replace, site)).remove)
        src = torch.tensor([contrast.source_b], device=model.device).expand(len(patches), -1)
        # without a patch in the encoder all rows share one memory
        memory = model.encode(src if is_encoder else src[:1]).expand(len(patches), -1, -1)
        return logit_difference(contrast, _next_logits(model, contrast, src, memory))


def _next_logits(model: Transformer, contrast: Contrast, src: Tensor, memory: Tensor) -> Tensor:
    """The next logits, given (rows, src_len) ids and their memory: (rows, vocab)."""
    tgt = torch.tensor([contrast.prefix], device=model.device).expand(len(src), -1)
    states = model.decode(tgt, memory, src)[:, -1]  # (rows, d_model)
    return model.project(states)


def _change(site: Site, change: Callable[[Tensor], Tensor]) -> RemovableHandle:
    if site.is_input:

        def before(module: nn.Module, args: tuple[Any, ...]) -> tuple[Any, ...]:
            return (change(args[0]), *args[1:])

        return site.module.register_forward_pre_hook(before)

    def after(module: nn.Module, args: tuple[Any, ...], output: Tensor) -> Tensor:
        return change(output)

    return site.module.register_forward_hook(after)
