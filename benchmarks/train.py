"""Training speed compared with other libraries, each in its fastest setting, and with an upper bound for this machine.

Speed is in real source and target tokens (no padding) per CPU second of a one-thread process; building batches counts,
validation, tokenization and logging do not. Each trainer has its own process and they take turns, so that other load on
the machine affects all of them; a ratio is the median of the rounds' ratios, and more reliable than the speeds.
Every peer is tried in all settings that need no change to its code: as it comes, with the allocator's settings of our
trainer, and, where they stay float32, in oneDNN's fast mode with its own and with explicit attention. The headline is
the smallest ratio of each library. `foreign`: the cores that other processes used meanwhile.
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
from benchmarks.peers import MINE, OURS, PEERS, Peer, present
from benchmarks.peers.race import PLAIN, Leg, Mode, Racer, modes, racers
from benchmarks.report import last_line, options, table
from benchmarks.serving import DATA
from s2s.config import PRESETS, Recipe, override
from s2s.data import TrainingPairs, load_pairs_for_training
from s2s.training import TrainingData, is_fast_accurate, prepare, settle

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
    """One line of the table: a trainer in one of its settings."""

    name: str
    keeps_memory: bool
    mode: Mode

    @property
    def label(self) -> str:
        """Its name and what was set."""
        return ", ".join([self.name, *["our allocator"] * self.keeps_memory, *self.mode.words])


class Round(NamedTuple):
    """Every trainer's turn, and the speed of matrix products at that time."""

    legs: dict[Entry, Leg]
    flops: dict[str, float]  # per second, by backend


def shape(model: str, threads: int) -> Recipe:
    """A row of MODELS as a recipe for this CPU: joint BPE of 10,000, label smoothing 0.1."""
    changes = {**MODELS[model], "train.threads": threads, "train.device": "cpu"}
    return settle(override(PRESETS["transformer-tiny"].recipe, changes))


def one_round(lined_up: Sequence[Racer], tokens: int, needed: bound.Work) -> Round:
    """Our trainers, then each peer in all its settings; prints progress to stderr."""
    started = time.perf_counter()
    legs = {}
    for racer in lined_up:
        for mode in [PLAIN] if racer.name in OURS else modes():
            legs[Entry(racer.name, racer.keeps_memory, mode)] = racer.leg(tokens, mode)
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
    """One model with this many threads: a row per trainer and setting, and the bound."""
    recipe = shape(model, threads)
    mean = bound.lengths(data.train)
    vocab_size = data.tgt_tokenizer.vocab_size
    flops = bound.flops_per_token(recipe, vocab_size, mean)
    needed = bound.work(recipe, vocab_size, mean)
    torch.set_num_threads(threads)
    with racers(peers, recipe, data) as lined_up:
        rounds = [one_round(lined_up, arguments.tokens, needed) for _ in range(arguments.rounds)]
    rates = {
        entry: statistics.median(found.legs[entry].rate(threads) for found in rounds)
        for entry in rounds[0].legs
    }
    mine = max((entry for entry in rates if entry.name in OURS), key=rates.__getitem__)
    lines = [line(entry, mine, rounds, flops, threads) for entry in rates]
    mark_fastest(lines)
    speeds = {
        name: statistics.median(found.flops[name] for found in rounds) / 1e9
        for name in bound.accurate()
    }
    return {
        "model": model,
        "threads": threads,
        "MFLOP a token": flops / 1e6,
        "GF/s": speeds,
        "bound": max(speeds.values()) * 1e9 / flops,
        "foreign": statistics.mean(leg.foreign for one in rounds for leg in one.legs.values()),
        "lines": lines,
        "rounds": [
            {entry.label: leg._asdict() for entry, leg in found.legs.items()} for found in rounds
        ],
    }


def line(
    entry: Entry, mine: Entry, rounds: Sequence[Round], flops: float, threads: int
) -> dict[str, Any]:
    """The row of one trainer in one setting, over all rounds."""
    legs = [found.legs[entry] for found in rounds]
    rates = [leg.rate(threads) for leg in legs]
    shares = [
        100 * rate * flops / max(found.flops.values())
        for rate, found in zip(rates, rounds, strict=True)
    ]
    return {
        "trainer": entry.label,
        "library": {**OURS, **PEERS}[entry.name].library,
        "rate": statistics.median(rates),
        "from": min(rates),
        "to": max(rates),
        "ours is x": statistics.median(
            found.legs[mine].rate(threads) / found.legs[entry].rate(threads) for found in rounds
        ),
        "% of bound": statistics.median(shares),
        "foreign": statistics.mean(leg.foreign for leg in legs),
        "peak MB": round(max(leg.peak for leg in legs)),
    }


def mark_fastest(lines: Sequence[dict[str, Any]]) -> None:
    """Say of each line whether it is its library's fastest: the one that ours is the fewest times as fast as."""
    least: dict[str, float] = {}
    for row in lines:
        library = row["library"]
        least[library] = min(row["ours is x"], least.get(library, row["ours is x"]))
    for row in lines:
        row["fastest"] = row["ours is x"] == least[row["library"]]


def headline(found: Mapping[str, Any]) -> dict[str, Any]:
    """What README says of one model: our rate and share of the bound, and the smallest ratio to each library."""
    fastest = {row["library"]: row for row in found["lines"] if row["fastest"]}
    mine = fastest.pop(MINE)
    ratios = {library: row["ours is x"] for library, row in fastest.items()}
    return {"rate": mine["rate"], "share": mine["% of bound"], **ratios}


def show(found: Mapping[str, Any]) -> None:
    """One model's table and its bound."""
    print(f"\n{found['model']}, {found['threads']} thread{'s' * (found['threads'] > 1)}")
    table(found["lines"])
    speeds = ", ".join(f"{name} {speed:,.0f}" for name, speed in found["GF/s"].items())
    flops = f"{found['MFLOP a token']:.2f} MFLOP per real token"
    bounded = f"bound: {found['bound']:,.0f} tokens/s, from {flops}; GF/s at these shapes: {speeds}"
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
    parser = options(__doc__)
    folder = DATA / "multi30k"
    parser.add_argument(
        "source",
        nargs="?",
        default=f"{folder / 'train.en'},{folder / 'train.de'}",
        help="SPEC; Multi30k from English to German by default",
    )
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
        "--peers", nargs="*", choices=PEERS, default=list(PEERS), help="only these, to save memory"
    )
    arguments = parser.parse_args()
    is_accurate = is_fast_accurate()
    if not is_accurate:
        print(
            "On this CPU, oneDNN's fast mode means bfloat16 (AMX): `fast` is refused, and no peer uses the switch."
        )
    peers: dict[str, Peer] = {
        **{name: row for name, row in OURS.items() if is_accurate or row.function != "fast"},
        **present({name: PEERS[name] for name in arguments.peers}),
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
    results = {"speed": speed, "curves": alike, "peak_memory_mb": memory}
    last_line("train", {"headline": headline(speed[0]), **results}, arguments)


if __name__ == "__main__":
    main()
