"""Teacher forcing and free-running training: the same model, trained for the same updates and for the same time."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from benchmarks.claims import training
from s2s import scores
from s2s.data import load
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


KINDS = {"teacher forcing": Trainer, "free-running": FreeRunning}


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
