"""Decoding speed compared with other libraries, and with an upper bound for this machine.

Every target has exactly 20 tokens, from random weights of the shape of `transformer-tiny` with a vocabulary of 10,000;
sources are Multi30k's test sentences of 2016, ids in, ids out, the encoder included. Rates are sentences per CPU second
of a one-thread process. Each decoder has its own process and they take turns, so that other load on the machine affects
all of them; a ratio is the median of the rounds' ratios, and more reliable than the rates. `same`: the share of
sentences for which a decoder with our weights found our targets. `bound`: the rate if there were only the matrix
products, by torch's fastest library, with the rows of one step. `foreign`: the cores that other processes used
meanwhile. Ours reuses freed memory, as the command line does; `--keep-memory` lets the peers do so. Other parts: peak
memory with many beams and tokens, the cost of finished rows on a trained run, and our time by operator.
"""

from __future__ import annotations

import argparse
import operator
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from types import MappingProxyType
from typing import Any, NamedTuple

import torch
from torch.profiler import ProfilerActivity, profile, record_function

from benchmarks import bound, finished
from benchmarks.peers import ours, present
from benchmarks.peers.decoding import (
    DECODERS,
    FAST,
    OURS,
    TOKENS,
    Answer,
    Decoder,
    Ids,
    Turn,
    batches,
    decoders,
    random_model,
)
from benchmarks.peers.race import Leg, children, metered
from benchmarks.profile import UPDATE
from benchmarks.profile import rows as by_operator
from benchmarks.report import last_line, options, table
from benchmarks.serving import DATA
from s2s.config import PRESETS, Recipe
from s2s.tokenizers import EOS, fit

RECIPE: Recipe = PRESETS["transformer-tiny"].recipe  # joint BPE of 10,000
UNLIKE = "JoeyNMT"  # has its own weights
MEMORY_GOAL = 1.5  # GB
MEMORY_BATCH = 64
MEMORY_BEAMS = 16
MEMORY_TOKENS = 200
PROFILED = 3  # batches
PARTS = ("memory", "speed", "lengths", "profile")


class Aim(NamedTuple):
    """How many times as fast as a peer ours must be (`floor`), and should be (`goal`)."""

    floor: float
    goal: float


@dataclass(frozen=True)
class Task:
    """One table: a beam size and batch size, with targets by peer."""

    num_beams: int
    batch: int
    aims: Mapping[str, Aim]

    @property
    def name(self) -> str:
        """`beam 5, batch 64`."""
        return f"{f'beam {self.num_beams}' if self.num_beams > 1 else 'greedy'}, batch {self.batch}"


def _aims(transformers: Aim, joey: Aim, ct2: Aim) -> Mapping[str, Aim]:
    return MappingProxyType(
        {"transformers": transformers, "JoeyNMT": joey, "CTranslate2 float32": ct2}
    )


TASKS = (
    Task(5, 64, _aims(Aim(2.0, 3.0), Aim(10.0, 14.0), Aim(0.7, 1.0))),
    Task(1, 64, _aims(Aim(1.8, 2.4), Aim(9.0, 12.0), Aim(0.8, 1.0))),
    Task(5, 1, _aims(Aim(2.1, 3.0), Aim(3.6, 5.0), Aim(0.22, 0.5))),
    Task(1, 1, _aims(Aim(3.3, 5.0), Aim(4.3, 7.0), Aim(0.32, 0.5))),
)


class Round(NamedTuple):
    """Every decoder's turn at one task, and the bound at that time."""

    answers: dict[str, Answer]
    bound: float  # sentences per CPU second

    def rate(self, name: str) -> float:
        """Sentences per CPU second."""
        return self.answers[name].leg.rate(1)


def sentences() -> tuple[list[Ids], int]:
    """The ids of the sources, ending in `</s>`, and the vocabulary size."""
    folder = DATA / "multi30k"
    if not folder.is_dir():
        raise SystemExit(
            f"`{folder}` does not exist; set S2S_TEST_DATA to the folder that contains `multi30k`."
        )
    train = [
        (folder / f"train.{language}").read_text(encoding="utf-8").splitlines()
        for language in ("en", "de")
    ]
    tokenizer, _ = fit(RECIPE.tokenizer, *train)
    texts = (folder / "flickr2016.en").read_text(encoding="utf-8").splitlines()
    return [[*ids, EOS] for ids in tokenizer.encode_many(texts)], tokenizer.vocab_size


