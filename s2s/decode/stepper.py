"""What a search is given: a Stepper, which gives logits, and a TextCodec, which joins ids and text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from torch import Tensor


class Stepper(Protocol):
    """Rows of hypotheses that advance together; at first one row per source."""

    start_id: int
    eos_id: int
    first_id: int | None  # the first token of every target, where the model has one
    suppressed: tuple[
        tuple[int, ...], ...
    ]  # ids that are never written in this order; often one alone
    suppressed_first: tuple[int, ...]  # ids that are never the first after the forced prefix
    renormalizes: (
        bool  # whether beam search lets what may be written have a probability of 1 in all
    )
    forces_end: bool  # whether the last token that the limit allows is `</s>`: nothing else has a probability there
    # The ids of each source, without padding, in the order of the first rows.
    sources: list[tuple[int, ...]]
    states: Tensor  # (rows, d_model), where the model is: what the last logits were projected from

    @property
    def n_rows(self) -> int:
        """How many rows there are now."""

    @property
    def max_length(self) -> int | None:
        """Most tokens that a hypothesis may have; None = no limit."""

    def step(self, tokens: Tensor) -> Tensor:
        """The last token of each row (rows,) -> logits of the next (rows, vocab), float32: softmax gives its
        distribution.

        They are where the model is, and a search takes them to the CPU, whole or what it has found in them. The caller
        may overwrite them, and so may the next step.
        """

    def reorder(self, rows: Tensor) -> None:
        """Row i becomes what row `rows[i]` was;

        `rows` may repeat, drop and permute. Fastest where a source's rows are adjacent.
        """


class TextCodec(Protocol):
    """Converts between target ids and text: a tokenizer."""

    def encode(self, text: str) -> list[int]:
        """Text to ids."""

    def decode(self, ids: Sequence[int]) -> str:
        """Ids to text; special ids are left out."""

    def unknown_parts(self, text: str) -> Iterable[str]:
        """The parts of the text that have no id: words or characters."""


class IdCodec:
    """A TextCodec where there is no tokenizer: the text is the ids, separated by spaces."""

    def encode(self, text: str) -> list[int]:
        """`"5 7"` -> `[5, 7]`."""
        return [int(word) for word in text.split()]

    def decode(self, ids: Sequence[int]) -> str:
        """`[5, 7]` -> `"5 7"`."""
        return " ".join(map(str, ids))

    def unknown_parts(self, text: str) -> list[str]:
        """The words that are not numbers."""
        return [word for word in text.split() if not word.isdecimal()]


ID_CODEC = IdCodec()


@dataclass(frozen=True)
class ForcedPrefix:
    """A codec, and the ids with which every target begins.

    They replace the setting `prefix`, whose text may encode to other ids.
    """

    codec: TextCodec
    ids: tuple[int, ...]

    def encode(self, text: str) -> list[int]:
        """The codec's ids of a text."""
        return self.codec.encode(text)

    def decode(self, ids: Sequence[int]) -> str:
        """The codec's text of some ids."""
        return self.codec.decode(ids)

    def unknown_parts(self, text: str) -> Iterable[str]:
        """What the codec has no id for."""
        return self.codec.unknown_parts(text)
