"""Training speed on a parallel text beside the peers', and how near it comes to what this machine could do at most.

Tokens are real source and target tokens (no padding) a CPU second of a one-thread process; batch building counts, validation,
tokenising and logging do not. Each trainer has a process of its own and they work in turn, so that what else the machine does
hits all of them; a ratio is the median of the rounds' ratios, and the figure to trust. `switch` is oneDNN for torch's CPU matrix
products, which `fast` uses and any peer could. Our trainer also keeps the memory it has freed: `--keep-memory` lets the peers do
so. `foreign` counts the cores that others used meanwhile.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import torch

from benchmarks import bound, curves
from benchmarks.peers import OURS, PEERS, Peer, present
from benchmarks.peers.race import Leg, Racer, racers
from benchmarks.report import last_line, table
from s2s.config import PRESETS, Recipe, override
from s2s.data import TrainingPairs, load_pairs_for_training
from s2s.train import TrainingData, is_fast_accurate, prepare, settle

MODELS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "transformer-tiny": {},
        "3+3-256": {
            "model.d_model": 256,
            "model.n_layers": 3,
            "model.n_heads": 8,
            "model.d_ff": 1024,
            "model.dropout": 0.1,
        },
    }
)


class Entry(NamedTuple):
    """One line of the table."""

    name: str
    switch: bool


class Round(NamedTuple):
    """Everybody's turn, and the machine's own speed at that time."""

    legs: dict[Entry, Leg]
    flops: dict[str, float]  # a second, by backend


def shape(model: str, threads: int) -> Recipe:
    """A row of MODELS as a recipe for this CPU: joint BPE of 10,000, label smoothing 0.1."""
    changes = {**MODELS[model], "train.threads": threads, "train.device": "cpu"}
    return settle(override(PRESETS["transformer-tiny"].recipe, changes))


def one_round(lined_up: Sequence[Racer], tokens: int, asked: bound.Work) -> Round:
    """Ours, then each peer without the switch and with it; a line to whoever waits."""
    started = time.perf_counter()
    legs = {}
    for racer in lined_up:
        for switch in (False,) if racer.name in OURS or not is_fast_accurate() else (False, True):
            legs[Entry(racer.name, switch)] = racer.leg(tokens, switch=switch)
    found = Round(legs, bound.speeds(asked))
    print(f"a round in {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    return found


def measure(
    model: str,
    data: TrainingData,
    peers: dict[str, Peer],
    arguments: argparse.Namespace,
    threads: int,
) -> dict[str, Any]:
    """One model at so many threads: its lines, and the bound that they are held against."""
    recipe = shape(model, threads)
    mean = bound.lengths(data.train)
    vocab_size = data.tgt_tokenizer.vocab_size
    flops = bound.flops_a_token(recipe, vocab_size, mean)
    asked = bound.work(recipe, vocab_size, mean)
    torch.set_num_threads(threads)
    with racers(peers, recipe, data, keep_memory=arguments.keep_memory) as lined_up:
        rounds = [one_round(lined_up, arguments.tokens, asked) for _ in range(arguments.rounds)]
    lines = [line(entry, rounds, flops, threads) for entry in rounds[0].legs]
    speeds = {
        name: statistics.median(found.flops[name] for found in rounds) / 1e9
        for name in bound.accurate()
    }
    return {
        "model": model,
        "threads": threads,
        "MFLOP a token": flops / 1e6,
        "GF/s": speeds,
        "lines": lines,
    }


def line(entry: Entry, rounds: Sequence[Round], flops: float, threads: int) -> dict[str, Any]:
    """What the rounds say of one trainer."""
    legs = [found.legs[entry] for found in rounds]
    rates = [leg.rate(threads) for leg in legs]
    shares = [
        100 * rate * flops / max(found.flops.values())
        for rate, found in zip(rates, rounds, strict=True)
    ]
    label, batches = (
        (f"ours, {entry.name}", "ours")
        if entry.name in OURS
        else (entry.name, PEERS[entry.name].batches)
    )
    return {
        "trainer": label,
        "batches": batches,
        "switch": "yes" if entry.switch or entry.name == "fast" else "no",
        "tokens a CPU s" if threads == 1 else "tokens a s": round(statistics.median(rates)),
        "from": round(min(rates)),
        "to": round(max(rates)),
        **{
            f"{ours} is x": ratio(rounds, Entry(ours, False), entry, threads)
            for ours in OURS
            if Entry(ours, False) in rounds[0].legs
        },
        "% of bound": statistics.median(shares),
        "wall s": sum(leg.wall for leg in legs),
        "foreign": statistics.mean(leg.foreign for leg in legs),
        "peak MB": round(max(leg.peak for leg in legs)),
    }


def ratio(rounds: Sequence[Round], ours: Entry, peer: Entry, threads: int) -> float:
    """The median of the rounds' ratios."""
    return statistics.median(
        found.legs[ours].rate(threads) / found.legs[peer].rate(threads) for found in rounds
    )


