"""What a run writes while its attention is changed, beside what it writes by itself. Knows nothing of screens."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from s2s.analysis import Attention, Head, ablate, override_attention
from s2s.config import UserError
from s2s.runs.decoded import Decoded
from s2s.runs.run import Run
from s2s.runs.teacher_forcing import first_difference


@dataclass(frozen=True)
class Interventions:
    """Heads that work otherwise (rows of `INTERVENTIONS`), and one place of the target, 0-based, that looks at `keys` of the source.

    `among`: whose look is moved, all heads of cross-attention where None. Nothing is moved where `keys` are none.
    """

    heads: tuple[tuple[Head, str], ...] = ()
    place: int = 0
    keys: tuple[int, ...] = ()
    among: tuple[Head, ...] | None = None

    def __bool__(self) -> bool:
        return bool(self.heads or self.keys)


@dataclass(frozen=True)
class Next:
    """Log-probabilities of what may stand at a place after the same beginning: (vocab,) nats each."""

    place: int
    before: Tensor
    after: Tensor


@dataclass(frozen=True)
class InterventionResult:
    """Both translations begin with the same `kept` tokens. `log_prob` of `after` is what the changed model says of it."""

    kept: int
    before: Decoded
    after: Decoded
    seen: (
        Attention  # under the change, while the model is forced to write the target that was given
    )
    next: Next | None  # where attention was moved, else where the two part; None where they don't


@contextlib.contextmanager
def active(run: Run, change: Interventions) -> Iterator[None]:
    """The run works so changed, and for nobody else meanwhile. Without a change nothing is hooked."""
    with contextlib.ExitStack() as stack:
        if change.heads:
            stack.enter_context(ablate(run.model, dict(change.heads)))
        if change.keys:
            stack.enter_context(
                override_attention(run.model, change.place, change.keys, change.among)
            )
        yield


def translate_with(
    run: Run,
    source: str,
    target: str,
    change: Interventions,
    strategy: str = "beam",
    **settings: Any,
) -> InterventionResult:
    """Translate with and without the change. Where attention is moved, both keep what `target` has before that place.

    Raises UserError for a place, a source position, a head or a setting that there is not.
    """
    ids = (*run.tgt_tokenizer.encode(target), run.recipe.model.ids.eos)
    src_len = len(run.src_tokenizer.encode(source)) + 1
    _check(change, src_len, len(ids))
    begun = ids[: change.place] if change.keys else ()
    before = run.complete(source, begun, strategy, **settings)
    with active(run, change):
        after = run.complete(source, begun, strategy, **settings)
        seen = run.attention(source, target)
    return InterventionResult(
        len(begun), before, after, seen, _next(run, source, change, (before, after))
    )


def _next(
    run: Run, source: str, change: Interventions, found: tuple[Decoded, Decoded]
) -> Next | None:
    ours, theirs = (one.hypotheses[0].ids if one.hypotheses else () for one in found)
    place = change.place if change.keys else first_difference(ours, theirs)
    if place is None:
        return None
    plain = run.next_tokens(source, ours[:place])[-1]
    with active(run, change):
        return Next(place, plain, run.next_tokens(source, ours[:place])[-1])


def _check(change: Interventions, src_len: int, tgt_len: int) -> None:
    if not change.keys:
        return
    if not 0 <= change.place < tgt_len:
        raise UserError(
            f"There is no place {change.place} in a target of {tgt_len} tokens; give one from 0 to {tgt_len - 1}."
        )
    if strange := [key for key in change.keys if not 0 <= key < src_len]:
        raise UserError(
            f"There is no position {strange[0]} in a source of {src_len} tokens; give one from 0 to {src_len - 1}."
        )
