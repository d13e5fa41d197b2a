"""Teacher forcing and free-running training: the same model, trained for the same updates and for the same time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from benchmarks.claims import training
from benchmarks.claims.intervals import signed, spread
from s2s import scores
from s2s.data import load
from s2s.lessons.claims import Measured, Picture
from s2s.model import inference, stepper_for
from s2s.runs import Run
from s2s.training import Trainer

STEPS = 500
EVERY = 100  # updates between two points of the curve
SEEDS = (1, 2, 3)
N = 150  # pairs that every point is scored on
SPLIT = "random"


class FreeRunning(Trainer):
    """The decoder reads its own most probable tokens in place of the reference's, and is to predict the reference.

    Tokens are discrete: no gradient passes through the choice of one (Williams and Zipser 1989).
    """

    def _states(self, src: Tensor, tgt: Tensor) -> Tensor:
        if self.model.training:
            tgt = own_inputs(self, src, tgt.shape[1])
        return super()._states(src, tgt)


def own_inputs(trainer: Trainer, src: Tensor, length: int) -> Tensor:
    """The start id, then what the model writes greedily, even after `</s>`: (batch, length)."""
    model = trainer.model
    with inference(model):
        stepper = stepper_for(model, src)
        inputs = [torch.full((len(src),), stepper.start_id)]
        for _ in range(length - 1):
            inputs.append(stepper.step(inputs[-1]).argmax(-1))
        written = torch.stack(inputs, 1)
    model.train()
    return written.clone()  # a copy made outside inference mode is an ordinary tensor


FORCED, FREE = "teacher forcing", "free-running"
KINDS = {FORCED: Trainer, FREE: FreeRunning}


def measure() -> dict[str, Any]:
    """A row per kind of training and seed; the two take turns, so that a busy machine slows both."""
    rows = []
    for seed in SEEDS:
        made = {name: training.start(STEPS, seed, kind=kind) for name, kind in KINDS.items()}
        points: dict[str, list[dict[str, float]]] = {name: [] for name in made}
        for updates in training.chunks(STEPS, EVERY):
            for name, one in made.items():
                one.advance(updates)
                points[name].append(_point(one))
                print(seed, name, points[name][-1], flush=True)
        rows += [{"kind": name, "seed": seed, "points": points[name]} for name in made]
        by_position = {name: positions(one.run) for name, one in made.items()}
        for row in rows[-len(made) :]:
            row["positions"] = by_position[str(row["kind"])]
            print(row, flush=True)
    return {**training.described(STEPS), "split": SPLIT, "n": N, "runs": rows}


def _point(made: training.Training) -> dict[str, float]:
    sources, targets = _pairs()
    run = made.run
    forced = run.force(sources, targets)
    texts = [one.text for one in run.translate(sources, "greedy")]
    n_tokens = sum(one.n_tokens for one in forced)
    return {
        "updates": len(made.losses),
        "seconds": round(made.seconds, 2),
        "loss": round(-sum(one.log_prob for one in forced) / n_tokens, 4),
        "forced_accuracy": round(sum(one.n_correct for one in forced) / n_tokens, 4),
        "bleu": round(scores.METRICS["bleu"].compute(texts, targets).value, 2),
    }


def positions(run: Run) -> dict[str, list[float]]:
    """By target position: the share of right tokens with the reference's prefix and with the model's own, and n."""
    sources, targets = _pairs()
    own = [one.hypotheses[0].ids for one in run.translate(sources, "greedy")]
    longest = max(len(run.target_ids(target)) for target in targets)
    counts = torch.zeros(3, longest)  # forced, free, n
    for source, target, free in zip(sources, targets, own, strict=True):
        ids = run.target_ids(target)
        forced = run.next_tokens(source, ids[:-1]).argmax(-1).tolist()
        for i, token in enumerate(ids):
            is_free_right = i < len(free) and free[i] == token
            counts[:, i] += torch.tensor([forced[i] == token, is_free_right, 1.0])
    shares = counts[:2] / counts[2]
    return {
        "forced": [round(x, 4) for x in shares[0].tolist()],
        "free": [round(x, 4) for x in shares[1].tolist()],
        "n": counts[2].tolist(),
    }


def _pairs() -> tuple[list[str], list[str]]:
    pairs = load("builtin:en-fr", SPLIT).pairs[:N]
    return [pair.src for pair in pairs], [pair.tgt for pair in pairs]


def report(results: Mapping[str, Any]) -> Measured:
    """BLEU by update; the level, from BLEU after the same updates and after the same seconds, in every seed."""
    runs = results["runs"]
    curves = {
        kind: [row["points"] for row in runs if row["kind"] == kind] for kind in (FORCED, FREE)
    }
    pairs = list(zip(*curves.values(), strict=True))
    ends = [(forced[-1], free[-1], _at(free, forced[-1]["seconds"])) for forced, free in pairs]
    updates = [forced["bleu"] - free["bleu"] for forced, free, _ in ends]
    seconds = [forced["bleu"] - in_time["bleu"] for forced, _, in_time in ends]
    slower = [free["seconds"] / forced["seconds"] for forced, free, _ in ends]
    ahead = min(updates) > 0, min(seconds) > 0
    last = [row["points"][-1] for row in runs]
    return Measured(
        "holds" if all(ahead) else "partly" if any(ahead) else "fails",
        f"Teacher forcing is ahead by {_over_seeds(updates)} BLEU after {results['steps']} updates, and by"
        f" {_over_seeds(seconds)} after the same CPU time: a free-running update takes"
        f" {sum(slower) / len(slower):.1f} times as long.",
        f"{training.learner(results)}; seeds {training.seeds(results)}; scored on {results['n']} pairs of the split"
        f" {results['split']}. Free-running: the decoder first writes a sentence greedily, reads it in place of the"
        " reference, and is to predict the reference at each position; no gradient passes through the choice of a"
        " token. CPU seconds are those of the updates; the two took turns.",
        Picture(
            "BLEU while training",
            "updates",
            "BLEU, decoded greedily",
            tuple(
                spread(
                    kind,
                    [float(point["updates"]) for point in found[0]],
                    [[point["bleu"] for point in points] for points in found],
                )
                for kind, found in curves.items()
            ),
            "Each line is the mean over seeds; its shade reaches from the worst to the best. Both decode in the same"
            " way: only training differs.",
        ),
        {
            "training": tuple(row["kind"] for row in runs),
            "seed": tuple(row["seed"] for row in runs),
            "updates": tuple(point["updates"] for point in last),
            "CPU seconds": tuple(round(point["seconds"], 1) for point in last),
            "BLEU": tuple(point["bleu"] for point in last),
            "loss (nats per token)": tuple(point["loss"] for point in last),
            "correct tokens, reference's prefix (%)": tuple(
                _percent(row, "forced") for row in runs
            ),
            "correct tokens, own prefix (%)": tuple(_percent(row, "free") for row in runs),
        },
    )


def _at(points: Sequence[Mapping[str, Any]], seconds: float) -> Mapping[str, Any]:
    return ([point for point in points if point["seconds"] <= seconds] or points[:1])[-1]


def _over_seeds(values: Sequence[float]) -> str:
    """`28.3 (23.0 to 33.6 over 3 seeds)`: the mean, the smallest and the largest."""
    mean, low, high = map(signed, (sum(values) / len(values), min(values), max(values)))
    return f"{mean} ({low} to {high} over {len(values)} seeds)"


def _percent(row: Mapping[str, Any], key: str) -> float:
    counts = row["positions"]["n"]
    pairs = zip(row["positions"][key], counts, strict=True)
    return round(100 * sum(share * n for share, n in pairs) / sum(counts), 1)
