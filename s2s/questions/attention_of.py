"""Attention of every layer and head while a model writes a target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar

from s2s.analysis import (
    KINDS,
    REDUCTIONS,
    Attention,
    AttentionMap,
    HeadSelection,
    Remaining,
    merge_words,
    reduced,
    without_sinks,
)
from s2s.config import UserError, choose
from s2s.faults import as_trained
from s2s.model import inference
from s2s.questions.changed import Changed
from s2s.questions.have import Have
from s2s.questions.question import (
    AboutTarget,
    AboutText,
    Answer,
    Question,
    setting,
    subject,
    view,
)
from s2s.questions.row_finding import later_finding, row_finding
from s2s.questions.table import Table
from s2s.questions.translate import (
    DEFAULT_STRATEGY,
    Translate,
    first_fitting,
    forced,
    strategy_names,
)
from s2s.runs import Target
from s2s.runs.states import has_word_tokens

MAX_WEIGHTS = 40_000_000
MEAN = "mean"
DEFAULT_REDUCTION = "mean"
KIND_NAMES = MappingProxyType(
    {
        "cross": "cross-attention",
        "encoder": "encoder self-attention",
        "decoder": "decoder self-attention",
    }
)
SCALES = MappingProxyType({"all": "Scale 0 to 1", "row": "One scale per row"})
KIND_CHOICES = MappingProxyType({kind: kind for kind in KINDS})
REDUCTION_LABELS = MappingProxyType({slug: row.label for slug, row in REDUCTIONS.items()})


@dataclass(frozen=True)
class ForcedWeights(AboutTarget[Attention]):
    """The weights of every head while a target is forced: a text, or exactly these ids."""

    ids: tuple[int, ...] = setting(())
    training: bool = setting(False)

    @classmethod
    def of_target(
        cls, run: str, text: str, target: Target, *, training: bool = False
    ) -> ForcedWeights:
        said = {"target": target} if isinstance(target, str) else {"ids": target}
        return cls(run, text, training=training, **said)

    def ask(self, have: Have) -> Attention:
        """Compute the weights. Raises UserError where that is too much to store, or the target has no positions."""
        run, target = have.run(self.run), self.ids or self.target
        model = run.recipe.model
        src_len = len(run.src_tokenizer.encode(self.text)) + 1
        tgt_len = len(run.target_ids(target))
        encoder_heads = model.encoder.n_layers * model.encoder.n_heads
        decoder_heads = model.decoder.n_layers * model.decoder.n_heads
        n_weights = encoder_heads * src_len * src_len
        n_weights += (
            decoder_heads * tgt_len * (src_len + tgt_len)
        )  # cross-attention, self-attention
        if n_weights > MAX_WEIGHTS:
            raise UserError(
                f"{src_len} source and {tgt_len} target tokens make {n_weights / 1e6:,.0f} million attention weights"
                f" in this model, and at most {MAX_WEIGHTS / 1e6:.0f} million are stored; shorten the sentence or the"
                " target."
            )
        if not self.training:
            return run.attention(self.text, target)
        with inference(run.model), as_trained(run.model, run.recipe.train.fault):
            return run.attention(self.text, target)

    def table(self, answer: Attention) -> Table:
        return weights_table(reduced(answer, HeadSelection("cross")))


@dataclass(frozen=True)
class ForcedAttention:
    """All attention weights under teacher forcing. `given` are the target's ids where it is the model's own output."""

    source: str
    target: str
    given: Target
    own: str  # the model's own translation
    attention: Attention
    src_is_word: bool  # whether every source token is a word, and every target token
    tgt_is_word: bool
    fault: str = ""  # that the run was trained with
    note: str = ""  # why another target than the one that was asked for

    def whole(self, kind: str) -> tuple[bool, bool]:
        """Whether the map's rows, and its columns, are whole words."""
        return (
            self.src_is_word if kind == "encoder" else self.tgt_is_word,
            self.tgt_is_word if kind == "decoder" else self.src_is_word,
        )


@dataclass(frozen=True)
class Simplified:
    """A map as it is drawn, and what was left out of it."""

    picture: AttentionMap
    remaining: Remaining | None = None
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True)
class OfSentence(AboutText[Answer]):
    """A question about what happens in a model while it writes a target of a sentence."""

    target: str = subject("target", link="tgt", help="Empty: the model's own translation.")
    strategy: str = setting(DEFAULT_STRATEGY, choices=strategy_names, label="Decoded by")

    @property
    def attention(self) -> AttentionOf:
        return AttentionOf(**self.shared_with(AttentionOf))

    def shared_with(self, other: type[Question[Any]]) -> dict[str, Any]:
        """The values of the fields that another question has, too."""
        names = {row.name for row in other.declared()}
        return {row.name: getattr(self, row.name) for row in self.declared() if row.name in names}


