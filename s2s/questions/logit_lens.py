"""The logit lens: what the decoder would predict if it stopped after each layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from s2s.questions.attention_of import OfSentence
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.question import view
from s2s.questions.states_of import LAYER_HELP, StatesOf, layer_names
from s2s.questions.table import Table
from s2s.runs import states


class LensCell(NamedTuple):
    """The prediction at one position after one layer: the top tokens, and the target token's rank and probability."""

    tokens: tuple[str, ...]
    shares: tuple[float, ...]
    rank: int  # of the target's token, from 1
    written: float  # its probability


@dataclass(frozen=True)
class Lens:
    """The predictions of all layers at every position: `cells[position][layer]`; layer 0 is the embeddings."""

    target: str
    own: str  # the model's own translation
    inputs: tuple[str, ...]  # what is read at each position
    tokens: tuple[str, ...]  # the target's, predicted there
    cells: tuple[tuple[LensCell, ...], ...]
    is_normed: bool  # whether earlier states pass through a final norm, too
    has_own_scales: bool  # whether each layer ends in a norm of its own
    is_tied: bool  # whether the output projection is the embedding matrix
    note: str = ""  # why another target than the one that was asked for

    @property
    def n_tokens(self) -> int:
        return len(self.tokens)

    @property
    def n_layers(self) -> int:
        return len(self.cells[0]) - 1

    @property
    def counts(self) -> list[int]:
        return [sum(cell.rank == 1 for cell in layer) for layer in zip(*self.cells, strict=True)]

    @property
    def n_found(self) -> int:
        return self.counts[-1]

    @property
    def n_early(self) -> int:
        return self.counts[-2]

    @property
    def early(self) -> str:
        return f"after layer {self.n_layers - 1}" if self.n_layers > 1 else "at the embeddings"

    @property
    def n_read(self) -> int:
        pairs = zip(self.inputs, self.cells, strict=True)
        return sum(read == layers[0].tokens[0] for read, layers in pairs)


ALREADY = (
    "Already {early}, the most probable token is the target's at {n_early} of {n_tokens} positions"
)
FINDINGS = (
    Finding(
        lambda lens: not any(lens.counts),
        "At none of the {n_tokens} positions is the target's token ever the most probable.",
    ),
    Finding(
        lambda lens: not any(lens.counts[:-1]),
        "The last layer decides: before it, the most probable token is the target's at none of {n_tokens} positions,"
        " and after it at {n_found}.",
    ),
    Finding(
        lambda lens: lens.n_early < lens.n_found,
        ALREADY + ", after the last layer at {n_found}.",
    ),
    Finding(
        lambda lens: lens.n_early == lens.n_found,
        ALREADY + ", as many as after the last layer.",
    ),
    Finding(lambda lens: True, ALREADY + ", more than the {n_found} after the last layer."),
)


@dataclass(frozen=True)
class LogitLens(OfSentence[Lens]):
    """What the decoder would write if it stopped after each layer (nostalgebraist 2020); an empty `layer` is the
    last.
    """

    layer: str = view("", in_set=False, label="Layer", help=LAYER_HELP)

    def ask(self, have: Have) -> Lens:
        run, model = have.run(self.run), have.run(self.run).recipe.model
        found = have.answer(StatesOf(**self.shared_with(StatesOf)))
        lens = states.logit_lens(run, found.states, found.given)
        n_layers, n_positions = lens.target_ranks.shape
        cells = tuple(
            tuple(
                LensCell(
                    tuple(run.tgt_tokenizer.tokens(lens.ids[layer, position])),
                    tuple(lens.probabilities[layer, position].tolist()),
                    int(lens.target_ranks[layer, position]),
                    float(lens.target_probabilities[layer, position]),
                )
                for layer in range(n_layers)
            )
            for position in range(n_positions)
        )
        has_norms = model.norm.kind != "none"
        return Lens(
            found.target,
            found.own,
            found.states.tgt_inputs,
            found.states.tgt_tokens,
            cells,
            has_norms and model.decoder.final_norm,
            has_norms and model.norm.place == "post",
            model.output.tied,
            found.note,
        )

    def table(self, answer: Lens) -> Table:
        n_best = len(answer.cells[0][0].tokens)
        best = (f"{what}_{at}" for at in range(1, n_best + 1) for what in ("token", "share"))
        rows = [
            [position, token, layer, cell.rank, cell.written, *_ranked(cell)]
            for position, (token, layers) in enumerate(
                zip(answer.tokens, answer.cells, strict=True), 1
            )
            for layer, cell in zip(layer_names(answer.n_layers), layers, strict=True)
        ]
        return Table(("position", "target", "layer", "rank", "probability", *best), rows)

    def finding(self, answer: Lens) -> str:
        return first(FINDINGS, answer)


def _ranked(cell: LensCell) -> list[str | float]:
    return [value for pair in zip(cell.tokens, cell.shares, strict=True) for value in pair]
