"""The states of a sentence and its target after every layer: what a map and the logit lens are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from s2s.analysis import SIDES, States
from s2s.config import choose
from s2s.questions.attention_of import OfSentence
from s2s.questions.have import Have
from s2s.questions.table import Table
from s2s.questions.translate import Translate, first_fitting, forced
from s2s.runs import Target

LAYER_HELP = (
    "0 is the input of layer 1: token vectors plus positions. The last layer's states are taken after the final norm,"
    " if there is one, because the next module reads them there."
)


@dataclass(frozen=True)
class ForcedStates:
    """A sentence's states under teacher forcing. `given` are the target's ids where it is the model's own output."""

    target: str
    given: Target
    own: str  # the model's own translation
    states: States
    note: str = ""  # why another target than the one that was asked for


@dataclass(frozen=True)
class StatesOf(OfSentence[ForcedStates]):
    """The states of both stacks while a model writes a target: its own translation, or a given one."""

    name: ClassVar[str] = "states"

    def ask(self, have: Have) -> ForcedStates:
        run = have.run(self.run)
        own = have.answer(Translate(self.run, self.text, self.strategy))
        wanted = [forced(each, own) for each in (self.target, own.text)]
        target, found, note = first_fitting(wanted, lambda given: run.states(self.text, given))
        return ForcedStates(*target, own.text, found, note)

    def table(self, answer: ForcedStates) -> Table:
        rows = [
            [name, layer, token, float(np.linalg.norm(vector))]
            for name in SIDES
            for layer, vectors in enumerate(answer.states.side(name).vectors)
            for token, vector in zip(answer.states.side(name).tokens, vectors, strict=True)
        ]
        return Table(("stack", "layer", "token", "length"), rows)


def layer_names(n_layers: int) -> list[str]:
    return ["embeddings", *(f"layer {layer}" for layer in range(1, n_layers + 1))]


def layer_name(layer: int, n_layers: int) -> str:
    """A layer's name: `embeddings`, `after layer 1 of 2`."""
    return f"after layer {layer} of {n_layers}" if layer else "embeddings"


def layer_index(given: str, n_layers: int) -> int:
    """The named layer: 0 for the embeddings; empty, the last layer. Raises UserError for one that there is not."""
    options = {str(layer): layer for layer in range(n_layers + 1)}
    return choose("layer", given, options) if given else n_layers
