"""Published models: the time and memory of an import, the time of a translation, and the speed beside `generate`.

The models have the shapes of published ones and random weights. T5-small, 60,506,624 parameters, is imported by
`python -m s2s import` in a process of its own and then translates a sentence into exactly 20 tokens with 4 beams. Then
our search and `generate` of transformers take turns on the same weights and sources: 5 beams, 64 sources of 20 tokens,
targets of exactly 20 tokens, the encoder included; the ratio is the median of the rounds' ratios. `fast` is our search
with `precision=fast`, which rounds the output matrix to 8 bits.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import tokenizers
import torch
from tokenizers import models, pre_tokenizers
from transformers import (
    AutoModelForSeq2SeqLM,
    BartConfig,
    GenerationConfig,
    MarianConfig,
    PreTrainedModel,
    T5Config,
)

import s2s
from benchmarks.report import last_line, options, table
from s2s.decode import ID_CODEC, configure
from s2s.model import Transformer, inference, put_weights, stepper_for
from s2s.pretrained import read_model

MOST_SECONDS = 10.0  # of the import
MOST_GB = 1.0
MOST_TRANSLATION = 2.0  # seconds
LEAST_RATIO = 2.0
TOKENS = 20
BEAMS = 5
BATCH = 64
T5_SMALL = MappingProxyType(
    {
        "vocab_size": 32_128,
        "d_model": 512,
        "d_kv": 64,
        "d_ff": 2048,
        "num_layers": 6,
        "num_heads": 8,
        "decoder_start_token_id": 0,
    }
)
LAYERS = MappingProxyType(
    {f"{side}_{name}": n for side in ("encoder", "decoder") for name, n in (("layers", 6),)}
)
OPUS = MappingProxyType(
    {
        **LAYERS,
        "vocab_size": 58_101,
        "d_model": 512,
        "encoder_attention_heads": 8,
        "decoder_attention_heads": 8,
        "encoder_ffn_dim": 2048,
        "decoder_ffn_dim": 2048,
        "activation_function": "swish",
        "scale_embedding": True,
        "pad_token_id": 58_100,
        "decoder_start_token_id": 58_100,
        "eos_token_id": 0,
    }
)
BART_BASE = MappingProxyType(
    {
        **LAYERS,
        "vocab_size": 50_265,
        "d_model": 768,
        "encoder_attention_heads": 12,
        "decoder_attention_heads": 12,
        "encoder_ffn_dim": 3072,
        "decoder_ffn_dim": 3072,
        "decoder_start_token_id": 2,
    }
)
SHAPES: Mapping[str, Callable[[], Any]] = MappingProxyType(
    {
        "T5-small": lambda: T5Config(**T5_SMALL),
        "Marian (OPUS-MT)": lambda: MarianConfig(**OPUS),
        "BART-base": lambda: BartConfig(**BART_BASE),
    }
)


def checkpoint(name: str, folder: Path) -> PreTrainedModel:
    """Write a model of a row of SHAPES, without its tokenizer."""
    torch.manual_seed(1)
    made: PreTrainedModel = AutoModelForSeq2SeqLM.from_config(SHAPES[name]()).eval()
    made.save_pretrained(folder)
    return made


def write_tokenizer(folder: Path) -> None:
    """T5's: 32,100 tokens, of which 32,000 are numbers as words."""
    specials = ["<pad>", "</s>", "<unk>"]
    extra = [f"<extra_id_{number}>" for number in reversed(range(100))]
    words = [f"▁{number}" for number in range(32_100 - len(specials) - len(extra))]
    vocabulary = [
        (token, -float(rank) / 1000) for rank, token in enumerate(specials + words + extra)
    ]
    made = tokenizers.Tokenizer(models.Unigram(vocabulary, 2, byte_fallback=False))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.add_special_tokens(specials + extra)
    made.save(str(folder / "tokenizer.json"))


