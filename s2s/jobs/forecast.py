"""What a run will cost before it is started: parameters, memory, minutes."""

from __future__ import annotations

import functools
import itertools
import json
import math
import os
import statistics
import time
from dataclasses import dataclass
from typing import Any

import torch

from s2s.config import ModelConfig, Recipe, UserError
from s2s.data import Preview
from s2s.runs import RunFolder, runs_folder
from s2s.sizing import count_parameters, gigabytes, training_bytes, training_flops
from s2s.tokenizers import SPECIALS, TOKENIZERS, automatic_size
from s2s.train import cores

EXPRESS = 20.0  # seconds; below, a run need not wait behind a long one
START = 4.0  # seconds until the first step: Python, torch, reading, vocabulary
# Fitted on nine recipes, one thread of a Xeon with AVX-512: within 30 % of eight of them, half of the ninth (`blocks`).
SHARE_OF_PEAK = 0.85  # of the machine's best speed, in the large matrix products
PER_LOGIT = 300  # operations that softmax and loss cost as much time as, at that speed: they wait for memory
PER_ACTIVATION = (
    4000  # the same for a layer's norms, dropouts and sums, a number of the residual stream
)
SECONDS_A_LAYER = 0.0012  # starting many small operations
SCALING = 0.7  # two threads do 2 ** 0.7 as much as one
WATCHING = 1.12  # validation, samples and saving beside the updates
PIECES_A_WORD = 1.3  # of a subword tokenizer, about
MERGES_A_WORD = 1.6  # after so many for each distinct word every word is one piece: measured on texts of 15 to 1,250 words
RUNS = 10  # of this machine's newest ones, from which its pace is learnt
ENOUGH = 100  # steps that a run must have made to tell
LONG = 20.0  # seconds that they must have taken: in a shorter run, starting up weighs too much
SURE = 3  # runs; of fewer, half of what they say is believed
LINES = 1 << 17  # bytes at the end of a metrics.jsonl that are looked at: some hundred steps
BOUNDS = (0.3, 3.0)  # a run beside many others says nothing about one alone
SLOTS_A_TOKEN = (
    0.6  # of both sides: half of them are the longer side's, a sixth of a batch is padding
)
BYTES_OF_PYTHON = 380e6  # a trainer with torch loaded, before its first tensor


@dataclass(frozen=True)
class Pace:
    """How many times longer runs take here than the formula says, learnt from so many of them."""

    factor: float = 1.0
    n_runs: int = 0


AS_COUNTED = Pace()


@dataclass(frozen=True)
class Forecast:
    """Numbers before the fact: the vocabulary is estimated, the time is good to a factor of about two."""

    parameters: int
    src_vocab_size: int
    tgt_vocab_size: int
    megabytes: float
    seconds: float
    epochs: float
    flops: float  # of the whole run
    slots: int  # of a batch, on its longer side, padding included
    steps: int
    pace: Pace

    @property
    def tokens(self) -> int:
        """Slots of all steps."""
        return self.steps * self.slots

    @property
    def tokens_a_second(self) -> float:
        """Slots, from the first step on."""
        return self.tokens / max(1e-9, self.seconds - START)

    @property
    def is_express(self) -> bool:
        """Whether the run fits the slot for short ones."""
        return self.seconds < EXPRESS


def forecast(recipe: Recipe, seen: Preview, pace: Pace = AS_COUNTED) -> Forecast:
    """Of training on the corpus of that preview, on this machine."""
    src_size, tgt_size = vocab_sizes(recipe, seen)
    tokens = max(1, _tokens(recipe, seen))
    steps = recipe.train.steps
    slots = min(recipe.train.batch_tokens, tokens)
    return Forecast(
        parameters=count_parameters(recipe.model, src_size, tgt_size),
        src_vocab_size=src_size,
        tgt_vocab_size=tgt_size,
        megabytes=(
            BYTES_OF_PYTHON + training_bytes(recipe, (src_size, tgt_size), batch_tokens=slots)
        )
        / 1e6,
        seconds=START + WATCHING * pace.factor * steps * seconds_a_step(recipe, tgt_size, slots),
        epochs=steps * slots / tokens,
        flops=training_flops(
            recipe, tgt_size, batch_tokens=slots, length=tokens / max(1, seen.n_pairs)
        ),
        slots=slots,
        steps=steps,
        pace=pace,
    )


