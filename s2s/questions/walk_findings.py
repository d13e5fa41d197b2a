"""What the numbers of each step say of the chosen token, or of the sentence."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from s2s.analysis import Array, AttentionTrace, experiments
from s2s.questions.finding import Finding
from s2s.questions.walked import (
    NO_RESIDUAL,
    NO_SCALE,
    SOURCE,
    STEPS,
    Walked,
    counted,
    signed,
    tokens_of,
)

FEW = 0.01  # a smaller share of zeros is not worth a sentence


class StepFacts:
    """What is said of a step: of the chosen token, its row of weights or scores, and the sentence."""

    def __init__(self, answer: Walked, step: str, head: int, row: int) -> None:
        """`head` and `row` count from 0."""
        self.answer = answer
        self.step = step
        self.head = head
        self.at = answer.at
        self.config = answer.at.config
        self.row = row
        self.tokens = tokens_of(answer.at, step)
        self.token = self.tokens[self.row]

    @property
    def attended(self) -> AttentionTrace:
        trace = self.at.trace
        if self.step == "bridge" and trace.decoder.cross_attention is not None:
            return trace.decoder.cross_attention
        is_source = STEPS[self.step] == SOURCE
        return (trace.encoder if is_source else trace.decoder).self_attention

    @property
    def weights(self) -> Array:
        row: Array = self.attended.weights[self.head, self.row]
        return row

    @property
    def keys(self) -> tuple[str, ...]:
        return self.at.src_tokens if self.step == "bridge" else self.tokens

    @property
    def best(self) -> int:
        """The key that the step's row has most of."""
        if self.step == "scores":
            return int(self.attended.dot_products[self.head, self.row].argmax())
        return int(self.weights.argmax())

    @property
    def best_key(self) -> str:
        return self.keys[self.best]

    @property
    def share(self) -> float:
        return float(self.weights[self.best])

    @property
    def score(self) -> str:
        return signed(self.attended.dot_products[self.head, self.row, self.best])

    @property
    def largest(self) -> list[float]:
        """Of the row's weights, as they would be without scaling, and as they are."""
        head = self.head
        rows = self.attended.dot_products[head, self.row], self.attended.scaled[head, self.row]
        return [float(experiments.softmax(each).max()) for each in rows]

    @property
    def predicted(self) -> str:
        return self.at.predicts[self.row]

    @property
    def n_allowed(self) -> int:
        return int(self.attended.mask[self.row].sum())

    @property
    def lengths(self) -> tuple[float, float]:
        """Of the chosen token's vector in the stream, and of what is added to it."""
        joined = self.at.trace.encoder.self_residual
        found = (joined.before[self.row], joined.sublayer_output[self.row])
        before, added = (float(np.linalg.norm(each)) for each in found)
        return before, added

    @property
    def zeros(self) -> float:
        is_source = STEPS[self.step] == SOURCE
        trace = self.at.trace.encoder if is_source else self.at.trace.decoder
        return float((trace.feed_forward.hidden == 0).mean()) if trace.feed_forward else -1.0

    @property
    def below(self) -> float:
        fed = self.at.trace.encoder.feed_forward
        return float((fed.activation_inputs < 0).mean()) if fed else -1.0

    @property
    def changed(self) -> str:
        """`1 row of 5 in the feed-forward, 5 rows of 5 in the self-attention`."""
        erased = self.answer.erased
        changes = {
            "feed-forward": erased.feed_forward if erased else None,
            "self-attention": erased.attention if erased else None,
        }
        return " and ".join(
            f"{counted(int((np.abs(change).max(1) > 0).sum()), 'row')} of {len(change)} in the {name}"
            for name, change in changes.items()
            if change is not None
        )

    @property
    def repeated(self) -> str:
        return "”, “".join(sorted({each for each in self.tokens if self.tokens.count(each) > 1}))

    @property
    def n(self) -> int:
        return len(self.tokens)

    @property
    def unknown(self) -> str:
        return "”, “".join(self.answer.words)

    @property
    def rotated_lengths(self) -> list[float]:
        """Lengths of the chosen token's query in head 1 before and after its rotation."""
        found = self.attended.unrotated_queries[0], self.attended.queries[0]
        return [float(np.linalg.norm(each[self.row])) for each in found]

    @property
    def first_predicted(self) -> str:
        return self.at.predicts[0]

    @property
    def top(self) -> str:
        """The token with the largest logit."""
        return self.answer.words[int(self.at.trace.logits[self.row].argmax())]

    @property
    def probability(self) -> float:
        return float(experiments.softmax(self.at.trace.logits[self.row]).max())

    @property
    def written(self) -> str:
        own = self.answer.own
        return f"“{own.text}”" if own and own.text else "no text"

    @property
    def n_written(self) -> str:
        own = self.answer.own
        return counted(len(own.tokens), "step") if own else ""

    @property
    def is_ended(self) -> bool:
        own = self.answer.own
        return own is not None and own.ids[-1] == self.config.ids.eos


