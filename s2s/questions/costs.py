"""What a model takes: parameters, operations and memory, component by component, and how they grow."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s.config import PRESETS, UserError, choose, flat
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.question import RUN, Answer, Check, Question, setting, subject, view
from s2s.questions.table import Table
from s2s.runs.differences import SettingRow, setting_rows
from s2s.sizing import (
    COMPONENT_GROUPS,
    COMPONENT_KINDS,
    MEASURES,
    VARIABLES,
    BatchSizes,
    CacheBytes,
    Component,
    CostPoint,
    Crossover,
    ModelSpec,
    cache_bytes,
    component_rows,
    cost,
    cost_curve,
    crossover,
    group_parameters,
    memory_bytes,
    rounded,
    within,
)

THIS_RUN = "run"  # among the names of models
NO_MODEL = "nothing"
MAX_SENTENCES, MAX_TOKENS = 128, 512
# What the boxes around components stand for, by the beginning of their components' names.
GROUPS: Mapping[str, str] = MappingProxyType(
    {
        "": "The whole model",
        "encoder": "Encoder",
        "encoder.layer": "One encoder layer",
        "decoder": "Decoder",
        "decoder.layer": "One decoder layer",
    }
)


def models() -> dict[str, str]:
    """The models to choose from: the run's own, and every preset's."""
    return {THIS_RUN: "this run", **{name: name for name in PRESETS}}


def _between(most: int) -> Check:
    return lambda number: 1 <= number <= most


@dataclass(frozen=True)
class OfModel(Question[Answer]):
    """A question about the shape of a model, a run's or a preset's, and a batch of sentences that it reads."""

    run: str = subject(RUN, is_optional=True)
    model: str = setting(THIS_RUN, choices=models, label="Model")
    batch: int = setting(32, _between(MAX_SENTENCES), label="Sentences", help="Of a batch.")
    src_len: int = setting(20, _between(MAX_TOKENS), label="Source tokens", help="Per sentence.")
    tgt_len: int = setting(20, _between(MAX_TOKENS), label="Target tokens", help="Per sentence.")

    @property
    def sizes(self) -> BatchSizes:
        return BatchSizes(self.batch, self.src_len, self.tgt_len)

    def spec(self, have: Have, model: str) -> ModelSpec:
        """The shape of the run's model or of a preset's, by name. Raises UserError where there is none."""
        if model != THIS_RUN:
            row = choose("preset", model, PRESETS)
            return ModelSpec(row.recipe, row.src_vocab_size, row.tgt_vocab_size)
        if not self.run:
            raise UserError("Neither a run nor a preset is given; give one as `run` or `model`.")
        run = have.run(self.run)
        return ModelSpec(run.recipe, run.src_tokenizer.vocab_size, run.tgt_tokenizer.vocab_size)


@dataclass(frozen=True)
class ModelShape:
    """A model's settings, with the sizes of its vocabularies, its components, and the parameters of each of
    COMPONENT_GROUPS.
    """

    settings: Mapping[str, Any]
    components: tuple[Component, ...]
    groups: tuple[int, ...]

    @property
    def parameters(self) -> int:
        return sum(self.groups)


@dataclass(frozen=True)
class ModelCosts:
    """A model, another one to compare it with if there is one, and a row of costs for each component of the first."""

    model: ModelShape
    other: ModelShape | None
    rows: tuple[Mapping[str, object], ...]

    @property
    def differing(self) -> list[SettingRow]:
        if self.other is None:
            return []
        rows = setting_rows([self.model.settings, self.other.settings])
        return [row for row in rows if row.differs]


class CostFacts(NamedTuple):
    """The facts in the sentences about a model's costs."""

    question: Costs
    answer: ModelCosts

    @property
    def total(self) -> str:
        return rounded(self.answer.model.parameters)

    @property
    def name(self) -> str:
        return "This run" if self.question.model == THIS_RUN else self.question.model

    @property
    def other(self) -> str:
        return "this run" if self.question.other == THIS_RUN else self.question.other

    @property
    def times(self) -> float:
        other = self.answer.other
        return self.answer.model.parameters / other.parameters if other else math.nan

    @property
    def one_in(self) -> float:
        return 1 / self.times

    @property
    def n_differing(self) -> int:
        return len(self.answer.differing)

    @property
    def by_group(self) -> list[tuple[int, str]]:
        return sorted(zip(self.answer.model.groups, COMPONENT_GROUPS, strict=True), reverse=True)

    @property
    def most(self) -> str:
        return self.by_group[0][1]

    @property
    def share(self) -> float:
        return self.by_group[0][0] / self.answer.model.parameters

    @property
    def second(self) -> str:
        return self.by_group[1][1]

    @property
    def second_share(self) -> float:
        return self.by_group[1][0] / self.answer.model.parameters


