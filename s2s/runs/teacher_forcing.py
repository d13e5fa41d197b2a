"""A reference under teacher forcing: the loss of each token, and where the model's own output first differs.

Knows nothing of screens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from s2s.runs.run import Run, Target

# A wide beam ranked by log-probability alone stands in for exact search, which is too slow here.
WIDE_BEAM: tuple[tuple[str, Any], ...] = (
    ("num_beams", 50),
    ("length_penalty", 0.0),
    ("num_return_sequences", 1),
)


@dataclass(frozen=True)
class Reference:
    """A reference under teacher forcing: at each position the model has read the reference's own tokens so far."""

    text: str  # decoded from its tokens
    ids: tuple[int, ...]  # the last is the eos id, unless they fill all of the model's positions
    tokens: tuple[str, ...]
    log_probs: tuple[float, ...]  # of each token, nats; minus that is its loss
    ranks: tuple[int, ...]  # 1: the most probable token
    predicted: tuple[str, ...]  # the most probable token at each position
    unknown: tuple[str, ...]  # words or characters that became `<unk>`
    n_predicted: int  # tokens, without a first one that the model is given: its loss is 0

    @property
    def log_prob(self) -> float:
        """log p(reference | source), nats."""
        return sum(self.log_probs)

    @property
    def per_token(self) -> float:
        """The mean log-probability per predicted token, nats."""
        return self.log_prob / self.n_predicted


def reference(run: Run, source: str, target: Target) -> Reference:
    """Score a target under teacher forcing. Raises UserError if it is longer than the model's positions."""
    tokenizer = run.tgt_tokenizer
    ids = run.target_ids(target)
    rows = run.next_tokens(source, ids[:-1])  # (tgt_len, vocab)
    own = rows.gather(1, torch.tensor(ids)[:, None])  # (tgt_len, 1)
    ranks = (rows > own).sum(1) + 1
    predicted = tokenizer.tokens(rows.argmax(1).tolist())
    values = own[:, 0].tolist()
    unknown = tokenizer.unknown_parts(target) if isinstance(target, str) else []
    return Reference(
        tokenizer.decode(ids),
        ids,
        tuple(tokenizer.tokens(ids)),
        tuple(values),
        tuple(ranks.tolist()),
        tuple(predicted),
        tuple(unknown),
        run.recipe.model.ids.n_predicted(ids),
    )


def first_difference(ours: Sequence[int], theirs: Sequence[int]) -> int | None:
    """The first position, from 0, at which two targets differ; None if they are equal.

    >>> first_difference([5, 6, 2], [5, 7, 2])
    1
    """
    if tuple(ours) == tuple(theirs):
        return None
    shorter = min(len(ours), len(theirs))
    return next((i for i in range(shorter) if ours[i] != theirs[i]), shorter)
