"""The next token at one position of a translation: its distribution, and what temperature and filters leave of it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import torch

from s2s.analysis import Floats
from s2s.config import UserError, override, shortened, values_of_texts
from s2s.decode import (
    FILTERS,
    FilterEffect,
    Truncation,
    TruncationReport,
    distribution_entropy,
    inspect_truncation,
    is_filter_set,
)
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.question import AboutText, setting, view
from s2s.questions.searched import OfSearch, times_as_probable
from s2s.questions.table import Table
from s2s.questions.translate import Translate
from s2s.runs import Decoded
from s2s.words import fine_percent, nats

# Initial values, about as the filters' papers use them. Links leave out what is equal to them: never change one.
START = Truncation(
    top_h=0.4,
    top_k=10,
    top_p=0.95,
    min_p=0.05,
    typical_p=0.95,
    epsilon_cutoff=0.0009,
    eta_cutoff=0.0009,
)
TEMPERATURE = "temperature"
SETTINGS = (TEMPERATURE, *FILTERS)
FIELD = "filter_"  # how the settings' names begin among the question's fields
MIN_TEMPERATURE, MAX_TEMPERATURE = 0.1, 3.0
ALL = "all together"
N_OFFERED = 8  # candidates of each position
MOST_NAMED = 1000  # most probable tokens whose text is known
CERTAIN = 0.9  # a probability
RIVAL = 0.5  # a share of the most probable token's probability
NUMBERS = re.compile(r"\d{1,9}(\.\d{1,9})*", re.ASCII)


@dataclass(frozen=True)
class Distributions:
    """Log-probabilities at each position of a target, (positions, vocab), nats."""

    log_probs: Floats


@dataclass(frozen=True)
class NextTokens(AboutText[Distributions]):
    """The distributions of the next token after each prefix of the target `ids`."""

    ids: tuple[int, ...] = setting(())

    def ask(self, have: Have) -> Distributions:
        return Distributions(have.run(self.run).next_tokens(self.text, self.ids).numpy())

    def table(self, answer: Distributions) -> Table:
        rows = enumerate(zip(answer.log_probs.argmax(1), answer.log_probs.max(1), strict=True), 1)
        columns = ("position", "most probable id", "log-probability")
        return Table(columns, [[at, int(token), float(value)] for at, (token, value) in rows])


class Candidate(NamedTuple):
    """A candidate for the next token, with its probability."""

    id: int
    token: str
    probability: float


@dataclass(frozen=True)
class NextCandidates:
    """The candidates at every position of a translation, and the next token's whole distribution at one of them."""

    found: Decoded  # the translation, with its forced beginning
    own: Decoded  # the model's own
    n_forced: int  # tokens
    position: int  # from 0
    probabilities: tuple[float, ...]  # of each token of the translation
    candidates: tuple[tuple[Candidate, ...], ...]  # of each position, the most probable first
    log_probs: Floats  # (vocab,) at the position, nats, without temperature and filters
    names: Mapping[int, str]  # of the most probable tokens

    @property
    def number(self) -> int:
        """The inspected position, from 1."""
        return self.position + 1

    @property
    def top(self) -> tuple[Candidate, ...]:
        return self.candidates[self.position]

    @property
    def shares(self) -> list[str]:
        return [fine_percent(each.probability) for each in self.top]

    @property
    def forced(self) -> str:
        return (
            "The first token is" if self.n_forced == 1 else f"The first {self.n_forced} tokens are"
        )

    @property
    def cost(self) -> str:
        one, other = f"its own translation “{self.own.text}”", "this one"
        ratio = times_as_probable(self.own.log_prob, self.found.log_prob)
        if self.own.log_prob < self.found.log_prob:
            one, other = other, one
        return f"{one} is {ratio} {other}"

    @property
    def log_prob_pair(self) -> str:
        """Log-probabilities of this translation and of the model's own: `−5.20 against −0.40 nats`."""
        return f"{nats(self.found.log_prob)} against {nats(self.own.log_prob)} nats"


FINDINGS = (
    Finding(
        lambda it: it.n_forced > 0,
        "{forced} forced, the rest is the model's: {cost} ({log_prob_pair}).",
    ),
    Finding(
        lambda it: it.top[0].probability >= CERTAIN,
        "At position {number} the model is nearly certain of “{top[0].token}”: {shares[0]}.",
    ),
    Finding(
        lambda it: it.top[1].probability > RIVAL * it.top[0].probability,
        "At position {number} the model hesitates between “{top[0].token}” ({shares[0]}) and “{top[1].token}”"
        " ({shares[1]}).",
    ),
)


def _takes(name: str) -> Any:
    def check(text: str) -> bool:
        try:
            value = override(START, values_of_texts(Truncation, {name: text} if text else {}))
        except (UserError, ValueError):
            return False
        return MIN_TEMPERATURE <= value.temperature <= MAX_TEMPERATURE

    return check


def _filter(name: str) -> Any:
    usual = f"Empty: {getattr(START, name):g}."
    return view("", _takes(name), link=f"ruler_{name}", label=name, help=usual)


