"""The scores of an evaluation as tables: with the best marked, tested against the baseline, and its errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from s2s.analysis import count_errors
from s2s.config import shortened
from s2s.questions import Evaluated, Table
from s2s.scores import MEASURES, METRIC_NAMES, METRICS, SIGNIFICANT, differs
from s2s.words import FRACTIONS, MetricName

BEST = "★"
DIFFERS = "*"
NONE = "–"
LONGEST = 40  # characters of a system's name
COLUMNS = (*METRICS, *MEASURES, "perplexity", "token_accuracy", "loss", "sentences_per_second")
MAIN_COLUMNS = (
    "bleu",
    "chrf",
    "ter",
    "exact_match",
    "perplexity",
    "length_ratio",
    "distinct_2",
    "sentences_per_second",
)
FORMATS = MappingProxyType(
    {
        "perplexity": "{:.2f}",
        "loss": "{:.3f}",
        "sentences_per_second": "{:,.0f}",
        "length_ratio": "{:.2f}",
    }
)
FORCED = frozenset({"loss", "perplexity", "token_accuracy"})  # of a reference, not of an output
FIRST_ONLY = " Of the first reference of each sentence; the others do not count here."
ERRORS = (
    "System",
    "Search errors",
    "Copies",
    "Repetitions",
    "Omissions",
    "Any quality flag",
)
ABOUT_TESTS = (
    "Each system minus {baseline}, on the same sentences. Interval: paired bootstrap. p: the probability of a"
    " difference at least this large in either direction if the two systems were interchangeable, by approximate"
    " randomization (Riezler and Maxwell 2005). sacrebleu's p: its paired bootstrap test, for comparison with papers"
    " that report it; it finds a difference between equal systems more often than its p says. Among many comparisons,"
    " some p-values are small by chance."
)
ABOUT_ERRORS = (
    "Of all {n:,} sentences. Search error: the model gives the reference a higher log-probability than its output."
    " Copy: the output is the source. The others are quality flags, which are reasons to look, not verdicts."
)
FIRST_REFERENCE = (
    " Where a sentence has several references, the first is the reference here: an output that equals another one may"
    " count as an error."
)


def keys(answer: Evaluated, *, every: bool) -> list[str]:
    """The keys of the columns to show: all scores, or only the main ones and those from files."""
    found = answer.present([*COLUMNS, *(name.key for name in answer.given)])
    return [key for key in found if every or key in MAIN_COLUMNS or key not in COLUMNS]


def has_more(answer: Evaluated) -> bool:
    """Whether the table of scores can show more columns than the main ones."""
    return keys(answer, every=True) != keys(answer, every=False)


def score_cells(answer: Evaluated, *, every: bool) -> Table:
    """The table of scores, `★ 34.1 ± 1.2 *`: one row per system, with what it was made with."""
    names = [answer.metrics[key] for key in keys(answer, every=every)]
    columns = [cells(name, answer) for name in names]
    made = [[each.run, each.checkpoint, each.settings] for each in answer.made]
    rows = [
        [name, *(column[number] for column in columns), *made[number]]
        for number, name in enumerate(_short(answer.names))
    ]
    about = {name.label: _about(name, answer) for name in names}
    head = ("System", *(name.label for name in names), "Run", "Checkpoint", "Settings")
    return Table(head, rows, about)


def _short(names: Sequence[str]) -> Sequence[str]:
    half = LONGEST // 2
    found = [name if len(name) <= LONGEST else f"{name[:half]}…{name[-half:]}" for name in names]
    return found if len({*found}) == len(names) else names


def _about(name: MetricName, answer: Evaluated) -> str:
    first = FIRST_ONLY if name.key in FORCED and answer.has_several else ""
    return f"{name.help}{first} [{name.unit}]" if name.unit else f"{name.help}{first}"


def cells(name: MetricName, answer: Evaluated) -> list[str]:
    best = best_systems(name, answer)
    return [cell(name.key, answer, i, is_best=i in best) for i in range(len(answer.systems))]


def best_systems(name: MetricName, answer: Evaluated) -> set[int]:
    """The systems with the best score as displayed; none if all are equal, if no direction is better, or if they are
    of different sentences or, per token, of different tokenizers.
    """
    key = name.key
    known = {
        i: number
        for i in range(len(answer.systems))
        if (number := answer.value(i, key)) is not None
    }
    forced = {
        (_n_forced(answer.systems[i]), answer.systems[i].get("signature", {}).get(key))
        for i in known
    }
    shown = {i: text_of(key, number) for i, number in known.items()}
    if (key in FORCED and len(forced) > 1) or not name.better or len({*shown.values()}) < 2:
        return set()
    best = (max if name.better == "higher" else min)(known, key=known.__getitem__)
    return {i for i, text in shown.items() if text == shown[best]}


def _n_forced(system: Mapping[str, Any]) -> int:
    return int(system.get("n_forced", system.get("n", 0)))


def cell(key: str, answer: Evaluated, number: int, *, is_best: bool) -> str:
    """The score of one system with half its interval, marked where it differs from the baseline."""
    value = answer.value(number, key)
    if value is None:
        return NONE
    system = answer.systems[number]
    text = f"{BEST} {text_of(key, value)}" if is_best else text_of(key, value)
    interval = system.get("scores", {}).get(key, {})
    if "low" in interval:
        half = (interval["high"] - interval["low"]) / 2
        text += f" ± {text_of(key, half) if key in METRIC_NAMES else f'{half:.2g}'}"
    pair = system.get("paired", {}).get(key)
    return f"{text} {DIFFERS}" if pair and differs(pair) else text


def text_of(key: str, number: float) -> str:
    """A score as text."""
    if key == "sentences_per_second" and number < 10:
        return f"{number:.2g}"
    usual = "{:.1f}" if key in METRIC_NAMES else "{:.4g}"  # a metric of a file has any scale
    return FORMATS.get(key, usual).format(100 * number if key in FRACTIONS else number)


def reading(answer: Evaluated) -> str:
    """Sentences on how to read the table of scores."""
    if not answer.is_final:
        return f"After {answer.n:,} sentences. {BEST} best so far; confidence intervals follow at the end."
    sentences = [
        f"{BEST} best. ± half the width of the 95 % confidence interval, from bootstrap resampling of the sentences."
    ]
    if len(answer.names) > 1:
        sentences.append(
            f"{DIFFERS} differs significantly from the baseline, {answer.names[answer.evaluation.baseline]}: the 95 %"
            f" interval of the difference excludes 0, and p < {SIGNIFICANT} by approximate randomization."
        )
    for number, (name, system) in enumerate(zip(answer.names, answer.systems, strict=True)):
        n_long = int(system["n"]) - _n_forced(system)
        if answer.value(number, "loss") is not None and n_long:
            sentences.append(
                f"Loss, perplexity and accuracy of {shortened(name, 40)} leave out {n_long:,} references that are"
                " longer than its positions."
            )
    if unlike := [key for key, every in signatures(answer).items() if len(every) > 1]:
        labels = ", ".join(answer.metrics[key].label for key in unlike)
        sentences.append(
            f"The systems have different signatures of {labels}, so these do not compare."
        )
    return " ".join(sentences)


def signatures(answer: Evaluated) -> dict[str, list[str]]:
    """The different signatures of each score: one, unless systems were scored by different versions."""
    found: dict[str, list[str]] = {}
    for own in answer.systems:
        for key, text in own.get("signature", {}).items():
            known = found.setdefault(key, [])
            known += [text] * (text not in known)
    return found


def difference_cells(answer: Evaluated) -> Table:
    """A table in words: how each system differs from the baseline."""
    rows = [
        [
            name,
            answer.metrics[key].label,
            _signed(key, pair["difference"]),
            f"{_signed(key, pair['low'])} to {_signed(key, pair['high'])}{f' {DIFFERS}' * differs(pair)}",
            _p(pair.get("p_randomization")),
            _p(pair["p_value"]),
        ]
        for name, own in zip(answer.names, answer.systems, strict=True)
        for key, pair in own.get("paired", {}).items()
    ]
    head = ("System", "Score", "Difference", "95 % interval", "p (two-sided)", "sacrebleu's p")
    return Table(head, rows)


def _signed(key: str, number: float) -> str:
    return f"{number:+.2f}" if key in METRIC_NAMES else f"{number:+.3g}"


def _p(value: float | None) -> str:
    return NONE if value is None else f"{value:.3f}"


def error_cells(answer: Evaluated) -> Table:
    """A table of how often each kind of error occurs, `12 (6.0%)`."""
    every = zip(answer.sentences, answer.forced, strict=True)
    counts = [count_errors(own, forced) for own, forced in every]
    rows = [
        [
            name,
            *(_share(each.search, each.n), _share(each.copies, each.n)),
            *(_share(each.repetitions, each.n), _share(each.omissions, each.n)),
            _share(each.flagged, each.n),
        ]
        for name, each in zip(answer.names, counts, strict=True)
    ]
    return Table(ERRORS, rows)


def _share(n: int | None, n_all: int) -> str:
    return NONE if n is None else f"{n:,} ({n / n_all:.1%})"
