"""Twins that differ in their positions alone: trained on short lines of digits, tested on lines longer than any they
saw.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import Any

from s2s import files
from s2s.config import POSITION_KINDS, PRESETS, Config, UserError, override, setting
from s2s.data import synthetic
from s2s.jobs import sweep
from s2s.jobs.training.request import RunRequest
from s2s.runs import Run, RunFolder
from s2s.settings import OWNER

TRAINED = (synthetic.SHORTEST, synthetic.LONGEST)  # digits of a line in training, both included
LENGTHS = (
    4,
    6,
    8,
    10,
    11,
    12,
    13,
    14,
    15,
    16,
    18,
    20,
    24,
    28,
    32,
)  # of the test; at 4 one line in 17 was trained on, at 6 almost none
EACH = 50  # lines of each length
KEY = "model.positions.kind"
FILE = "longer.json"  # in the run's folder
# A small model, so that six of them are done in a few minutes; without dropout, so that what is missing is not noise.
CHANGES = MappingProxyType(
    {
        "tokenizer.kind": "word",
        "model.d_model": 64,
        "model.d_ff": 256,
        "model.dropout": 0.0,
        "model.positions.max_length": 64,  # rows of the learned table: 13 of them are trained
        "train.batch_tokens": 1024,
        "train.warmup_steps": 100,
        "train.label_smoothing": 0.0,
        "train.threads": 1,
        "train.device": "cpu",
        "train.watch.scores": 0,
        "train.watch.samples": 4,
        "train.watch.attention": False,
    }
)


@dataclass(frozen=True)
class ExtrapolationSettings(Config):
    """What all six have in common and a visitor may choose."""

    task: str = setting(
        "reverse",
        help="What is learnt: to write the digits backwards, or again as they stand.",
        choices=("reverse", "copy"),
    )
    steps: int = setting(800, 100, 20_000, label="Training steps", help="Updates of each twin.")
    seed: int = setting(
        1, 0, 2**31 - 1, label="Random seed", help="First weights and the order of the lines."
    )

    @property
    def name(self) -> str:
        """Of their sweep; other settings are another sweep."""
        return f"positions {self.task} {self.steps} {self.seed}"


@dataclass(frozen=True)
class ExtrapolationResult:
    """What one twin makes of lines of each of `lengths`: the share it gets wholly right, and of digits in their place,
    0 to 1.
    """

    kind: str
    lengths: tuple[int, ...]
    whole: tuple[float, ...]
    digits: tuple[float, ...]
    seed: int = 1


def orders(twins: ExtrapolationSettings, owner: str = OWNER) -> list[RunRequest]:
    """Six ordinary runs, tagged as one sweep."""
    changes = {
        "train.steps": twins.steps,
        "train.seed": twins.seed,
        "train.watch.save_every": twins.steps,
    }
    recipe = override(
        PRESETS["small"].recipe,
        {**CHANGES, **changes, "train.watch.validate_every": max(1, twins.steps // 4)},
    )
    asked = RunRequest(
        recipe, f"synthetic:{twins.task}", preset="small", name=twins.name, owner=owner
    )
    return sweep.grid(asked, {KEY: list(POSITION_KINDS)}, twins.name)


def lines(task: str, length: int) -> list[tuple[str, str]]:
    """Source and target of the test, always the same."""
    draw = Random(length).random
    order = synthetic.SYNTHETIC[task].make
    sources = [
        [synthetic.WORDS[int(draw() * len(synthetic.WORDS))] for _ in range(length)]
        for _ in range(EACH)
    ]
    return [
        (" ".join(words), " ".join(words[place] for place in order(words))) for words in sources
    ]


def measure(run: Run, task: str) -> ExtrapolationResult:
    """Translate the test by greedy search, a second or so, and keep what came of it in the run's folder."""
    found = [_scored(run, lines(task, length)) for length in LENGTHS]
    positions = run.recipe.model.positions.kind
    seed = run.recipe.train.seed
    reached = ExtrapolationResult(
        positions,
        LENGTHS,
        tuple(whole for whole, _ in found),
        tuple(digits for _, digits in found),
        seed,
    )
    files.write_json(run.folder.path / FILE, {"task": task, "step": run.step, **written(reached)})
    return reached


def _scored(run: Run, pairs: Sequence[tuple[str, str]]) -> tuple[float, float]:
    length = len(pairs[0][0].split())
    found = run.translate([src for src, _ in pairs], "greedy", max_new_tokens=length + 2)
    texts = [(one.text.split(), tgt.split()) for one, (_, tgt) in zip(found, pairs, strict=True)]
    whole = sum(given == wanted for given, wanted in texts) / len(texts)
    in_place = sum(a == b for given, wanted in texts for a, b in zip(given, wanted, strict=False))
    return round(whole, 4), round(in_place / (length * len(texts)), 4)


def kept(folder: RunFolder, task: str) -> ExtrapolationResult | None:
    """What `measure` kept; None where there is nothing, or it is of another checkpoint or test, or cannot be read."""
    try:
        given = json.loads((folder.path / FILE).read_bytes())
        found = read(given)
        is_it = (given["task"], given["step"], found.lengths) == (
            task,
            folder.best_or_newest_step(),
            LENGTHS,
        )
    except (OSError, ValueError, KeyError, TypeError, UserError):
        return None
    return found if is_it else None


def written(reached: ExtrapolationResult) -> dict[str, Any]:
    """As a file holds it."""
    return {name: getattr(reached, name) for name in ("kind", "seed", "lengths", "whole", "digits")}


def read(given: dict[str, Any]) -> ExtrapolationResult:
    """The opposite of `written`. Raises KeyError, TypeError or ValueError for what is none."""
    whole, digits = (tuple(map(float, given[name])) for name in ("whole", "digits"))
    lengths = tuple(map(int, given["lengths"]))
    if not len(whole) == len(digits) == len(lengths):
        raise ValueError("a value a length")
    return ExtrapolationResult(str(given["kind"]), lengths, whole, digits, int(given["seed"]))
