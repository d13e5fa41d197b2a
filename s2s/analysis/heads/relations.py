"""How often a head's largest weight goes from one word of a grammatical relation to the other, and what chance gives.

Knows nothing of corpora: relations come as word positions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from s2s.analysis.alignment import NO_WORD, Floats, Ints
from s2s.analysis.heads.batches import Pair
from s2s.analysis.heads.captured import AttentionBatch, attention_batches
from s2s.config import UserError
from s2s.model import Transformer

SIDES_OF = MappingProxyType({"encoder": "src", "decoder": "tgt"})
SUBJECT = "subject-verb"
FEWEST = 10  # questions of a kind
TAIL = 0.025  # on either side of a 95 % interval


class GoldRelation(Protocol):
    """A relation between two words of one side, by position."""

    @property
    def kind(self) -> str: ...

    @property
    def side(self) -> str: ...

    @property
    def head(self) -> int: ...

    @property
    def dependent(self) -> int: ...


class PairWords(Pair, Protocol):
    """A pair as ids, and the word that each token belongs to, NO_WORD for tokens of no word."""

    @property
    def src_words(self) -> Ints: ...  # len(src),

    @property
    def tgt_words(self) -> Ints: ...


class Direction(NamedTuple):
    """The direction in which a relation is asked: from one of its words to the other."""

    relation: str  # of gold, such as subject-verb
    label: str
    to_dependent: bool
    is_across: bool = False  # only those with another verb between


# Tested by name and order: the page lists them like this.
DIRECTIONS: Mapping[str, Direction] = MappingProxyType(
    {
        "verb-subject": Direction(SUBJECT, "verb → its subject", True),
        "subject-verb": Direction(SUBJECT, "subject → its verb", False),
        "verb-subject-across": Direction(
            SUBJECT, "verb → its subject, another verb between", True, True
        ),
        "subject-verb-across": Direction(
            SUBJECT, "subject → its verb, another verb between", False, True
        ),
        "noun-determiner": Direction("determiner-noun", "noun → its determiner", True),
        "determiner-noun": Direction("determiner-noun", "determiner → its noun", False),
        "noun-adjective": Direction("adjective-noun", "noun → its adjective", True),
        "adjective-noun": Direction("adjective-noun", "adjective → its noun", False),
    }
)


class Question(NamedTuple):
    """A word of a relation, and the words of which one is the right answer: several where a verb has two subjects."""

    start: int
    answers: frozenset[int]


@dataclass(frozen=True)
class RelationAccuracy:
    """How often the heads of one kind answer the questions of one direction.

    Halves are the pairs of even and of odd number.
    """

    direction: str  # of DIRECTIONS
    kind: str  # of attention
    n: tuple[int, int]  # questions by half
    hits: Ints  # (halves, layers, heads)
    one_random: (
        Range  # share of hits of a head that picks an allowed token at random, 95 % of such heads
    )
    best_random: Range  # the same of the best of as many random heads as there are
    offset: int  # the distance in words at which most answers are
    offset_accuracy: float  # of always looking there

    @property
    def accuracy(self) -> Floats:
        """The share of questions that each head answers right: (layers, heads), 0 to 1."""
        accuracy: Floats = self.hits.sum(0) / sum(self.n)
        return accuracy

    @property
    def chosen(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The (layer, head) with most hits on either half, the first of equals."""
        first, second = (_best(hits) for hits in self.hits)
        return first, second

    @property
    def held_out(self) -> float:
        """Accuracy of the head chosen on one half, measured on the other; both halves together, 0 to 1."""
        first, second = self.chosen
        return int(self.hits[1][first] + self.hits[0][second]) / sum(self.n)


def _best(hits: Ints) -> tuple[int, int]:
    layer, head = np.unravel_index(int(hits.argmax()), hits.shape)
    return int(layer), int(head)


def relation_accuracy(
    model: Transformer, pairs: Sequence[PairWords], relations: Sequence[Sequence[GoldRelation]]
) -> Generator[float, None, list[RelationAccuracy]]:
    """Measure every direction that has at least FEWEST questions in either half; yields the share of the pairs that is
    done.

    `relations` are those of each pair. Source relations are asked of the encoder, where the row of a word reads it.
    Target relations are asked of the decoder, where the row of a word predicts it and attends to what was written
    before; questions whose answer comes later are not asked there. A word of several tokens has the mean of their rows.
    An answer is right if the largest weight is on a token of the word sought. Raises UserError where no direction has
    enough questions.
    """
    asked = [_questions(each) for each in relations]
    counts = {key: _Count() for key in np.ndindex(len(SIDES_OF), len(DIRECTIONS))}
    n_done = 0
    for batch in attention_batches(model, pairs):
        for row, number in enumerate(batch.numbers):
            for i, kind in enumerate(SIDES_OF):
                answers = _Answers(batch, kind, row, pairs[number])
                for j, direction in enumerate(DIRECTIONS):
                    for question in asked[number][SIDES_OF[kind], direction]:
                        counts[i, j].add(answers, question, int(number) % 2)
        n_done += len(batch.numbers)
        yield n_done / len(pairs)
    found = [
        counts[i, j].accuracy(direction, kind)
        for i, kind in enumerate(SIDES_OF)
        for j, direction in enumerate(DIRECTIONS)
        if min(counts[i, j].n) >= FEWEST
    ]
    if not found:
        raise UserError(
            f"No relation stands {2 * FEWEST} times in these {len(pairs):,} sentences; choose a test set with gold"
            " relations, such as a split of a built-in corpus, or a larger sample."
        )
    return found


