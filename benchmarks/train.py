"""Training speed on a parallel dataset compared with other libraries, and with an upper bound for this machine.

Speed is in real source and target tokens (no padding) per CPU second of a one-thread process; building batches counts,
validation, tokenization and logging do not. Each trainer has its own process and they take turns, so that other load on
the machine affects all of them; a ratio is the median of the rounds' ratios, and more reliable than the speeds.
`switch`: torch's CPU matrix products use oneDNN's fast mode, as `fast` does and any peer could. Our trainer also reuses
freed memory; `--keep-memory` lets the peers do so. `foreign`: the cores that other processes used meanwhile.
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
from benchmarks.report import last_line, options, table
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
    """Every trainer's turn, and the speed of matrix products at that time."""

    legs: dict[Entry, Leg]
    flops: dict[str, float]  # per second, by backend


def shape(model: str, threads: int) -> Recipe:
    """A row of MODELS as a recipe for this CPU: joint BPE of 10,000, label smoothing 0.1."""
    changes = {**MODELS[model], "train.threads": threads, "train.device": "cpu"}
    return settle(override(PRESETS["transformer-tiny"].recipe, changes))


def one_round(lined_up: Sequence[Racer], tokens: int, needed: bound.Work) -> Round:
    """Our trainers, then each peer without and with the switch; prints progress to stderr."""
    started = time.perf_counter()
    legs = {}
    for racer in lined_up:
        for switch in (False,) if racer.name in OURS or not is_fast_accurate() else (False, True):
            legs[Entry(racer.name, switch)] = racer.leg(tokens, switch=switch)
    found = Round(legs, bound.speeds(needed))
    print(f"a round in {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    return found


def measure(
    model: str,
    data: TrainingData,
    peers: dict[str, Peer],
    arguments: argparse.Namespace,
    threads: int,
) -> dict[str, Any]:
    """One model with this many threads: a row per trainer, and the bound."""
    recipe = shape(model, threads)
    mean = bound.lengths(data.train)
    vocab_size = data.tgt_tokenizer.vocab_size
    flops = bound.flops_per_token(recipe, vocab_size, mean)
    needed = bound.work(recipe, vocab_size, mean)
    torch.set_num_threads(threads)
    with racers(peers, recipe, data, keep_memory=arguments.keep_memory) as lined_up:
        rounds = [one_round(lined_up, arguments.tokens, needed) for _ in range(arguments.rounds)]
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
    """The row of one trainer, over all rounds."""
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


def show(found: Mapping[str, Any]) -> None:
    """One model's table and its bound."""
    print(f"\n{found['model']}, {found['threads']} thread{'s' * (found['threads'] > 1)}")
    table(found["lines"])
    speeds = ", ".join(f"{name} {speed:,.0f}" for name, speed in found["GF/s"].items())
    most = max(found["GF/s"].values()) * 1e3 / found["MFLOP a token"]
    flops = f"{found['MFLOP a token']:.2f} MFLOP per real token"
    bounded = f"bound: {most:,.0f} tokens/s, from {flops}; GF/s at these shapes: {speeds}"
    print(bounded, flush=True)  # the next model takes minutes


def peak_memory(source: str) -> float:
    """Peak resident memory in MB of `python -m s2s train` over a few steps."""
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


def compare_losses(model: str, data: TrainingData, steps: int) -> dict[str, Any]:
    """Train with both precisions and compare the loss curves."""
    found = curves.compare(shape(model, 1), data, steps)
    print(
        f"\n{model}: `exact` and `fast` over {found['steps']} updates, nats per target token,"
        f" averaged over {curves.WINDOW}"
    )
    table(curves.rows(found))
    print(
        f"at most {found['exact from fast']:.4f} apart, {found['share']:.2f} of the distance of two seeds"
        f" ({found['seed from seed']:.4f})"
    )
    return {"model": model, **found}


def main() -> None:
    """Measure."""
    parser = options(__doc__)
    parser.add_argument("source", help="SPEC, for example multi30k/train.en,multi30k/train.de")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--threads", type=int, nargs="+", default=[1])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--tokens",
        type=int,
        default=14_000,
        help="minimum number of real tokens per trainer and round",
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
            "On this CPU, oneDNN's fast mode means bfloat16 (AMX): `fast` is refused, and no peer uses the switch."
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
            show(speed[-1])
        if arguments.curve_steps and is_accurate:
            alike.append(compare_losses(model, data, arguments.curve_steps))
    print(f"\npeak memory of the whole training process of transformer-tiny: {memory:,.0f} MB")
    last_line("train", {"speed": speed, "curves": alike, "peak_memory_mb": memory}, arguments)


if __name__ == "__main__":
    main()
