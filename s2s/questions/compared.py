"""What several ways of decoding made of one sentence, and what is worth saying of it."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from s2s.analysis import ROUNDING, probability_ratio
from s2s.questions.finding import Finding, first
from s2s.runs import Decoded, DecodedHypothesis, Reference
from s2s.words import listed, percent

END = "</s>"
MOST_TIMES = 1e6  # of a ratio as a number
MOST_REASONS = 2
WORD_MARKS = "▁Ġ"  # with which tokenizers begin a word
# What a sampling row is called that changes one of these alone.
ONE_SETTING = MappingProxyType({"top_p": "top-p", "top_k": "top-k", "temperature": "temperature"})
UNNAMED = ("seed", "max_new_tokens")  # settings that say nothing about the kind of row


@dataclass(frozen=True)
class ComparedRow:
    """One row of a comparison: how a sentence was decoded, and what came of it.

    `times` says how many times as probable its translation is as the first row's, by the model of the first row;
    `of_best` is the score that its own search gives to the most probable translation, where no setting forbids that
    one. Both are NaN where they say nothing. chrF and BLEU are NaN without a reference.
    """

    run: str  # as questions name it
    strategy: str
    settings: str  # JSON
    found: Decoded | None = None  # None: not there (yet); `problem` says why, if it is known
    problem: str = ""
    per_token: float = math.nan  # mean log-probability, nats
    times: float = math.nan
    of_best: float = math.nan
    length_penalty: float = math.nan
    chrf: float = math.nan
    bleu: float = math.nan

    @property
    def values(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.settings)
        return found

    @property
    def name(self) -> str:
        changed = {name: value for name, value in self.values.items() if name not in UNNAMED}
        if self.strategy == "sample" and len(changed) == 1 and {*changed} <= {*ONE_SETTING}:
            ((setting, value),) = changed.items()
            return f"{ONE_SETTING[setting]} {value}"
        return self.strategy.replace("_", " ")

    @property
    def changed(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in self.values.items())

    @property
    def more(self) -> str:
        is_said = self.strategy == "sample" != self.name
        kept = {name: value for name, value in self.values.items() if name not in ONE_SETTING}
        return replace(self, settings=json.dumps(kept)).changed if is_said else self.changed

    @property
    def best(self) -> DecodedHypothesis | None:
        """The first hypothesis of this row; None where nothing is decoded."""
        return self.found.hypotheses[0] if self.found and self.found.hypotheses else None

    @property
    def text(self) -> str:
        return self.found.text if self.found else ""

    @property
    def is_ended(self) -> bool:
        """Whether the translation ends with `</s>`; a truncated one has no comparable probability."""
        return self.best is not None and self.best.tokens[-1] == END


@dataclass(frozen=True)
class Compared:
    """Decodings of one sentence; with several `models`, `forced` has each output scored by each, None if too long."""

    source: str
    reference: str
    rows: tuple[ComparedRow, ...]
    models: tuple[str, ...] = ()
    forced: tuple[tuple[Reference | None, ...], ...] = ()  # by row and model

    @property
    def finding(self) -> str:
        facts = Ranking(self)
        reasons = [said for each in REASONS if (said := each.said(facts))]
        return " ".join(filter(None, (first(FINDINGS, facts), *reasons[:MOST_REASONS])))


@dataclass(frozen=True)
class Ranking:
    """The facts of a comparison: whose translation is the most probable, and what the others are to it."""

    compared: Compared

    @cached_property
    def rows(self) -> list[ComparedRow]:
        return [row for row in self.compared.rows if row.is_ended]

    @property
    def n(self) -> int:
        return len(self.rows)

    @property
    def is_whole(self) -> bool:
        """Whether every row of the comparison that can be decoded has a whole translation."""
        return self.n == sum(not row.problem for row in self.compared.rows) > 0

    @property
    def is_one_model(self) -> bool:
        """Whether one model wrote all rows, so that their probabilities can be compared as they are."""
        return self.is_whole and not self.compared.models

    @property
    def is_ranked(self) -> bool:
        """Whether one model wrote several translations, of which one is more probable than the others."""
        return self.is_one_model and bool(self.others)

    @cached_property
    def best(self) -> ComparedRow:
        return max(self.rows, key=_log_prob)

    @cached_property
    def others(self) -> list[ComparedRow]:
        return [row for row in self.rows if row.text != self.best.text]

    @property
    def verb(self) -> str:
        """The beginning of a sentence about who wrote the most probable translation: `Greedy and beam write`."""
        writers = [row for row in self.rows if row.text == self.best.text]
        names = listed([self.called(row) for row in writers])
        said = f"{names} write" if len(writers) > 1 else f"{names}'s translation is"
        return said[:1].upper() + said[1:]

    @property
    def ratios(self) -> str:
        ranked = sorted(self.others, key=_log_prob, reverse=True)
        said = [f"{_times(self.best, row)} as {self.called(row)}'s" for row in ranked]
        return listed([said[0].replace(" as ", " as probable as ", 1), *said[1:]])

    @property
    def share(self) -> str:
        return percent(math.exp(_log_prob(self.best)))

    def where(self, rows: Sequence[ComparedRow]) -> str:
        """The first row's first difference from the best: `at token 6 “zu” (27%) instead of “früh” (24%)`; or empty."""
        one, best = rows[0].best, self.best.best
        if not (one and best):
            return ""
        pairs = zip(one.ids, best.ids, strict=False)
        at = next((at for at, (own, other) in enumerate(pairs) if own != other), None)
        if at is None:
            return ""
        own, other = (
            f"“{each.tokens[at].lstrip(WORD_MARKS) or each.tokens[at]}” ({percent(math.exp(each.token_log_probs[at]))})"
            for each in (one, best)
        )
        return f"at token {at + 1} {own} instead of {other}"

    @property
    def where_preferred(self) -> str:
        """The first difference from the best of a translation that its own search prefers; or empty."""
        return self.where(self._preferred)

    @property
    def where_greedy(self) -> str:
        return self.where(self._greedy)

    @property
    def where_drawn(self) -> str:
        return self.where(self._drawn)

    @property
    def _preferred(self) -> list[ComparedRow]:
        return [row for row in self.others if row.best and row.best.score > row.of_best]

    @property
    def preferred(self) -> str:
        """The name, `Beam`, of whose search ranks its less probable translation above the best; empty for none."""
        return self._beginning(self._preferred)

    @property
    def is_likelier(self) -> bool:
        return any(row.per_token > self.best.per_token for row in self._preferred[:1])

    @property
    def penalty(self) -> str:
        return "".join(f"{row.length_penalty:g}" for row in self._preferred[:1])

    @property
    def missed(self) -> str:
        """Whose search would have ranked the most probable translation above its own, had it found it."""
        return self._beginning([row for row in self._missing if row.strategy != "greedy"])

    @property
    def _missing(self) -> list[ComparedRow]:
        rows = self.others
        return [row for row in rows if row.best and row.of_best > row.best.score + ROUNDING]

    @property
    def greedy(self) -> str:
        """Who takes the most probable token at each step, and writes a less probable translation."""
        return self._beginning(self._greedy)

    @property
    def _greedy(self) -> list[ComparedRow]:
        return [row for row in self._missing if row.strategy == "greedy"]

    @property
    def drawn(self) -> str:
        return self._beginning(self._drawn)

    @property
    def _drawn(self) -> list[ComparedRow]:
        known = {row.text for row in self.others if row.strategy != "sample"}
        rows = self.others
        return [row for row in rows if row.strategy == "sample" and row.text not in known]

    @cached_property
    def winners(self) -> list[int]:
        return [
            max(
                range(len(column)),
                key=[one.log_prob if one else -math.inf for one in column].__getitem__,
            )
            for column in zip(*self.compared.forced, strict=True)
        ]

    @property
    def favorite(self) -> str:
        return self.called(self.compared.rows[self.winners[0]])

    def called(self, row: ComparedRow) -> str:
        """A row's name: `beam`, or `row 2 (beam)` if two rows have the same name."""
        rows = self.compared.rows
        if sum(one.name == row.name for one in rows) == 1:
            return row.name
        number = next(number for number, one in enumerate(rows, 1) if one is row)
        return f"row {number} ({row.name})"

    def _beginning(self, rows: Sequence[ComparedRow]) -> str:
        called = self.called(rows[0]) if rows else ""
        return called[:1].upper() + called[1:]


