"""One known mistake: what it looks like, why, when it is active, and how it is made."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Literal

from torch import Tensor

from s2s.config import SpecialIds
from s2s.model import Transformer

# While the model learns; while it is used, whoever trained it; or whenever it computes.
When = Literal["training", "inference", "both"]


def unchanged(model: Transformer, hooks: ExitStack) -> None:
    """Leave the model as it is: the fault is elsewhere."""


def same_ids(ids: SpecialIds) -> SpecialIds:
    """Leave the special tokens as they are."""
    return ids


@dataclass(frozen=True)
class Fault:
    """One fault, a row of FAULTS. `apply` changes a model until `hooks` closes; the other two change what a model is
    given.

    `teach` splits targets into decoder inputs and labels, both (batch, tgt_len), in place of the training loop's own.
    """

    title: str
    symptom: str
    cause: str
    when: When
    source: str
    apply: Callable[[Transformer, ExitStack], None] = unchanged
    teach: Callable[[Tensor], tuple[Tensor, Tensor]] | None = None
    ids: Callable[[SpecialIds], SpecialIds] = same_ids
    attention: str = "cross"  # where it is looked for: "encoder", "decoder" or "cross"
    beside_picture: str = ""  # what such a picture does not show

    def is_active(self, moment: str) -> bool:
        """Whether the fault acts in `training` or at `inference`."""
        return self.when in (moment, "both")

    @property
    def is_outside_weights(self) -> bool:
        """Whether the weights alone compute something else than the model did: it acts when a run is opened, too."""
        return self.when == "both"