ALIKE = 1.005  # ratios below it are not called larger
COST_FINDINGS = (
    Finding(
        lambda of: of.times >= ALIKE,
        "{name} has {total} parameters, {times:.3g} times as many as {other}.",
    ),
    Finding(
        lambda of: of.one_in >= ALIKE,
        "{name} has {total} parameters; {other} has {one_in:.3g} times as many.",
    ),
    Finding(
        lambda of: of.answer.other is not None and of.n_differing == 0,
        "{name} and {other} have the same shape, with {total} parameters.",
    ),
    Finding(
        lambda of: of.answer.other is not None,
        "{name} and {other} both have about {total} parameters; settings that differ: {n_differing}.",
    ),
    Finding(
        lambda of: of.share > 0.5,
        "{name} has {total} parameters, and more than half of them, {share:.0%}, are in the {most}.",
    ),
    Finding(
        lambda of: True,
        "{name} has {total} parameters: {share:.0%} are in the {most}, {second_share:.0%} in the {second}.",
    ),
)


@dataclass(frozen=True)
class Costs(OfModel[ModelCosts]):
    """The components of a model: their parameters, operations and memory, and what differs in another model.

    `component` names one of them, such as `encoder.layer.self_attention`, or what contains several: `decoder`.
    """

    other: str = setting(
        NO_MODEL,
        choices=lambda: {NO_MODEL: "no other model", **models()},
        label="Compare with",
        link="against",
    )
    component: str = view("", link="part")

    def ask(self, have: Have) -> ModelCosts:
        spec = self.spec(have, self.model)
        is_alone = self.other in (NO_MODEL, self.model)
        other = None if is_alone else self._shape(self.spec(have, self.other))
        return ModelCosts(self._shape(spec), other, tuple(component_rows(spec, self.sizes)))

    def _shape(self, spec: ModelSpec) -> ModelShape:
        vocabularies = {
            "src_vocab_size": spec.src_vocab_size,
            "tgt_vocab_size": spec.tgt_vocab_size,
        }
        return ModelShape(
            flat(spec.recipe.model) | vocabularies,
            spec.components(self.sizes),
            tuple(group_parameters(spec)),
        )

    def is_part(self, answer: ModelCosts) -> bool:
        """Whether the model has the component."""
        names = {row.name for row in answer.model.components}
        return self.component in GROUPS or self.component in names

    def chosen(self, answer: ModelCosts) -> tuple[str, tuple[Component, ...]]:
        """The chosen component's name and all components in it; the whole model if it has no such component."""
        name = self.component if self.is_part(answer) else ""
        return name, within(answer.model.components, name)

    def table(self, answer: ModelCosts) -> Table:
        return Table(tuple(answer.rows[0]), [[*row.values()] for row in answer.rows])

    def finding(self, answer: ModelCosts) -> str:
        return first(COST_FINDINGS, CostFacts(self, answer))


def label_of(components: tuple[Component, ...], name: str) -> str:
    component = next((component for component in components if component.name == name), None)
    return GROUPS[name] if component is None else COMPONENT_KINDS[component.kind].label


