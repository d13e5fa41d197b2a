"""The batches that peers train on, and an update with the next one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.peers import Update
from s2s.config import Recipe
from s2s.data import Batch, batches
from s2s.tokenizers import PAD
from s2s.training import TrainingData

SENTENCES = 64  # per batch, as in tutorials


def ours(recipe: Recipe, data: TrainingData) -> Iterator[Batch]:
    """The batches of our trainer, in its order; without a Trainer, which would change the memory allocator."""
    for number in itertools.count():
        for rows in batches.epoch(
            data.train, recipe.train.batch_tokens, seed=recipe.train.seed, number=number
        ):
            yield batches.build(data.train, rows)


def tutorial(recipe: Recipe, data: TrainingData) -> Iterator[Batch]:
    """This many sentences per batch in random order, regardless of length."""
    random = np.random.default_rng(recipe.train.seed)
    while True:
        order = random.permutation(len(data.train))
        for first in range(0, len(order) - SENTENCES + 1, SENTENCES):
            yield batches.build(data.train, order[first : first + SENTENCES])


def learning(
    model: nn.Module,
    logits: Callable[[Tensor, Tensor], Tensor],
    recipe: Recipe,
    source: Iterator[Batch],
) -> Update:
    """Teacher forcing with torch's own loss and optimizer, no clipping; `logits` takes source and decoder input.

    On the recipe's device; on a GPU in its precision, too, and with the fused optimizer.
    """
    settings = recipe.train
    is_gpu = settings.device == "cuda"
    model.to(settings.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), fused=is_gpu)
    model.train()

    def update() -> int:
        batch = next(source)
        src = torch.from_numpy(batch.src).to(settings.device)
        tgt = torch.from_numpy(batch.tgt).to(settings.device)
        labels = tgt[:, 1:]
        optimizer.zero_grad()
        is_rounded = is_gpu and settings.precision == "bf16"
        with torch.autocast(settings.device, torch.bfloat16, enabled=is_rounded):
            scores = logits(src, tgt[:, :-1])
            loss = F.cross_entropy(
                scores.flatten(0, 1),
                labels.flatten(),
                ignore_index=PAD,
                label_smoothing=settings.label_smoothing,
            )
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        return batch.n_tokens

    return update
