"""Translations with interventions on attention, compared with those without. Knows nothing of screens."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from s2s.analysis import Head, Means, ablate, override_attention
from s2s.config import UserError
from s2s.model import Transformer
from s2s.runs.decoded import Decoded
from s2s.runs.run import Run, Target
from s2s.runs.teacher_forcing import first_difference


@dataclass(frozen=True)
class Interventions:
    """Heads with an intervention (a row of `INTERVENTIONS`), and one target position, 0-based, that must attend to
    source `keys`.

    `overridden`: the heads whose attention is overridden; None means all cross-attention heads. Empty `keys` override
    nothing. `means`: the mean outputs of those heads that are replaced by them.
    """

    heads: tuple[tuple[Head, str], ...] = ()
    position: int = 0
    keys: tuple[int, ...] = ()
    overridden: tuple[Head, ...] | None = None
    means: tuple[tuple[Head, tuple[float, ...]], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.heads or self.keys)

    def on_device(self, model: Transformer) -> Means:
        """The mean outputs of `means` as tensors of the model's type, on its device."""
        like = model.output.weight
        return {
            head: torch.tensor(mean, dtype=like.dtype, device=like.device)
            for head, mean in self.means
        }


@dataclass(frozen=True)
class Next:
    """Log-probabilities of the token at a position after the same prefix, without and with the intervention: (vocab,),
    nats.
    """

    position: int
    before: Tensor
    after: Tensor


@contextlib.contextmanager
def active(run: Run, change: Interventions) -> Iterator[None]:
    """Apply the interventions, and lock the model meanwhile. Without any, no hooks are added."""
    with contextlib.ExitStack() as stack:
        if change.heads:
            stack.enter_context(ablate(run.model, dict(change.heads), change.on_device(run.model)))
        if change.keys:
            stack.enter_context(
                override_attention(run.model, change.position, change.keys, change.overridden)
            )
        yield


def kept_prefix(run: Run, source: str, target: Target, change: Interventions) -> tuple[int, ...]:
    """The ids with which both translations begin: those before an overridden position.

    Raises UserError for a target or source position that does not exist.
    """
    special = run.recipe.model.ids
    ids = run.target_ids(target)
    _check(change, len(special.source(run.src_tokenizer.encode(source))), len(ids))
    return ids[: change.position] if change.keys else ()


def next_token(run: Run, change: Interventions, before: Decoded, after: Decoded) -> Next | None:
    """Log-probabilities of the token at the overridden position, else at the first difference; None without either."""
    ours, theirs = (one.hypotheses[0].ids if one.hypotheses else () for one in (before, after))
    position = change.position if change.keys else first_difference(ours, theirs)
    if position is None:
        return None
    plain = run.next_tokens(before.source, ours[:position])[-1]
    with active(run, change):
        return Next(position, plain, run.next_tokens(before.source, ours[:position])[-1])


def _check(change: Interventions, src_len: int, tgt_len: int) -> None:
    if not change.keys:
        return
    if not 0 <= change.position < tgt_len:
        raise UserError(
            f"There is no position {change.position} in a target of {tgt_len} tokens; give one from 0 to {tgt_len - 1}."
        )
    if strange := [key for key in change.keys if not 0 <= key < src_len]:
        raise UserError(
            f"There is no position {strange[0]} in a source of {src_len} tokens; give one from 0 to {src_len - 1}."
        )
