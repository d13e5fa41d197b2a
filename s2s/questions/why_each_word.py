"""How a search came to its translation: every prefix it kept or pruned, beside the path of greedy search."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from types import MappingProxyType

from s2s.analysis import ROUNDING
from s2s.config import keys
from s2s.decode import (
    KEPT,
    GenerationConfig,
    SearchNode,
    SearchTree,
    maximized_score,
    score_unit,
)
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.question import view
from s2s.questions.searched import OfSearch, against, times_as_probable
from s2s.questions.table import Table
from s2s.questions.translate import Translate, packed
from s2s.runs import DecodedHypothesis, first_difference
from s2s.words import percent

GREEDY = "greedy"
SPACE = "▁"
NOT_OF_GREEDY = ("num_return_sequences", "seed")  # settings of all strategies
FORMULAS = ("power", "gnmt")
PRUNED_SHOWN = MappingProxyType({"none": "none", "few": "the 3 best of each step", "all": "all"})
DRAWN = MappingProxyType({"sample": "Sampling", "beam_sample": "Beam sampling", "mbr": "MBR"})


@dataclass(frozen=True)
class Searched:
    """A search tree with the texts of its hypotheses. Node 0 is the beginning; a node is named by its last token."""

    text: str  # the translation
    strategy: str
    config: GenerationConfig
    tree: SearchTree
    names: Mapping[int, str]  # of the ids of tokens
    texts: Mapping[int, str]  # of the finished and truncated hypotheses, by node
    greedy: DecodedHypothesis | None  # what greedy search writes under the same limits

    @property
    def unit(self) -> str:
        return score_unit(self.config)

    @cached_property
    def best_path(self) -> list[int]:
        return [number for number, node in enumerate(self.tree.nodes) if node.is_best and number]

    @cached_property
    def greedy_path(self) -> list[int]:
        """The nodes of greedy search's path, as far as this search considered it."""
        children = {(node.parent, node.token): at for at, node in enumerate(self.tree.nodes) if at}
        found: list[int] = []
        for token in self.greedy.ids if self.greedy else ():
            if (number := children.get((found[-1] if found else 0, token))) is None:
                break
            found.append(number)
        return found

    def token(self, number: int) -> str:
        """The name of a node: its last token."""
        return self.names[self.tree.nodes[number].token] if number else "start"

    def log_prob_of(self, number: int) -> float:
        """The log-probability of a node's own token, given its prefix, nats."""
        node = self.tree.nodes[number]
        return node.log_prob - self.tree.nodes[node.parent].log_prob

    @property
    def log_prob(self) -> float:
        """The log-probability of the translation, nats."""
        return self.tree.nodes[self.best_path[-1]].log_prob

    @cached_property
    def first_difference(self) -> int | None:
        """The first position, from 0, at which the translation is not greedy's; None where it is greedy's."""
        if not self.greedy or not self.best_path:
            return None
        own = [self.tree.nodes[number].token for number in self.best_path]
        return first_difference(own, self.greedy.ids)

    @property
    def is_parted(self) -> bool:
        return self.first_difference is not None

    @property
    def step(self) -> int:
        return (
            self.tree.nodes[self.least_certain].step
            if self.first_difference is None
            else self.first_difference + 1
        )

    @property
    def own(self) -> str:
        at = self.step - 1
        return _word(self.token(self.best_path[at])) if at < len(self.best_path) else "nothing"

    @property
    def other(self) -> str:
        """The token that greedy wrote where the two first differ; where they don't, the next most probable one."""
        if self.first_difference is None:
            return _word(self.names[self._rival]) if self._rival is not None else "nothing"
        tokens = self.greedy.tokens if self.greedy else ()
        at = self.first_difference
        return _word(tokens[at]) if at < len(tokens) else "nothing"

    @property
    def least_certain(self) -> int:
        """The node of the translation with the lowest probability given its prefix; `</s>` counts only alone."""
        path = [number for number in self.best_path if self.tree.nodes[number].state == KEPT]
        return min(path or self.best_path, key=self.log_prob_of, default=0)

    @property
    def _rival(self) -> int | None:
        node = self.tree.nodes[self.least_certain]
        others = self.tree.next_tokens.get(node.parent, ())
        return next((each.token for each in others if each.token != node.token), None)

    @property
    def probability(self) -> str:
        return percent(math.exp(self.log_prob_of(self.least_certain)))

    @property
    def rival_probability(self) -> str:
        parent = self.tree.nodes[self.least_certain].parent
        log_probs = (
            each.log_prob
            for each in self.tree.next_tokens.get(parent, ())
            if each.token == self._rival
        )
        return percent(math.exp(next(log_probs, -math.inf)))

    @property
    def gain(self) -> float:
        """How much the translation's log-probability is above that of greedy's, nats."""
        return self.log_prob - self.greedy.log_prob if self.greedy else 0.0

    @property
    def ratio(self) -> str:
        return times_as_probable(self.log_prob, self.greedy.log_prob if self.greedy else 0.0)

    @property
    def scores(self) -> tuple[float, float] | None:
        """The scores that the search maximizes, of its translation and of greedy's; None where that is no score of a
        text, or greedy's lacks words that are forced.
        """
        score = maximized_score(self.config)
        if score is None or self.greedy is None or bool(getattr(self.config, "force_words", False)):
            return None
        return (
            score(self.log_prob, len(self.best_path)),
            score(self.greedy.log_prob, len(self.greedy.ids)),
        )

    @property
    def both_scores(self) -> str:
        """The scores of the search's translation and of greedy's: `−0.0733 against −0.0812 nats / length`."""
        own, other = self.scores or (0.0, 0.0)
        return f"{against(own, other)} {self.unit}"

    @property
    def searched(self) -> str:
        name = self.strategy.replace("_", " ").capitalize()
        return DRAWN.get(self.strategy, f"{name} search")


