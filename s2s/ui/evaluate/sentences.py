"""The sentences of an evaluation, the most interesting first, and one of them in detail."""

from __future__ import annotations

import html
import io
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import pandas as pd
import streamlit as st

from s2s import settings, share
from s2s.analysis import (
    RULES,
    SORTS,
    SentenceRow,
    Sort,
    score_gains,
    sentence_rows,
    sort_rows,
    worst_first,
)
from s2s.files import csv_writer
from s2s.reports.differences import legend
from s2s.runs import Evaluation, System, evaluations
from s2s.scores import METRIC_NAMES, METRICS
from s2s.share import Column
from s2s.ui.evaluate import references
from s2s.ui.evaluate.view_state import STATE, numbered
from s2s.ui.kit import cached, file_name, forms, nats, plain, score_counts
from s2s.ui.kit.differences import against_reference
from s2s.ui.shell import PAGES, page_link
from s2s.words import MetricName

GAP = "gap"
MOST_COLUMNS = 6  # of Compare
SCORES = ("chrf", "bleu", "ter", "rouge_l")
CELL = 200  # characters
MOST_REFERENCES = 5  # of one sentence that are shown
NONE = MappingProxyType({"selection": MappingProxyType({"rows": ()})})  # nothing selected
Every = Sequence[Sequence[SentenceRow]]  # the sentences of each system


