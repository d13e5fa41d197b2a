"""What every head does over many sentences: its role by rules, the grammatical relations it finds, what it copies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from s2s.analysis import heads
from s2s.files import from_json
from s2s.jobs import head_roles
from s2s.questions.attention_of import KIND_NAMES
from s2s.questions.finding import Finding, first
from s2s.questions.of_sample import OfSample, PlacedHead, in_order
from s2s.questions.question import view
from s2s.questions.table import Table

ROLES, RELATIONS, INDUCTION = "roles", "relations", "induction"
PARTS = MappingProxyType(
    {ROLES: "Roles", RELATIONS: "Grammatical relations", INDUCTION: "Induction and copying"}
)
ACROSS = "verb-subject-across"
SCORES = MappingProxyType(
    {"prefix": "Prefix matching", "copying": "Attention to copies", "direct": "Direct copying"}
)
MIXED = "mixed"  # the role of a head that no rule fits


@dataclass(frozen=True)
class Roles(head_roles.RolesResult):
    """The measured roles of all heads, and the name of the sentences."""

    sample: str = ""

    @property
    def default_relation(self) -> str:
        directions = [one.direction for one in self.relations]
        return ACROSS if ACROSS in directions else next(iter(directions), "")

    @property
    def scores(self) -> dict[str, str]:
        """The labels of the scores that were measured of any kind of attention."""
        return {
            name: label
            for name, label in SCORES.items()
            if any(name in by_name for by_name in self.induction.values())
        }


class RoleCounts(NamedTuple):
    """Facts on roles: how many heads have one, and the head whose role is strongest."""

    n: int
    n_heads: int
    sentences: str
    label: str  # of the most frequent role
    n_label: int
    clearest: PlacedHead
    role: str  # of that head
    strength: float
    threshold: float  # of the rule

    @property
    def have(self) -> str:
        return "has" if self.n == 1 else "have"


class RelationFacts(NamedTuple):
    """Facts on a relation: how often the head that is chosen on half of the sentences finds it in the other half."""

    label: str
    kind: str
    chosen: str  # one head, or two
    held_out: float
    random: heads.Range  # the best of as many random heads

    @property
    def lead(self) -> float:
        return self.held_out - self.random.high

    @property
    def is_above(self) -> bool:
        return self.lead > 0


class ScoreFacts(NamedTuple):
    """Facts on a score: its best head, and what a head without preference reaches."""

    label: str
    best: PlacedHead
    score: float
    uniform: float

    @property
    def is_clear(self) -> bool:
        """Whether the best head is far above the baseline: twice as high, or high for shares near one half."""
        return self.score >= min(2 * self.uniform, (1 + self.uniform) / 2)


ROLE_FINDINGS = (
    Finding(
        lambda found: found.n == 0,
        "None of the {n_heads} heads has a role over {sentences}: each is mixed.",
    ),
    Finding(
        lambda found: True,
        "{n} of {n_heads} heads {have} a role over {sentences}, most often “{label}” ({n_label}). The clearest is"
        " “{role}” of {clearest}: {strength:.0%}, and the rule holds from {threshold:.0%}.",
    ),
)
RELATION_FINDINGS = (
    Finding(
        lambda found: found.is_above,
        "“{label}”: {chosen} of {kind}, chosen on one half of the sentences, finds the word in {held_out:.0%} of the"
        " other half; the best of as many random heads does in {random.low:.0%} to {random.high:.0%}.",
    ),
    Finding(
        lambda found: True,
        "“{label}”: no head finds the word more often than random heads. The best of {kind} does in {held_out:.0%} of"
        " the sentences that did not choose it, the best of as many random heads in {random.low:.0%} to"
        " {random.high:.0%}.",
    ),
)
SCORE_FINDINGS = (
    Finding(
        lambda found: found.is_clear,
        "{label}: {best} reaches {score:.0%}, and a head without preference {uniform:.0%}.",
    ),
    Finding(
        lambda found: True,
        "{label}: no head is far above one without preference ({uniform:.0%}); the best is {best}, {score:.0%}.",
    ),
)


@dataclass(frozen=True)
class HeadRoles(OfSample[Roles]):
    """The role of every head, how often it finds the words of gold relations, and whether it copies. `head` names one
    whose strengths are listed: `cross.2.1`, kind, layer and number from 1.
    """

    experiment: ClassVar[str] = "roles"

    part: str = view(ROLES, in_set=False, choices=PARTS, label="Part")
    head: str = view("", scope="run", label="Head")
    relation: str = view("", scope="run", label="Relation")
    score: str = view("", scope="run", label="Score")

    def answer_of(self, found: Mapping[str, Any]) -> Roles:
        return from_json(Roles, found)

    def relation_of(self, answer: Roles) -> list[heads.RelationAccuracy]:
        """How well heads find the chosen relation, for each kind of attention that was asked."""
        chosen = self.relation or answer.default_relation
        return [one for one in answer.relations if one.direction == chosen]

    def score_of(self, answer: Roles) -> str:
        """The slug of the chosen score; empty if none was measured."""
        return self.score if self.score in answer.scores else next(iter(answer.scores), "")

    def head_of(self, answer: Roles) -> PlacedHead:
        """The chosen head; the first one where the chosen one does not exist."""
        kind, layer, number = ([*self.head.split("."), "", "", ""])[:3]
        if kind in answer.kinds and layer.isdecimal() and number.isdecimal():
            n_layers, n_heads = answer.kinds[kind].role.shape
            if 1 <= int(layer) <= n_layers and 1 <= int(number) <= n_heads:
                return PlacedHead(kind, int(layer) - 1, int(number) - 1)
        return PlacedHead(next(iter(answer.kinds)), 0, 0)

    def table(self, answer: Roles) -> Table:
        return {ROLES: _role_table, RELATIONS: _relation_table, INDUCTION: _score_table}[self.part](
            answer
        )

    def finding(self, answer: Roles) -> str:
        if self.part == ROLES:
            return first(ROLE_FINDINGS, role_counts(answer))
        if self.part == RELATIONS:
            each = [*map(relation_facts, self.relation_of(answer))]
            return first(RELATION_FINDINGS, max(each, key=lambda one: one.lead)) if each else ""
        score = self.score_of(answer)
        return first(SCORE_FINDINGS, score_facts(answer, score)) if score else ""


def role_counts(answer: Roles) -> RoleCounts:
    """Facts for the sentence about how many heads have a role."""
    named: list[tuple[float, PlacedHead, str]] = []
    for kind in in_order(answer.kinds):
        found = answer.kinds[kind]
        strengths = found.own_strength
        named += [
            (float(strengths[at]), PlacedHead(kind, *at), str(found.role[at]))
            for at in np.ndindex(*found.role.shape)
        ]
    having = [row for row in named if row[2] != MIXED]
    counts = {slug: sum(role == slug for *_, role in having) for slug in heads.CORPUS_ROLES}
    most = max(counts, key=lambda slug: counts[slug])
    strength, clearest, role = max(having or named, key=lambda row: row[0])
    return RoleCounts(
        len(having),
        len(named),
        f"{answer.n:,} sentences",
        heads.CORPUS_ROLES[most].label,
        counts[most],
        clearest,
        heads.CORPUS_ROLES[role].label,
        strength,
        heads.CORPUS_ROLES[role].threshold,
    )


def relation_facts(one: heads.RelationAccuracy) -> RelationFacts:
    """Facts for the sentence about how well a head finds a relation."""
    chosen = dict.fromkeys(f"layer {layer + 1} head {head + 1}" for layer, head in one.chosen)
    return RelationFacts(
        heads.DIRECTIONS[one.direction].label,
        KIND_NAMES[one.kind],
        " or ".join(chosen),
        one.held_out,
        one.best_random,
    )


def score_facts(answer: Roles, score: str) -> ScoreFacts:
    """Facts about the kind of attention whose best head is furthest above the baseline."""
    kinds = [kind for kind in in_order(answer.induction) if score in answer.induction[kind]]

    def lead(kind: str) -> float:
        return (
            float(answer.induction[kind][score].score.max()) - answer.induction[kind][score].uniform
        )

    kind = max(kinds, key=lead)
    found = answer.induction[kind][score]
    layer, head = np.unravel_index(int(found.score.argmax()), found.score.shape)
    best = PlacedHead(kind, int(layer), int(head))
    return ScoreFacts(SCORES[score], best, float(found.score.max()), found.uniform)


def _role_table(answer: Roles) -> Table:
    rows = heads.role_rows(answer.kinds)
    columns = [*dict.fromkeys(name for row in rows for name in row)]
    about = {role.label.capitalize(): role.rule for role in heads.CORPUS_ROLES.values()}
    about |= {
        "Entropy": "In nats, mean of all rows.",
        "Peak": "The largest weight of a row, mean of all rows.",
        "Distance": "In tokens, mean of all rows.",
    }
    values = [[row.get(name) for name in columns] for row in rows]
    return Table(columns, values, about, tuple(columns[7:]))


def _relation_table(answer: Roles) -> Table:
    columns = ("Relation", "Attention", "Layer", "Head", "Questions", "Hits", "Accuracy")
    ranges = ("Random low", "Random high", "Best random low", "Best random high")
    rows = [
        [
            one.direction,
            one.kind,
            layer + 1,
            head + 1,
            sum(one.n),
            int(one.hits[:, layer, head].sum()),
            float(one.accuracy[layer, head]),
            *one.one_random,
            *one.best_random,
        ]
        for one in answer.relations
        for layer, head in np.ndindex(*one.accuracy.shape)
    ]
    return Table((*columns, *ranges), rows)


def _score_table(answer: Roles) -> Table:
    rows = [
        [kind, name, layer + 1, head + 1, float(one.score[layer, head]), one.uniform, one.n_rows]
        for kind, by_name in answer.induction.items()
        for name, one in by_name.items()
        for layer, head in np.ndindex(*one.score.shape)
    ]
    return Table(("Attention", "Score", "Layer", "Head", "Value", "Baseline", "Rows"), rows)