@dataclass(frozen=True)
class AttentionOf(OfSentence[ForcedAttention]):
    """What a model attends to while it writes a target: its own translation, or a given one.

    `layer` and `head` are numbers from 1, or `mean`; empty, the last layer and the mean of its heads. Of a map with
    more than 40 tokens on a side, a `part` is drawn: `33.1`, its first row and column.
    """

    name: ClassVar[str] = "attention"

    kind: str = view("cross", in_set=False, choices=KIND_CHOICES)
    layer: str = view("", in_set=False)
    head: str = view("", in_set=False)
    reduce: str = view(DEFAULT_REDUCTION, choices=REDUCTION_LABELS, label="Shown as", in_set=False)
    words: bool = view(
        False,
        label="Merge words",
        help="Merge the tokens of a word: weights on them are summed, their rows averaged (Clark et al. 2019).",
    )
    drop: bool = view(
        False,
        label="Hide sinks",
        help="Hide the columns of `<s>`, `</s>` and punctuation, on which heads put weight they have no use for,"
        " and scale rows to 1.",
    )
    scale: str = view("all", choices=SCALES, label="Color scale")
    training: bool = setting(
        False,
        label="As in training",
        help="With the fault that this run was trained with, where that acts in training only.",
    )
    part: str = view("", scope="sentence", link="from", label="Part")

    def ask(self, have: Have) -> ForcedAttention:
        run = have.run(self.run)
        own = have.answer(Translate(self.run, self.text, self.strategy))
        wanted = [forced(each, own) for each in (self.target, own.text)]

        def weights(target: Target) -> Attention:
            asked = ForcedWeights.of_target(self.run, self.text, target, training=self.training)
            return have.answer(asked)

        target, attention, note = first_fitting(wanted, weights)
        whole = has_word_tokens(run), run.tgt_tokenizer.kind == "word"
        fault = run.recipe.train.fault
        return ForcedAttention(self.text, *target, own.text, attention, *whole, fault, note)

    def which(self, answer: ForcedAttention | Changed) -> HeadSelection:
        """The selected layer and head, 0-based; None for the mean. Raises UserError for one that there is not."""
        shape = answer.attention.view(self.kind).weights.shape
        return selection(self.kind, self.layer, self.head, shape)

    def of_head(self, which: HeadSelection, answer: ForcedAttention) -> AttentionOf:
        n_layers = len(answer.attention.view(which.kind).weights)
        layer = "" if which.layer == n_layers - 1 else _number(which.layer)
        head = "" if which.head is None else _number(which.head)
        return replace(self, kind=which.kind, layer=layer, head=head)

    def all_tokens(
        self, answer: ForcedAttention, which: HeadSelection | None = None
    ) -> AttentionMap:
        """The whole map of the selected head, or of `which`, before anything is simplified."""
        which = which or self.which(answer)
        offered = {slug: row for slug, row in REDUCTIONS.items() if which.kind in row.kinds}
        choose(f"reduction of {KIND_NAMES[which.kind]}", self.reduce, offered)
        return reduced(answer.attention, which, self.reduce)

    def simplified(self, answer: ForcedAttention, which: HeadSelection | None = None) -> Simplified:
        """The map as it is drawn, with what was left out."""
        which = which or self.which(answer)
        picture = self.all_tokens(answer, which)
        if self.words:
            rows_whole, keys_whole = answer.whole(which.kind)
            picture = merge_words(picture, rows_whole=rows_whole, keys_whole=keys_whole)
        if not self.drop:
            return Simplified(picture)
        remaining = without_sinks(picture)
        hidden = [key for key in dict.fromkeys(picture.keys) if key not in remaining.picture.keys]
        return Simplified(remaining.picture, remaining, tuple(hidden))

    def table(self, answer: ForcedAttention) -> Table:
        return weights_table(self.simplified(answer).picture)

    def finding(self, answer: ForcedAttention) -> str:
        picture = self.simplified(answer).picture
        if self.kind == "decoder" and (later := later_finding(picture)):
            return later
        return row_finding(picture, is_part=self.drop)


def weights_table(picture: AttentionMap) -> Table:
    rows = zip(picture.rows, picture.weights, strict=True)
    return Table([picture.verb, *picture.keys], [[token, *row.tolist()] for token, row in rows])


def selection(kind: str, layer: str, head: str, shape: tuple[int, ...]) -> HeadSelection:
    """The named layer and head (from 1), 0-based, for weights of this shape; empty: last layer, mean of its heads."""
    n_layers, n_heads = shape[:2]
    of_layer = _index("layer", layer or str(n_layers), n_layers)
    return HeadSelection(kind, of_layer, _index("head", head or MEAN, n_heads))


def _number(index: int | None) -> str:
    return MEAN if index is None else str(index + 1)


def _index(name: str, given: str, n: int) -> int | None:
    chosen = choose(name, given, {option: option for option in (MEAN, *map(str, range(1, n + 1)))})
    return None if chosen == MEAN else int(chosen) - 1