def panel(evaluation: Evaluation, every: Every, more: Sequence[MetricName] = ()) -> None:
    """The table of sentences, the selected one, and a download. `more`: the metrics of files."""
    if not every or not every[0]:
        return
    st.subheader("Sentence by sentence", anchor=False)
    shown = [*(METRIC_NAMES[key] for key in SCORES), *more]
    place, other, by = _choices(evaluation, every, more)
    if other is None:
        order, gaps = _sorted(every[place], _sorts(every[place], more)[by])
    else:
        order, gaps = _by_gap(every[place], every[other], _named(shown, by))
    first = next((name for name in shown if name.key == by), shown[0])
    names = [first, *(name for name in shown if name is not first)]
    picked = _table(every[place], order, gaps, names)
    _detail(evaluation, every, place, picked, shown)
    make = partial(table, evaluation, every, more)
    st.download_button(
        "Sentences (CSV)",
        make,
        f"{file_name(evaluation.name)}-sentences.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def rows(evaluation: str, n: int) -> list[list[SentenceRow]]:
    """For each system, one row per sentence of the first `n`. Shared between visitors: do not modify."""
    # asked each time: the rows may have been read for another visitor, and the sentences be scored again
    scored = scored_at(evaluations.folder(evaluation))
    return _rows(str(settings.home()), evaluation, n, scored)


def scored_at(place: evaluations.EvaluationFolder) -> float:
    """When an evaluation was scored, in seconds since the epoch."""
    return float(place.status().get("at") or 0.0)


@cached.shared(max_entries=4, show_spinner="Analyzing the sentences …")
def _rows(home: str, evaluation: str, n: int, scored: float) -> list[list[SentenceRow]]:
    place = evaluations.folder(evaluation)
    n_systems = len(place.evaluation().systems)
    pairs = place.test()[:n]
    sources = [source for source, _ in pairs]
    references = [reference for _, reference in pairs]
    return [_of_system(place, number, sources, references) for number in range(n_systems)]


def _of_system(
    place: evaluations.EvaluationFolder,
    number: int,
    sources: Sequence[str],
    references: Sequence[str],
) -> list[SentenceRow]:
    lines = place.lines(number)
    own = place.sentence_scores(number)
    places = range(len(sources))
    if any(i not in lines for i in places):  # still being written
        return []
    known: dict[str, Any] = {}
    if all("log_prob" in lines[i] for i in places):
        known = {
            "log_probs": [lines[i]["log_prob"] for i in places],
            "ranked": [lines[i]["score"] for i in places],
        }
    if all(i in own for i in places):
        known["scored"] = [own[i] for i in places]
    texts = [str(lines[i]["text"]) for i in places]
    return sentence_rows(sources, references, texts, counts=place.words() or None, **known)


def _named(names: Sequence[MetricName], key: str) -> MetricName:
    return next(name for name in names if name.key == key)


def _sorts(rows: Sequence[SentenceRow], more: Sequence[MetricName]) -> dict[str, Sort]:
    """The orders of a system's sentences, those of the metrics of files among them."""
    given = {
        name.key: worst_first(name)
        for name in more
        if any(name.key in row.scores for row in rows[:1])
    }
    return {**SORTS, **given}


def _choices(
    evaluation: Evaluation, every: Every, more: Sequence[MetricName]
) -> tuple[int, int | None, str]:
    """The system, the other system if two are compared, and the score or order to sort by."""
    names = numbered(evaluation.systems)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        ours = int(STATE.choice("of", "System", names, default="1", width=220)) - 1
        sorts = {key: sort.label for key, sort in _sorts(every[ours], more).items()} | (
            {GAP: "Difference from another system"} if len(names) > 1 else {}
        )
        sort = STATE.choice("sort", "Sort by", sorts, width=220)
        if sort != GAP:
            STATE.toggle("is_reversed", "Reverse order")
            return ours, None, sort
        others = {number: name for number, name in names.items() if int(number) - 1 != ours}
        last = [*others][-1]
        theirs = int(STATE.choice("other", "Compared with", others, default=last, width=220)) - 1
        both = [
            name
            for name in more
            if all(name.key in row.scores for i in (ours, theirs) for row in every[i][:1])
        ]
        labels = {name.key: name.label for name in (*(METRIC_NAMES[key] for key in SCORES), *both)}
        score = STATE.choice("by", "By", labels, width=140)
    return ours, theirs, score


def _sorted(rows: Sequence[SentenceRow], sort: Sort) -> tuple[list[int], None]:
    """Indices of the sentences in that order."""
    found = sort_rows(rows, sort, is_reversed=STATE.now.is_reversed)
    st.caption(plain(sort.about))
    return [row.number - 1 for row in found], None


def _by_gap(
    ours: Sequence[SentenceRow], theirs: Sequence[SentenceRow], metric: MetricName
) -> tuple[list[int], list[float]]:
    """Indices of the sentences in the order of their differences, and those."""
    gaps = score_gains(ours, theirs, metric)
    st.caption(
        f"Largest differences in {plain(metric.label)} first. Above 0, the first system is better."
    )
    return sorted(range(len(ours)), key=lambda i: -abs(gaps[i])), gaps


def _table(
    rows: Sequence[SentenceRow],
    order: Sequence[int],
    gaps: Sequence[float] | None,
    names: Sequence[MetricName],
) -> int:
    """One row per sentence, the first score first. Returns the index of the selected sentence, else of the first.

    The selected one stays when the order changes, so each order is a table of its own.
    """
    cells = [_cells(rows[i], None if gaps is None else gaps[i], names) for i in order]
    scores = {name.label: _look(name) for name in names if name.key not in SCORES}
    selected = STATE.now.sentence - 1
    is_there = selected in order
    marked = (order.index(selected),) if is_there else ()
    key = f"eval sentences {hash((*order,))}"
    if (*st.session_state.get(key, NONE)["selection"]["rows"],) != marked:
        st.session_state[key] = {"selection": {"rows": [*marked]}}
    st.dataframe(
        pd.DataFrame(cells),
        hide_index=True,
        placeholder="",
        height=320,
        on_select=partial(_select, key, order),
        selection_mode="single-row",
        column_config={"no.": st.column_config.NumberColumn(pinned=True), **LOOK, **scores},
        alt=f"{len(order)} sentences with their scores",
        key=key,
    )
    st.caption("" if is_there else "Select a row to see its sentence below.")
    return selected if is_there else order[0]


def _select(key: str, order: Sequence[int]) -> None:
    """The sentence of the selected row, or none."""
    chosen = st.session_state[key]["selection"]["rows"]
    is_there = chosen and chosen[0] < len(order)
    STATE.remember(sentence=order[chosen[0]] + 1 if is_there else 0)


LOOK = {
    name: st.column_config.NumberColumn(format="%.1f", width=70)
    for name in ("gap", *(METRIC_NAMES[key].label for key in SCORES))
}


def _look(name: MetricName) -> Any:
    """The column of a metric of a file, which may have any scale."""
    return st.column_config.NumberColumn(name.label, width=90)


def _cells(row: SentenceRow, gap: float | None, names: Sequence[MetricName]) -> dict[str, Any]:
    first, *others = names
    scores = {name.label: row.scores.get(name.key) for name in others}
    rarest = f"{row.rarest.word} ({row.rarest.n:,}×)" if row.rarest else ""
    return {
        "no.": row.number,
        **({} if gap is None else {"gap": gap}),
        first.label: row.scores.get(first.key),
        "source": row.source[:CELL],
        "translation": row.hypothesis[:CELL],
        **scores,
        "hints": ", ".join(RULES[flag.rule].label for flag in row.flags),
        "reference": row.reference[:CELL],
        "rarest word": rarest,
        "repeats": row.repeated,
    }


def _detail(
    evaluation: Evaluation, every: Every, place: int, picked: int, names: Sequence[MetricName]
) -> None:
    """One sentence: each system's translation, quality flags, how its scores are counted, and links."""
    row = every[place][picked]
    with st.container(border=True, key="sentence"):
        st.html(_lines(evaluation, [rows[picked] for rows in every if rows], names))
        for flag in row.flags:
            rule = RULES[flag.rule]
            st.markdown(
                f":material/flag: **{rule.label}** ({rule.kind}): {plain(flag.evidence)}. {rule.about}"
            )
        _links(evaluation, row, place)
        with st.expander(
            f"How the scores of {plain(evaluation.systems[place].name)} are counted",
            icon=":material/calculate:",
        ):
            if len(references.of_sentences(evaluation.id)[picked]) > 1:
                st.caption(
                    "Counted against the first reference; the scores above count all of them."
                )
            score_counts.panel(row.hypothesis, row.reference, evaluation.scoring)


def _lines(evaluation: Evaluation, rows: Sequence[SentenceRow], names: Sequence[MetricName]) -> str:
    first = rows[0]
    lines = [
        f'<p dir="auto"><small>source {first.number:,}</small><br>{html.escape(first.source)}</p>'
    ]
    lines.append(_reference_lines(references.of_sentences(evaluation.id)[first.number - 1]))
    alike: dict[tuple[str, str], list[str]] = {}
    for system, row in zip(evaluation.systems, rows, strict=False):
        alike.setdefault((row.hypothesis, _numbers(row, names)), []).append(system.name)
    for row in rows:
        numbers = _numbers(row, names)
        if not (systems := alike.pop((row.hypothesis, numbers), [])):
            continue
        named = f"<small><b>{html.escape(', '.join(systems))}</b> · {numbers}</small>"
        marked = against_reference(row.hypothesis, row.reference, len(row.reference))
        lines.append(f'<p dir="auto">{named}<br>{marked}</p>')
    return "".join(lines) + legend("a translation", "the reference")


def _reference_lines(known: Sequence[str]) -> str:
    """HTML: the references of a sentence, a few of many."""
    label = (
        "reference"
        if len(known) == 1
        else f"{len(known):,} references, the first of which is compared below"
    )
    shown = "<br>".join(html.escape(one) for one in known[:MOST_REFERENCES])
    left = len(known) - MOST_REFERENCES
    more = f"<br><small>and {left:,} more</small>" if left > 0 else ""
    return f'<p dir="auto"><small>{label}</small><br>{shown}{more}</p>'


def _numbers(row: SentenceRow, names: Sequence[MetricName]) -> str:
    """HTML: the scores and the log-probability of a sentence, as far as it has them."""
    known = [f"log-probability {nats(row.log_prob)}"] if row.log_prob is not None else []
    scores = [
        f"{html.escape(name.label)} "
        + (f"{row.scores[name.key]:.1f}" if name.key in SCORES else f"{row.scores[name.key]:.4g}")
        for name in names
        if name.key in row.scores
    ]
    return " · ".join([*scores, *known])


def _links(evaluation: Evaluation, row: SentenceRow, place: int) -> None:
    """Links to Compare, with these systems as columns and the reference, and to Steps, with the selected system."""
    systems = [system for system in evaluation.systems if system.run in cached.trained_runs()]
    here = evaluation.systems[place]
    with st.container(horizontal=True):
        if systems:
            numbered = {
                f"c{number}": str(column(system))
                for number, system in enumerate(systems[:MOST_COLUMNS], 1)
            }
            view = {"src": row.source, "tgt": row.reference, **_languages(systems[0])}
            page_link("compare", "Open in Compare", run=systems[0].run, **view, **numbered)
        if here.run == st.session_state.get("run") and any(
            page.url_path == "steps" for page in PAGES
        ):
            search = {"strategy": here.strategy} | forms.to_address(here.settings)
            view = {"src": row.source, "tgt": row.reference, **_languages(here, search)}
            page_link("steps", "Why each word", step=str(here.step), **view)


def _languages(system: System, search: Mapping[str, str] | None = None) -> dict[str, str]:
    """`set` of a link: the search, and the languages of a multilingual model as they were evaluated."""
    chosen = {"src_lang": system.src_lang, "tgt_lang": system.tgt_lang}
    packed = share.pack({**(search or {}), **{key: code for key, code in chosen.items() if code}})
    return {"set": packed} if packed else {}


def column(system: System) -> Column:
    """A system as a column of Compare."""
    return Column(
        system.run, str(system.step or ""), system.strategy, forms.to_address(system.settings)
    )


def table(evaluation: Evaluation, every: Every, more: Sequence[MetricName] = ()) -> str:
    """CSV, one row per sentence and system: texts, scores, quality flags."""
    out = io.StringIO()
    rows = csv_writer(out)
    texts = ["number", "system", "source", "reference", "translation"]
    details = ["log_prob", "rarest", "rarest_count", "repeats", "hints"]
    given = [name.key for name in more]
    rows.writerow([*texts, *METRICS, *details, *given])
    for system, found in zip(evaluation.systems, every, strict=True):
        for row in found:
            texts = [text for text in (system.name, row.source, row.reference, row.hypothesis)]
            scores = [row.scores.get(key) for key in METRICS]
            rarest = [row.rarest.word, row.rarest.n] if row.rarest else ["", ""]
            flags = "; ".join(f"{flag.rule}: {flag.evidence}" for flag in row.flags)
            rows.writerow(
                [
                    row.number,
                    *texts,
                    *scores,
                    row.log_prob,
                    *rarest,
                    row.repeated,
                    flags,
                    *(row.scores.get(key) for key in given),
                ]
            )
    return out.getvalue()
