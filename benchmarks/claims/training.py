"""The small models that the claims about training are measured on, trained in this process and by one thread."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any

from s2s.config import PRESETS, Recipe, UserError, override
from s2s.data import load_pairs_for_training
from s2s.runs import Run, RunFolder
from s2s.training import Trainer, TrainingData, prepare

SOURCE = "builtin:en-fr#rows=4000"
CHANGES: Mapping[str, Any] = MappingProxyType(
    {
        "tokenizer.kind": "word",
        "tokenizer.shared": False,
        "model.embeddings.shared": False,
        "model.d_model": 64,
        "model.d_ff": 256,
        "train.batch_tokens": 1024,
        "train.warmup_steps": 100,
        "train.label_smoothing": 0.0,
        "train.threads": 1,
        "train.device": "cpu",
        "train.watch.samples": 0,
    }
)


@dataclass
class Training:
    """A trainer, the CPU seconds that its updates took, and the training loss of each, nats per token."""

    trainer: Trainer
    seconds: float = 0.0
    losses: list[float] = field(default_factory=list)
    diverged_at: int = 0  # the update whose gradient was not finite; 0 where all were

    def advance(self, updates: int) -> None:
        """So many more updates, or until the training diverges."""
        started = time.process_time()
        try:
            for _ in range(updates if not self.diverged_at else 0):
                self.losses.append(self.trainer.update().loss)
        except UserError:
            self.diverged_at = len(self.losses) + 1
        self.seconds += time.process_time() - started

    @property
    def run(self) -> Run:
        """The model as it is now."""
        data = self.trainer.data
        step = self.trainer.progress.step
        folder = RunFolder(f"claims/{step}")
        recipe = self.trainer.recipe
        return Run(folder, recipe, self.trainer.model, data.src_tokenizer, data.tgt_tokenizer, step)


def recipe(steps: int, seed: int, changes: Mapping[str, Any] = MappingProxyType({})) -> Recipe:
    """The preset `small`, made smaller, with these changes."""
    given = {**CHANGES, "train.steps": steps, "train.seed": seed, **changes}
    return override(PRESETS["small"].recipe, given)


@cache
def data() -> TrainingData:
    """The same pairs, tokenizers and validation pairs for every training."""
    settings = recipe(1, 1)
    pairs = load_pairs_for_training(SOURCE, None, settings.train.seed, settings.data)
    return prepare(settings, pairs.train, pairs.valid)


def start(
    steps: int,
    seed: int,
    changes: Mapping[str, Any] = MappingProxyType({}),
    kind: type[Trainer] = Trainer,
) -> Training:
    """A model before its first update."""
    return Training(kind(recipe(steps, seed, changes), data(), None))


def chunks(steps: int, size: int) -> Iterator[int]:
    """`size`, as often as it takes to `steps`, the last one smaller."""
    for done in range(0, steps, size):
        yield min(size, steps - done)


def seeds(results: Mapping[str, Any]) -> str:
    """`1, 2, 3`."""
    return ", ".join(map(str, sorted({row["seed"] for row in results["runs"]})))


def learner(results: Mapping[str, Any]) -> str:
    """Which model learns what."""
    width = results["changes"]["model.d_model"]
    return (
        f"A model of the preset {results['preset']} with d_model {width} learns {results['source']}"
    )


def described(steps: int, changes: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Any]:
    """What all trainings of a claim share, for its file."""
    return {"source": SOURCE, "preset": "small", "steps": steps, "changes": {**CHANGES, **changes}}
