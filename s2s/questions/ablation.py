"""What a model loses without some of its heads: over many sentences, and in the translation of one."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from s2s.analysis import INTERVENTIONS, Head, all_heads, switched
from s2s.config import UserError, shortened
from s2s.files import from_json, to_json
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.of_sample import OfSample
from s2s.questions.probed import FORCED_BY
from s2s.questions.question import Answer, setting, subject
from s2s.questions.table import Table
from s2s.questions.translate import Translate
from s2s.runs import Decoded, Interventions, Run, ablation, active, teacher_forcing
from s2s.words import nats

METRICS = {"bleu": "BLEU", "chrf": "chrF"}


class MeanOutput(NamedTuple):
    """The mean output of one head over all tokens of a sample."""

    kind: str
    layer: int
    head: int
    mean: tuple[float, ...]  # (d_head,)


@dataclass(frozen=True)
class Means:
    """The mean output of every head."""

    n: int  # sentences
    means: tuple[MeanOutput, ...]
    sample: str = ""


@dataclass(frozen=True)
class MeanOutputs(OfSample[Means]):
    """The mean output of every head over a sample: mean ablation replaces a head by it."""

    experiment: ClassVar[str] = "means"

    def answer_of(self, found: Mapping[str, Any]) -> Means:
        return from_json(Means, found)

    def table(self, answer: Means) -> Table:
        rows = [
            [one.kind, one.layer + 1, one.head + 1, float(np.linalg.norm(one.mean))]
            for one in answer.means
        ]
        return Table(("attention", "layer", "head", "length"), rows)


@dataclass(frozen=True)
class LossChange:
    """The loss on a sample in nats per token without and with a change, and the 95 % interval of the difference."""

    before: float
    after: float
    low: float
    high: float


@dataclass(frozen=True)
class ScoreChange:
    """A sample's score of greedy translations without and with a change, and the 95 % interval of the difference."""

    before: float
    after: float
    difference: float
    low: float
    high: float


@dataclass(frozen=True)
class ChangedSentence:
    """A sentence's translations without and with the change; log-probabilities of its reference, nats per token."""

    src: str
    reference: str
    before: str
    after: str
    log_prob_before: float
    log_prob_after: float
    chrf_before: float
    chrf_after: float


@dataclass(frozen=True)
class Ablated:
    """What interventions change over a sample; tokens and sentences are those that change most."""

    n: int  # sentences
    n_tokens: int
    n_heads: int  # that are changed
    loss: LossChange
    scores: Mapping[str, ScoreChange]
    n_changed: int  # translations
    tokens: tuple[ablation.TokenChange, ...]
    sentences: tuple[ChangedSentence, ...]
    sample: str = ""

    @property
    def change(self) -> float:
        return self.loss.after - self.loss.before

    @property
    def heads(self) -> str:
        return f"{self.n_heads} head{'s' * (self.n_heads > 1)}"

    @property
    def interval(self) -> str:
        """The size of the change of the loss: `0.54 nats per token (95 % interval 0.46 to 0.63)`, without a sign."""
        ends = sorted((abs(self.loss.low), abs(self.loss.high)))
        return (
            f"{abs(self.change):.3f} nats per token (95 % interval {ends[0]:.3f} to {ends[1]:.3f})"
        )


OTHERS = "; {n_changed} of {n} translations change."
FINDINGS = (
    Finding(
        lambda found: found.loss.low > 0,
        "With {heads} changed the loss rises by {interval}" + OTHERS,
    ),
    Finding(
        lambda found: found.loss.high < 0,
        "With {heads} changed the loss falls by {interval}" + OTHERS,
    ),
    Finding(
        lambda found: True,
        "With {heads} changed the loss does not clearly change: the 95 % interval, {loss.low:.3f} to {loss.high:.3f}"
        " nats per token, includes 0" + OTHERS,
    ),
)


@dataclass(frozen=True)
class OfSwitched(OfSample[Answer]):
    """A question about a model with some heads ablated: `cross=off encoder.2.3=mean`; layers and heads count from 1."""

    switched: str = setting("", scope="run", label="Heads")

    def chosen(self, run: Run) -> dict[Head, str]:
        """The chosen heads with what is done to each. Raises UserError for none, and for one that there is not."""
        found, unknown = switched.from_text(self.switched, all_heads(run.model))
        if unknown:
            raise UserError(
                f"`switched` has {shortened(unknown[0])}, which names no head or intervention of this model; give"
                " cross.1.3=off for the third head of layer 1."
            )
        if not found:
            raise UserError("No head is ablated; give `switched`, such as cross.1.3=off.")
        return found


