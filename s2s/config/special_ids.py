"""The ids of special tokens: what surrounds a text, and what is never or always written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from s2s.config.errors import UserError, shortened
from s2s.config.fields import Config, setting


@dataclass(frozen=True)
class SpecialIds(Config):
    """The ids of special tokens. Our own tokenizers use the defaults; imported checkpoints bring theirs."""

    pad: int = setting(
        0, 0, label="Padding id", help="Pads the shorter rows of a batch; always masked."
    )
    start: int = setting(1, 0, label="Start id", help="First input token of the decoder.")
    eos: int = setting(2, 0, label="End id", help="Last token of every source and every target.")
    src_first: int | None = setting(
        None,
        0,
        label="First source id",
        help="Read before every source (BART: `<s>`; M2M100: its language); empty for none.",
    )
    src_last: int | None = setting(
        None,
        0,
        label="Last source id",
        help="Read after the `</s>` of every source (mBART: its language); empty for none.",
    )
    src_template: str = setting(
        "",
        label="Source template",
        help="Ids around every source, with $A for its tokens, such as 0 5 $A 2; empty for first id, tokens, `</s>`,"
        " last id.",
    )
    tgt_first: int | None = setting(
        None,
        0,
        label="First target id",
        help="First token of every target (M2M100: its language).",
    )
    forces_first: bool = setting(
        True,
        label="Forced first id",
        help="Whether the first target id is written whatever the model predicts.",
    )
    suppressed: str = setting(
        "",
        label="Suppressed ids",
        help="Ids that are never written, separated by commas; those with spaces between them, never in this order.",
    )
    suppressed_first: str = setting(
        "",
        label="Suppressed first ids",
        help="Ids that are never the first token that the model chooses, separated by commas.",
    )
    renormalizes: bool = setting(
        False,
        label="Renormalized probabilities",
        help="Whether beam search lets the probabilities of the tokens that may be written add up to 1 (Marian).",
    )
    forces_end: bool = setting(
        False,
        label="Forced end",
        help="Whether the last token that a target may have is its end, whatever the model predicts (BART).",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not re.fullmatch(r"(\d{1,9}([, ]\d{1,9})*)?", self.suppressed, re.ASCII):
            raise UserError(
                f"`suppressed` is {shortened(repr(self.suppressed))}; give ids separated by commas, such as 3,7."
            )
        if not re.fullmatch(r"(\d{1,9}(,\d{1,9})*)?", self.suppressed_first, re.ASCII):
            raise UserError(
                f"`suppressed_first` is {shortened(repr(self.suppressed_first))}; give ids separated by commas, such as"
                " 3,7."
            )
        if not re.fullmatch(r"((\d{1,9} )*\$A( \d{1,9})*)?", self.src_template, re.ASCII):
            raise UserError(
                f"`src_template` is {shortened(repr(self.src_template))}; give ids and $A with spaces between them,"
                " such as 0 $A 2."
            )

    @property
    def suppressed_sequences(self) -> tuple[tuple[int, ...], ...]:
        """The sequences of ids that are never written: `"3,7,5 9"` -> `((3,), (7,), (5, 9))`."""
        words = filter(None, self.suppressed.split(","))
        return tuple(tuple(map(int, word.split(" "))) for word in words)

    @property
    def suppressed_ids(self) -> tuple[int, ...]:
        """The single ids that are never written: `"3,7,5 9"` -> `(3, 7)`."""
        return tuple(sequence[0] for sequence in self.suppressed_sequences if len(sequence) == 1)

    @property
    def suppressed_first_ids(self) -> tuple[int, ...]:
        """The ids that are never written first: `"3,7"` -> `(3, 7)`."""
        return tuple(map(int, filter(None, self.suppressed_first.split(","))))

    @property
    def forced_first(self) -> int | None:
        """The first target id where it is written whatever the model predicts."""
        return self.tgt_first if self.forces_first else None

    @property
    def around_source(self) -> tuple[list[int], list[int]]:
        if self.src_template:
            before, after = self.src_template.split("$A")
            return list(map(int, before.split())), list(map(int, after.split()))
        return _given(self.src_first), [self.eos, *_given(self.src_last)]

    def source(self, ids: Sequence[int]) -> list[int]:
        """A text's ids as the encoder reads them, with special ones; padding if that would be nothing."""
        before, after = self.around_source
        return [*before, *ids, *after] or [self.pad]

    def target(self, ids: Sequence[int]) -> list[int]:
        """A text's ids as the decoder writes them, with special ones, but not the start id, which it only reads."""
        return [*_given(self.tgt_first), *ids, self.eos]

    def n_predicted(self, tgt: Sequence[int]) -> int:
        """How many tokens of a target the model predicts: all but a first one that it is given; at least 1."""
        return max(1, len(tgt) - (list(tgt[:1]) == [self.forced_first]))


def _given(id: int | None) -> list[int]:
    return [] if id is None else [id]
