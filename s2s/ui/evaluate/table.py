"""The scores of an evaluation: one row per system, the best marked, with confidence intervals and tests against the
baseline.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pandas as pd
import streamlit as st

from s2s.runs import Evaluation
from s2s.scores import MEASURES, METRIC_NAMES, METRICS, SIGNIFICANT, differs
from s2s.ui.evaluate import downloads, provenance, references
from s2s.ui.evaluate.view_state import STATE
from s2s.ui.kit import plain, shortened
from s2s.words import FRACTIONS, MetricName

Scores = Mapping[str, Any]  # scores.json, or the entry of one system in it
Names = Mapping[str, MetricName]  # of all its scores
BEST = "★"
DIFFERS = "*"
NONE = "–"
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


def panel(
    evaluation: Evaluation,
    scores: Scores,
    found: provenance.Provenance,
    names: Names = METRIC_NAMES,
) -> None:
    """The result in a sentence, the table, how to read it, and the details to open or download."""
    systems = scores["systems"]
    columns = [*COLUMNS, *scores.get("external", {})]
    keys = [key for key in columns if any(value(system, key) is not None for system in systems)]
    is_final = bool(scores.get("is_final"))
    if is_final and "bleu" in keys:
        st.markdown(_verdict(evaluation, systems))
    _table(evaluation, systems, {key: names[key] for key in _chosen(keys)}, found)
    st.caption(_reading(evaluation, scores))
    if unlike := [key for key, every in _signatures(systems).items() if len(every) > 1]:
        labels = ", ".join(plain(names[key].label) for key in unlike)
        st.caption(
            f":material/warning: The systems have different signatures of {labels}, so these do not compare."
        )
    if is_final:
        _details(evaluation, scores, names)
        provenance.panel(found)
        downloads.buttons(evaluation, scores, found)


def _chosen(keys: Sequence[str]) -> list[str]:
    """All columns, or the main ones and those of files."""
    main = [*MAIN_COLUMNS, *(key for key in keys if key not in COLUMNS)]
    has_more = bool(set(keys) - set(main))
    if has_more and STATE.toggle("metrics", "All metrics"):
        return list(keys)
    return [key for key in main if key in keys]


def _table(
    evaluation: Evaluation,
    systems: Sequence[Scores],
    shown: Names,
    found: provenance.Provenance,
) -> None:
    names = [system.name for system in evaluation.systems]
    cells = {name.label: _cells(name, systems) for name in shown.values()}
    config = {
        name.label: st.column_config.TextColumn(help=_help(name, evaluation.id))
        for name in shown.values()
    }
    st.dataframe(
        pd.DataFrame({"System": names, **cells, **provenance.columns(evaluation, found)}),
        hide_index=True,
        placeholder="",
        column_config={**config, "System": st.column_config.TextColumn(pinned=True)},
        alt=f"Scores of {len(names)} systems",
        key="eval table",
    )


def _help(name: MetricName, evaluation: str) -> str:
    first = references.note(evaluation, references.FIRST_ONLY) if name.key in FORCED else ""
    return f"{name.help}{first} [{name.unit}]" if name.unit else f"{name.help}{first}"


def _verdict(evaluation: Evaluation, systems: Sequence[Scores]) -> str:
    """Which system has the highest BLEU, and whether chance may explain it: one sentence of markdown."""
    values = [value(system, "bleu") or 0.0 for system in systems]
    best = max(range(len(values)), key=values.__getitem__)
    name = _bold_name(evaluation, best)
    if len(values) == 1:
        return f"{name} reaches {values[0]:.1f} BLEU."
    if max(values) - min(values) < 0.05:
        return f"All systems have the same BLEU: {values[0]:.1f}."
    pair = systems[best].get("paired", {}).get("bleu")
    if best == evaluation.baseline or pair is None:
        return f"{name} has the highest BLEU: {values[best]:.1f}."
    baseline = _bold_name(evaluation, evaluation.baseline)
    certainty = (
        "a significant difference" if differs(pair) else "a difference that chance may explain"
    )
    p = f", p = {pair['p_randomization']:.3f}" if "p_randomization" in pair else ""
    return (
        f"{name} has the highest BLEU: {values[best]:.1f}, {pair['difference']:.1f} above {baseline},"
        f" {certainty} (95 % interval {_interval(pair, 'bleu')}{p})."
    )


def _signed(key: str, number: float) -> str:
    return f"{number:+.2f}" if key in METRIC_NAMES else f"{number:+.3g}"


def _interval(pair: Mapping[str, float], key: str) -> str:
    return f"{_signed(key, pair['low'])} to {_signed(key, pair['high'])}"


def _bold_name(evaluation: Evaluation, system: int) -> str:
    return f"**{plain(shortened(evaluation.systems[system].name, 60))}**"


def value(system: Scores, key: str) -> float | None:
    """One score of a system, or None."""
    entry = system.get("scores", {}).get(key, {})
    number = system.get(key) if key == "sentences_per_second" else entry.get("value")
    return None if number is None else float(number)


def _cells(name: MetricName, systems: Sequence[Scores]) -> list[str]:
    """`★ 34.1 ± 1.2 *`, one per system."""
    best = _best(name, systems)
    return [_cell(name.key, system, is_best=i in best) for i, system in enumerate(systems)]


def _best(name: MetricName, systems: Sequence[Scores]) -> set[int]:
    """The systems with the best score as displayed; none if all are equal, if no direction is better, or if they are
    of different sentences or, per token, of different tokenizers.
    """
    key = name.key
    forced = {
        (_n_forced(system), system.get("signature", {}).get(key))
        for system in systems
        if value(system, key) is not None
    }
    if key in FORCED and len(forced) > 1:
        return set()
    values = {
        i: number for i, system in enumerate(systems) if (number := value(system, key)) is not None
    }
    if not name.better or len({_text(key, number) for number in values.values()}) < 2:
        return set()
    best = max(values.values()) if name.better == "higher" else min(values.values())
    return {i for i, number in values.items() if _text(key, number) == _text(key, best)}


def _n_forced(system: Scores) -> int:
    """The references that the model could be forced to write; earlier versions do not say so."""
    return int(system.get("n_forced", system.get("n", 0)))


def _cell(key: str, system: Scores, *, is_best: bool) -> str:
    number = value(system, key)
    if number is None:
        return NONE
    text = f"{BEST} {_text(key, number)}" if is_best else _text(key, number)
    interval = system.get("scores", {}).get(key, {})
    if "low" in interval:
        half = (interval["high"] - interval["low"]) / 2
        text += f" ± {_text(key, half) if key in METRIC_NAMES else f'{half:.2g}'}"
    pair = system.get("paired", {}).get(key)
    return f"{text} {DIFFERS}" if pair and differs(pair) else text


def _text(key: str, number: float) -> str:
    if key == "sentences_per_second" and number < 10:
        return f"{number:.2g}"
    usual = "{:.1f}" if key in METRIC_NAMES else "{:.4g}"  # a metric of a file has any scale
    return FORMATS.get(key, usual).format(100 * number if key in FRACTIONS else number)


def _reading(evaluation: Evaluation, scores: Scores) -> str:
    if not scores.get("is_final"):
        return f"After {scores['n']:,} sentences. {BEST} best so far; confidence intervals follow at the end."
    sentences = [
        f"{BEST} best. ± half the width of the 95 % confidence interval, from bootstrap resampling of the sentences."
    ]
    if len(evaluation.systems) > 1:
        name = plain(evaluation.systems[evaluation.baseline].name)
        sentences.append(
            f"\\{DIFFERS} differs significantly from the baseline, {name}: the 95 % interval of"
            " the difference excludes 0,"
            f" and p < {SIGNIFICANT} by approximate randomization."
        )
    for described, system in zip(evaluation.systems, scores["systems"], strict=True):
        n_long = int(system["n"]) - _n_forced(system)
        if value(system, "loss") is not None and n_long:
            sentences.append(
                f"Loss, perplexity and accuracy of {plain(shortened(described.name))} leave out {n_long:,} references"
                " that are longer than its positions."
            )
    return " ".join(sentences)


def _details(evaluation: Evaluation, scores: Scores, names: Names) -> None:
    """Differences from the baseline, signatures."""
    systems = scores["systems"]
    if any(system.get("paired") for system in systems):
        with st.expander("Differences from the baseline", icon=":material/difference:"):
            _differences(evaluation, systems, names)
    signatures = dict.fromkeys(each for one in systems for each in one.get("signature", {}).items())
    if signatures:
        with st.expander("Signatures: how each score was computed", icon=":material/fingerprint:"):
            st.caption(
                "Scores are comparable only where their signatures are equal. Report them with the numbers."
            )
            if reason := scores.get("tokenizer_reason"):
                st.caption(f"BLEU's tokenizer is {evaluation.scoring.tokenize}: {plain(reason)}.")
            lines = (f"{names[key].label}: {text}" for key, text in signatures)
            st.code("\n".join(lines), language=None, wrap_lines=True)


def _signatures(systems: Sequence[Scores]) -> dict[str, list[str]]:
    """The different signatures of each score: one, unless systems were scored by different versions."""
    found: dict[str, list[str]] = {}
    for key, text in (item for one in systems for item in one.get("signature", {}).items()):
        found.setdefault(key, [])
        if text not in found[key]:
            found[key].append(text)
    return found


def _differences(evaluation: Evaluation, systems: Sequence[Scores], names: Names) -> None:
    baseline = evaluation.systems[evaluation.baseline].name
    rows = [
        {
            "System": system.name,
            "Score": names[key].label,
            "Difference": _signed(key, pair["difference"]),
            "95 % interval": f"{_interval(pair, key)}{' ' + DIFFERS if differs(pair) else ''}",
            "p (two-sided)": _p(pair.get("p_randomization")),
            "sacrebleu's p": _p(pair["p_value"]),
        }
        for system, scores in zip(evaluation.systems, systems, strict=True)
        for key, pair in scores.get("paired", {}).items()
    ]
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        placeholder="",
        alt=f"Differences from {baseline}",
        key="eval differences",
    )
    st.caption(
        f"Each system minus {plain(baseline)}, on the same sentences. Interval: paired bootstrap. p: the probability of"
        " a difference at least this large in either direction if the two systems were interchangeable, by approximate"
        " randomization (Riezler and Maxwell 2005). sacrebleu's p: its paired bootstrap test, for comparison with"
        " papers that report it; it finds a difference between equal systems more often than its p says. Among many"
        " comparisons, some p-values are small by chance."
    )


def _p(value: float | None) -> str:
    return NONE if value is None else f"{value:.3f}"
