"""Several systems on a test set: a stored evaluation, or one that is requested by what it is made of."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s.config import shortened
from s2s.jobs import EvaluationRequest, test_sets
from s2s.questions import evaluation_request
from s2s.questions.evaluated import Evaluated, read
from s2s.questions.evaluation_request import BEST, EVERY, LAST, NO_SWEEP
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.question import RUN, VIEW, Question, setting, subject, view
from s2s.questions.table import Table
from s2s.scores import AUTO, ROUGE_TOKENIZERS, SIGNIFICANT, SPACES, TOKENIZERS, differs

SENTENCES = 200  # of a dataset
EVALUATION = "evaluation"  # the scope of what belongs to one evaluation
CHECKPOINTS = MappingProxyType(
    {BEST: "best checkpoint", LAST: "last checkpoint", EVERY: "all checkpoints"}
)
MEASURE = "chrf"  # what findings compare by
SAME = 0.05  # of a score: a smaller difference is not shown
COLUMNS = (
    "system",
    "score",
    "value",
    "low",
    "high",
    "difference",
    "difference_low",
    "difference_high",
    "p_value",  # sacrebleu's paired bootstrap
    "signature",
    "p_randomization",
    "run",
    "checkpoint",
    "settings",
    "seed",
    "n",
    "data_hash",
    "files",
    "subset",
    "versions",
    "command",
)


@dataclass(frozen=True)
class Evaluate(Question[Evaluated]):
    """A stored `evaluation` by its id; else `runs` at their `checkpoints`, with each of the `strategies` (names with
    spaces between), on `n` sentences of `test`, one of a run's test sets or a dataset. Where it is not stored, it is
    made in this process, and kept. Systems are numbered from 1.
    """

    runs: tuple[str, ...] = subject(RUN, ())
    evaluation: str = subject("evaluation", in_set=True, is_alone=True)
    test: str = subject("test set", in_set=True, scope="run", label="Sentences")
    n: int = setting(
        SENTENCES,
        lambda n: 1 <= n <= test_sets.MAX_SENTENCES,
        label="How many",
        help=f"Spread evenly over the test set; always the same sentences. At most {test_sets.MAX_SENTENCES:,}.",
    )
    every: bool = setting(
        False,
        label="All sentences",
        help=f"The whole test set, up to {test_sets.MAX_SENTENCES:,} sentences.",
    )
    grouped: bool = setting(
        False,
        label="Group equal sources",
        help="Pairs of the same source become one sentence with several references, as in data-to-text.",
    )
    strategies: str = setting("greedy beam", label="Strategies")
    settings: str = setting(
        "{}", in_set=False, help='Settings by strategy as JSON: {"beam": {"num_beams": 10}}.'
    )
    checkpoints: str = setting(
        BEST,
        choices=CHECKPOINTS,
        label="Checkpoints",
        help="Best: the lowest validation loss. Best and last are those at the moment of Evaluate; the result says the"
        " step.",
    )
    sweep: str = setting(NO_SWEEP, label="Setting")  # `num_beams of beam`
    values: str = setting("", scope="sweep", label="Values")
    baseline: str = setting(
        "",
        label="Baseline",
        help="The system that every other one is tested against, on the same sentences; by default the first.",
    )
    tokenizer: str = setting(AUTO, (AUTO, *TOKENIZERS).__contains__, label="Tokenizer of BLEU")
    chrf_words: bool = setting(
        False,
        label="chrF++",
        help="chrF with words and word pairs besides characters (Popović 2017).",
    )
    lowercase: bool = setting(
        False, label="Ignore case", help="In BLEU and chrF; TER and ROUGE always do."
    )
    rouge: str = setting(
        SPACES,
        tuple(ROUGE_TOKENIZERS).__contains__,
        label="Words of ROUGE",
        help="rouge_score is the default of the package of that name, which papers on English summaries use. It drops"
        " all but the letters a to z and digits, so choose it for English references only.",
    )
    stemmer: bool = setting(
        False,
        label="Stemmer",
        help="Compares the stems of English words (Porter 1980). Only with rouge_score.",
    )
    metrics: bool = view(False, is_part=True, label="All metrics")
    quality: str = view("", is_part=True, label="Score")
    points_of: str = view("", scope=EVALUATION, is_part=True, label="System of the points")
    across: str = view("chrf", is_part=True, label="Across")
    up: str = view("", is_part=True, label="Up")
    system: str = view("", scope=EVALUATION, link="of", is_part=True, label="System")
    other: str = view("", scope=EVALUATION, is_part=True, label="Compared with")
    sort: str = view("chrf", is_part=True, label="Sort by")
    is_reversed: bool = view(False, link="reversed", is_part=True, label="Reverse order")
    by: str = view("chrf", is_part=True, label="By")
    find: str = view(
        "",
        scope=EVALUATION,
        is_part=True,
        label="Search",
        help="Sentences whose source, references or translations have this text.",
    )
    sentence: int = view(0, scope=EVALUATION, is_part=True)  # its number; 0: the first shown

    def __post_init__(self) -> None:
        if isinstance(self.runs, str):
            object.__setattr__(self, "runs", tuple(self.runs.split()))

    def ask(self, have: Have) -> Evaluated:
        """The result. Raises UserError for a request that contradicts itself or a limit, or cannot be opened."""
        if self.evaluation:
            return read(have.evaluation(self.evaluation), have)
        return read(evaluation_request.carried_out(self.request(have), have), have)

    def request(self, have: Have) -> EvaluationRequest:
        """The evaluation that the fields request, where no stored one is named. Raises UserError as `ask` does."""
        return evaluation_request.request(self, have)

    def of_stored(self, evaluation: str) -> Evaluate:
        """The question about a stored evaluation, shown in the same way."""
        names = (row.name for row in self.declared() if row.metadata["kind"] == VIEW)
        return Evaluate(evaluation=evaluation, **{name: getattr(self, name) for name in names})

    def stamp(self, have: Have) -> Hashable:
        """What the key has beside the fields: a stored evaluation's state, which changes, and what guests see of it."""
        known = None if self.evaluation else evaluation_request.known(self.request(have), have)
        place = have.evaluation(self.evaluation) if self.evaluation else known
        if place is None:
            return object()  # equal to no other: it is made now
        what = place.evaluation()
        files = {path.name: path.stat() for path in place.path.glob("*.json")}
        written = tuple((name, one.st_mtime_ns, one.st_size) for name, one in sorted(files.items()))
        titles = have.titles(system.run for system in what.systems)
        return written, have.is_own(what), have.may_see_sentences(what), tuple(titles.items())

    def table(self, answer: Evaluated) -> Table:
        described = answer.provenance.get("systems") or [{} for _ in answer.systems]
        rows = [
            row
            for number, own in enumerate(described[: len(answer.systems)])
            for row in _rows(answer, number, own)
        ]
        return Table(COLUMNS, rows)

    def finding(self, answer: Evaluated) -> str:
        has_some = answer.is_final and bool(answer.present([MEASURE]))
        return first(FINDINGS, compared(answer)) if has_some else ""


