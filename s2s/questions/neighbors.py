"""Nearest neighbors: the words or sentences whose states have the highest cosine with a chosen one."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

from s2s.analysis import Vectors
from s2s.config import UserError, choose
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.pool import Pool, PoolOf
from s2s.questions.question import RUN, AboutText, Question, setting, subject, view
from s2s.questions.same_word import partner, read_words, shared_word, words_in
from s2s.questions.states_of import LAYER_HELP, layer_index
from s2s.questions.table import Table
from s2s.runs import Run
from s2s.runs import states as run_states
from s2s.words import listed

N_NEIGHBORS = 15
WHOLE = "sentence"
MOST_OTHERS = 4  # words that the finding names
ORIGINS = (
    "dataset: trained on; held out: never trained on; probe: translated repeatedly in training."
)


class NearState(NamedTuple):
    """One neighbor of a state: a sentence and its word; for whole sentences the word is empty and its position 0."""

    cosine: float
    word: str
    position: int  # in its sentence, from 1
    sentence: str
    origin: str


@dataclass(frozen=True)
class NearStates:
    """The nearest neighbors of a state after each layer, and how much was searched."""

    of: str  # a word; empty: the whole sentence
    layers: tuple[tuple[NearState, ...], ...]
    n_own: int  # sentences of the run's dataset
    n_others: int
    others: str  # what they are: held out, probe
    n_words: int

    @property
    def n_layers(self) -> int:
        return len(self.layers) - 1


class ShownNear(NamedTuple):
    """The nearest neighbors after one layer."""

    of: str
    rows: tuple[NearState, ...]

    @property
    def n(self) -> int:
        return len(self.rows)

    @property
    def n_same(self) -> int:
        return sum(row.word == self.of for row in self.rows)

    @property
    def others(self) -> str:
        words = dict.fromkeys(row.word for row in self.rows if row.word != self.of)
        return listed([f"“{word}”" for word in [*words][:MOST_OTHERS]])

    @property
    def span(self) -> str:
        return f"cosine {self.rows[0].cosine:.2f} to {self.rows[-1].cosine:.2f}"


FINDINGS = (
    Finding(
        lambda near: not near.of,
        "The nearest of all sentences is “{rows[0].sentence}” (cosine {rows[0].cosine:.2f}).",
    ),
    Finding(
        lambda near: near.n_same == near.n,
        "All {n} nearest are “{of}” itself, in other sentences ({span}).",
    ),
    Finding(
        lambda near: near.n_same > 0,
        "{n_same} of the {n} nearest are “{of}” itself, in other sentences; the others are {others} ({span}).",
    ),
    Finding(lambda near: True, "The nearest to “{of}” are other words: {others} ({span})."),
)


@dataclass(frozen=True)
class PoolStates(Question[run_states.StateIndex]):
    """The encoder's states of every word and sentence that a run is compared with, after every layer."""

    run: str = subject(RUN)

    def ask(self, have: Have) -> run_states.StateIndex:
        return run_states.state_index(have.run(self.run), have.answer(PoolOf(self.run)).texts)

    def stamp(self, have: Have) -> Hashable:
        return PoolOf(self.run).stamp(have)

    def table(self, answer: run_states.StateIndex) -> Table:
        return Table(("position", "word"), [*map(list, answer.positions)])


@dataclass(frozen=True)
class Neighbors(AboutText[NearStates]):
    """The words or sentences whose states are most similar. `unit` is `sentence`, or the position of a word from 1;
    empty, the word that Same word compares. An empty `layer` is the last.
    """

    unit: str = setting("", scope="sentence", label="Neighbors of")
    layer: str = view("", in_set=False, label="Layer", help=LAYER_HELP)

    def ask(self, have: Have) -> NearStates:
        """Search for neighbors. Raises UserError without a word, and where there is nothing to search."""
        run = have.run(self.run)
        run.check_lengths([self.text])
        words = read_words(run, self.text)
        units = {str(at): at for at in range(1, len(words.words) + 1)} | {WHOLE: 0}
        at = choose("word", self.unit or str(default_word(run, self.text)), units)
        pool = have.answer(PoolOf(self.run))
        index = have.answer(PoolStates(self.run))
        texts = [pool.texts[number] for number in index.numbers]
        if not [text for text in texts if text != self.text]:
            raise UserError("There are no other sentences of this run's dataset to search.")
        queries = words.vectors[:, at - 1] if at else words.mean  # (n_layers + 1, d_model)
        own = texts.index(self.text) if self.text in texts else None
        n_own = sum(number < pool.n_own for number in index.numbers)
        return NearStates(
            words.words[at - 1] if at else "",
            tuple(
                _nearest(pool, index, layer, query, own, is_word=bool(at))
                for layer, query in enumerate(queries)
            ),
            n_own,
            len(texts) - n_own,
            pool.others,
            len(index.positions),
        )

    def stamp(self, have: Have) -> Hashable:
        return PoolOf(self.run).stamp(have)

    def shown(self, answer: NearStates) -> ShownNear:
        """The neighbors after the chosen layer. Raises UserError for a layer that does not exist."""
        return ShownNear(answer.of, answer.layers[layer_index(self.layer, answer.n_layers)])

    def table(self, answer: NearStates) -> Table:
        rows = self.shown(answer).rows
        about = {"cosine": "1: the same direction.", "from": ORIGINS}
        if not answer.of:
            found = [[row.cosine, row.sentence, row.origin] for row in rows]
            return Table(("cosine", "sentence", "from"), found, about)
        columns = ("cosine", "word", "position", "sentence", "from")
        return Table(columns, rows, about | {"position": "In its sentence, from 1."})

    def finding(self, answer: NearStates) -> str:
        return first(FINDINGS, self.shown(answer))


def default_word(run: Run, text: str, second: str = "") -> int:
    """The position, from 1, of the word that Same word compares with a second sentence."""
    other = second or partner(run, text)
    return shared_word(words_in(run, text), other.split())[0] + 1


def _nearest(
    pool: Pool,
    index: run_states.StateIndex,
    layer: int,
    query: Vectors,
    own: int | None,
    *,
    is_word: bool,
) -> tuple[NearState, ...]:
    searched = index.words[layer] if is_word else index.sentences[layer]
    found = []
    for hit in searched.nearest(query, N_NEIGHBORS, without=own):
        at, word = index.positions[hit.row] if is_word else (-1, "")
        number = index.numbers[int(searched.texts[hit.row])]
        found.append(NearState(hit.cosine, word, at + 1, pool.texts[number], pool.origin(number)))
    return tuple(found)
