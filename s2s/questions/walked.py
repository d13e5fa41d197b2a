"""A sentence inside a model: its tokens and every tensor of one layer, and what a step of its way shows beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from s2s.analysis import (
    AttentionTrace,
    ForwardTrace,
    WeightUpdate,
    experiments,
    trace_forward,
)
from s2s.config import ModelConfig
from s2s.questions.have import Have
from s2s.questions.question import AboutTarget, setting
from s2s.questions.table import Table
from s2s.questions.translate import Translate, forced
from s2s.runs import DecodedHypothesis, Reference, teacher_forcing

STRATEGY = "greedy"  # as the step `chosen` explains: the most probable token, again and again
N_PADDED = 2  # padding tokens that a longer sentence in the same batch would bring
NO_RESIDUAL, NO_SCALE = "no-residual", "no-scale"  # faults that pictures show
FEW = 0.01  # a smaller share of zeros is not worth a sentence
MAX_UNKNOWN = 5  # words or characters that are listed
SOURCE, TARGET = "source", "target"
# What each step's tokens are of.
STEPS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("pieces", "ids", "embedding", "position", "queries", "scores"), SOURCE),
        **dict.fromkeys(("scaling", "bias", "mask", "softmax", "weighted", "heads"), SOURCE),
        **dict.fromkeys(("residual", "norm", "feed-forward", "activation"), SOURCE),
        **dict.fromkeys(("one-position", "memory"), SOURCE),
        **dict.fromkeys(("shifted", "causal", "self-attention", "bridge", "attentions"), TARGET),
        **dict.fromkeys(("decoder-feed-forward", "logits", "probabilities", "chosen"), TARGET),
        **dict.fromkeys(("forcing", "loss", "gradients", "update", "counted"), TARGET),
    }
)
OF_LOSS = ("forcing", "loss", "gradients", "update", "counted")  # steps about a reference
RATES = ("0.01", "0.1", "1")  # learning rates of the one update


@dataclass(frozen=True)
class TracedSentence:
    """A source and a target inside a model: their tokens, and every tensor of one layer and around the stacks."""

    text: str
    reference: Reference  # the target, under teacher forcing
    is_own: bool  # the model's own translation
    config: ModelConfig
    fault: str
    src_ids: tuple[int, ...]
    src_tokens: tuple[str, ...]
    tgt_ids: tuple[
        int, ...
    ]  # what the decoder reads: the start id, then the target without its end
    tgt_tokens: tuple[str, ...]
    trace: ForwardTrace

    @property
    def target(self) -> str:
        return self.reference.text

    @property
    def predicts(self) -> tuple[str, ...]:
        return self.reference.tokens


@dataclass(frozen=True)
class TraceOf(AboutTarget[TracedSentence]):
    """Every tensor of one layer, from 1, while a model reads a source and is forced to write a target: by default its
    own translation. `is_padded`: with padding after the source, as far as the model has positions.
    """

    name: ClassVar[str] = "trace"

    layer: int = setting(1)
    is_padded: bool = setting(False)

    def ask(self, have: Have) -> TracedSentence:
        run = have.run(self.run)
        own = have.answer(Translate(self.run, self.text, STRATEGY))
        found = teacher_forcing.reference(run, self.text, forced(self.target, own).given)
        config = run.recipe.model
        src = tuple(config.ids.source(run.src_tokenizer.encode(self.text)))
        if self.is_padded:
            longest = config.positions.longest
            room = longest - len(src) if longest else N_PADDED
            src += (config.ids.pad,) * min(N_PADDED, room)
        tgt = (config.ids.start, *found.ids[:-1])
        return TracedSentence(
            self.text,
            found,
            not self.target,
            config,
            run.recipe.train.fault,
            src,
            tuple(run.src_tokenizer.tokens(src)),
            tgt,
            tuple(run.tgt_tokenizer.tokens(tgt)),
            trace_forward(run.model, src, tgt, self.layer - 1),
        )

    def table(self, answer: TracedSentence) -> Table:
        rows = zip(answer.tgt_tokens, answer.predicts, strict=True)
        return Table(("reads", "predicts"), [[*row] for row in rows])


@dataclass(frozen=True)
class LossTarget:
    """A target under teacher forcing, and where it is from, in words."""

    forced: Reference
    origin: str
    is_reference: bool  # False for the model's own translation
    others: tuple[str, ...] = ()  # references of the same sentence
    problem: str = ""  # why the dataset was not searched
    note: str = ""  # that losses are without the smoothing of training


@dataclass(frozen=True)
class Walked:
    """A traced sentence, and what one step of the walkthrough adds: each is there only where that step needs it."""

    at: TracedSentence
    padded: AttentionTrace | None = None
    norm: experiments.NormTrace | None = None
    erased: experiments.ErasureEffect | None = None
    words: tuple[str, ...] = ()  # the vocabulary, or words that are not in it
    own: DecodedHypothesis | None = None
    loss: LossTarget | None = None
    flows: tuple[experiments.GradientFlow, experiments.GradientFlow] | None = None
    update: WeightUpdate | None = None

    @property
    def is_next_norm(self) -> bool:
        """Whether the step `norm` shows the layer norm before the feed-forward."""
        trace = self.at.trace.encoder
        return self.at.config.norm.place == "pre" and trace.feed_forward_residual is not None


def signed(value: float) -> str:
    """A number as text with a true minus sign: `-1.234` -> `−1.23`."""
    return f"{value:.3g}".replace("-", "−")


def counted(n: int, noun: str) -> str:
    """A number with its noun: `1 token`, `7 tokens`, `7 queries`."""
    plural = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"
    return f"{n:,} {noun if n == 1 else plural}"


def tokens_of(at: TracedSentence, step: str) -> tuple[str, ...]:
    return at.src_tokens if STEPS[step] == SOURCE else at.tgt_tokens
