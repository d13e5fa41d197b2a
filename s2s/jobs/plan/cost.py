"""Estimates what a run will cost before it is started: parameters, memory, minutes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from s2s.config import Recipe, UserError
from s2s.data import Preview
from s2s.jobs.plan.calibration import OVERHEAD, UNCALIBRATED, Calibration
from s2s.jobs.plan.throughput import seconds_per_step
from s2s.sizing import count_parameters, gigabytes, training_bytes, training_flops
from s2s.tokenizers import SPECIALS, TOKENIZERS, automatic_size

EXPRESS_SECONDS = 20.0  # a shorter run need not wait for a long one
STARTUP_SECONDS = 4.0  # before the first step: Python, torch, reading, vocabulary
TOKENS_PER_WORD = 1.3  # of a subword tokenizer, about
# With this many per distinct word, every word is one token: measured on datasets of 15 to 1,250 words.
MERGES_PER_WORD = 1.6
BYTES_OF_PYTHON = 380e6  # a trainer with torch loaded, before its first tensor


@dataclass(frozen=True)
class Forecast:
    """Estimated cost of a run: the vocabulary is approximate, the time accurate within a factor of about two."""

    parameters: int
    src_vocab_size: int
    tgt_vocab_size: int
    megabytes: float  # of memory, in each process
    seconds: float
    epochs: float
    flops: float  # of the whole run
    slots: int  # tokens of a batch, on its longer side, padding included
    steps: int
    calibration: Calibration

    @property
    def tokens(self) -> int:
        """Tokens of all steps, padding included."""
        return self.steps * self.slots

    @property
    def tokens_per_second(self) -> float:
        """Training speed in tokens per second, padding included, from the first step on."""
        return self.tokens / max(1e-9, self.seconds - STARTUP_SECONDS)

    @property
    def is_express(self) -> bool:
        """Whether the run is short enough for the express slot."""
        return self.seconds < EXPRESS_SECONDS


def forecast(
    recipe: Recipe,
    preview: Preview,
    calibration: Calibration = UNCALIBRATED,
    *,
    sizes: tuple[int, int] | None = None,
) -> Forecast:
    """The cost of training on the dataset of this preview, on this computer, without the pairs that
    `data.clean.max_words` drops; `sizes` are those of the vocabularies of a run that initializes it.
    """
    preview = preview.within(recipe.data.clean.max_words)
    src_size, tgt_size = sizes or vocab_sizes(recipe, preview)
    tokens = max(1, _tokens(recipe, preview))
    steps = recipe.train.steps
    slots = min(recipe.train.batch_tokens, tokens)
    memory = training_bytes(
        recipe,
        (src_size, tgt_size),
        batch_tokens=math.ceil(slots / recipe.train.processes),
        longest=_longest(recipe, preview),
    )
    return Forecast(
        parameters=count_parameters(recipe.model, src_size, tgt_size),
        src_vocab_size=src_size,
        tgt_vocab_size=tgt_size,
        megabytes=(BYTES_OF_PYTHON + memory) / 1e6,
        seconds=STARTUP_SECONDS
        + OVERHEAD * calibration.factor * steps * seconds_per_step(recipe, tgt_size, slots),
        epochs=steps * slots / tokens,
        flops=training_flops(
            recipe, tgt_size, batch_tokens=slots, length=tokens / max(1, preview.n_pairs)
        ),
        slots=slots,
        steps=steps,
        calibration=calibration,
    )


def check_forecast(recipe: Recipe, preview: Preview, cost: Forecast, free: int) -> None:
    """Raises UserError for more memory than `free` bytes, and where every pair is too long, as training would."""
    if cost.megabytes * 1e6 > free:
        n = recipe.train.processes
        each = f" in each of {n} processes" if n > 1 else ""
        needed = f"{gigabytes(int(cost.megabytes * 1e6))} of memory{each}"
        raise UserError(
            f"Training needs about {needed} and {gigabytes(free)} are free;"
            " choose a smaller preset such as small, or lower `train.batch_tokens`."
        )
    shortest = max(
        next(n for n, count in enumerate(counts) if count)
        for counts in (preview.src_counts, preview.tgt_counts)
    )
    max_words = recipe.data.clean.max_words
    if max_words is not None and shortest > max_words:
        raise UserError(
            f"`data.clean.max_words` {max_words} leaves no pair: even the shortest has {shortest} words on one side;"
            f" give at least {shortest}."
        )
    longest = recipe.data.max_length - 1  # and `</s>`
    if shortest > longest:
        given = f"`data.max_length` {recipe.data.max_length} leaves no pair"
        raise UserError(
            f"{given}: even the shortest has {shortest} words and `</s>`; give at least {shortest + 1}."
        )


def vocab_sizes(recipe: Recipe, preview: Preview) -> tuple[int, int]:
    """Approximate vocabulary sizes of source and target."""
    src = _vocab_size(recipe, preview.src_words, preview.src_alphabet, preview.src_characters)
    tgt = _vocab_size(recipe, preview.tgt_words, preview.tgt_alphabet, preview.tgt_characters)
    if not recipe.tokenizer.shared:
        return src, tgt
    if TOKENIZERS[recipe.tokenizer.kind].is_subword:
        words = preview.src_words + preview.tgt_words
        both = _vocab_size(
            recipe,
            words,
            max(preview.src_alphabet, preview.tgt_alphabet),
            preview.src_characters + preview.tgt_characters,
        )
    else:
        both = (
            max(src, tgt)
            if recipe.tokenizer.kind in ("byte", "char")
            else src + tgt - len(SPECIALS)
        )
    return both, both


def _vocab_size(recipe: Recipe, words: int, alphabet: int, characters: int) -> int:
    settings = recipe.tokenizer
    learned = settings.vocab_size or max(alphabet, automatic_size(characters))
    # Unigram drops tokens that are rarely needed, such as parts of words that are tokens themselves.
    needed = min(learned, words + alphabet)
    merged = min(learned, int(MERGES_PER_WORD * words) + alphabet)
    found = {"byte": 256, "char": alphabet, "word": words, "unigram": needed, "bpe": merged}[
        settings.kind
    ] + len(SPECIALS)
    return min(found, settings.vocab_size or found)


def _tokens(recipe: Recipe, preview: Preview) -> int:
    kind = recipe.tokenizer.kind
    part = _part(recipe, preview)
    if kind in ("char", "byte"):
        characters = max(preview.src_characters, preview.tgt_characters)
        return int(characters * part) + preview.n_pairs
    words = max(
        sum(n * count for n, count in enumerate(counts))
        for counts in (preview.src_counts, preview.tgt_counts)
    )
    per_word = TOKENS_PER_WORD if TOKENIZERS[kind].is_subword else 1.0
    return int(words * per_word * part) + preview.n_pairs


def _part(recipe: Recipe, preview: Preview) -> float:
    return 0.5 if preview.is_plain and recipe.data.task in ("auto", "halves") else 1.0


def _longest(recipe: Recipe, preview: Preview) -> int:
    """Tokens of the longest sentence of either side, as far as `data.max_length` keeps it."""
    words = max(
        preview.src_longest * _tokens_per_word(recipe, preview.src_counts, preview.src_characters),
        preview.tgt_longest * _tokens_per_word(recipe, preview.tgt_counts, preview.tgt_characters),
    )
    longest = math.ceil(words * _part(recipe, preview))
    return min(recipe.data.max_length, longest + 1)  # and `</s>`


def share_too_long(recipe: Recipe, preview: Preview) -> float:
    """The approximate share of pairs that `data.max_length` would drop, 0 to 1: that of the side that drops more."""
    longest = (recipe.data.max_length - 1) / _part(recipe, preview)  # and `</s>`
    sides = (
        (preview.src_counts, preview.src_characters),
        (preview.tgt_counts, preview.tgt_characters),
    )
    return max(
        _share_above(counts, longest / _tokens_per_word(recipe, counts, characters))
        for counts, characters in sides
    )


def _tokens_per_word(recipe: Recipe, counts: tuple[int, ...], characters: int) -> float:
    if recipe.tokenizer.kind in ("char", "byte"):
        words = sum(n * count for n, count in enumerate(counts))
        return characters / max(1, words)  # spaces included
    return 1.0 if recipe.tokenizer.kind == "word" else TOKENS_PER_WORD


def _share_above(counts: tuple[int, ...], words: float) -> float:
    return sum(count for n, count in enumerate(counts) if n > words) / max(1, sum(counts))