def _rows(answer: Evaluated, number: int, own: Mapping[str, Any]) -> list[list[Any]]:
    system = answer.evaluation.systems[number]
    scores = answer.systems[number]
    test = answer.evaluation.test
    versions = answer.provenance.get("versions", {})
    settings = own.get("settings", dict(system.settings))
    made = [
        system.run,
        system.step or "",
        json.dumps(settings),
        settings.get("seed", "") if "settings" in own else "",
        answer.n,
        test.hash,
        "; ".join(name for name in (*test.files, system.uploaded) if name),
        answer.provenance.get("test", {}).get("subset", ""),
        "; ".join(f"{name} {version}" for name, version in versions.items()),
        str(own.get("command", "")),
    ]
    keys = [*scores.get("scores", {})]
    keys += ["sentences_per_second"] * (scores.get("sentences_per_second") is not None)
    rows = []
    for key in keys:
        interval = scores.get("scores", {}).get(key, {})
        pair = scores.get("paired", {}).get(key, {})
        numbers = [interval.get("low"), interval.get("high")]
        numbers += [pair.get(name) for name in ("difference", "low", "high", "p_value")]
        signature = scores.get("signature", {}).get(key, "")
        p = pair.get("p_randomization")
        rows.append([system.name, key, answer.value(number, key), *numbers, signature, p, *made])
    return rows


