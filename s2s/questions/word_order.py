"""What a trained encoder makes of a sentence and of the same with two words swapped, with its positions and without."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from s2s.analysis import (
    PositionEffect,
    ReorderingEffect,
    position_effect,
    reordering_effect,
    swapped_order,
    word_indices,
    word_texts,
)
from s2s.config import UserError
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.question import AboutText, setting
from s2s.questions.table import Table
from s2s.runs.states import has_word_tokens

ROUNDING = 1e-4  # of the size of the encoder's output: a smaller difference is rounding


@dataclass(frozen=True)
class SwappedWords:
    """How much the encoder's output of each token changes when two words are swapped."""

    tokens: tuple[str, ...]
    words: tuple[str, ...]
    swapped: tuple[int, int]  # indices of words, from 0
    kind: str  # of the model's positions
    effect: ReorderingEffect
    added: PositionEffect | None  # None where nothing is added to the embeddings
    nearest: tuple[tuple[str, ...], ...]  # before and after the addition, a token per token

    @property
    def one(self) -> str:
        return self.words[self.swapped[0]]

    @property
    def other(self) -> str:
        return self.words[self.swapped[1]]

    @property
    def is_same(self) -> bool:
        return self.one == self.other

    @property
    def is_blind(self) -> bool:
        """Whether, without positions, every output is the same in both orders."""
        return bool(self.effect.without_positions.max() <= ROUNDING * self.effect.size)

    @property
    def is_moved(self) -> bool:
        return bool(self.effect.with_positions.max() > ROUNDING * self.effect.size)

    @property
    def most(self) -> str:
        return self.tokens[int(self.effect.with_positions.argmax())]

    @property
    def times(self) -> str:
        return f"{self.effect.with_positions.max() / self.effect.size:.2g}"

    @property
    def leftover(self) -> str:
        return f"{self.effect.without_positions.max() / self.effect.size:.1g}"

    @property
    def n_found(self) -> int:
        """How many tokens are still nearest to their own embedding after a position is added."""
        return sum(map(str.__eq__, self.nearest[1], self.tokens)) if self.added else 0


FINDINGS = (
    Finding(
        lambda two: two.is_same,
        "Swapping “{one}” and “{other}” leaves the sentence as it is: nothing changes.",
    ),
    Finding(
        lambda two: not two.is_blind,
        "Even without positions, this encoder's outputs change by up to {leftover} times a typical number.",
    ),
    Finding(
        lambda two: two.kind == "none",
        "This model has no positions: swapping “{one}” and “{other}” changes no output of its encoder, up to rounding.",
    ),
    Finding(
        lambda two: two.is_moved,
        "Without positions, the encoder cannot tell that “{one}” and “{other}” are swapped: each word's output is the"
        " same in both orders, up to rounding. With positions, that of “{most}” changes most, by {times} times a"
        " typical number.",
    ),
    Finding(
        lambda two: True,
        "Swapping “{one}” and “{other}” changes no output of this encoder, with positions or without.",
    ),
)


@dataclass(frozen=True)
class WordOrder(AboutText[SwappedWords]):
    """Two words swapped in a sentence, as the encoder reads both. Words count from 1; 0 for the first, and for the last
    as `other_word`.
    """

    word: int = setting(0, scope="sentence", link="swap", label="Swap word")
    other_word: int = setting(0, scope="sentence", link="with", label="with word")

    def ask(self, have: Have) -> SwappedWords:
        """Swap the words. Raises UserError for a sentence without two words, or a word that it does not have."""
        run = have.run(self.run)
        run.check_lengths([self.text])
        ids = run.recipe.model.ids.source(run.src_tokenizer.encode(self.text))
        tokens = run.src_tokenizer.tokens(ids)
        is_whole = has_word_tokens(run)
        words = word_texts(tokens, word_indices(tokens, is_whole=is_whole))
        if len(words) < 2:
            raise UserError("Two words are swapped; give a sentence of two words or more.")
        swapped = (_index(self.word or 1, words), _index(self.other_word or len(words), words))
        order = swapped_order(tokens, swapped, is_whole=is_whole)
        added = position_effect(run.model, ids)
        nearest = (added.nearest_before, added.nearest_after) if added else ()
        return SwappedWords(
            tuple(tokens),
            tuple(words),
            swapped,
            run.recipe.model.positions.kind,
            reordering_effect(run.model, ids, order),
            added,
            tuple(tuple(run.src_tokenizer.tokens(each.tolist())) for each in nearest),
        )

    def table(self, answer: SwappedWords) -> Table:
        effect = answer.effect
        changes = np.stack([effect.with_positions, effect.without_positions], 1).tolist()
        rows = [[token, *both] for token, both in zip(answer.tokens, changes, strict=True)]
        return Table(("token", "with positions", "without positions"), rows)

    def finding(self, answer: SwappedWords) -> str:
        return first(FINDINGS, answer)


def added_table(answer: SwappedWords) -> Table:
    """A table with one row per token: what adding its position does to its embedding; empty where nothing is added."""
    columns = (
        "position",
        "token",
        "angle (°)",
        "length ×",
        "nearest other token",
        "nearest with position",
    )
    if answer.added is None:
        return Table(columns, [])
    numbers = (answer.added.angles.tolist(), answer.added.ratios.tolist())
    rows = zip(range(len(answer.tokens)), answer.tokens, *numbers, *answer.nearest, strict=True)
    return Table(columns, [*map(list, rows)])


def _index(number: int, words: tuple[str, ...] | list[str]) -> int:
    if not 0 < number <= len(words):
        raise UserError(f"There is no word {number}: the sentence has {len(words)}.")
    return number - 1