@dataclass(frozen=True)
class Ablation(OfSwitched[Ablated]):
    """Loss, BLEU and chrF with and without the interventions, and what changes most."""

    experiment: ClassVar[str] = "ablation"

    def settings(self, run: Run) -> dict[str, Any]:
        return {"heads": switched.to_text(self.chosen(run), all_heads(run.model))}

    def answer_of(self, found: Mapping[str, Any]) -> Ablated:
        return from_json(Ablated, found)

    def table(self, answer: Ablated) -> Table:
        loss = answer.loss
        rows: list[list[Any]] = [
            ["Loss, nats per token", loss.before, loss.after, answer.change, loss.low, loss.high]
        ]
        for metric, label in METRICS.items():
            one = answer.scores[metric]
            rows.append([label, one.before, one.after, one.difference, one.low, one.high])
        columns = ("", "without the change", "with the change", "difference", "from", "to")
        return Table(columns, rows)

    def finding(self, answer: Ablated) -> str:
        return first(FINDINGS, answer)


@dataclass(frozen=True)
class AblatedSentence:
    """A sentence's translations without and with the change; both models score the first one's tokens, in nats."""

    before: Decoded
    after: Decoded
    tokens: tuple[str, ...]
    without: tuple[float, ...]
    changed: tuple[float, ...]

    @property
    def is_same(self) -> bool:
        return self.before.text == self.after.text

    @property
    def most(self) -> int:
        return int(np.abs(np.subtract(self.changed, self.without)).argmax())

    @property
    def token(self) -> str:
        return self.tokens[self.most]

    @property
    def change(self) -> str:
        return nats(self.changed[self.most] - self.without[self.most])


TOKEN = " Of the old one's tokens “{token}” changes most: {change} nats of log-probability."
SENTENCE_FINDINGS = (
    Finding(lambda found: not found.tokens and found.is_same, "The translation stays the same."),
    Finding(lambda found: not found.tokens, "The translation changes."),
    Finding(
        lambda found: found.is_same,
        "The translation stays the same; of its tokens “{token}” changes most: {change} nats of log-probability.",
    ),
    Finding(lambda found: True, "The translation changes." + TOKEN),
)


@dataclass(frozen=True)
class SentenceAblation(OfSwitched[AblatedSentence]):
    """How one sentence is translated without and with the interventions; a head's mean is that over the sample."""

    text: str = subject("sentence", link="src")

    def means(self, run: Run) -> MeanOutputs | None:
        """The question for the mean outputs of heads; None if no intervention needs them."""
        chosen = self.chosen(run).values()
        is_needed = any(INTERVENTIONS[name].change is None for name in chosen)
        return MeanOutputs(self.run, self.test, self.n) if is_needed else None

    def ask(self, have: Have) -> AblatedSentence:
        """Translate without and with the interventions. Raises UserError for a sentence that is too long."""
        run = have.run(self.run)
        change = self._interventions(have, run)
        packed = json.dumps(to_json(change), sort_keys=True)
        before, after = (
            have.answer(Translate(self.run, self.text, FORCED_BY, interventions=given))
            for given in ("", packed)
        )
        if not before.text:
            return AblatedSentence(before, after, (), (), ())
        plain = teacher_forcing.reference(run, self.text, before.text)
        with active(run, change):
            changed = teacher_forcing.reference(run, self.text, before.text)
        return AblatedSentence(before, after, plain.tokens, plain.log_probs, changed.log_probs)

    def _interventions(self, have: Have, run: Run) -> Interventions:
        chosen = self.chosen(run)
        asked = self.means(run)
        known = {Head(*one[:3]): one.mean for one in have.answer(asked).means} if asked else {}
        needed = [head for head, name in chosen.items() if INTERVENTIONS[name].change is None]
        means = tuple((head, known[head]) for head in sorted(needed))
        return Interventions(tuple(sorted(chosen.items())), means=means)

    def stamp(self, have: Have) -> Hashable:
        asked = self.means(have.run(self.run))
        return have.state(self.run), asked and asked.stamp(have)

    def table(self, answer: AblatedSentence) -> Table:
        rows = zip(answer.tokens, answer.without, answer.changed, strict=True)
        return Table(("token", "without the change", "with the change"), [*map(list, rows)])

    def finding(self, answer: AblatedSentence) -> str:
        return first(SENTENCE_FINDINGS, answer)
