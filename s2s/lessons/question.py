"""What a step of a lesson can ask. A question says where its answer comes from; `check` compares."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from s2s.config import UserError, shortened

MAX_PROMPT = 600  # characters, also of a hint
MOST_OPTIONS = 8


class Mistake(NamedTuple):
    """Likely wrong answers to a question about the step's own sentence, and why they are wrong."""

    given: tuple[Any, ...]  # numbers, or heads as (layer, head)
    why: str


@dataclass(frozen=True)
class NumberQuestion:
    """A question for a number. `answer` names a row of ANSWERS, or is it; `tolerance` is absolute, in its unit."""

    prompt: str
    answer: str | float
    tolerance: float
    unit: str = ""
    hint: str = ""
    mistakes: tuple[Mistake, ...] = ()

    def __post_init__(self) -> None:
        _check_text(self.prompt, self.hint, *(mistake.why for mistake in self.mistakes))
        if not (math.isfinite(self.tolerance) and self.tolerance >= 0):
            raise UserError(f"A tolerance is {self.tolerance}; give a number from 0.")
        if not isinstance(self.answer, str) and not math.isfinite(self.answer):
            raise UserError(f"An answer is {self.answer}; give a finite number.")


@dataclass(frozen=True)
class ChoiceQuestion:
    """A question with several options. `answer` names a row of ANSWERS that gives its index, or is the index, from 0.

    `why[i]` is said where option i is chosen.
    """

    prompt: str
    options: tuple[str, ...]
    answer: str | int
    why: tuple[str, ...]
    hint: str = ""

    def __post_init__(self) -> None:
        _check_text(self.prompt, self.hint, *self.options, *self.why)
        if not 2 <= len(self.options) <= MOST_OPTIONS or len(set(self.options)) < len(self.options):
            raise UserError(
                f"A choice has {len(self.options)} options; give 2 to {MOST_OPTIONS} that differ."
            )
        if len(self.why) != len(self.options):
            raise UserError(
                f"A choice has {len(self.options)} options and {len(self.why)} reasons; give one for each."
            )
        if isinstance(self.answer, int) and not 0 <= self.answer < len(self.options):
            raise UserError(
                f"The answer of a choice is {self.answer}; give 0 to {len(self.options) - 1}."
            )


@dataclass(frozen=True)
class HeadQuestion:
    """A question for a head of one kind of attention: `encoder`, `decoder` or `cross`.

    `answer` names a row of ANSWERS that gives Heads, or is the right heads: (layer, head), from 1 as pages show them.
    """

    prompt: str
    kind: str
    answer: str | tuple[tuple[int, int], ...]
    hint: str = ""
    mistakes: tuple[Mistake, ...] = ()

    def __post_init__(self) -> None:
        _check_text(self.prompt, self.hint, *(mistake.why for mistake in self.mistakes))
        if self.kind not in ("encoder", "decoder", "cross"):
            raise UserError(
                f"`{shortened(self.kind)}` is no kind of attention; give encoder, decoder or cross."
            )


@dataclass(frozen=True)
class SentenceQuestion:
    """A question for a sentence that makes something happen: what is now on the page is judged by a row of CONDITIONS.

    `example` is one that does; it can be pressed, which is easier than typing on a phone.
    """

    prompt: str
    condition: str
    hint: str = ""
    example: str = ""

    def __post_init__(self) -> None:
        _check_text(self.prompt, self.hint, self.example)


@dataclass(frozen=True)
class RunQuestion:
    """A question for a run of the visitor's own that satisfies a row of RUN_CONDITIONS."""

    prompt: str
    condition: str
    hint: str = ""

    def __post_init__(self) -> None:
        _check_text(self.prompt, self.hint)


Question = NumberQuestion | ChoiceQuestion | HeadQuestion | SentenceQuestion | RunQuestion


def _check_text(prompt: str, *others: str) -> None:
    if not prompt.strip():
        raise UserError("A question is empty; write what is asked, or leave the question out.")
    for text in (prompt, *others):
        if len(text) > MAX_PROMPT:
            raise UserError(
                f"`{shortened(text)}` has {len(text)} characters; a question's text has at most {MAX_PROMPT}."
            )