@dataclass(frozen=True)
class NextToken(OfSearch[NextCandidates]):
    """The candidates for the token at a position, counted from 1; empty, that of highest entropy. The target begins
    with the ids in `forced`, such as `6.152`, and the strategy continues. Temperature and filters change the picture
    alone.
    """

    forced: str = setting("", scope="sentence", help="Ids with dots between: 6.152.")
    at: str = setting("", scope="sentence", label="Position", help="From 1.")
    filter_temperature: str = _filter("temperature")
    filter_top_h: str = _filter("top_h")
    filter_top_k: str = _filter("top_k")
    filter_top_p: str = _filter("top_p")
    filter_min_p: str = _filter("min_p")
    filter_typical_p: str = _filter("typical_p")
    filter_epsilon_cutoff: str = _filter("epsilon_cutoff")
    filter_eta_cutoff: str = _filter("eta_cutoff")
    log_scale: str = view(
        "",
        ("", "true").__contains__,
        link="ruler_log",
        label="Logarithmic bars",
        help="`true` shows improbable tokens, too.",
    )

    def ask(self, have: Have) -> NextCandidates:
        """Translate and list candidates. Raises UserError for a position or a beginning that there is not."""
        own = have.answer(self.translation)
        found = have.answer(self.continued)
        if not found.hypotheses:
            raise UserError("Without a sentence there is no next token; type one.")
        ids = found.hypotheses[0].ids
        rows = have.answer(NextTokens(self.run, self.text, ids[:-1])).log_probs
        position = self._position(rows)
        tokens = have.run(self.run).tgt_tokenizer.tokens
        probabilities = tuple(math.exp(row[token]) for row, token in zip(rows, ids, strict=True))
        best = torch.from_numpy(rows).topk(min(N_OFFERED, rows.shape[1]))
        candidates = tuple(
            tuple(map(Candidate, each, tokens(each), log_probs))
            for each, log_probs in zip(
                best.indices.tolist(), best.values.exp().tolist(), strict=True
            )
        )
        order = (
            torch.from_numpy(rows[position]).topk(min(MOST_NAMED, rows.shape[1])).indices.tolist()
        )
        names = dict(zip(order, tokens(order), strict=True))
        n_forced = len(self.forced_ids)
        return NextCandidates(
            found, own, n_forced, position, probabilities, candidates, rows[position].copy(), names
        )

    @property
    def forced_ids(self) -> tuple[int, ...]:
        """The ids of the forced beginning: `6.152` -> `(6, 152)`. Raises UserError for another text."""
        if not self.forced:
            return ()
        if not NUMBERS.fullmatch(self.forced):
            raise UserError(f"`{shortened(self.forced)}` are not numbers separated by dots.")
        return tuple(map(int, self.forced.split(".")))

    @property
    def continued(self) -> Translate:
        return replace(self.translation, prefix=self.forced_ids)

    def _position(self, rows: Floats) -> int:
        n = len(rows)
        if not self.at:
            given = torch.from_numpy(rows)
            return max(range(max(1, n - 1)), key=lambda at: distribution_entropy(given[at]))
        if not (self.at.isdecimal() and 1 <= int(self.at) <= n):
            raise UserError(
                f"There is no position {shortened(self.at)} in this translation; it has {n} tokens."
            )
        return int(self.at) - 1

    @property
    def truncation(self) -> Truncation:
        given = {name: getattr(self, FIELD + name) for name in SETTINGS}
        set_ones = {name: text for name, text in given.items() if text}
        return override(START, values_of_texts(Truncation, set_ones))

    def report(self, answer: NextCandidates) -> TruncationReport:
        """How many tokens, and how much probability, temperature and filters leave."""
        return inspect_truncation(torch.from_numpy(answer.log_probs), self.truncation)

    def active(self, report: TruncationReport) -> dict[str, FilterEffect]:
        """The effect of each filter that is set, and of all together."""
        config = self.truncation
        active = {name: left for name, left in report.alone.items() if is_filter_set(config, name)}
        return active | {ALL: report.together}

    def table(self, answer: NextCandidates) -> Table:
        report = self.report(answer)
        kept = {name: left.stays.tolist() for name, left in self.active(report).items()}
        raw, warm = answer.log_probs.tolist(), report.log_probs.tolist()
        rows = [
            [
                rank,
                token,
                answer.names.get(token, ""),
                raw[token],
                warm[token],
                math.exp(warm[token]),
                *(int(stays[token]) for stays in kept.values()),
            ]
            for rank, token in enumerate(report.order.tolist(), 1)
        ]
        at_temperature = ("log_prob_at_temperature", "probability_at_temperature")
        return Table(("rank", "id", "token", "log_prob", *at_temperature, *kept), rows)

    def finding(self, answer: NextCandidates) -> str:
        is_itself = self.truncation.temperature == 1
        said = first(FINDINGS, answer)
        return said if is_itself else said.replace("At position", "At temperature 1 and position")


def filters_table(question: NextToken, answer: NextCandidates) -> Table:
    """A table of what each filter alone, and all together, would keep."""
    report, config = question.report(answer), question.truncation
    rows = [
        [
            name,
            _value(config, name),
            left.n,
            left.mass,
            left.entropy,
            _threshold(left),
        ]
        for name, left in (*report.alone.items(), (ALL, report.together))
    ]
    columns = (
        "filter",
        "value",
        "tokens left",
        "probability left",
        "entropy left (nats)",
        "threshold",
    )
    return Table(columns, rows, shares=("probability left",))


def _value(config: Truncation, name: str) -> str:
    if name == ALL:
        return ""
    return f"{getattr(config, name):g}" if is_filter_set(config, name) else "off"


def _threshold(left: FilterEffect) -> str:
    if bool(left.stays.all()):
        return "keeps all"
    if left.threshold is not None:
        return f"removes tokens below {fine_percent(left.threshold)}"
    if left.rank is None:
        return "no single threshold: it removes tokens that are more probable than some it keeps"
    if left.rank == 1:
        return "keeps the most probable"
    return f"keeps the {left.rank:,} most probable"
