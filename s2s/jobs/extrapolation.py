"""Runs that differ only in their positions: trained on short lines of digits, tested on longer lines than those."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from types import MappingProxyType

from s2s.config import POSITION_KINDS, PRESETS, Config, asker, override, setting
from s2s.data import synthetic
from s2s.jobs import sweep
from s2s.jobs.training.request import RunRequest
from s2s.runs import Run

TRAINED = (synthetic.SHORTEST, synthetic.LONGEST)  # digits of a line in training, both included
# Digits of a test line; at 4 one line in 17 was trained on, at 6 almost none.
LENGTHS = (4, 6, 8, *range(10, 17), 18, 20, 24, 28, 32)
EACH = 50  # lines of each length
KEY = "model.positions.kind"
# A small model, so that all six runs take a few minutes; without dropout, so that errors are not noise.
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
    """The settings that all runs share and a visitor may choose."""

    task: str = setting(
        "reverse",
        help="The task to learn: write the digits backwards, or copy them.",
        choices=("reverse", "copy"),
    )
    steps: int = setting(800, 100, 20_000, label="Training steps", help="Updates of each run.")
    seed: int = setting(
        1, 0, 2**31 - 1, label="Random seed", help="Initial weights and the order of the lines."
    )

    @property
    def name(self) -> str:
        """The name of the sweep of these runs; different settings make a different sweep."""
        return f"positions {self.task} {self.steps} {self.seed}"


@dataclass(frozen=True)
class ExtrapolationResult:
    """One run on lines of each of `lengths`: share of correct lines and share of digits in their position, 0 to 1."""

    kind: str
    seed: int
    lengths: tuple[int, ...]
    whole: tuple[float, ...]
    digits: tuple[float, ...]

    def __post_init__(self) -> None:
        if not len(self.whole) == len(self.digits) == len(self.lengths):
            raise ValueError("one value per length")


def run_requests(settings: ExtrapolationSettings, owner: str = asker.LOCAL) -> list[RunRequest]:
    """One ordinary run per kind of positions, tagged as one sweep."""
    changes = {
        "train.steps": settings.steps,
        "train.seed": settings.seed,
        "train.watch.save_every": settings.steps,
    }
    recipe = override(
        PRESETS["small"].recipe,
        {**CHANGES, **changes, "train.watch.validate_every": max(1, settings.steps // 4)},
    )
    request = RunRequest(
        recipe, f"synthetic:{settings.task}", preset="small", name=settings.name, owner=owner
    )
    return sweep.grid(request, {KEY: list(POSITION_KINDS)}, settings.name)


def lines(task: str, length: int) -> list[tuple[str, str]]:
    """Source and target of the test lines, always the same."""
    draw = Random(length).random
    order = synthetic.SYNTHETIC[task].make
    sources = [
        [synthetic.WORDS[int(draw() * len(synthetic.WORDS))] for _ in range(length)]
        for _ in range(EACH)
    ]
    return [(" ".join(words), " ".join(words[i] for i in order(words))) for words in sources]


def measure(run: Run, task: str) -> ExtrapolationResult:
    """Translate the test lines greedily, in about a second."""
    found = [_scored(run, lines(task, length)) for length in LENGTHS]
    positions = run.recipe.model.positions.kind
    seed = run.recipe.train.seed
    return ExtrapolationResult(
        positions,
        seed,
        LENGTHS,
        tuple(whole for whole, _ in found),
        tuple(digits for _, digits in found),
    )


def _scored(run: Run, pairs: Sequence[tuple[str, str]]) -> tuple[float, float]:
    length = len(pairs[0][0].split())
    found = run.translate([src for src, _ in pairs], "greedy", max_new_tokens=length + 2)
    texts = [(one.text.split(), tgt.split()) for one, (_, tgt) in zip(found, pairs, strict=True)]
    whole = sum(output == target for output, target in texts) / len(texts)
    in_place = sum(a == b for output, target in texts for a, b in zip(output, target, strict=False))
    return round(whole, 4), round(in_place / (length * len(texts)), 4)
