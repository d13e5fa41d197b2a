"""What the numbers of each step of the walkthrough say of the chosen token, or of the sentence."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from s2s.questions.finding import Finding
from s2s.questions.walk_facts import StepFacts
from s2s.questions.walked import NO_RESIDUAL, NO_SCALE

FEW = 0.01  # a smaller share of zeros is not worth a sentence


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
        "forcing": (
            Finding(
                lambda of: of.answer.own is None,
                "The model's translation of this sentence is empty.",
            ),
            Finding(
                lambda of: of.differs_at is None,
                "Both read the same everywhere, because the model's translation is the target. Choose another target to"
                " see them differ.",
            ),
            Finding(
                _always,
                "They first differ at position {from_position}: after it, the teacher makes the model read"
                " “{forced_reads}”, whatever it would have chosen; when running freely, it reads “{free_reads}”, its"
                " own choice.",
            ),
        ),
        "loss": (
            Finding(
                _always,
                "In total {total} nats, {per_token} nats per token; the hardest is “{hardest}”, to which the model gave"
                " a probability of {hardest_percent}.",
            ),
        ),
        "gradients": (
            Finding(
                lambda of: of.at.fault == NO_RESIDUAL,
                "This run was trained without residual connections, and has none now: both bars of a layer are the"
                " same.",
            ),
            Finding(
                _always,
                "With residual connections, the gradient at the encoder's input is {first_gradients[0]} times that at"
                " the decoder's output; without them, {first_gradients[1]} times.",
            ),
        ),
        "update": (
            Finding(
                lambda of: of.means[1] < of.means[0],
                "The loss falls from {means[0]:.3g} to {means[1]:.3g} nats per token.",
            ),
            Finding(
                _always,
                "The step is too long: the loss rises from {means[0]:.3g} to {means[1]:.3g} nats per token.",
            ),
        ),
        "counted": (
            Finding(
                lambda of: of.answer.loss is not None and not of.answer.loss.is_reference,
                "Without a reference there is nothing to count n-grams against.",
            ),
            Finding(_always, "The model's translation is {written}."),
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
