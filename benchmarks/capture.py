"""The cost of hooks for inspection when they are not used: translations and updates, before any capture and after many.

Four models with the same weights take turns in one process, so that other load on the machine affects all of them.
`never` and `again` are never inspected; their ratio shows the noise. `after` is inspected between its turns: attention
captured and overridden, heads ablated, all ended by an exception. `looked into` is inspected while it works. Times are
CPU seconds; a ratio is the median of the rounds' ratios, and half of them lie between `from` and `to`. `same`: whether
all texts and losses are bit-identical to those of `never`; an update under inspection may draw other dropout masks.
"""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

import s2s
from benchmarks.report import last_line, options, table
from s2s.analysis import (
    KINDS,
    WEIGHT_INTERVENTIONS,
    Head,
    ablate,
    attentions,
    capture,
    override_attention,
)
from s2s.config import PRESETS, Recipe, override
from s2s.data import load_pairs_for_training
from s2s.model import Transformer
from s2s.runs import Run
from s2s.train import Trainer, prepare

CASES = ("never", "again", "after", "looked into")
MOST = 1.02  # a ratio up to this counts as no cost
SHORT = 10  # translations of all sentences take about as long as one update
RUN = "demo-en-fr"
SOURCE = "builtin:en-fr#rows=2000"
SENTENCES = (
    "the cat sits on the mat",
    "the black cat chased the white mouse",
    "the red house",
    "the bank is by the river",
)


@dataclass(frozen=True)
class Turn:
    """CPU seconds, and the result, which must be the same for every model."""

    seconds: float
    made: Any


def inspect(model: Transformer) -> None:
    """Hook the model in every way, and leave by an exception."""
    src = torch.tensor([[5, 6, 7, 2]])
    tgt = torch.tensor([[1, 5, 6]])
    heads = {
        Head(kind, 0, head): how
        for kind in KINDS
        for head, how in enumerate(WEIGHT_INTERVENTIONS)
        if head < attentions(model, kind)[0].n_heads
    }
    with (
        contextlib.suppress(InterruptedError),
        ablate(model, heads),
        override_attention(model, 1, [0]),
        capture(model) as trace,
    ):
        model(src, tgt)
        if trace.cross:
            raise InterruptedError


def timed(work: Callable[[], Any]) -> Turn:
    """Run it once."""
    started = time.process_time()
    made = work()
    return Turn(time.process_time() - started, made)


def rounds(
    works: Mapping[str, Callable[[], Any]], between: Callable[[], None], n: int
) -> list[dict[str, Turn]]:
    """All of them `n` times, each round starting with another; a first round warms up."""
    found = []
    for number in range(n + 1):
        between()
        first = number % len(works)
        names = [*works][first:] + [*works][:first]
        found.append({name: timed(works[name]) for name in names})
    return found[1:]


def lines(what: str, found: Sequence[Mapping[str, Turn]]) -> list[dict[str, Any]]:
    """One row per case."""
    rows = []
    for name in CASES:
        ratios = [turns[name].seconds / turns[CASES[0]].seconds for turns in found]
        is_same = all(turns[name].made == turns[CASES[0]].made for turns in found)
        low, median, high = statistics.quantiles(ratios, n=4)
        ms = 1e3 * statistics.median(turns[name].seconds for turns in found)  # per turn
        rows.append(
            {
                "what": what,
                "model": name,
                "ms": ms,
                "ratio": median,
                "from": low,
                "to": high,
                "same": "yes" if is_same else "no",
            }
        )
    return rows


def translating(times: int, n: int) -> list[dict[str, Any]]:
    """Beam search with a demo run: all sentences in one batch, `times` times per turn."""
    runs = {name: s2s.load(RUN) for name in CASES}

    def work(run: Run) -> list[str]:
        return [one.text for _ in range(times) for one in run.translate(SENTENCES)]

    def inspected(run: Run) -> list[str]:
        with capture(run.model):
            return work(run)

    works = {
        name: partial(inspected if name == CASES[3] else work, run) for name, run in runs.items()
    }
    return lines("translating", rounds(works, lambda: inspect(runs[CASES[2]].model), n))


def updating(recipe: Recipe, times: int, n: int) -> list[dict[str, Any]]:
    """Training updates. `capture` stops gradients, so inspection here means hooks that do nothing."""
    corpora = load_pairs_for_training(SOURCE, None, 1)
    data = prepare(recipe, corpora.train, corpora.valid)
    trainers = {name: Trainer(recipe, data, None) for name in CASES}

    def work(trainer: Trainer) -> list[float]:
        return [trainer.update().loss for _ in range(times)]

    def inspected(trainer: Trainer) -> list[float]:
        modules = [
            attention.weights for kind in KINDS for attention in attentions(trainer.model, kind)
        ]
        hooks = [
            module.register_forward_hook(lambda module, inputs, weights: None) for module in modules
        ]
        try:
            return work(trainer)
        finally:
            for hook in hooks:
                hook.remove()

    works = {
        name: partial(inspected if name == CASES[3] else work, trainer)
        for name, trainer in trainers.items()
    }
    return lines("an update", rounds(works, lambda: inspect(trainers[CASES[2]].model), n))


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--times", type=int, default=2, help="updates per turn")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    recipe = override(PRESETS["small"].recipe, {"train.threads": 1, "train.device": "cpu"})
    rows = [
        *translating(SHORT * arguments.times, arguments.rounds),
        *updating(recipe, arguments.times, arguments.rounds),
    ]
    table(rows)
    after = [row for row in rows if row["model"] == "after"]
    costly = [
        row["what"]
        for row in after
        if row["same"] == "no" or (row["ratio"] > MOST and row["from"] > 1)
    ]
    chance = max(abs(row["ratio"] - 1) for row in rows if row["model"] == "again")
    verdict = f"costs more, or changes results: {', '.join(costly)}" if costly else "costs nothing"
    print(
        f"\nInspection between turns {verdict} (ratios up to {MOST} count as no cost; noise: {chance:.1%})."
    )
    last_line("capture", rows, arguments)


if __name__ == "__main__":
    main()