def imported(folder: Path, out: Path) -> dict[str, float]:
    """Seconds, CPU seconds and peak memory in GB of the command."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "s2s", "import", str(folder), "--out", str(out)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"the import ended with {process.returncode}")
    return {
        "seconds": time.perf_counter() - started,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "peak_gb": _gigabytes(used),
    }


def _gigabytes(used: resource.struct_rusage) -> float:
    return used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e9


def translation(out: Path, rounds: int) -> float:
    """Median seconds of a sentence."""
    run = s2s.load(out)
    seconds = []
    for number in range(rounds + 1):
        source = " ".join(str(number + word) for word in range(TOKENS - 1))
        started = time.perf_counter()
        limits = {"min_new_tokens": TOKENS, "max_new_tokens": TOKENS}
        (found,) = run.translate([source], "beam", num_beams=4, **limits)
        seconds.append(time.perf_counter() - started)
        if len(found.tokens) != TOKENS:
            raise RuntimeError(f"{len(found.tokens)} tokens were written")
    return statistics.median(seconds[1:])


def race(name: str, folder: Path, rounds: int) -> dict[str, Any]:
    """Our seconds and theirs per batch, and how often the targets are equal."""
    theirs = checkpoint(name, folder)
    theirs.generation_config.forced_eos_token_id = None  # at the limit, where ours truncates
    published = read_model(folder)
    ids = published.config.ids
    ours = Transformer(published.config, published.src_vocab_size, published.tgt_vocab_size)
    put_weights(ours, published.tensors)
    ours.eval()
    src = torch.randint(10, 30_000, (BATCH, TOKENS), generator=torch.Generator().manual_seed(2))
    src[:, -1] = ids.eos
    limits = {"min_new_tokens": TOKENS, "max_new_tokens": TOKENS, "num_beams": BEAMS}
    search, config = configure("beam", limits)
    asked = GenerationConfig(
        **limits,
        do_sample=False,
        pad_token_id=ids.pad,
        eos_token_id=ids.eos,
        decoder_start_token_id=ids.start,
        bad_words_ids=[[token] for token in ids.suppressed_ids] or None,
    )
    times: dict[str, list[float]] = {"exact": [], "fast": [], "theirs": []}
    same = 0
    for _ in range(rounds + 1):
        for precision in ("fast", "exact"):
            started = time.perf_counter()
            with inference(ours):
                found = search(stepper_for(ours, src, precision), config, ID_CODEC)
            times[precision].append(time.perf_counter() - started)
        between = time.perf_counter()
        with torch.inference_mode():
            rows = theirs.generate(src, generation_config=asked)
        times["theirs"].append(time.perf_counter() - between)
        pairs = zip(found, rows[:, 1:].tolist(), strict=True)
        same = sum(list(one.best.ids) == row for one, row in pairs)
    seconds = {name: statistics.median(each[1:]) for name, each in times.items()}
    theirs_by_round = times["theirs"][1:]
    ratio, fast_ratio = (
        statistics.median(b / a for a, b in zip(times[name][1:], theirs_by_round, strict=True))
        for name in ("exact", "fast")
    )
    return {
        "model": name,
        "parameters": f"{theirs.num_parameters():,}",
        "ours s": seconds["exact"],
        "fast s": seconds["fast"],
        "generate s": seconds["theirs"],
        "ratio": ratio,
        "fast ratio": fast_ratio,
        "same": same / BATCH,
    }


def main() -> None:
    """Measure the import, the translation, and the race."""
    parser = options(__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["S2S_HOME"] = str(folder / "home")
        checkpoint("T5-small", folder / "t5")
        write_tokenizer(folder / "t5")
        cost = imported(folder / "t5", folder / "run")
        cost["translation_seconds"] = translation(folder / "run", arguments.rounds)
        rows = [race(shape, folder / shape, arguments.rounds) for shape in SHAPES]
    print(
        f"T5-small: imported in {cost['seconds']:.1f} s (goal: {MOST_SECONDS:.0f}) and {cost['peak_gb']:.2f} GB (goal:"
        f" {MOST_GB:.0f}); {TOKENS} tokens with 4 beams in {cost['translation_seconds']:.2f} s (goal:"
        f" {MOST_TRANSLATION:.0f}).\n"
    )
    table(rows)
    print(f"\nGoal: a ratio of {LEAST_RATIO:.0f} with {BEAMS} beams and {BATCH} sources.")
    last_line("pretrained", {"import": cost, "race": rows}, arguments)


if __name__ == "__main__":
    main()
