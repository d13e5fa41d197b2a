"""What the seams for looking inside cost whoever does not look: translating and an update, before any capture and after many.

Four models with the same weights work in turn in one process, so that what else the machine does hits all of them. `never` and
`again` are never looked into, and their ratio is what chance makes of nothing; into `after` somebody looks between the turns:
weights captured, heads switched off, attention moved, all of it broken off by an exception. `looked into` is what the look itself
costs while it lasts. Times are CPU seconds; a ratio is the median of the rounds' ratios, and the figure to trust; half of the rounds
lie between `from` and `to`. `same`: whether it did bit for bit what `never` did, all texts and all losses; only while it is looked
into may an update draw its dropout elsewhere.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

import s2s
from benchmarks.report import last_line, table
from s2s.analysis import INTERVENTIONS, KINDS, Head, ablate, attentions, capture, override_attention
from s2s.config import PRESETS, Recipe, override
from s2s.data import load_pairs_for_training
from s2s.model import Transformer
from s2s.runs import Run
from s2s.train import Trainer, prepare

CASES = ("never", "again", "after", "looked into")
MOST = 1.02  # a ratio that still counts as nothing
SHORT = 10  # translations of all sentences in the time of an update, about
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
    """CPU seconds, and what must be the same whoever did it."""

    seconds: float
    made: Any


def look_into(model: Transformer) -> None:
    """Everything that hooks a model, and an exception inside."""
    src = torch.tensor([[5, 6, 7, 2]])
    tgt = torch.tensor([[1, 5, 6]])
    heads = {
        Head(kind, 0, head): how
        for kind in KINDS
        for head, how in enumerate(INTERVENTIONS)
        if head < attentions(model, kind)[0].n_heads
    }
    try:
        with ablate(model, heads), override_attention(model, 1, [0]), capture(model) as trace:
            model(src, tgt)
            if trace.cross:
                raise InterruptedError
    except InterruptedError:
        pass


def timed(work: Callable[[], Any]) -> Turn:
    """One turn of it."""
    started = time.process_time()
    made = work()
    return Turn(time.process_time() - started, made)


def rounds(
    works: Mapping[str, Callable[[], Any]], between: Callable[[], None], n: int
) -> list[dict[str, Turn]]:
    """Each time another one first; the first round only warms."""
    found = []
    for number in range(n + 1):
        between()
        first = number % len(works)
        names = [*works][first:] + [*works][:first]
        found.append({name: timed(works[name]) for name in names})
    return found[1:]


def lines(what: str, found: Sequence[Mapping[str, Turn]]) -> list[dict[str, Any]]:
    """A row a case."""
    rows = []
    for name in CASES:
        ratios = [turns[name].seconds / turns[CASES[0]].seconds for turns in found]
        is_same = all(turns[name].made == turns[CASES[0]].made for turns in found)
        low, median, high = statistics.quantiles(ratios, n=4)
        ms = 1e3 * statistics.median(turns[name].seconds for turns in found)  # a turn
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
    """Beam search of a shipped run, many sentences together, as often as a turn says."""
    runs = {name: s2s.load(RUN) for name in CASES}

    def work(run: Run) -> list[str]:
        return [one.text for _ in range(times) for one in run.translate(SENTENCES)]

    def watched(run: Run) -> list[str]:
        with capture(run.model):
            return work(run)

    works = {
        name: partial(watched if name == CASES[3] else work, run) for name, run in runs.items()
    }
    return lines("translating", rounds(works, lambda: look_into(runs[CASES[2]].model), n))


def updating(recipe: Recipe, times: int, n: int) -> list[dict[str, Any]]:
    """Updates of a training; while it is looked into, hooks that only keep the weights, since `capture` stops gradients."""
    corpora = load_pairs_for_training(SOURCE, None, 1)
    data = prepare(recipe, corpora.train, corpora.valid)
    trainers = {name: Trainer(recipe, data, None) for name in CASES}

    def work(trainer: Trainer) -> list[float]:
        return [trainer.update().loss for _ in range(times)]

    def watched(trainer: Trainer) -> list[float]:
        seams = [
            attention.weights for kind in KINDS for attention in attentions(trainer.model, kind)
        ]
        hooks = [seam.register_forward_hook(lambda module, inputs, weights: None) for seam in seams]
        try:
            return work(trainer)
        finally:
            for hook in hooks:
                hook.remove()

    works = {
        name: partial(watched if name == CASES[3] else work, trainer)
        for name, trainer in trainers.items()
    }
    return lines("an update", rounds(works, lambda: look_into(trainers[CASES[2]].model), n))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--times", type=int, default=2, help="updates in a turn")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    recipe = override(PRESETS["small"].recipe, {"train.threads": 1, "train.device": "cpu"})
    rows = [
        *translating(SHORT * arguments.times, arguments.rounds),
        *updating(recipe, arguments.times, arguments.rounds),
    ]
    table(rows)
    after = [row for row in rows if row["model"] == "after"]
    dearer = [
        row["what"]
        for row in after
        if row["same"] == "no" or (row["ratio"] > MOST and row["from"] > 1)
    ]
    chance = max(abs(row["ratio"] - 1) for row in rows if row["model"] == "again")
    verdict = (
        f"costs more or does other than before: {', '.join(dearer)}" if dearer else "costs nothing"
    )
    print(
        f"\nWhat was looked into {verdict} (up to {MOST} counts as nothing; chance alone made {chance:.1%})."
    )
    last_line("capture", rows)


if __name__ == "__main__":
    main()