def _always(of: StepFacts) -> bool:
    return True


TAKES = "“{token}” takes {share:.0%} of what it gathers from “{best_key}”."
ZEROS = Finding(
    lambda of: of.zeros > FEW,
    "{zeros:.0%} of the hidden numbers are exactly 0: those units are inactive for these tokens.",
)
NO_FEED_FORWARD = Finding(
    lambda of: of.zeros < 0,
    "This model has no feed-forward: its layers consist of attention alone.",
)
# By step; a step that is not here shows nothing that its explanation does not say.
FINDINGS: Mapping[str, tuple[Finding, ...]] = MappingProxyType(
    {
        "pieces": (
            Finding(
                lambda of: bool(of.unknown),
                "“{unknown}”: not in the vocabulary, so <unk> stands in its place.",
            ),
            Finding(_always, "The model reads this sentence as {n} tokens."),
        ),
        "ids": (
            Finding(
                lambda of: bool(of.repeated),
                "“{repeated}”: the same token has the same id, wherever it occurs.",
            ),
            Finding(_always, "From here on, the sentence is {n} numbers."),
        ),
        "position": (
            Finding(
                lambda of: of.config.positions.kind == "rotary",
                "Rotation keeps lengths: the query of “{token}” has length {rotated_lengths[0]:.2f} before and"
                " {rotated_lengths[1]:.2f} after.",
            ),
        ),
        "scores": (
            Finding(
                _always, "The query of “{token}” matches the key of “{best_key}” best ({score})."
            ),
        ),
        "scaling": (
            Finding(
                lambda of: not of.config.attention.scaled,
                "The factor is 1 in this model: these are the scores of the step before.",
            ),
            Finding(
                lambda of: of.at.fault == NO_SCALE,
                "This run's fault makes each query as many times as large, so that dividing changes nothing: the"
                " largest weight of that row is {largest[1]:.2f}.",
            ),
        ),
        "softmax": (Finding(_always, TAKES),),
        "weighted": (Finding(_always, TAKES),),
        "self-attention": (Finding(_always, TAKES),),
        "residual": (
            Finding(
                lambda of: of.at.fault == NO_RESIDUAL,
                "For “{token}”, the vector in the stream has length {lengths[0]:.3g}, and what replaces it, by this"
                " run's fault, {lengths[1]:.3g}.",
            ),
            Finding(
                _always,
                "For “{token}”, the vector in the stream has length {lengths[0]:.3g}, and what is added"
                " {lengths[1]:.3g}.",
            ),
        ),
        "norm": (
            Finding(
                lambda of: of.answer.norm is None,
                "This model has no norm: the stream continues unchanged.",
            ),
        ),
        "feed-forward": (ZEROS, NO_FEED_FORWARD),
        "decoder-feed-forward": (ZEROS, NO_FEED_FORWARD),
        "activation": (
            NO_FEED_FORWARD,
            Finding(
                _always,
                "{below:.0%} of the inputs are below 0: ReLU sets them to 0, GELU and SiLU to small negative numbers.",
            ),
        ),
        "one-position": (Finding(_always, "Without “{token}”, {changed} change."),),
        "shifted": (
            Finding(
                lambda of: of.config.ids.forced_first is not None,
                "This model was trained with “{first_predicted}” at the start of every target: it is written, whatever"
                " the model predicts there.",
            ),
        ),
        "causal": (
            Finding(
                lambda of: of.row == 0,
                "The row that reads “{token}” may attend to itself alone.",
            ),
            Finding(
                _always,
                "The row that reads “{token}” may attend to {n_allowed} tokens: itself and those before it.",
            ),
        ),
        "bridge": (
            Finding(
                _always,
                "The position that reads “{token}” predicts “{predicted}”: there, this head attends most to"
                " “{best_key}” ({share:.0%}).",
            ),
        ),
        "logits": (Finding(_always, "After “{token}”, “{top}” has the largest logit."),),
        "probabilities": (
            Finding(_always, "After “{token}”, “{top}” is the most probable: {probability:.3g}."),
        ),
        "chosen": (
            Finding(
                lambda of: of.answer.own is None,
                "The model's translation of this sentence is empty.",
            ),
            Finding(
                lambda of: of.is_ended,
                "In {n_written}, the model wrote {written}. It stops because it chose </s>.",
            ),
            Finding(
                _always,
                "In {n_written}, the model wrote {written}. It was stopped at the maximum length of a target.",
            ),
        ),
    }
)
