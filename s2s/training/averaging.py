"""The mean of the last checkpoints' weights (Vaswani et al. 2017, section 6.1). Knows nothing of the loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from torch import Tensor

from s2s.config import UserError
from s2s.model import saved_steps
from s2s.training import checkpoint


def due(folder: Path, *, count: int, every: int, before: int) -> list[int]:
    """The newest `count` checkpoints before a step that stand at a multiple of `every`.

    Checkpoints at other steps, where training was stopped or was at its best, do not count.
    """
    steps = [step for step in saved_steps(folder) if step < before and step % every == 0]
    return steps[-count:] if count > 0 else []


def mean(
    folder: Path, steps: Sequence[int], newest: Mapping[str, Tensor]
) -> tuple[dict[str, Tensor], list[str]]:
    """The mean of the weights as trained up to these steps and of the newest ones, in float32.

    Also returns a sentence for each checkpoint that cannot be read, which is left out.
    """
    sums = {name: tensor.double() for name, tensor in newest.items()}
    count = 1
    broken = []
    for step in steps:
        try:
            part = checkpoint.trained(folder, step)
        except UserError as error:
            broken.append(f"The mean of the last checkpoints lacks that of step {step:,}. {error}")
            continue
        for name, total in sums.items():
            total.add_(part[name])
        count += 1
    means = {name: (total / count).float() for name, total in sums.items()}
    return means, broken