@dataclass(frozen=True)
class Growth:
    """A cost at each value of one variable, all else equal, and the bytes and operations of the batch as it is."""

    points: tuple[CostPoint, ...]
    now: int  # the variable's present value
    memory: int
    flops: int
    cache: CacheBytes
    crossover: Crossover


class GrowthFacts(NamedTuple):
    """The facts in the sentences about how a cost grows."""

    question: CostGrowth
    answer: Growth

    @property
    def attention(self) -> int:
        return self.answer.crossover.attention

    @property
    def products(self) -> int:
        return self.answer.crossover.attention_products

    @property
    def present(self) -> CostPoint:
        return min(self.answer.points, key=lambda point: abs(point.value - self.answer.now))

    @property
    def last(self) -> CostPoint:
        return self.answer.points[-1]

    @property
    def first_value(self) -> int:
        return self.answer.points[0].value

    @property
    def last_value(self) -> int:
        return self.last.value

    @property
    def factor(self) -> float:
        return self.last.total / self.answer.points[0].total

    @property
    def largest_now(self) -> str:
        return largest_term(self.present)

    @property
    def largest_last(self) -> str:
        return largest_term(self.last)

    @property
    def by_length(self) -> bool:
        return self.question.cost == "flops" and self.question.vary == "length"


def largest_term(point: CostPoint) -> str:
    """The largest term of a cost with its share, `A (40%)`; all of them if several are equally large."""
    largest = max(point.terms.values())
    names = [name for name, size in point.terms.items() if size == largest]
    share = f"{largest / point.total:.0%}"
    if len(names) == 1:
        return f"{names[0]} ({share})"
    return f"{', '.join(names[:-1])} and {names[-1]} ({share} each)"


GROWTH_FINDINGS = (
    Finding(lambda of: not of.answer.points, "No other value gives a valid model."),
    Finding(
        lambda of: of.by_length and of.attention > 1,
        "Attention takes more operations than the feed-forward from {attention:,} tokens per side on, and its products"
        " QKᵀ and AV, which grow with the square of the length, more than all else from {products:,}.",
    ),
    Finding(
        lambda of: of.by_length,
        "Attention takes more operations than the feed-forward at any length, and its products QKᵀ and AV, which grow"
        " with the square of the length, more than all else from {products:,} tokens per side on.",
    ),
    Finding(
        lambda of: len(of.present.terms) > 1,
        "Most goes to {largest_now} now, and to {largest_last} at {last_value:,}.",
    ),
    Finding(
        lambda of: True,
        "From {first_value:,} to {last_value:,} it grows by a factor of {factor:.3g}.",
    ),
)


@dataclass(frozen=True)
class CostGrowth(OfModel[Growth]):
    """How one cost of a model grows with its length, width, depth or vocabulary, all else equal."""

    cost: str = setting(
        "flops",
        choices=lambda: {slug: row.label for slug, row in MEASURES.items()},
        label="Cost",
    )
    vary: str = setting(
        "length",
        choices=lambda: {slug: row.label for slug, row in VARIABLES.items()},
        label="Grows with",
    )

    def ask(self, have: Have) -> Growth:
        spec, sizes = self.spec(have, self.model), self.sizes
        variable = VARIABLES[self.vary]
        return Growth(
            cost_curve(spec, sizes, variable, MEASURES[self.cost]),
            variable.value(spec, sizes),
            memory_bytes(spec, sizes),
            cost(spec.components(sizes)).flops,
            cache_bytes(spec, sizes),
            crossover(spec),
        )

    def table(self, answer: Growth) -> Table:
        terms = answer.points[0].terms if answer.points else ()
        rows = [[point.value, *point.terms.values(), point.total] for point in answer.points]
        return Table((VARIABLES[self.vary].label, *terms, "total"), rows)

    def finding(self, answer: Growth) -> str:
        return first(GROWTH_FINDINGS, GrowthFacts(self, answer))
