"""What search is handed, and what it hands back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from torch import Tensor


class Stepper(Protocol):
    """Rows of hypotheses that advance together; at first one row a source."""

    start_id: int
    eos_id: int
    sources: list[
        tuple[int, ...]
    ]  # the ids of each source, in the order of the first rows, without padding
    states: Tensor  # (rows, d_model), on the CPU: what the last logits were projected from

    @property
    def n_rows(self) -> int:
        """How many rows there are now."""

    @property
    def max_length(self) -> int | None:
        """Most tokens a hypothesis may have; None = no limit."""

    def step(self, tokens: Tensor) -> Tensor:
        """The last token of each row (rows,) -> logits of the next (rows, vocab), float32: softmax gives its distribution.

        They are the caller's to write over. Search works on the CPU, wherever the model is.
        """

    def reorder(self, rows: Tensor) -> None:
        """Row i becomes what row `rows[i]` was; `rows` may repeat, drop and permute. Fastest where a source's rows stand together."""


class Words(Protocol):
    """What joins target ids and text: a tokenizer."""

    def encode(self, text: str) -> list[int]:
        """Text to ids."""

    def decode(self, ids: Sequence[int]) -> str:
        """Ids to text; special ids leave nothing."""

    def unknown(self, text: str) -> Iterable[str]:
        """The words that have no ids."""


class Ids:
    """Words for those who have no text: numbers with blanks between."""

    def encode(self, text: str) -> list[int]:
        """`"5 7"` -> `[5, 7]`."""
        return [int(word) for word in text.split()]

    def decode(self, ids: Sequence[int]) -> str:
        """`[5, 7]` -> `"5 7"`."""
        return " ".join(map(str, ids))

    def unknown(self, text: str) -> list[str]:
        """What is no number."""
        return [word for word in text.split() if not word.isdecimal()]


IDS = Ids()


@dataclass(frozen=True)
class Begun:
    """Words, and the ids with which every target begins, in place of the setting `prefix`: a text's own ids may be others."""

    words: Words
    ids: tuple[int, ...]

    def encode(self, text: str) -> list[int]:
        """As the words do."""
        return self.words.encode(text)

    def decode(self, ids: Sequence[int]) -> str:
        """As the words do."""
        return self.words.decode(ids)

    def unknown(self, text: str) -> Iterable[str]:
        """As the words do."""
        return self.words.unknown(text)


@dataclass(frozen=True)
class Hypothesis:
    """One found target."""

    ids: tuple[int, ...]  # ends in the eos id, unless the length limit cut it
    token_log_probs: tuple[float, ...]  # the model's own, nats, one a token
    score: float  # what the strategy ranks by

    @property
    def log_prob(self) -> float:
        """The model's own log-probability of the ids, in nats."""
        return sum(self.token_log_probs)


class Kept(NamedTuple):
    """A prefix that survived a step: which of the step before it continues, with what token."""

    parent: int
    token: int
    log_prob: float  # of the whole prefix, nats, as the strategy counts it
    is_finished: bool


@dataclass(frozen=True)
class Found:
    """What a strategy found for one source."""

    hypotheses: tuple[Hypothesis, ...]  # best first
    steps: tuple[tuple[Kept, ...], ...] = ()  # one a token; those of a forced prefix come first

    @property
    def best(self) -> Hypothesis:
        """The first."""
        return self.hypotheses[0]
