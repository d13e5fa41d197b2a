"""What each source token contributes to each target token, and whether attention says the same."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from s2s.analysis import (
    REDUCTIONS,
    Attention,
    AttentionMap,
    HeadSelection,
    heads,
    reduced,
)
from s2s.analysis.heads import OutputShift
from s2s.config import UserError, shortened
from s2s.questions.attention_of import ForcedWeights
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.pool import lenders
from s2s.questions.probed import ForcedIds, Probed, TargetIds, written
from s2s.questions.question import AboutText, Answer, setting, subject, view
from s2s.questions.table import Table
from s2s.words import nats

ALL_HEADS = "all"
HEAD = re.compile(r"(\d{1,4})\.(\d{1,4})", re.ASCII)
METHOD_LABELS = MappingProxyType({slug: row.label for slug, row in heads.ATTRIBUTIONS.items()})
BASELINE_LABELS = MappingProxyType({slug: row.label for slug, row in heads.BASELINES.items()})
MAPS = MappingProxyType(
    {slug: row.label for slug, row in REDUCTIONS.items() if "cross" in row.kinds}
)
MUCH, LITTLE = 0.6, 0.3  # of a rank correlation
COMPLETE = 0.1  # of the differences: larger residuals make an attribution doubtful
FEW = 0.05  # of the cases: the output hardly changes


@dataclass(frozen=True)
class OfForced(AboutText[Answer]):
    """A question about one sentence with a target, and all heads of cross-attention or one: `2.3`, from 1."""

    target: str = subject("target", link="tgt", help="Empty: the model's own translation.")

    @property
    def forced(self) -> TargetIds:
        return TargetIds(self.run, self.text, self.target)


def selected(one_head: str, shape: tuple[int, ...]) -> HeadSelection:
    """All heads of cross-attention, or one of (layers, heads). Raises UserError for one that there is not."""
    if one_head == ALL_HEADS:
        return HeadSelection("cross")
    found = HEAD.fullmatch(one_head)
    layer, head = (int(number) - 1 for number in found.groups()) if found else (-1, -1)
    if not (0 <= layer < shape[0] and 0 <= head < shape[1]):
        raise UserError(
            f"`one_head` is {shortened(one_head)}; give `{ALL_HEADS}`, or layer and head, such as 2.3: this model has"
            f" {shape[0]} layers of {shape[1]} heads."
        )
    return HeadSelection("cross", layer, head)


@dataclass(frozen=True)
class Attributed:
    """An attribution, (target tokens, source tokens) in nats, and the attention while the same target is forced."""

    forced: ForcedIds
    found: heads.Attribution
    attention: Attention

    @property
    def residual(self) -> float:
        """Residuals as a share of the differences, in absolute values over all target tokens."""
        differences = np.abs(self.found.own - self.found.without).sum()
        return float(np.abs(self.found.residuals).sum() / max(differences, 1e-9))


class LargestShare(NamedTuple):
    """The pair of tokens with the largest attribution, and how far attention ranks the source tokens alike."""

    source: str
    target: str
    share: str  # nats
    rho: float  # NaN: not defined


LARGEST = "“{source}” accounts for {share} nats of the log-probability of “{target}”, the most of any pair"
FINDINGS = (
    Finding(lambda found: np.isnan(found.rho), LARGEST + "."),
    Finding(
        lambda found: found.rho >= MUCH,
        LARGEST + "; attention ranks the source tokens much alike (rank correlation {rho:.2f}).",
    ),
    Finding(
        lambda found: found.rho < LITTLE,
        LARGEST + "; attention ranks the source tokens otherwise (rank correlation {rho:.2f}).",
    ),
    Finding(
        lambda found: True,
        LARGEST + "; attention ranks the source tokens partly alike (rank correlation {rho:.2f}).",
    ),
)
COMPLETENESS = (
    Finding(
        lambda found: found.residual > COMPLETE,
        "This attribution is far from complete: residuals are {residual:.1%} of the differences.",
    ),
    Finding(lambda found: True, "Residuals are {residual:.1%} of the differences."),
)


@dataclass(frozen=True)
class Attribution(OfForced[Attributed]):
    """Nats of each target token's log-probability that each source token accounts for, beside cross-attention of all
    heads or of `one_head`.
    """

    method: str = setting("integrated", choices=METHOD_LABELS, label="Attribution")
    baseline: str = setting(
        "zero",
        choices=BASELINE_LABELS,
        label="Baseline",
        help="What stands for “no word”; of gradient × input, the zero vector.",
    )
    n_steps: int = setting(
        heads.STEPS,
        lambda n: 1 <= n <= heads.MOST_STEPS,
        label="Steps",
        help="Points of the integral; more make the residual smaller.",
    )
    map: str = view("mean", choices=MAPS, label="Cross-attention shown as")
    one_head: str = view(ALL_HEADS, scope="run", label="Heads")

    def probe(self, have: Have) -> Probed:
        settings: dict[str, Any] = {}
        if self.method != "gradient":  # whose baseline is zero
            settings["baseline"] = self.baseline
        if self.method == "integrated":
            settings["n_steps"] = self.n_steps
        ids = have.answer(self.forced).ids
        return Probed(self.run, (self.text,), "attribution", ids, self.method, written(settings))

    def ask(self, have: Have) -> Attributed:
        """Attribute each target token. Raises UserError for a source that the model cannot read."""
        forced = have.answer(self.forced)
        attention = have.answer(ForcedWeights.of_target(self.run, self.text, forced.ids))
        return Attributed(forced, have.answer(self.probe(have)), attention)

    def shown(self, answer: Attributed, reduction: str = "") -> AttentionMap:
        """The cross-attention that the attribution is compared with."""
        which = selected(self.one_head, answer.attention.cross.shape)
        return reduced(answer.attention, which, reduction or self.map)

    def agreement(self, answer: Attributed, reduction: str = "") -> Any:
        """Rank correlations of attention, reduced in this way, with the absolute attribution."""
        weights = self.shown(answer, reduction).weights
        return heads.rank_agreement(np.abs(answer.found.values), weights)

    def table(self, answer: Attributed) -> Table:
        found = answer.found
        ends = (found.sums, found.own, found.without, found.residuals)
        rows = [
            [token, *found.values[at].tolist(), *(float(each[at]) for each in ends)]
            for at, token in enumerate(answer.forced.tgt_tokens)
        ]
        names = ("sum", "log_probability", "log_probability_baseline", "residual")
        return Table(("target", *answer.forced.src_tokens, *names), rows)

    def finding(self, answer: Attributed) -> str:
        values = answer.found.values
        row, column = divmod(int(np.abs(values).argmax()), values.shape[1])
        rho = self.agreement(answer).mean_spearman
        source, target = answer.forced.src_tokens[column], answer.forced.tgt_tokens[row]
        return first(FINDINGS, LargestShare(source, target, nats(values[row, column]), float(rho)))


@dataclass(frozen=True)
class Shifted:
    """How far the output moves by each change of the weights of `heads`, and why other changes could not be made."""

    forced: ForcedIds
    heads: str
    shifts: dict[str, OutputShift]
    refused: dict[str, str]


class ShiftFacts(NamedTuple):
    """The change that most often makes another token the most probable."""

    label: str
    share: float  # of the cases
    moved: float  # weights, the median


SHIFTS = (
    Finding(
        lambda found: found.share < FEW and found.moved >= FEW,
        "However these weights are changed, the model writes much the same: another token becomes the most probable in"
        " at most {share:.0%} of cases. Here they explain little.",
    ),
    Finding(
        lambda found: found.share < FEW,
        "Another token becomes the most probable in at most {share:.0%} of cases, but the weights hardly move, either.",
    ),
    Finding(
        lambda found: True,
        "These weights matter to what is written: with “{label}”, another token becomes the most probable in"
        " {share:.0%} of cases.",
    ),
)


@dataclass(frozen=True)
class ChangedWeights(OfForced[Shifted]):
    """How far the next token's distribution moves when weights of cross-attention are replaced, at one target position
    at a time, in all heads or in `one_head`.
    """

    one_head: str = setting(ALL_HEADS, scope="run", label="Heads")

    def probes(self, have: Have) -> dict[str, Probed]:
        """The probe to run for each way of changing the weights."""
        run = have.run(self.run)
        ids = have.answer(self.forced).ids
        stack = run.recipe.model.decoder
        which = selected(self.one_head, (stack.n_layers, stack.n_heads))
        chosen = written({} if which.layer is None else {"layer": which.layer, "head": which.head})
        found = {}
        for slug in heads.WEIGHT_CHANGES:
            others = lenders(run, self.text) if slug == "sentences" else ()
            texts = (self.text, *others)
            found[slug] = Probed(self.run, texts, "changed weights", ids, slug, chosen)
        return found

    def ask(self, have: Have) -> Shifted:
        """Measure all changes. Raises UserError where none can be made."""
        shifts: dict[str, OutputShift] = {}
        refused: dict[str, str] = {}
        for slug, probe in self.probes(have).items():
            try:
                shifts[slug] = have.answer(probe)
            except UserError as wrong:  # no other head, no other sentence
                refused[slug] = str(wrong)
        if not shifts:
            raise UserError(next(iter(refused.values())))
        name = "all heads"
        if self.one_head != ALL_HEADS:
            layer, head = self.one_head.split(".")
            name = f"layer {layer}, head {head}"
        return Shifted(have.answer(self.forced), name, shifts, refused)

    def table(self, answer: Shifted) -> Table:
        rows = [
            [
                slug,
                variant + 1,
                answer.forced.tgt_tokens[at],
                float(shift.weights_moved[variant, at]),
                float(shift.total_variation[variant, at]),
                float(shift.jensen_shannon[variant, at]),
                bool(changed),
            ]
            for slug, shift in answer.shifts.items()
            for (variant, at), changed in np.ndenumerate(shift.is_changed)
        ]
        names = ("weights_moved", "total_variation", "jensen_shannon", "is_changed")
        return Table(("change", "variant", "predicts", *names), rows)

    def finding(self, answer: Shifted) -> str:
        shares = {slug: float(shift.is_changed.mean()) for slug, shift in answer.shifts.items()}
        most = max(shares, key=lambda slug: shares[slug])
        moved = max(float(np.median(shift.weights_moved)) for shift in answer.shifts.values())
        return first(SHIFTS, ShiftFacts(heads.WEIGHT_CHANGES[most].label, shares[most], moved))


def completeness(answer: Attributed) -> str:
    """Whether attributions sum to what they should, in words."""
    return first(COMPLETENESS, answer)
