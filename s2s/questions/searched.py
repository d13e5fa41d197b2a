"""A search for a translation with the record of its steps, as a tree."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from s2s.analysis import probability_ratio
from s2s.decode import GenerationConfig, SearchTree
from s2s.questions.have import Have
from s2s.questions.question import AboutText, Answer, setting
from s2s.questions.table import Table
from s2s.questions.translate import DEFAULT_STRATEGY, Translate, strategy_names
from s2s.runs.decoder import DecodeRequest
from s2s.words import significant

NEARLY_EQUAL = 1.05  # a ratio of probabilities
MAX_RATIO = 1e6
STEPS_PER_TOKEN = (
    2  # the search decodes each token, and so does the replay that notes what it pruned
)


@dataclass(frozen=True)
class OfSearch(AboutText[Answer]):
    """A question about one search: a sentence decoded by a strategy with its settings."""

    strategy: str = setting(
        DEFAULT_STRATEGY, choices=strategy_names, label="Strategy", in_set=False
    )
    settings: str = setting("{}", help="The strategy's settings as JSON.", in_set=False)

    @property
    def translation(self) -> Translate:
        return Translate(self.run, self.text, self.strategy, self.settings)

    @property
    def values(self) -> dict[str, Any]:
        """The settings that are not at the strategy's defaults. Raises UserError for what is no JSON object."""
        return self.translation.values

    def configured(self, have: Have) -> GenerationConfig:
        """All settings of the search. Raises UserError that names the wrong one."""
        return have.run(self.run).configured(self.strategy, self.values)[1]

    @property
    def tree(self) -> TreeOf:
        return TreeOf(self.run, self.text, self.strategy, self.settings)


@dataclass(frozen=True)
class TreeOf(OfSearch[SearchTree]):
    """Every step of a search: which prefixes it kept, which it pruned and why."""

    name: ClassVar[str] = "search-tree"

    def beside(self, have: Have) -> DecodeRequest:
        folder, step, languages = have.run(self.run).key
        asked = ((self.text,), self.strategy, self.settings)
        return DecodeRequest("tree", folder, step, *asked, languages=languages)

    def ask(self, have: Have) -> SearchTree:
        """Decode with a record. Raises UserError for a search that kept more prefixes than a tree shows."""
        n_tokens = self.configured(have).max_new_tokens or 0
        run = replace(have.run(self.run), on_step=have.steps(STEPS_PER_TOKEN * n_tokens))
        (found,) = run.translate(self.text, self.strategy, **self.values)
        return run.tree(found, self.strategy, **self.values)

    def table(self, answer: SearchTree) -> Table:
        rows = [[node.parent, node.step, node.token, node.log_prob] for node in answer.nodes]
        return Table(("parent", "step", "token", "log-probability"), rows)


def times(ratio: float) -> str:
    """A ratio as text: `3.24` -> `3.2 times`; a ratio near 1 is `about`."""
    if ratio < NEARLY_EQUAL:
        return "about"
    if ratio >= MAX_RATIO:
        return "more than a million times"
    return f"{ratio:.1f} times" if ratio < 10 else f"{ratio:,.0f} times"


def times_as_probable(log_prob: float, other: float) -> str:
    """A comparison of two texts, `3.2 times as probable as`: the more probable one comes first in the sentence."""
    ratio = probability_ratio(max(log_prob, other), min(log_prob, other))
    return f"{times(ratio)} as probable as"


def against(value: float, other: float) -> str:
    """Two values as text, `−0.0733 against −0.0812`: three digits, or as many more as it takes to tell them apart."""
    pairs = ((significant(value, n), significant(other, n)) for n in range(3, 7))
    one, two = next((pair for pair in pairs if pair[0] != pair[1]), (significant(value),) * 2)
    return f"{one} against {two}"
