"""Training and decoding on a GPU compared with other libraries on the same card, and the share of its peak.

Training: real source and target tokens per second of wall-clock time, our batches for everyone, in float32 and with
bfloat16 products (autocast), there with `--compiled` also with layers through torch.compile, in `first updates`.
Decoding: sentences per second, the same random weights for everyone, 20 tokens per target, none of them `</s>`. All
take turns in one process, without cuDNN's attention; a ratio is the median of the rounds' ratios. `peak`: a product of
two matrices of 8,192 x 8,192 in that precision. `same`: the share of the first batch with our float32 targets.
"""

from __future__ import annotations

import argparse
import operator
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import torch

from benchmarks import bound
from benchmarks.peers import Update, ct2, marian, ours, plain
from benchmarks.peers.decoding import Decode, Ids, batches
from benchmarks.report import last_line, options, table
from benchmarks.serving import DATA
from s2s.config import PRESETS, Recipe, override
from s2s.data import load_pairs_for_training
from s2s.tokenizers import EOS
from s2s.training import Trainer, TrainingData, prepare, settle

DEVICE = "cuda"
MODELS = ("transformer-base", "transformer-tiny")
VOCABULARY = 10_000  # joint BPE
WARM = 8  # updates of different shapes before the measured ones
SIZE = 8192  # of the matrices of the peak
DTYPES = MappingProxyType({"exact": torch.float32, "bf16": torch.bfloat16})
TASKS = ((5, 64), (1, 64), (5, 1), (1, 1), (5, 512))  # beams, sentences


class Turn(NamedTuple):
    """What one entrant did in one round."""

    done: int  # tokens or sentences
    seconds: float

    @property
    def rate(self) -> float:
        """Per second."""
        return self.done / self.seconds


def timed(work: Callable[[], int], least: float) -> Turn:
    """Repeat `work` for at least so many seconds; the GPU is idle before and after."""
    torch.cuda.synchronize()
    started = time.perf_counter()
    done = 0
    while done == 0 or time.perf_counter() - started < least:
        done += work()
    torch.cuda.synchronize()
    return Turn(done, time.perf_counter() - started)


def progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def peak(dtype: torch.dtype) -> float:
    """FLOPs per second of one large matrix product."""
    left, right = (torch.randn(SIZE, SIZE, device=DEVICE).to(dtype) for _ in range(2))
    turns = [timed(partial(_products, left, right), 0.0) for _ in range(5)]
    return 2.0 * SIZE**3 * max(turn.rate for turn in turns)


def _products(left: torch.Tensor, right: torch.Tensor) -> int:
    for _ in range(10):
        left @ right
    return 10


def shape(model: str, precision: str) -> Recipe:
    """The preset on the GPU, with a vocabulary for Multi30k."""
    changes = {
        "tokenizer.vocab_size": VOCABULARY,
        "model.positions.layout": "halves",  # as Marian's
        "train.device": DEVICE,
        "train.precision": precision,
    }
    return settle(override(PRESETS[model].recipe, changes))


def compiled(recipe: Recipe, data: TrainingData) -> Update:
    """Our trainer with its layers compiled, those of a stack as one, for any shape."""
    trainer = Trainer(recipe, data, None)
    for layer in (*trainer.model.encoder.layers, *trainer.model.decoder.layers):
        layer.compile(dynamic=True)
    return lambda: trainer.update().n_tokens


def eager(recipe: Recipe, data: TrainingData) -> Update:
    """Our trainer."""
    trainer = Trainer(recipe, data, None)
    return lambda: trainer.update().n_tokens


TRAINERS: Mapping[str, Callable[[Recipe, TrainingData], Update]] = MappingProxyType(
    {
        "ours": eager,
        "ours, compiled": compiled,
        "transformers' Marian": marian.on_our_batches,
        "transformers' Marian, compiled": partial(marian.on_our_batches, is_compiled=True),
        "nn.Transformer": plain.on_our_batches,
    }
)