FINDINGS = (
    Finding(
        lambda facts: facts.is_one_model and facts.n == 1,
        "The model gives this translation a probability of {share}.",
    ),
    Finding(
        lambda facts: facts.is_whole and facts.n > 1 and len({row.text for row in facts.rows}) == 1,
        "All {n} rows write the same translation.",
    ),
    Finding(
        lambda facts: facts.is_ranked and facts.verb.endswith("write"),
        "{verb} the most probable translation: {ratios}.",
    ),
    Finding(lambda facts: facts.is_ranked, "{verb} the most probable: {ratios}."),
    Finding(
        lambda facts: facts.is_whole and len({*facts.winners}) == 1,
        "Every model finds {favorite}'s translation the most probable.",
    ),
    Finding(
        lambda facts: facts.is_whole and len({*facts.winners}) == len(facts.compared.models) > 1,
        "Each model finds another translation the most probable.",
    ),
)
REASONS = (
    Finding(
        lambda facts: facts.is_ranked and facts.is_likelier,
        "{preferred}'s is more probable per token, and length_penalty {penalty} prefers it: {where_preferred}.",
    ),
    Finding(
        lambda facts: facts.is_ranked and facts.preferred and not facts.is_likelier,
        "{preferred}'s is preferred by length_penalty {penalty}.",
    ),
    Finding(
        lambda facts: facts.is_ranked and facts.missed,
        "{missed} made a search error: its own score is higher for the most probable one.",
    ),
    Finding(
        lambda facts: facts.is_ranked and facts.greedy,
        "{greedy} takes the most probable token at each step, and so missed that translation: {where_greedy}.",
    ),
    Finding(
        lambda facts: facts.is_ranked and facts.drawn,
        "{drawn} draws tokens at random: {where_drawn}.",
    ),
)


def _log_prob(row: ComparedRow) -> float:
    return row.found.log_prob if row.found else -math.inf


def _times(one: ComparedRow, other: ComparedRow) -> str:
    ratio = probability_ratio(_log_prob(one), _log_prob(other))
    if ratio >= MOST_TIMES:
        return "more than a million times"
    return f"{ratio:,.0f} times" if ratio >= 1000 else f"{ratio:.3g} times"