def check(recipe: Recipe, seen: Preview, cost: Forecast, free: int) -> None:
    """Raises UserError for what training would refuse: more memory than `free` bytes, or no pair that is short enough."""
    if cost.megabytes * 1e6 > free:
        raise UserError(
            f"Training needs about {gigabytes(int(cost.megabytes * 1e6))} of memory and {gigabytes(free)} are free here;"
            " choose a smaller preset such as small, or lower `train.batch_tokens`."
        )
    shortest = max(
        next(n for n, count in enumerate(counts) if count)
        for counts in (seen.src_counts, seen.tgt_counts)
    )
    longest = recipe.data.max_length - 1  # and `</s>`
    if shortest > longest:
        given = f"`data.max_length` {recipe.data.max_length} leaves no pair"
        raise UserError(
            f"{given}: even the shortest has {shortest} words and an end; give at least {shortest + 1}."
        )


def vocab_sizes(recipe: Recipe, seen: Preview) -> tuple[int, int]:
    """What the tokenizers will come to, about."""
    src = _pieces(recipe, seen.src_words, seen.src_alphabet, seen.src_characters)
    tgt = _pieces(recipe, seen.tgt_words, seen.tgt_alphabet, seen.tgt_characters)
    if not recipe.tokenizer.shared:
        return src, tgt
    if TOKENIZERS[recipe.tokenizer.kind].is_subword:
        words = seen.src_words + seen.tgt_words
        both = _pieces(
            recipe,
            words,
            max(seen.src_alphabet, seen.tgt_alphabet),
            seen.src_characters + seen.tgt_characters,
        )
    else:
        both = (
            max(src, tgt)
            if recipe.tokenizer.kind in ("byte", "char")
            else src + tgt - len(SPECIALS)
        )
    return both, both


def _pieces(recipe: Recipe, words: int, alphabet: int, characters: int) -> int:
    settings = recipe.tokenizer
    learned = settings.vocab_size or max(alphabet, automatic_size(characters))
    needed = min(
        learned, words + alphabet
    )  # unigram drops what is of little use, such as parts of words that are pieces
    merged = min(learned, int(MERGES_A_WORD * words) + alphabet)
    found = {"byte": 256, "char": alphabet, "word": words, "unigram": needed, "bpe": merged}[
        settings.kind
    ] + len(SPECIALS)
    return min(found, settings.vocab_size or found)


def _tokens(recipe: Recipe, seen: Preview) -> int:
    """Of the longer side, over the whole corpus: what one epoch feeds."""
    kind = recipe.tokenizer.kind
    if kind in ("char", "byte"):
        return max(seen.src_characters, seen.tgt_characters) + seen.n_pairs
    words = max(
        sum(n * count for n, count in enumerate(counts))
        for counts in (seen.src_counts, seen.tgt_counts)
    )
    return int(words * (PIECES_A_WORD if TOKENIZERS[kind].is_subword else 1.0)) + seen.n_pairs


def share_too_long(recipe: Recipe, seen: Preview) -> float:
    """The share of texts, of the side that has more of them, that `data.max_length` would drop, about: from 0 to 1."""
    longest = recipe.data.max_length - 1  # and `</s>`
    sides = ((seen.src_counts, seen.src_characters), (seen.tgt_counts, seen.tgt_characters))
    return max(
        _share_above(counts, longest / _pieces_a_word(recipe, counts, characters))
        for counts, characters in sides
    )


def _pieces_a_word(recipe: Recipe, counts: tuple[int, ...], characters: int) -> float:
    if recipe.tokenizer.kind in ("char", "byte"):
        return (
            characters / max(1, sum(n * count for n, count in enumerate(counts))) + 1
        )  # and the blank
    return 1.0 if recipe.tokenizer.kind == "word" else PIECES_A_WORD


def _share_above(counts: tuple[int, ...], words: float) -> float:
    return sum(count for n, count in enumerate(counts) if n > words) / max(1, sum(counts))