LEFT = (
    "{searched} left greedy's path at step {step}: it wrote “{own}” where greedy writes “{other}”. "
)
FINDINGS = (
    Finding(
        lambda it: it.is_parted and it.gain > ROUNDING,
        LEFT + "Its translation is {ratio} greedy's.",
    ),
    Finding(
        lambda it: it.is_parted and it.scores is not None and it.scores[0] > it.scores[1],
        LEFT + "Greedy's is {ratio} this one, but its score is worse: {both_scores}.",
    ),
    Finding(
        lambda it: it.is_parted and it.scores is not None,
        LEFT + "Greedy's is {ratio} this one and has no worse score: the search missed it.",
    ),
    Finding(lambda it: it.is_parted, LEFT + "Greedy's is {ratio} this one."),
    Finding(
        lambda it: bool(it.best_path) and it.strategy == GREEDY and it.other != "nothing",
        "Greedy search was least certain at step {step}: “{own}” had {probability},"
        " “{other}” {rival_probability}.",
    ),
    Finding(
        lambda it: bool(it.best_path) and it.strategy != GREEDY,
        "{searched} wrote what greedy search writes; it was least certain at step {step}, where"
        " “{own}” had {probability}.",
    ),
)


def _word(token: str) -> str:
    return token.strip(SPACE) or token


def is_number(text: str) -> bool:
    """Whether a text is a finite number, or empty."""
    try:
        return not text or math.isfinite(float(text))
    except ValueError:
        return False


@dataclass(frozen=True)
class WhyEachWord(OfSearch[Searched]):
    """Every step of a search. `node` is inspected, the finished hypotheses are ranked by `rank_penalty` and
    `rank_formula`; empty, these are the least certain token and the search's own settings.
    """

    node: str = view("", scope="search", label="A token of the tree")
    pruned: str = view("few", choices=PRUNED_SHOWN, label="Pruned prefixes to draw")
    whole: bool = view(
        False,
        label="Draw every step",
        help="A tree that is wider than the page starts at the first fork.",
    )
    rank_penalty: str = view("", is_number, scope="search", label="length_penalty")
    rank_formula: str = view(
        "",
        ("", *FORMULAS).__contains__,
        scope="search",
        label="length_formula",
        help="power: length^p. gnmt: ((5 + length) / 6)^p, which changes less with length.",
    )

    def ask(self, have: Have) -> Searched:
        """Search and build the tree. Raises UserError for a search that kept more prefixes than a tree shows."""
        tree = have.answer(self.tree)
        tokenizer = have.run(self.run).tgt_tokenizer
        nodes = {node.token for node in tree.nodes[1:]}
        offered = {each.token for row in tree.next_tokens.values() for each in row}
        ids = sorted(nodes | offered)
        texts = {number: tokenizer.decode(tree.ids(number)) for number in tree.finished}
        greedy = have.answer(self._greedy).hypotheses
        best = max((at for at, node in enumerate(tree.nodes) if node.is_best), default=0)
        return Searched(
            texts.get(best, ""),
            self.strategy,
            self.configured(have),
            tree,
            dict(zip(ids, tokenizer.tokens(ids), strict=True)),
            texts,
            greedy[0] if greedy else None,
        )

    @property
    def _greedy(self) -> Translate:
        shared = {*keys(GenerationConfig)} - {*NOT_OF_GREEDY}
        given = {name: value for name, value in self.values.items() if name in shared}
        return Translate(self.run, self.text, GREEDY, packed(given))

    def inspected(self, answer: Searched) -> int:
        """The number of the node that is inspected, 0 for none."""
        is_there = self.node.isdecimal() and 0 < int(self.node) < len(answer.tree.nodes)
        return int(self.node) if is_there else answer.least_certain

    def table(self, answer: Searched) -> Table:
        greedy = {*answer.greedy_path}
        names = [row.name for row in fields(SearchNode) if row.name != "token"]
        rows = []
        for number, node in enumerate(answer.tree.nodes):
            log_prob = answer.log_prob_of(number) if number else math.nan
            own = [number, answer.token(number), number in greedy, log_prob, math.exp(log_prob)]
            rows.append([*own, *(getattr(node, name) for name in names)])
        columns = ("node", "token", "is_greedy", "token_log_prob", "probability", *names)
        return Table(columns, rows)

    def finding(self, answer: Searched) -> str:
        return first(FINDINGS, answer)