def work(task: Task, sources: Sequence[Ids], vocab_size: int) -> tuple[bound.Work, bound.Work]:
    """The work of encoding and of decoding a sentence. The first step has a single beam; no prefix is recomputed."""
    src, squared = (statistics.mean(len(ids) ** power for ids in sources) for power in (1, 2))
    generated = 1 + task.num_beams * (TOKENS - 1)
    scores = 1 + task.num_beams * (TOKENS * (TOKENS + 1) // 2 - 1)
    encoding = bound.Lengths(src, 0, squared, 0, 0)
    decoding = bound.Lengths(0, generated, 0, scores, src * generated)
    return bound.work(RECIPE, vocab_size, encoding), bound.work(RECIPE, vocab_size, decoding)


def bounded(task: Task, sources: Sequence[Ids], vocab_size: int) -> float:
    """Sentences per CPU second if there were only matrix products."""
    encoding, decoding = work(task, sources, vocab_size)
    encoder_rows = round(task.batch * statistics.mean(map(len, sources)))
    return 1 / (
        bound.forward_seconds(encoding, encoder_rows)
        + bound.forward_seconds(decoding, task.batch * task.num_beams)
    )


def one_round(
    lined_up: Sequence[Decoder], task: Task, turn: Turn, bound_now: Callable[[], float]
) -> Round:
    """Every decoder from the same batch on, each round starting with another; prints progress to stderr."""
    started = time.perf_counter()
    first = turn.first % len(lined_up)
    answers = {
        decoder.name: decoder.turn(turn) for decoder in (*lined_up[first:], *lined_up[:first])
    }
    found = Round(answers, bound_now())
    print(
        f"{task.name}: a round in {time.perf_counter() - started:.0f} s",
        file=sys.stderr,
        flush=True,
    )
    return found


def line(name: str, task: Task, rounds: Sequence[Round], first: Round) -> dict[str, Any]:
    """The row of one decoder; its targets are compared in the first round, which warms up."""
    legs = [found.answers[name].leg for found in rounds]
    rates = [found.rate(name) for found in rounds]
    theirs = first.answers[name].targets
    mine = first.answers[OURS].targets
    aim = task.aims.get(name)
    is_ahead = ratio(rounds, OURS, name)
    return {
        "decoder": name,
        "sentences a CPU s": statistics.median(rates),
        "from": min(rates),
        "to": max(rates),
        "ours is x": is_ahead,
        "floor": aim and aim.floor,
        "goal": aim and aim.goal,
        "reached": aim
        and ("goal" if is_ahead >= aim.goal else "floor" if is_ahead >= aim.floor else "no"),
        **({"fast is x": ratio(rounds, FAST, name)} if FAST in first.answers else {}),
        "% of bound": statistics.median(100 * found.rate(name) / found.bound for found in rounds),
        "same %": None
        if name == UNLIKE or task.batch == 1
        else 100 * statistics.mean(map(operator.eq, theirs, mine)),
        "wall s": sum(leg.wall for leg in legs),
        "foreign": statistics.mean(leg.foreign for leg in legs),
        "peak MB": round(max(leg.peak for leg in legs)),
    }


def ratio(rounds: Sequence[Round], mine: str, theirs: str) -> float:
    """The median of the rounds' ratios."""
    return statistics.median(found.rate(mine) / found.rate(theirs) for found in rounds)


def race(
    sources: list[Ids], vocab_size: int, arguments: argparse.Namespace
) -> list[dict[str, Any]]:
    """Run all tasks; prints each table when it is complete."""
    rows = {name: row for name, row in DECODERS.items() if name != FAST or ours.knows("precision")}
    found = []
    with decoders(
        present(rows), RECIPE, vocab_size, sources, keep_memory=arguments.keep_memory
    ) as lined_up:
        for task in (task for task in TASKS if task.name in arguments.tasks):
            seconds = [0.0, *[arguments.seconds] * arguments.rounds]  # the first warms up
            turns = [
                Turn(task.num_beams, task.batch, number, least)
                for number, least in enumerate(seconds)
            ]
            first, *rounds = (
                one_round(lined_up, task, turn, partial(bounded, task, sources, vocab_size))
                for turn in turns
            )
            flops = sum(part.total for part in work(task, sources, vocab_size)) / 1e6
            lines = [line(decoder.name, task, rounds, first) for decoder in lined_up]
            limit = statistics.median(found.bound for found in rounds)
            found.append(
                {"task": task.name, "MFLOP a sentence": flops, "bound": limit, "lines": lines}
            )
            show(found[-1])
    return found


def show(found: Mapping[str, Any]) -> None:
    """One task's table and its bound."""
    print(f"\n{found['task']}, {TOKENS} tokens")
    table(found["lines"])
    limit = found["bound"]
    flops = found["MFLOP a sentence"]
    print(
        f"bound: {limit:,.0f} sentences/s, from {flops:.0f} MFLOP per sentence at {limit * flops / 1e3:,.0f} GF/s",
        flush=True,
    )


def memory(sources: Sequence[Ids], vocab_size: int) -> dict[str, float]:
    """Peak memory of a process that decodes the longest sources with many beams and many tokens."""
    with children(
        _hold, {"memory": (sorted(sources, key=len)[-MEMORY_BATCH:], vocab_size)}
    ) as wires:
        try:
            leg = Leg(*wires["memory"].recv())
        except EOFError:
            raise SystemExit(
                "The process whose memory is measured ended; see its output above."
            ) from None
    what = f"{MEMORY_BATCH} sources x beam {MEMORY_BEAMS} x {MEMORY_TOKENS} tokens"
    print(
        f"\npeak memory of {what}: {leg.peak / 1e3:.2f} GB (goal: below {MEMORY_GOAL}), in {leg.cpu:,.0f} CPU s",
        flush=True,
    )
    return {"peak_gb": leg.peak / 1e3, "goal_gb": MEMORY_GOAL, "cpu_s": leg.cpu}


def _hold(wire: Connection, sources: Sequence[Ids], vocab_size: int) -> None:
    torch.set_num_threads(1)
    model = random_model(RECIPE, vocab_size)
    limit = {"max_new_tokens": MEMORY_TOKENS}
    wire.send(
        tuple(
            metered(
                lambda: len(ours.search(model, sources, MEMORY_BEAMS, limit, wrap=ours.Endless))
            )
        )
    )


def operators(sources: Sequence[Ids], vocab_size: int) -> dict[str, Any]:
    """Our time by operator, in the most expensive task and in the smallest."""
    model = random_model(RECIPE, vocab_size)
    limit = {"max_new_tokens": TOKENS}
    found = {}
    for task in (TASKS[0], TASKS[-1]):
        order = batches(sources, task.batch)
        ours.search(model, order[0], task.num_beams, limit, wrap=ours.Endless)
        with profile(activities=[ProfilerActivity.CPU]) as profiler:
            for batch in order[1 : 1 + PROFILED]:
                with record_function(UPDATE):
                    ours.search(model, batch, task.num_beams, limit, wrap=ours.Endless)
        found[task.name] = by_operator(profiler.key_averages(), PROFILED)
        print(f"\n{task.name}: our time per batch by operator, including the profiler's own")
        table(found[task.name])
    return found


def main() -> None:
    """Run the chosen parts."""
    parser = options(__doc__)
    parser.add_argument(
        "--tasks",
        nargs="*",
        choices=[task.name for task in TASKS],
        default=[task.name for task in TASKS],
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--seconds",
        type=float,
        default=2.0,
        help="minimum CPU seconds per decoder and round",
    )
    parser.add_argument(
        "--keep-memory", action="store_true", help="give the peers our allocator's settings too"
    )
    parser.add_argument("--run", default="demo-en-fr", help="a trained run, for real lengths")
    parser.add_argument(
        "--text",
        default="builtin:en-fr#split=valid",
        help="SPEC of the dataset whose sources that run translates",
    )
    parser.add_argument(
        "--parts",
        nargs="+",
        choices=PARTS,
        default=PARTS,
        help="lengths: those of a trained run; profile: our time by operator",
    )
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    sources, vocab_size = sentences()
    parts: Mapping[str, Callable[[], Any]] = {
        "memory": lambda: memory(sources, vocab_size),
        "speed": lambda: race(sources, vocab_size, arguments),
        "lengths": lambda: finished.compare(
            arguments.run, arguments.text, arguments.seconds, arguments.rounds
        ),
        "profile": lambda: operators(sources, vocab_size),
    }
    last_line(
        "decode",
        {name: measure() for name, measure in parts.items() if name in arguments.parts},
        arguments,
    )


if __name__ == "__main__":
    main()