def training(  # noqa: PLR0917
    model: str,
    precision: str,
    names: Sequence[str],
    data: TrainingData,
    rounds: int,
    least: float,
) -> dict[str, Any]:
    """A table: tokens per second of every trainer, and the share of the card's peak."""
    recipe = shape(model, precision)
    updates: dict[str, Update] = {}
    warming = {}
    for name in names:
        if "compiled" in name and precision == "exact":
            continue
        updates[name] = TRAINERS[name](recipe, data)
        started = time.perf_counter()
        for _ in range(WARM * (3 if "compiled" in name else 1)):  # it is compiled more than once
            updates[name]()
        torch.cuda.synchronize()
        warming[name] = time.perf_counter() - started
        progress(f"{model}, {precision}: {name} is warm after {warming[name]:.0f} s")
    found = [
        {name: timed(update, least) for name, update in updates.items()} for _ in range(rounds)
    ]
    flops = bound.flops_per_token(recipe, data.tgt_tokenizer.vocab_size, bound.lengths(data.train))
    highest = peak(DTYPES[precision])
    lines = []
    for name in updates:
        rate = statistics.median(one[name].rate for one in found)
        lines.append(
            {
                "model": model,
                "precision": precision,
                "trainer": name,
                "tokens per second": rate,
                "from": min(one[name].rate for one in found),
                "to": max(one[name].rate for one in found),
                "ours is x": statistics.median(one["ours"].rate / one[name].rate for one in found),
                "% of peak": 100 * rate * flops / highest,
                "first updates s": warming[name],
            }
        )
    print(
        f"\n{model}, {precision}: {flops / 1e6:,.0f} MFLOP a token, {highest / 1e12:,.0f} TFLOP/s"
    )
    table(lines)
    sys.stdout.flush()
    rows = [{name: turn._asdict() for name, turn in one.items()} for one in found]
    return {
        "lines": lines,
        "batch_tokens": recipe.train.batch_tokens,
        "MFLOP a token": flops / 1e6,
        "peak TFLOP/s": highest / 1e12,
        "rounds": rows,
    }


def decoders(model: str, vocab_size: int) -> dict[str, Decode]:
    """Ours and the others, by name and precision."""
    exact, rounded = (shape(model, precision) for precision in DTYPES)
    return {
        "ours, float32": ours.decoder(exact, vocab_size),
        "ours, bfloat16": ours.decoder(rounded, vocab_size),
        "transformers, float32": marian.decoder(exact, vocab_size),
        "transformers, bfloat16": marian.decoder(rounded, vocab_size),
        "CTranslate2, float32": ct2.float32(exact, vocab_size),
        "CTranslate2, bfloat16": ct2.bfloat16(exact, vocab_size),
    }


def decoding(
    model: str, sources: Sequence[Ids], vocab_size: int, rounds: int, least: float
) -> list[Any]:
    """A table per task: sentences per second of every decoder."""
    lined_up = decoders(model, vocab_size)
    mine, *_ = lined_up
    tables = []
    for beams, size in TASKS:
        order = batches(sources, size)
        first = {name: decode(order[0], beams) for name, decode in lined_up.items()}
        found = []
        for number in range(rounds):
            batch = order[(number + 1) % len(order)]
            work = {
                name: partial(_decoded, decode, batch, beams) for name, decode in lined_up.items()
            }
            found.append({name: timed(one, least) for name, one in work.items()})
        name = f"{f'beam {beams}' if beams > 1 else 'greedy'}, batch {size}"
        lines = [
            {
                "task": name,
                "decoder": one,
                "sentences per second": statistics.median(turns[one].rate for turns in found),
                "from": min(turns[one].rate for turns in found),
                "to": max(turns[one].rate for turns in found),
                "ours is x": statistics.median(
                    turns[_same_precision(one)].rate / turns[one].rate for turns in found
                ),
                "same %": 100 * statistics.mean(map(operator.eq, first[one], first[mine])),
            }
            for one in lined_up
        ]
        print(f"\n{model}, {name}")
        table(lines)
        sys.stdout.flush()
        tables.append({"model": model, "lines": lines})
    return tables


def _same_precision(name: str) -> str:
    _, _, precision = name.partition(", ")
    return f"ours, {precision}"


def _decoded(decode: Decode, batch: Sequence[Ids], beams: int) -> int:
    return len(decode(batch, beams))


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--precisions", nargs="+", choices=DTYPES, default=list(DTYPES))
    parser.add_argument(
        "--parts", nargs="+", choices=("train", "decode"), default=("train", "decode")
    )
    parser.add_argument(
        "--compiled",
        action="store_true",
        help="also with layers through torch.compile, in bf16, which takes minutes",
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="least time of a turn")
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        raise SystemExit("This needs an NVIDIA GPU; torch finds none.")
    results = measure(arguments)
    last_line("gpu", results, arguments)


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    """The chosen parts: all their rows, and the tables with each round."""
    folder = DATA / "multi30k"
    pairs = load_pairs_for_training(f"{folder / 'train.en'},{folder / 'train.de'}", None, 1)
    names = [name for name in TRAINERS if arguments.compiled or "compiled" not in name]
    limits = (arguments.rounds, arguments.seconds)
    tables = []
    for model in arguments.models:
        data = prepare(shape(model, "exact"), pairs.train, pairs.valid)
        if "train" in arguments.parts:
            for precision in arguments.precisions:
                tables.append(training(model, precision, names, data, *limits))
        if "decode" in arguments.parts:
            texts = (folder / "flickr2016.en").read_text(encoding="utf-8").splitlines()
            sources = [[*ids, EOS] for ids in data.src_tokenizer.encode_many(texts)]
            tables += decoding(model, sources, data.tgt_tokenizer.vocab_size, *limits)
    return {"rows": [row for found in tables for row in found["lines"]], "tables": tables}


if __name__ == "__main__":
    main()
