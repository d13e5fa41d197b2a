"""What a run will cost before it is started: parameters, memory, minutes."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.config import Recipe, UserError
from s2s.data import Preview
from s2s.jobs.plan.calibration import OVERHEAD, UNCALIBRATED, Calibration
from s2s.jobs.plan.throughput import seconds_per_step
from s2s.sizing import count_parameters, gigabytes, training_bytes, training_flops
from s2s.tokenizers import SPECIALS, TOKENIZERS, automatic_size

EXPRESS_SECONDS = 20.0  # below, a run need not wait for a long one
STARTUP_SECONDS = 4.0  # until the first step: Python, torch, reading, vocabulary
TOKENS_PER_WORD = 1.3  # of a subword tokenizer, about
MERGES_PER_WORD = 1.6  # with this many per distinct word every word is one token: measured on datasets of 15 to 1,250 words
BYTES_OF_PYTHON = 380e6  # a trainer with torch loaded, before its first tensor


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
    calibration: Calibration

    @property
    def tokens(self) -> int:
        """Slots of all steps."""
        return self.steps * self.slots

    @property
    def tokens_per_second(self) -> float:
        """Slots, from the first step on."""
        return self.tokens / max(1e-9, self.seconds - STARTUP_SECONDS)

    @property
    def is_express(self) -> bool:
        """Whether the run fits the slot for short ones."""
        return self.seconds < EXPRESS_SECONDS


def forecast(recipe: Recipe, seen: Preview, calibration: Calibration = UNCALIBRATED) -> Forecast:
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
        seconds=STARTUP_SECONDS
        + OVERHEAD * calibration.factor * steps * seconds_per_step(recipe, tgt_size, slots),
        epochs=steps * slots / tokens,
        flops=training_flops(
            recipe, tgt_size, batch_tokens=slots, length=tokens / max(1, seen.n_pairs)
        ),
        slots=slots,
        steps=steps,
        calibration=calibration,
    )


def check_forecast(recipe: Recipe, seen: Preview, cost: Forecast, free: int) -> None:
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
    src = _vocab_size(recipe, seen.src_words, seen.src_alphabet, seen.src_characters)
    tgt = _vocab_size(recipe, seen.tgt_words, seen.tgt_alphabet, seen.tgt_characters)
    if not recipe.tokenizer.shared:
        return src, tgt
    if TOKENIZERS[recipe.tokenizer.kind].is_subword:
        words = seen.src_words + seen.tgt_words
        both = _vocab_size(
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


def _vocab_size(recipe: Recipe, words: int, alphabet: int, characters: int) -> int:
    settings = recipe.tokenizer
    learned = settings.vocab_size or max(alphabet, automatic_size(characters))
    needed = min(
        learned, words + alphabet
    )  # unigram drops what is of little use, such as parts of words that are pieces
    merged = min(learned, int(MERGES_PER_WORD * words) + alphabet)
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
    return int(words * (TOKENS_PER_WORD if TOKENIZERS[kind].is_subword else 1.0)) + seen.n_pairs


def share_too_long(recipe: Recipe, seen: Preview) -> float:
    """The share of texts, of the side that has more of them, that `data.max_length` would drop, about: from 0 to 1."""
    longest = recipe.data.max_length - 1  # and `</s>`
    sides = ((seen.src_counts, seen.src_characters), (seen.tgt_counts, seen.tgt_characters))
    return max(
        _share_above(counts, longest / _tokens_per_word(recipe, counts, characters))
        for counts, characters in sides
    )


def _tokens_per_word(recipe: Recipe, counts: tuple[int, ...], characters: int) -> float:
    if recipe.tokenizer.kind in ("char", "byte"):
        return (
            characters / max(1, sum(n * count for n, count in enumerate(counts))) + 1
        )  # and the blank
    return 1.0 if recipe.tokenizer.kind == "word" else TOKENS_PER_WORD


def _share_above(counts: tuple[int, ...], words: float) -> float:
    return sum(count for n, count in enumerate(counts) if n > words) / max(1, sum(counts))
