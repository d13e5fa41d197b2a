"""What every strategy obeys: lengths, repetition, forbidden words, a forced prefix."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from s2s.config import Config, UserError, setting
from s2s.decode.numerics import NEG_INF
from s2s.decode.stepper import ForcedPrefix, Stepper, TextCodec

DEFAULT_LIMIT = 256  # tokens, where neither the settings nor the model have a limit


@dataclass(frozen=True)
class GenerationConfig(Config):
    """The settings that all strategies share; the defaults change nothing."""

    max_new_tokens: int | None = setting(
        None,
        1,
        4096,
        label="Maximum new tokens",
        help="Most tokens to write, `</s>` included; empty takes the run's limit.",
    )
    min_new_tokens: int = setting(
        0, 0, 4096, label="Minimum new tokens", help="Fewest tokens to write before `</s>`."
    )
    repetition_penalty: float = setting(
        1.0, 0.01, 100.0, help="Above 1, tokens that were already written become less probable."
    )
    no_repeat_ngram_size: int = setting(
        0,
        0,
        100,
        label="No repeated n-grams",
        help="No n-gram of this size is written twice; 0 allows it.",
    )
    encoder_no_repeat_ngram_size: int = setting(
        0,
        0,
        100,
        label="No n-grams of the source",
        help="No n-gram of this size is copied from the source; 0 allows it.",
    )
    bad_words: str = setting(
        "", label="Forbidden words", help="Words that must not be written, separated by commas."
    )
    prefix: str = setting("", label="Forced prefix", help="How every target begins.")
    num_return_sequences: int | None = setting(
        None,
        1,
        100,
        label="Hypotheses to return",
        help="Hypotheses to return; empty returns all that the strategy finds.",
    )
    seed: int = setting(
        1,
        0,
        2**53 - 1,
        label="Random seed",
        help="Seed of random draws: the same seed draws the same for a source, alone or in any batch.",
    )
    precision: str = setting(
        "exact",
        label="Output precision",
        help="fast rounds the output matrix to 8 bits.",
        choices=("exact", "fast"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_new_tokens is not None and self.min_new_tokens > self.max_new_tokens:
            given = f"`min_new_tokens` {self.min_new_tokens} is more than `max_new_tokens` {self.max_new_tokens}"
            raise UserError(f"{given}; give at most {self.max_new_tokens}.")

    @property
    def width(self) -> int:
        """Most rows that one source takes."""
        return self.num_return_sequences or 1

    def texts(self) -> dict[str, list[str]]:
        """The settings that are words of the target, by name."""
        return {"prefix": [self.prefix], "bad_words": split_commas(self.bad_words)}

    def check_returned(self, n_found: int, why: str) -> None:
        """Raises UserError where more hypotheses are requested than there are."""
        if (self.num_return_sequences or 1) > n_found:
            given = f"`num_return_sequences` {self.num_return_sequences} is more than the {n_found} that {why}"
            raise UserError(f"{given}; give at most {n_found}.")


def split_commas(text: str) -> list[str]:
    """`"a, b c"` -> `["a", "b c"]`."""
    return [word.strip() for word in text.split(",") if word.strip()]


def token_ids(codec: TextCodec, name: str, text: str) -> tuple[int, ...]:
    """The ids of the text of the setting `name`. Raises UserError for words that the target vocabulary lacks."""
    if unknown := list(codec.unknown_parts(text)):
        raise UserError(
            f"`{name}`: `{unknown[0]}` is not in this model's target vocabulary; give words that it has learned."
        )
    return tuple(codec.encode(text))


def bad_word_forms(codec: TextCodec, bad_words: Iterable[str]) -> list[tuple[int, ...]]:
    """The ids of each word at the beginning of a text and after a space: byte-level tokenizers tell them apart."""
    found = dict.fromkeys(
        ids
        for word in bad_words
        for ids in (token_ids(codec, "bad_words", word), tuple(codec.encode(f" {word}")))
    )
    return [ids for ids in found if ids]


class LogitsProcessors:
    """A GenerationConfig, applied to the logits of one stepper's sources.

    Raises UserError where it contradicts itself or the model.
    """

    def __init__(self, config: GenerationConfig, stepper: Stepper, codec: TextCodec) -> None:
        self.config = config
        self.eos_id = stepper.eos_id
        self.sources = stepper.sources
        check_limit(config.max_new_tokens, stepper.max_length)
        self.limit = config.max_new_tokens or stepper.max_length or DEFAULT_LIMIT
        first = () if stepper.first_id is None else (stepper.first_id,)
        if isinstance(codec, ForcedPrefix):
            self.prefix = codec.ids or first
        else:
            self.prefix = (*first, *token_ids(codec, "prefix", config.prefix))
        self.has_first = bool(first) and self.prefix[:1] == first
        self.renormalizes = stepper.renormalizes
        self.forces_end = stepper.forces_end
        self.suppressed = [word[0] for word in stepper.suppressed if len(word) == 1]
        self.suppressed_first = list(stepper.suppressed_first)
        if len(self.prefix) >= self.limit:
            given = (
                f"`prefix` has {len(self.prefix)} tokens and at most {self.limit} may be written"
            )
            raise UserError(f"{given}; shorten it or raise `max_new_tokens`.")
        self.bad_words = [
            *bad_word_forms(codec, split_commas(config.bad_words)),
            *(word for word in stepper.suppressed if len(word) > 1),
        ]
        has_settings = (
            self.bad_words
            or config.min_new_tokens
            or config.no_repeat_ngram_size
            or config.encoder_no_repeat_ngram_size
            or config.repetition_penalty != 1.0
        )
        self.is_idle = not (has_settings or self.suppressed or self.suppressed_first)
        self.only_bans = config.repetition_penalty == 1.0  # all other scores stay as they are
        n = config.encoder_no_repeat_ngram_size
        self._longest = max(map(len, self.sources), default=0)
        self._source_ngrams = [_followers(source, n) for source in self.sources] if n else []

    def own(self, log_probs: Tensor, length: int) -> Tensor:
        """The model's log-probabilities of tokens after `length` others; 0 for a first token that the model does not
        choose.
        """
        return torch.zeros_like(log_probs) if self.has_first and length == 0 else log_probs

    def apply(self, scores: Tensor, written: Tensor, source_of_rows: Sequence[int]) -> Tensor:
        """Process logits or log-probabilities (rows, vocab) in place. Where nothing remains, `</s>` keeps its score.

        `written` (rows, 1 + length) starts with the start id, which counts as a token, as in transformers' logits
        processors, whose order this is; `source_of_rows` is the number of each row's source.
        """
        if self.is_idle or (self.forces_end and written.shape[1] == self.limit):
            return scores
        config = self.config
        eos_scores = scores[:, self.eos_id].clone()  # (rows,)
        if config.repetition_penalty != 1.0:
            _penalize(scores, written, config.repetition_penalty)
        if n := config.no_repeat_ngram_size:
            ids = written.tolist()
            _ban(scores, [_banned(_followers(row, n), row, n) for row in ids])
        if n := config.encoder_no_repeat_ngram_size:
            pairs = zip(written.tolist(), source_of_rows, strict=True)
            _ban(scores, [_banned(self._source_ngrams[source], row, n) for row, source in pairs])
        for word in self.bad_words:
            _ban_word(scores, written, word)
        if self.suppressed:
            scores[:, self.suppressed] = NEG_INF
        if self.suppressed_first and written.shape[1] == 1 + len(self.prefix):
            scores[:, self.suppressed_first] = NEG_INF
        if written.shape[1] - 1 < config.min_new_tokens:
            scores[:, self.eos_id] = NEG_INF
        n_listed = len(self.suppressed) + len(self.suppressed_first) + len(self.bad_words)
        n_banned = 1 + n_listed + written.shape[1] + self._longest
        if n_banned < scores.shape[1]:  # at most that many in a row
            return scores
        is_empty = scores.amax(1).eq(NEG_INF)
        scores[:, self.eos_id] = torch.where(is_empty, eos_scores, scores[:, self.eos_id])
        return scores


def check_limit(max_new_tokens: int | None, positions: int | None) -> None:
    """Raises UserError where a model has fewer positions than `max_new_tokens`; None = no limit."""
    if max_new_tokens is not None and positions is not None and max_new_tokens > positions:
        given = f"`max_new_tokens` {max_new_tokens} is more than this model's {positions} positions"
        raise UserError(f"{given}; give at most {positions}.")


def _penalize(scores: Tensor, written: Tensor, penalty: float) -> None:
    """Penalize tokens already written (Keskar et al. 2019, eq. 3); negative scores are multiplied, so that both
    decrease.
    """
    old = scores.gather(1, written)  # (rows, 1 + length)
    new = torch.where(old < 0, old * penalty, old / penalty)
    scores.scatter_(1, written, new)


Followers = dict[tuple[int, ...], list[int]]


def _followers(ids: Sequence[int], n: int) -> Followers:
    """The tokens that followed each n - 1 tokens."""
    found: Followers = {}
    for last in range(n - 1, len(ids)):
        before = tuple(ids[last - n + 1 : last])
        found.setdefault(before, []).append(ids[last])
    return found


def _banned(followers: Followers, written: Sequence[int], n: int) -> list[int]:
    """The tokens that would complete an n-gram."""
    if len(written) < n - 1:
        return []
    return followers.get(tuple(written[len(written) - n + 1 :]), [])


def _ban(scores: Tensor, tokens: Iterable[Sequence[int]]) -> None:
    """Forbid some tokens of each row, in place."""
    pairs = [(row, token) for row, banned in enumerate(tokens) for token in banned]
    if pairs:
        rows, columns = torch.tensor(pairs, device=scores.device).T
        scores[rows, columns] = NEG_INF


def _ban_word(scores: Tensor, written: Tensor, word: tuple[int, ...]) -> None:
    """Forbid the last token of a word, in the rows that end in its other tokens."""
    *before, last = word
    if len(before) > written.shape[1]:
        return
    ending = written[:, written.shape[1] - len(before) :]  # (rows, len(before))
    wanted = torch.tensor(before, dtype=torch.long, device=written.device)
    scores[ending.eq(wanted).all(1), last] = NEG_INF