def tell(found: Mapping[str, Any]) -> None:
    """One model's table and its bound."""
    print(f"\n{found['model']}, {found['threads']} thread{'s' * (found['threads'] > 1)}")
    table(found["lines"])
    speeds = ", ".join(f"{name} {speed:,.0f}" for name, speed in found["GF/s"].items())
    most = max(found["GF/s"].values()) * 1e3 / found["MFLOP a token"]
    bounded = f"bound: {most:,.0f} tokens/s, from {found['MFLOP a token']:.2f} MFLOP a real token and, in GF/s at these shapes, {speeds}"
    print(bounded, flush=True)  # the next model takes minutes


def peak_memory(source: str) -> float:
    """Largest resident size in MB of a process that trains a few steps, as a user starts it."""
    with tempfile.TemporaryDirectory() as scratch:
        settings = [
            "--set",
            "train.steps=5",
            "--set",
            "train.watch.samples=0",
            "--set",
            "train.watch.scores=0",
        ]
        command = [
            "train",
            "--source",
            source,
            "--preset",
            "transformer-tiny",
            *settings,
            "--out",
            f"{scratch}/run",
        ]
        subprocess.run(
            [sys.executable, "-m", "s2s", *command], check=True, stdout=subprocess.DEVNULL
        )
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def learn_alike(model: str, data: TrainingData, steps: int) -> dict[str, Any]:
    """The loss curves of both precisions."""
    found = curves.compare(shape(model, 1), data, steps)
    print(
        f"\n{model}: `exact` and `fast` over {found['steps']} updates, nats a target token, means of {curves.WINDOW}"
    )
    table(curves.rows(found))
    print(
        f"at most {found['exact from fast']:.4f} apart, {found['share']:.2f} of what two seeds are ({found['seed from seed']:.4f})"
    )
    return {"model": model, **found}


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", help="SPEC, for example multi30k/train.en,multi30k/train.de")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--threads", type=int, nargs="+", default=[1])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--tokens",
        type=int,
        default=14_000,
        help="real tokens of each trainer in a round, at least",
    )
    parser.add_argument(
        "--curve-steps", type=int, default=200, help="updates of each loss curve; 0 for none"
    )
    parser.add_argument(
        "--keep-memory", action="store_true", help="give the peers our allocator's settings too"
    )
    arguments = parser.parse_args()
    is_accurate = is_fast_accurate()
    if not is_accurate:
        print(
            "On this CPU oneDNN's switch means bfloat16 (AMX): `fast` is refused, and nobody gets the switch."
        )
    peers: dict[str, Peer] = {
        **{name: row for name, row in OURS.items() if is_accurate or name != "fast"},
        **present(PEERS),
    }
    memory = peak_memory(arguments.source)  # before any other child
    pairs: TrainingPairs = load_pairs_for_training(arguments.source, None, 1)
    recipe = shape(arguments.models[0], 1)
    data = prepare(recipe, pairs.train, pairs.valid)
    speed = []
    alike = []
    for model in arguments.models:
        for threads in arguments.threads:
            speed.append(measure(model, data, peers, arguments, threads))
            tell(speed[-1])
        if arguments.curve_steps and is_accurate:
            alike.append(learn_alike(model, data, arguments.curve_steps))
    print(f"\npeak memory of the whole training process of transformer-tiny: {memory:,.0f} MB")
    last_line("train", {"speed": speed, "curves": alike, "peak_memory_mb": memory})


if __name__ == "__main__":
    main()
