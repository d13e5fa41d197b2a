"""Hidden states as points in two dimensions: every token of one sentence, or of two, after every layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from s2s.analysis import SIDES, Floats, States, Vectors, principal_components, unit
from s2s.questions.attention_of import OfSentence
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.question import setting, subject, view
from s2s.questions.same_word import SECOND, partner, shared_word
from s2s.questions.states_of import LAYER_HELP, StatesOf, layer_index, layer_name
from s2s.questions.table import Table
from s2s.tokenizers import SPECIALS

STACKS = MappingProxyType({name: name for name in SIDES})
COLORINGS = MappingProxyType({name: name for name in ("word", "position", "sentence")})
SENTENCES = MappingProxyType({"both": "both", "first": "the first"})
MAPS = MappingProxyType({"one": "this layer", "all": "every layer"})


class StatePoint(NamedTuple):
    """One state on the map: its label, the word it counts as, and its position in one of the sentences."""

    label: str
    word: str
    sentence: int  # 0 or 1
    position: int  # from 1

    @property
    def about(self) -> str:
        return f"{self.label}, sentence {self.sentence + 1}, position {self.position}"


class StateLayer(NamedTuple):
    """The map after one layer, of n points: (n, 2) coordinates, the share of variance that each axis explains, the
    layer's name, and the cosine of any two states, (n, n).
    """

    points: Floats
    shares: tuple[float, float]
    name: str
    cosines: Vectors

    def nearest(self, point: int) -> int:
        """The index of another point whose state is most similar."""
        others = self.cosines[point].copy()
        others[point] = -np.inf
        return int(others.argmax())


@dataclass(frozen=True)
class MappedStates:
    """The points of all states, and their coordinates after every layer, the embeddings first."""

    target: str
    own: str  # the model's own translation
    d_model: int
    points: tuple[StatePoint, ...]
    layers: tuple[StateLayer, ...]
    note: str = ""  # why another target than the one that was asked for

    @property
    def n_sentences(self) -> int:
        return 1 + max((point.sentence for point in self.points), default=0)

    def shown(self, layer: str, maps: str) -> tuple[StateLayer, ...]:
        """The layers that a map is drawn of. Raises UserError for one that there is not."""
        chosen = layer_index(layer, len(self.layers) - 1)
        return self.layers if maps == "all" else self.layers[chosen : chosen + 1]


class SharedWord(NamedTuple):
    """A word that both sentences have, after one layer, and what its state in the first is most similar to."""

    when: str
    word: str
    nearest: StatePoint
    cosine: float
    with_itself: float  # its cosine with the same word of the second sentence

    @property
    def is_nearest(self) -> bool:
        return self.nearest.word == self.word and bool(self.nearest.sentence)

    @property
    def where(self) -> str:
        return "the second" if self.nearest.sentence else "the same sentence"


FINDINGS = (
    Finding(
        lambda shared: shared.is_nearest,
        "{when}, “{word}” of the first sentence is most similar to “{word}” of the second (cosine {cosine:.2f}).",
    ),
    Finding(
        lambda shared: True,
        "{when}, “{word}” of the first sentence is more similar to “{nearest.label}” of {where} (cosine {cosine:.2f})"
        " than to “{word}” of the second ({with_itself:.2f}).",
    ),
)


@dataclass(frozen=True)
class StateMap(OfSentence[MappedStates]):
    """A map of states: their first two principal components after each layer. Without `second`, a sentence that shares
    a word; an empty `layer` is the last.
    """

    second: str = subject("sentence", in_set=True, **SECOND)
    side: str = setting("encoder", choices=STACKS, label="Stack")
    shown: str = setting("both", choices=SENTENCES, label="Sentences")
    layer: str = view("", in_set=False, label="Layer", help=LAYER_HELP)
    color: str = view("word", choices=COLORINGS, label="Color by", link="colour")
    layers: str = view("one", choices=MAPS, label="Maps of")

    def ask(self, have: Have) -> MappedStates:
        """Map the states. Raises UserError where a sentence has more tokens than the model has positions."""
        run = have.run(self.run)
        found = have.answer(StatesOf(**self.shared_with(StatesOf)))
        both = [found.states]
        second = self.second or partner(run, self.text)
        if second and self.shown == "both":
            run.check_lengths([second])
            both.append(have.answer(StatesOf(self.run, second, strategy=self.strategy)).states)
        vectors = np.concatenate([states.side(self.side).vectors for states in both], 1)
        n_layers = len(vectors) - 1
        layers = (_layer(each, layer_name(at, n_layers)) for at, each in enumerate(vectors))
        points = (
            point
            for number, states in enumerate(both)
            for point in _points(states, number, self.side)
        )
        return MappedStates(
            found.target, found.own, vectors.shape[2], tuple(points), tuple(layers), found.note
        )

    def table(self, answer: MappedStates) -> Table:
        columns = ("layer", "sentence", "position", "token", "component_1", "component_2")
        rows = [
            [
                layer.name,
                point.sentence + 1,
                point.position,
                point.label,
                *at.tolist(),
                *layer.shares,
            ]
            for layer in answer.shown(self.layer, self.layers)
            for point, at in zip(answer.points, layer.points, strict=True)
        ]
        return Table((*columns, "share_1", "share_2"), rows)

    def finding(self, answer: MappedStates) -> str:
        shared = shared_on_map(answer.points, answer.shown(self.layer, self.layers)[-1])
        return first(FINDINGS, shared) if shared else ""


def shared_on_map(points: Sequence[StatePoint], layer: StateLayer) -> SharedWord | None:
    """Facts on the longest word of both sentences; None where they share none, or there is one sentence."""
    words = [
        [point.word for point in points if point.sentence == n and point.word not in SPECIALS]
        for n in (0, 1)
    ]
    if not {*words[0]} & {*words[1]}:
        return None
    word = words[0][shared_word(*words)[0]]
    one = next(at for at, point in enumerate(points) if point.word == word)
    itself = [at for at, point in enumerate(points) if point.word == word and point.sentence]
    nearest = layer.nearest(one)
    when = layer.name.capitalize() if layer.name.startswith("after") else f"At the {layer.name}"
    with_itself = float(layer.cosines[one, itself].max())
    cosine = float(layer.cosines[one, nearest])
    return SharedWord(when, word, points[nearest], cosine, with_itself)


def _layer(vectors: Vectors, name: str) -> StateLayer:
    projection = principal_components(vectors)
    directions = unit(vectors)
    return StateLayer(projection.points, projection.shares, name, directions @ directions.T)


def _points(states: States, sentence: int, side: str) -> list[StatePoint]:
    words = states.side(side).tokens
    labels = words
    if side == "decoder":
        labels = tuple(
            f"{read} → {then}" for read, then in zip(words, states.tgt_tokens, strict=True)
        )
    return [
        StatePoint(label, word, sentence, position)
        for position, (label, word) in enumerate(zip(labels, words, strict=True), 1)
    ]