def seconds_a_step(recipe: Recipe, tgt_vocab_size: int, slots: int) -> float:
    """One update: three times a forward pass, of two operations a weight and token, beside what waits for memory."""
    # as a run is submitted
    model = recipe.model
    threads = recipe.train.threads or max(1, cores() - 1)
    layers = model.encoder.n_layers + 2 * model.decoder.n_layers
    products = 6 * slots * (_weights(model) + model.d_model * tgt_vocab_size) / SHARE_OF_PEAK
    waiting = slots * (PER_LOGIT * tgt_vocab_size + PER_ACTIVATION * model.d_model * layers)
    return float((products + waiting) / (peak() * threads**SCALING) + SECONDS_A_LAYER * layers)


def _weights(model: ModelConfig) -> int:
    """In matrices of the layers; embeddings are looked up, not multiplied."""
    return count_parameters(model, 1, 1)


@functools.cache
def peak() -> float:
    """Float32 operations a second that one thread does here, in a matrix product: the best of twelve."""
    matrix = torch.ones(512, 512)
    threads = torch.get_num_threads()
    torch.set_num_threads(
        1
    )  # two that wait for each other beside a busy stranger are slower than one
    try:
        return 2 * 512**3 / min(_seconds(matrix) for _ in range(12))
    finally:
        torch.set_num_threads(threads)


def _seconds(matrix: torch.Tensor) -> float:
    started = time.perf_counter()
    matrix @ matrix
    return time.perf_counter() - started


def learnt_pace(device: str) -> Pace:
    """From the newest runs of this home on that device: their median, or half-way to it (as a ratio) while they are few."""
    folders = [RunFolder(path.parent) for path in runs_folder().glob("*/metrics.jsonl")]
    newest = sorted(folders, key=_changed, reverse=True)[: 2 * RUNS]
    ratios = [ratio for folder in newest if (ratio := _ratio(folder, device)) is not None][:RUNS]
    if not ratios:
        return Pace()
    low, high = BOUNDS
    factor = min(high, max(low, statistics.median(ratios)))
    return Pace(factor if len(ratios) >= SURE else math.sqrt(factor), len(ratios))


def _changed(folder: RunFolder) -> float:
    try:
        return (folder.path / "metrics.jsonl").stat().st_mtime
    except OSError:  # deleted meanwhile
        return 0.0


def _ratio(folder: RunFolder, device: str) -> float | None:
    """Measured seconds a step, watching included, over the formula's; None where the run cannot tell."""
    try:
        recipe = folder.recipe()
        if recipe.train.device != device or not recipe.train.threads:
            return None
        seconds, slots = _measured(_tail(folder), recipe.train.batch_tokens)
        size = folder.tokenizers()[1].vocab_size
    except (
        UserError,
        OSError,
        ValueError,
        KeyError,
        TypeError,
    ):  # broken, too short, or being deleted
        return None
    return seconds / (WATCHING * seconds_a_step(recipe, size, slots))


def _tail(folder: RunFolder) -> list[dict[str, Any]]:
    """The last lines of what it logged."""
    with (folder.path / "metrics.jsonl").open("rb") as file:
        start = max(0, file.seek(0, os.SEEK_END) - LINES)
        file.seek(start)
        lines = file.read().split(b"\n")[1 if start else 0 : -1]
    return [line for line in map(json.loads, lines) if line["kind"] == "train"]


def _measured(lines: list[dict[str, Any]], batch_tokens: int) -> tuple[float, int]:
    """Seconds from one step to the next, and slots of a batch. Raises ValueError for too short a run."""
    if len(lines) < ENOUGH:
        raise ValueError("too few steps to tell")
    times = [float(line["time"]) for line in lines]
    gaps = [after - before for before, after in itertools.pairwise(times)]
    between = statistics.mean(
        gap for gap, line in zip(gaps, lines[1:], strict=True) if not line.get("first")
    )
    if between * lines[-1]["step"] < LONG:
        raise ValueError("too short to tell")
    tokens = statistics.median(line["n_tokens"] for line in lines)  # of both sides, without padding
    return between, min(batch_tokens, int(SLOTS_A_TOKEN * tokens))
