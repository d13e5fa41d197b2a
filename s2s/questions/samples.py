"""The samples of minimum Bayes risk decoding: how similar they are to each other, and why one of them won."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from s2s.analysis import Floats
from s2s.config import UserError
from s2s.decode import MBR, Utilities, utilities
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.question import AboutText, setting
from s2s.questions.searched import TreeOf
from s2s.questions.table import Table
from s2s.words import nats

METRIC_NAMES = MappingProxyType({"chrf": "chrF", "bleu": "BLEU"})
NAME = "mbr"


class DrawnText(NamedTuple):
    """A distinct sample, with what is known of it."""

    text: str
    times: int  # drawn
    expected: float  # mean utility against all samples, 0 to 100
    log_prob: float  # the model's own, nats


@dataclass(frozen=True)
class ComparedSamples:
    """The samples of one sentence, each compared with each."""

    samples: tuple[DrawnText, ...]
    pairs: Floats
    metric: str

    @property
    def n(self) -> int:
        return sum(each.times for each in self.samples)

    @property
    def text(self) -> str:
        return self.samples[0].text or "(nothing)"

    @property
    def means(self) -> str:
        following = f", the next has {self.samples[1].expected:.1f}" if self.samples[1:] else ""
        return f"mean {self.metric} {self.samples[0].expected:.1f}{following}"

    @property
    def most_probable(self) -> int:
        """The number of the sample that the model finds most probable, from 1."""
        return max(range(len(self.samples)), key=lambda at: self.samples[at].log_prob) + 1

    @property
    def log_probs(self) -> str:
        """Log-probabilities of the most probable sample and of the winner: `−0.60 against −0.92 nats`."""
        best = self.samples[self.most_probable - 1].log_prob
        return f"{nats(best)} against {nats(self.samples[0].log_prob)} nats"


WON = "Sample 1, “{text}”, won because it is most similar to all {n}: {means}. "
FINDINGS = (
    Finding(lambda it: it.n < 2, ""),
    Finding(
        lambda it: len(it.samples) == 1,
        "All {n} samples are the same text, so there is nothing to choose.",
    ),
    Finding(
        lambda it: it.most_probable == 1,
        WON + "It is also the one that the model finds most probable.",
    ),
    Finding(
        lambda it: True, WON + "The model finds sample {most_probable} more probable ({log_probs})."
    ),
)


@dataclass(frozen=True)
class Samples(AboutText[ComparedSamples]):
    """The samples that minimum Bayes risk decoding draws, each compared with each."""

    settings: str = setting("{}", help="The settings of mbr as JSON.", in_set=False)

    def ask(self, have: Have) -> ComparedSamples:
        """Draw and compare samples. Raises UserError without a sentence."""
        if not self.text:
            raise UserError("Without a sentence there are no samples; type one.")
        search = TreeOf(self.run, self.text, NAME, self.settings)
        tree, config = have.answer(search), search.configured(have)
        if not isinstance(config, MBR):
            raise TypeError(f"{NAME} has no utility")
        tokenizer = have.run(self.run).tgt_tokenizer
        texts = {number: tokenizer.decode(tree.ids(number)) for number in tree.finished}
        drawn = [text for number, text in texts.items() for _ in range(tree.nodes[number].count)]
        log_probs: dict[str, float] = {}
        for number, text in texts.items():
            log_probs[text] = max(tree.nodes[number].log_prob, log_probs.get(text, -math.inf))
        return ranked(utilities(drawn, config.utility), log_probs, METRIC_NAMES[config.utility])

    def table(self, answer: ComparedSamples) -> Table:
        numbers = [f"beside_{number}" for number in range(1, len(answer.samples) + 1)]
        rows = [
            [number, each.text, each.times, each.expected, each.log_prob, *values]
            for number, (each, values) in enumerate(
                zip(answer.samples, answer.pairs.tolist(), strict=True), 1
            )
        ]
        return Table(("sample", "text", "times_drawn", "mean", "log_prob", *numbers), rows)

    def finding(self, answer: ComparedSamples) -> str:
        return first(FINDINGS, answer)


def ranked(found: Utilities, log_probs: dict[str, float], metric: str) -> ComparedSamples:
    """The samples ranked by utility, best first; of equals the more probable, as decoding does."""
    samples = [
        DrawnText(text, count, found.expected[text], log_probs[text])
        for text, count in found.counts.items()
    ]
    order = sorted(
        range(len(samples)), key=lambda at: (-samples[at].expected, -samples[at].log_prob)
    )
    return ComparedSamples(
        tuple(samples[at] for at in order), np.asarray(found.pairs[np.ix_(order, order)]), metric
    )


def samples_table(answer: ComparedSamples) -> Table:
    """A table of the sampled texts, without the utilities of pairs."""
    columns = ("sample", "text", "times drawn", f"mean {answer.metric}", "log-probability")
    rows = [
        [number, each.text or "(nothing)", *each[1:]]
        for number, each in enumerate(answer.samples, 1)
    ]
    about = {
        columns[3]: "Against all samples, itself included, 0 to 100.",
        columns[4]: "The model's own, nats.",
    }
    return Table(columns, rows, about)