def _questions(relations: Sequence[GoldRelation]) -> Mapping[tuple[str, str], list[Question]]:
    found: dict[tuple[str, str], list[Question]] = {}
    for side in SIDES_OF.values():
        for slug, direction in DIRECTIONS.items():
            known = [one for one in relations if (one.side, one.kind) == (side, direction.relation)]
            answers: dict[int, set[int]] = {}
            for one in known:
                ends = (one.head, one.dependent)
                start, answer = ends if direction.to_dependent else ends[::-1]
                if start != answer and (not direction.is_across or _is_across(one, known)):
                    answers.setdefault(start, set()).add(answer)
            found[side, slug] = [
                Question(start, frozenset(words)) for start, words in sorted(answers.items())
            ]
    return found


def _is_across(relation: GoldRelation, others: Sequence[GoldRelation]) -> bool:
    low, high = sorted((relation.head, relation.dependent))
    return any(low < other.head < high for other in others)


class _Answers:
    def __init__(self, batch: AttentionBatch, kind: str, row: int, pair: PairWords) -> None:
        self.is_causal = kind == "decoder"
        self.row_words = pair.tgt_words if self.is_causal else pair.src_words
        self.key_words = self.row_words
        if self.is_causal:
            self.key_words = np.array([NO_WORD, *pair.tgt_words[:-1]])
        n = len(self.row_words)
        self.weights = batch.weights[kind][row, :, :, :n, :n]  # (layers, heads, rows, keys)

    def peaks(self, word: int) -> Ints:
        """The word of the token of most weight, (layers, heads), NO_WORD for a token of none."""
        rows = np.flatnonzero(self.row_words == word)
        peaks: Ints = self.key_words[self.weights[:, :, rows].mean(2).argmax(-1)]
        return peaks

    def allowed(self, word: int) -> Ints:
        rows = np.flatnonzero(self.row_words == word)
        if not len(rows):
            return self.key_words[:0]
        return self.key_words[: rows[-1] + 1] if self.is_causal else self.key_words


class _Count:
    def __init__(self) -> None:
        self.n = [0, 0]
        self.hits: list[npt.NDArray[np.int64] | int] = [0, 0]
        self.chances: list[float] = []
        self.offsets: dict[int, int] = {}

    def add(self, answers: _Answers, question: Question, half: int) -> None:
        allowed = answers.allowed(question.start)
        right = sorted(question.answers.intersection(allowed.tolist()))
        if not right:
            return
        self.n[half] += 1
        self.hits[half] = self.hits[half] + np.isin(answers.peaks(question.start), right)
        self.chances.append(float(np.isin(allowed, right).mean()))
        for word in right:
            offset = word - question.start
            self.offsets[offset] = self.offsets.get(offset, 0) + 1

    def accuracy(self, direction: str, kind: str) -> RelationAccuracy:
        hits = np.array(self.hits, np.int64)  # (halves, layers, heads)
        offset = max(self.offsets, key=self.offsets.__getitem__)
        return RelationAccuracy(
            direction,
            kind,
            (self.n[0], self.n[1]),
            hits,
            random_range(self.chances),
            random_range(self.chances, best_of=hits[0].size),
            offset,
            self.offsets[offset] / sum(self.n),
        )


class Range(NamedTuple):
    """A range of shares of hits, 0 to 1."""

    low: float
    high: float


def random_range(chances: Sequence[float], *, best_of: int = 1) -> Range:
    """The middle 95 % of the share of hits of a random head, or of the best of several independent ones.

    `chances` are the probabilities of a hit, one per question. The best of n heads has at most k hits with the nth
    power of the probability that one head has.
    """
    cumulative = hit_distribution(chances).cumsum() ** best_of
    low, high = np.searchsorted(cumulative, [TAIL, 1 - TAIL])
    n = len(chances)
    return Range(int(low) / n, min(int(high), n) / n)


def hit_distribution(chances: Sequence[float]) -> Floats:
    """The probability of 0, 1, ... hits, (len(chances) + 1,): a Poisson binomial distribution.

    Questions of equal chance make a binomial distribution; these are convolved.
    """
    total: Floats = np.ones(1)
    for chance, n in sorted(Counter(chances).items()):
        total = np.convolve(total, _binomial(chance, n))
    return total


def _binomial(chance: float, n: int) -> Floats:
    if chance in (0.0, 1.0):
        certain: Floats = np.zeros(n + 1)
        certain[round(n * chance)] = 1.0
        return certain
    successes = np.arange(n + 1)
    log_factorials = np.concatenate([[0.0], np.log(np.arange(1, n + 1)).cumsum()])
    logs = log_factorials[n] - log_factorials - log_factorials[::-1]
    logs += successes * np.log(chance) + (n - successes) * np.log1p(-chance)
    probabilities: Floats = np.exp(logs)
    return probabilities
