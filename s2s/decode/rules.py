"""What every strategy obeys: lengths, repetition, words that may not appear, how a target begins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from s2s.config import Config, UserError, setting
from s2s.decode.stepper import Begun, Stepper, Words

NO_LIMIT = 256  # tokens, where neither the settings nor the model say how long
NEVER = float("-inf")


@dataclass(frozen=True)
class Rules(Config):
    """The settings that all strategies share; the defaults change nothing."""

    max_new_tokens: int | None = setting(
        None,
        1,
        4096,
        label="Maximum new tokens",
        help="Most tokens to write, `</s>` included; empty takes the run's limit.",
    )
    min_new_tokens: int = setting(
        0,
        0,
        4096,
        label="Minimum new tokens",
        help="`</s>` may not come before so many other tokens.",
    )
    repetition_penalty: float = setting(
        1.0, 0.01, 100.0, help="Above 1, tokens that were written before become less likely."
    )
    no_repeat_ngram_size: int = setting(
        0,
        0,
        100,
        label="No repeated n-grams",
        help="No n tokens in a row are written twice; 0 allows it.",
    )
    encoder_no_repeat_ngram_size: int = setting(
        0,
        0,
        100,
        label="No n-grams of the source",
        help="No n tokens in a row of the source are written; 0 allows it.",
    )
    bad_words: str = setting(
        "", label="Forbidden words", help="Words that may not be written, with commas between."
    )
    prefix: str = setting("", label="Forced prefix", help="How every target begins.")
    num_return_sequences: int | None = setting(
        None,
        1,
        100,
        label="Hypotheses to return",
        help="Hypotheses to return; empty takes what the strategy finds.",
    )
    seed: int = setting(
        1,
        0,
        2**53 - 1,
        label="Random seed",
        help="Of whatever is drawn: the same seed draws the same for a source, alone or among others.",
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
        """Rows that a source takes at most."""
        return self.num_return_sequences or 1

    def texts(self) -> dict[str, list[str]]:
        """The settings that are words of the target: under each name the words."""
        return {"prefix": [self.prefix], "bad_words": several(self.bad_words)}

    def check_returned(self, found: int, why: str) -> None:
        """Raises UserError where more hypotheses are asked for than there are."""
        if (self.num_return_sequences or 1) > found:
            given = f"`num_return_sequences` {self.num_return_sequences} is more than the {found} that {why}"
            raise UserError(f"{given}; give at most {found}.")


def several(text: str) -> list[str]:
    """The words of a setting, which have commas between."""
    return [word.strip() for word in text.split(",") if word.strip()]


def pieces(words: Words, name: str, text: str) -> tuple[int, ...]:
    """A setting's text as ids. Raises UserError where the target vocabulary has none."""
    strange = list(words.unknown(text))
    if strange:
        raise UserError(
            f"`{name}`: `{strange[0]}` is not in this model's target vocabulary; give words that it has learnt."
        )
    return tuple(words.encode(text))


class Rulebook:
    """Rules, read for one stepper's sources. Raises UserError where they cannot be obeyed."""

    def __init__(self, rules: Rules, stepper: Stepper, words: Words) -> None:
        self.rules = rules
        self.eos_id = stepper.eos_id
        self.sources = stepper.sources
        check_limit(rules.max_new_tokens, stepper.max_length)
        self.limit = rules.max_new_tokens or stepper.max_length or NO_LIMIT
        self.prefix = (
            words.ids if isinstance(words, Begun) else pieces(words, "prefix", rules.prefix)
        )
        if len(self.prefix) >= self.limit:
            raise UserError(
                f"`prefix` has {len(self.prefix)} tokens and at most {self.limit} may be written; shorten it or raise `max_new_tokens`."
            )
        self.bad = [pieces(words, "bad_words", word) for word in several(rules.bad_words)]
        self.is_idle = not (
            self.bad
            or rules.min_new_tokens
            or rules.no_repeat_ngram_size
            or rules.encoder_no_repeat_ngram_size
            or rules.repetition_penalty != 1.0
        )
        n = rules.encoder_no_repeat_ngram_size
        self._of_sources = [_followers(source, n) for source in self.sources] if n else []

    def apply(self, scores: Tensor, written: Tensor, source: Sequence[int]) -> Tensor:
        """Scores or logits of the next token (rows, vocab) as the rules want them; written over. Where nothing is left, the end is.

        `written` (rows, 1 + length) starts with the start id, which counts as a token, as for transformers' processors,
        whose order this is; `source` is the number of each row's source.
        """
        if self.is_idle:
            return scores
        rules = self.rules
        length = written.shape[1] - 1
        ends = scores[:, self.eos_id].clone()
        if rules.repetition_penalty != 1.0:
            _penalise(scores, written, rules.repetition_penalty)
        if rules.no_repeat_ngram_size:
            n = rules.no_repeat_ngram_size
            _ban(scores, [_banned(_followers(row, n), row, n) for row in written.tolist()])
        if rules.encoder_no_repeat_ngram_size:
            n = rules.encoder_no_repeat_ngram_size
            _ban(
                scores,
                [
                    _banned(self._of_sources[of], row, n)
                    for row, of in zip(written.tolist(), source, strict=True)
                ],
            )
        for bad in self.bad:
            _ban_last(scores, written, bad)
        if length < rules.min_new_tokens:
            scores[:, self.eos_id] = NEVER
        scores[:, self.eos_id] = torch.where(scores.amax(1).eq(NEVER), ends, scores[:, self.eos_id])
        return scores


def check_limit(max_new_tokens: int | None, positions: int | None) -> None:
    """Raises UserError where a model has no positions for so many tokens; None = no limit."""
    if max_new_tokens is not None and positions is not None and max_new_tokens > positions:
        raise UserError(
            f"`max_new_tokens` {max_new_tokens} is more than this model's {positions} positions; give at most {positions}."
        )


def _penalise(scores: Tensor, written: Tensor, penalty: float) -> None:
    """Keskar et al. 2019, eq. 3; negative scores are multiplied, so that both move down."""
    held = scores.gather(1, written)
    scores.scatter_(1, written, torch.where(held < 0, held * penalty, held / penalty))


Followers = dict[tuple[int, ...], list[int]]


def _followers(ids: Sequence[int], n: int) -> Followers:
    """What followed each n - 1 tokens."""
    found: Followers = {}
    for start in range(len(ids) - n + 1):
        found.setdefault(tuple(ids[start : start + n - 1]), []).append(ids[start + n - 1])
    return found


def _banned(followers: Followers, written: Sequence[int], n: int) -> list[int]:
    return (
        followers.get(tuple(written[len(written) - n + 1 :]), []) if len(written) >= n - 1 else []
    )


def _ban(scores: Tensor, tokens: Iterable[Sequence[int]]) -> None:
    places = [(row, token) for row, banned in enumerate(tokens) for token in banned]
    if places:
        rows, columns = torch.tensor(places, device=scores.device).T
        scores[rows, columns] = NEVER


def _ban_last(scores: Tensor, written: Tensor, bad: tuple[int, ...]) -> None:
    """The last token of a bad word, where the others stand before it."""
    *before, last = bad
    if len(before) > written.shape[1]:
        return
    stands = (
        written[:, written.shape[1] - len(before) :]
        .eq(torch.tensor(before, dtype=torch.long, device=written.device))
        .all(1)
    )
    scores[stands, last] = NEVER