class Compared(NamedTuple):
    """Facts about two systems: the best one and the baseline, or the two best if the baseline is the best."""

    n: str  # `200 sentences`
    label: str  # `chrF`
    ours: str
    best: float
    interval: str  # of the best score
    theirs: str
    pair: Mapping[str, float]  # ours minus theirs; empty without a paired test
    n_systems: int
    spread: float  # between the highest and the lowest score
    is_alike: bool  # all have one signature: otherwise they do not compare

    @property
    def n_pairs(self) -> int:
        return self.n_systems - 1

    @property
    def every(self) -> str:
        return "Both systems" if self.n_systems == 2 else f"All {self.n_systems} systems"

    @property
    def looks_alike(self) -> bool:
        """Whether all systems have the same score to the digits that are shown."""
        return self.spread < SAME and f"{self.best:.1f}" == f"{self.best - self.spread:.1f}"

    @property
    def is_significant(self) -> bool:
        return bool(self.pair) and differs(self.pair)

    @property
    def is_clear(self) -> bool:
        """Whether the difference is significant even after a Bonferroni correction for all comparisons."""
        p = self.pair.get("p_randomization", float(self.n_pairs > 1))  # of an earlier version: none
        return self.is_significant and p * self.n_pairs < SIGNIFICANT

    @property
    def difference(self) -> str:
        return _number(self.pair["difference"])

    @property
    def test(self) -> str:
        p = self.pair.get("p_randomization")
        said = "" if p is None else ", p < 0.001" if p < 0.001 else f", p = {p:.3f}"
        low, high = (_number(self.pair[end]) for end in ("low", "high"))
        return f"95 % interval {low} to {high}{said}"


def compared(answer: Evaluated) -> Compared:
    """The facts that findings are about."""
    values = {i: answer.value(i, MEASURE) for i in range(len(answer.systems))}
    known = {i: value for i, value in values.items() if value is not None}
    best, *others = sorted(known, key=lambda i: -known[i])
    baseline = answer.evaluation.baseline
    other = next(iter(others), best) if best == baseline else baseline
    own = answer.systems[best]["scores"][MEASURE]
    said = f", 95 % interval {own['low']:.1f} to {own['high']:.1f}" if "low" in own else ""
    pair = answer.systems[other if best == baseline else best].get("paired", {}).get(MEASURE, {})
    if pair and best == baseline:
        turned = {"difference": -pair["difference"], "low": -pair["high"], "high": -pair["low"]}
        pair = {**pair, **turned}
    signatures = {answer.systems[i].get("signature", {}).get(MEASURE) for i in known}
    return Compared(
        f"{answer.n:,} sentence{'s' * (answer.n != 1)}",
        answer.metrics[MEASURE].label,
        _named(answer.names[best]),
        known[best],
        said,
        _named(answer.names[other]),
        pair,
        len(known),
        known[best] - min(known.values()),
        len(signatures) == 1,
    )


def _named(name: str) -> str:
    return f"“{shortened(name, 60)}”" if " " in name else shortened(name, 60)


def _number(value: float) -> str:
    return f"{value:.2f}" if 0.005 <= abs(value) < 0.1 else f"{value:z.1f}"


BETTER = "{ours} is {difference} {label} better than {theirs}: {test}"
# The first that holds is said.
FINDINGS = (
    Finding(
        lambda found: found.n_systems == 1, "{ours} reaches {best:.1f} {label} on {n}{interval}."
    ),
    Finding(
        lambda found: not found.is_alike,
        "The systems have different signatures of {label}, so these scores do not compare.",
    ),
    Finding(
        lambda found: found.looks_alike and not found.is_significant,
        "{every} have the same {label} on {n}: {best:.1f}.",
    ),
    Finding(lambda found: found.is_clear, BETTER + "."),
    Finding(
        lambda found: found.is_significant,
        BETTER + "; among {n_pairs} comparisons, chance alone may give that.",
    ),
    Finding(
        lambda found: bool(found.pair),
        "No difference that {n} could show: {ours} has {difference} {label} more than {theirs}, {test}.",
    ),
)
