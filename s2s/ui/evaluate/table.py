"""The scores of an evaluation: a row a system, the best marked, with intervals, and beside a baseline with how sure a difference is."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from s2s import plots
from s2s.runs.evaluations import Evaluation
from s2s.scores import MEASURES, METRICS
from s2s.ui.kit.captions import file_name
from s2s.ui.kit.text import plain, shortened

BEST = "★"
DIFFERS = "*"
NONE = "–"
SURE = 0.05  # p-value below which a difference is marked
MAIN = (
    "bleu",
    "chrf",
    "ter",
    "exact_match",
    "perplexity",
    "length_ratio",
    "distinct_2",
    "sentences_per_second",
)


class Column(NamedTuple):
    """One number of a system: what it is called and means, which way is better (None: neither), and how it is written."""

    label: str
    help: str
    is_higher_better: bool | None
    form: Callable[[float], str] = "{:.1f}".format
    factor: float = 1.0


OWN = {
    "perplexity": Column(
        "Perplexity",
        "How surprised the model is by each token of the references; the same for all its strategies.",
        False,
        "{:.2f}".format,
    ),
    "token_accuracy": Column(
        "Token accuracy",
        "Tokens of the references that the model ranks first, percent; the same for all strategies.",
        True,
        factor=100,
    ),
    "loss": Column(
        "Loss", "Nats a token of the references; perplexity is e to it.", False, "{:.3f}".format
    ),
    "sentences_per_second": Column(
        "Sentences/s",
        "Translated in a second, many at a time, on the machine that did the work.",
        True,
        "{:,.0f}".format,
    ),
}
FORMS = {"length_ratio": "{:.2f}".format}
TEXTS = {
    key: Column(row.label, row.summary, row.is_higher_better, FORMS.get(key, "{:.1f}".format))
    for key, row in (METRICS | MEASURES).items()
}
COLUMNS: Mapping[str, Column] = MappingProxyType(TEXTS | OWN)


def panel(asked: Evaluation, scores: Mapping[str, Any]) -> None:
    """The table, how to read it, what is behind it."""
    keys = [
        key
        for key in COLUMNS
        if any(value(system, key) is not None for system in scores["systems"])
    ]
    if scores.get("is_final") and "bleu" in keys:
        st.markdown(_verdict(asked, scores["systems"]))
    everything = (
        st.toggle("All measures", key="eval all", persist_state="session")
        if set(keys) - set(MAIN)
        else False
    )
    shown = keys if everything else [key for key in MAIN if key in keys]
    names = [system.name for system in asked.systems]
    cells = {COLUMNS[key].label: _cells(key, scores["systems"], asked.baseline) for key in shown}
    frame = pd.DataFrame({"System": names, **cells})
    look = {
        COLUMNS[key].label: st.column_config.TextColumn(help=COLUMNS[key].help) for key in shown
    }
    look |= {"System": st.column_config.TextColumn(pinned=True)}
    st.dataframe(
        frame,
        hide_index=True,
        placeholder="",
        column_config=look,
        alt=f"Scores of {len(names)} systems",
        key="eval table",
    )
    st.caption(_reading(asked, scores))
    if scores.get("is_final"):
        _behind(asked, scores)


def _verdict(asked: Evaluation, systems: Sequence[Mapping[str, Any]]) -> str:
    """Who is best by BLEU, and whether that is more than chance: one sentence of markdown."""
    values = [value(system, "bleu") or 0.0 for system in systems]
    best = max(range(len(values)), key=values.__getitem__)
    name, base = (
        f"**{plain(shortened(asked.systems[place].name, 60))}**" for place in (best, asked.baseline)
    )
    if len(values) == 1:
        return f"{name} reaches BLEU {values[0]:.1f}."
    if max(values) - min(values) < 0.05:
        return f"By BLEU all are equally good: {values[0]:.1f}."
    pair = systems[best].get("paired", {}).get("bleu")
    if best == asked.baseline or pair is None:
        return f"By BLEU {name} is best: {values[best]:.1f}."
    how_sure = "more than chance explains" if pair["p_value"] < SURE else "which chance may explain"
    return f"By BLEU {name} is best: {values[best]:.1f}, {pair['difference']:.1f} above {base}, {how_sure} (p = {pair['p_value']:.3f})."


def value(system: Mapping[str, Any], key: str) -> float | None:
    """A number of a system; None where it has none."""
    found = (
        system.get("sentences_per_second")
        if key == "sentences_per_second"
        else system.get("scores", {}).get(key, {}).get("value")
    )
    return None if found is None else float(found)


def _cells(key: str, systems: Sequence[Mapping[str, Any]], baseline: int) -> list[str]:
    """`★ 34.1 ± 1.2 *`."""
    column = COLUMNS[key]
    best = _best(key, systems)
    return [
        _cell(column, system, key, is_best=place in best) for place, system in enumerate(systems)
    ]


def _best(key: str, systems: Sequence[Mapping[str, Any]]) -> set[int]:
    """Which are best; none where all are alike, or there is no better."""
    column = COLUMNS[key]
    known = {
        place: number
        for place, system in enumerate(systems)
        if (number := value(system, key)) is not None
    }
    if column.is_higher_better is None or len(set(map(column.form, known.values()))) < 2:
        return set()
    best = max(known.values()) if column.is_higher_better else min(known.values())
    return {place for place, number in known.items() if column.form(number) == column.form(best)}


def _cell(column: Column, system: Mapping[str, Any], key: str, *, is_best: bool) -> str:
    number = value(system, key)
    if number is None:
        return NONE
    interval = system.get("scores", {}).get(key, {})
    pair = system.get("paired", {}).get(key)
    text = f"{BEST} {_form(column, number)}" if is_best else _form(column, number)
    if "low" in interval:
        text += f" ± {_form(column, (interval['high'] - interval['low']) / 2)}"
    return f"{text} {DIFFERS}" if pair and pair["p_value"] < SURE else text


def _form(column: Column, number: float) -> str:
    return column.form(column.factor * number)


def _reading(asked: Evaluation, scores: Mapping[str, Any]) -> str:
    if not scores.get("is_final"):
        return (
            f"After {scores['n']:,} sentences. {BEST} the best so far; intervals come at the end."
        )
    said = [
        f"{BEST} the best. ± is half the 95 % interval: with other sentences of this kind, a score would mostly stay within it."
    ]
    if len(asked.systems) > 1:
        name = plain(asked.systems[asked.baseline].name)
        said.append(
            f"\\{DIFFERS} differs from the baseline, {name}, by more than chance (paired bootstrap, p < {SURE})."
        )
    return " ".join(said)


def _behind(asked: Evaluation, scores: Mapping[str, Any]) -> None:
    """Differences, signatures, everything to take away."""
    systems = scores["systems"]
    if any(system.get("paired") for system in systems):
        with st.expander("Differences to the baseline", icon=":material/difference:"):
            _differences(asked, systems)
    if signatures := systems[0].get("signature"):
        with st.expander("Signatures: how each score was computed", icon=":material/fingerprint:"):
            st.caption(
                "Scores can be compared where their signatures are the same. Say them with the numbers."
            )
            st.code(
                "\n".join(f"{COLUMNS[key].label}: {text}" for key, text in signatures.items()),
                language=None,
                wrap_lines=True,
            )
    name = file_name(asked.name)
    with st.container(horizontal=True):
        make = partial(table, asked, scores)
        st.download_button(
            "Scores (CSV)",
            make,
            f"{name}.csv",
            "text/csv",
            on_click="ignore",
            icon=":material/download:",
            key="eval csv",
        )
        names = [system.name for system in asked.systems]
        whole = json.dumps(
            {**scores, "evaluation": asked.id, "names": names}, ensure_ascii=False, indent=1
        )
        st.download_button(
            "Scores (JSON)",
            whole,
            f"{name}.json",
            on_click="ignore",
            icon=":material/download:",
            key="eval json",
        )


def _differences(asked: Evaluation, systems: Sequence[Mapping[str, Any]]) -> None:
    rows = [
        {
            "System": system.name,
            "Score": COLUMNS[key].label,
            "difference": f"{pair['difference']:+.2f}",
            "95 % interval": f"{pair['low']:+.2f} to {pair['high']:+.2f}",
            "p": f"{pair['p_value']:.3f}{' ' + DIFFERS if pair['p_value'] < SURE else ''}",
        }
        for system, found in zip(asked.systems, systems, strict=True)
        for key, pair in found.get("paired", {}).items()
    ]
    alt = f"Differences to {asked.systems[asked.baseline].name}"
    st.dataframe(
        pd.DataFrame(rows), hide_index=True, placeholder="", alt=alt, key="eval differences"
    )
    st.caption(
        f"Each system minus {plain(asked.systems[asked.baseline].name)}, on the same sentences. p: how probable so large a difference would"
        " be between two systems that are alike; among many comparisons, some are small by chance."
    )


def table(asked: Evaluation, scores: Mapping[str, Any]) -> str:
    """A row a system and score: value, interval, difference to the baseline, p, signature."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(
        [
            "system",
            "score",
            "value",
            "low",
            "high",
            "difference",
            "difference_low",
            "difference_high",
            "p_value",
            "signature",
        ]
    )
    for system, found in zip(asked.systems, scores["systems"], strict=True):
        for key in COLUMNS:
            if (number := value(found, key)) is None:
                continue
            interval = found.get("scores", {}).get(key, {})
            pair = found.get("paired", {}).get(key, {})
            beside = [pair.get(name) for name in ("difference", "low", "high", "p_value")]
            numbers = [number, interval.get("low"), interval.get("high"), *beside]
            written = ["" if each is None else f"{each:.6g}" for each in numbers]
            rows.writerow(
                [
                    plots.csv_cell(system.name),
                    key,
                    *written,
                    found.get("signature", {}).get(key, ""),
                ]
            )
    return out.getvalue()
