"""The sentences of an evaluation, the most interesting first, and one of them in detail."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from s2s import plots, settings, share
from s2s.analysis import RULES, SORTS, SentenceRow, score_gains, sentence_rows, sort_rows
from s2s.runs import Evaluation, System, evaluations
from s2s.scores import METRIC_NAMES, METRICS
from s2s.share import Column
from s2s.ui.kit import cached, file_name, forms, nats, plain, score_counts
from s2s.ui.kit.differences import against_reference, legend
from s2s.ui.shell import PAGES, page_link

GAP = "gap"
MOST_COLUMNS = 6  # of Compare
SCORES = ("chrf", "bleu", "ter", "rouge_l")
CELL = 200  # characters


def panel(evaluation: Evaluation, n: int) -> None:
    """The table of sentences, the selected one, and a download."""
    every = rows(evaluation.id, n)
    if not every or not every[0]:
        return
    st.subheader("Sentence by sentence", anchor=False)
    place, other, by = _choices(evaluation)
    order, gaps = _ordered(every, place, other, by)
    picked = _table(every[place], order, gaps, by if by in SCORES else SCORES[0])
    _detail(evaluation, every, place, picked)
    make = partial(table, evaluation, every)
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
    return _rows(str(settings.home()), evaluation, n)


@st.cache_resource(max_entries=4, show_spinner="Analyzing the sentences …")
def _rows(home: str, evaluation: str, n: int) -> list[list[SentenceRow]]:
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


def _choices(evaluation: Evaluation) -> tuple[int, int | None, str]:
    """The system, the other system if two are compared, and the score or order to sort by."""
    names = [system.name for system in evaluation.systems]
    sorts = {key: sort.label for key, sort in SORTS.items()} | (
        {GAP: "Difference from another system"} if len(names) > 1 else {}
    )
    for key, options in (("eval of", names), ("eval sort", list(sorts)), ("eval other", names)):
        if st.session_state.get(key) not in options:
            st.session_state[key] = (
                "chrf" if key == "eval sort" else options[-1 if key == "eval other" else 0]
            )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        ours = str(st.selectbox("System", names, key="eval of", persist_state="session", width=220))
        sort = str(
            st.selectbox(
                "Sort by",
                list(sorts),
                format_func=sorts.__getitem__,
                key="eval sort",
                persist_state="session",
                width=220,
            )
        )
        if sort != GAP:
            st.session_state["eval reversed"] = bool(st.session_state.get("eval reversed"))
            st.toggle("Reverse order", key="eval reversed", persist_state="session")
            return names.index(ours), None, sort
        theirs = str(
            st.selectbox(
                "Compared with", names, key="eval other", persist_state="session", width=220
            )
        )
        labels = {key: METRIC_NAMES[key].label for key in SCORES}
        score = str(
            st.selectbox(
                "By",
                SCORES,
                format_func=labels.__getitem__,
                key="eval gap by",
                persist_state="session",
                width=140,
            )
        )
    return names.index(ours), names.index(theirs), score


def _ordered(
    every: Sequence[Sequence[SentenceRow]], place: int, other: int | None, by: str
) -> tuple[list[int], list[float] | None]:
    """Indices of the sentences in order, and their differences from the other system if one is selected."""
    ours = every[place]
    if other is None:
        found = sort_rows(ours, by, is_reversed=bool(st.session_state.get("eval reversed")))
        st.caption(SORTS[by].about)
        return [row.number - 1 for row in found], None
    gaps = score_gains(ours, every[other], by)
    st.caption(
        f"Largest differences in {METRIC_NAMES[by].label} first. Above 0, the first system is better."
    )
    return sorted(range(len(ours)), key=lambda i: -abs(gaps[i])), gaps


def _table(
    rows: Sequence[SentenceRow], order: Sequence[int], gaps: Sequence[float] | None, first: str
) -> int:
    """One row per sentence, that score first. Returns the index of the selected sentence, else of the first."""
    cells = [_cells(rows[i], None if gaps is None else gaps[i], first) for i in order]
    picked: Any = st.dataframe(
        pd.DataFrame(cells),
        hide_index=True,
        placeholder="",
        height=320,
        on_select="rerun",
        selection_mode="single-row",
        column_config={"no.": st.column_config.NumberColumn(pinned=True), **LOOK},
        alt=f"{len(order)} sentences with their scores",
        key="eval sentences",
    )
    chosen = picked["selection"]["rows"]
    st.caption("Select a row to see its sentence below." if not chosen else "")
    return order[chosen[0]] if chosen and chosen[0] < len(order) else order[0]


LOOK = {
    name: st.column_config.NumberColumn(format="%.1f", width=70)
    for name in ("gap", *(METRIC_NAMES[key].label for key in SCORES))
}


def _cells(row: SentenceRow, gap: float | None, first: str) -> dict[str, Any]:
    scores = {METRIC_NAMES[key].label: row.scores.get(key) for key in SCORES if key != first}
    rarest = f"{row.rarest.word} ({row.rarest.n:,}×)" if row.rarest else ""
    return {
        "no.": row.number,
        **({} if gap is None else {"gap": gap}),
        METRIC_NAMES[first].label: row.scores.get(first),
        "source": row.source[:CELL],
        "translation": row.hypothesis[:CELL],
        **scores,
        "hints": ", ".join(RULES[flag.rule].label for flag in row.flags),
        "reference": row.reference[:CELL],
        "rarest word": rarest,
        "repeats": row.repeated,
    }


def _detail(
    evaluation: Evaluation, every: Sequence[Sequence[SentenceRow]], place: int, picked: int
) -> None:
    """One sentence: each system's translation, quality flags, how its scores are counted, and links."""
    row = every[place][picked]
    with st.container(border=True, key="sentence"):
        st.html(_lines(evaluation, [rows[picked] for rows in every if rows]))
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
            score_counts.panel(row.hypothesis, row.reference)


def _lines(evaluation: Evaluation, rows: Sequence[SentenceRow]) -> str:
    first = rows[0]
    lines = [
        f'<p dir="auto"><small>source {first.number:,}</small><br>{html.escape(first.source)}</p>'
    ]
    lines.append(f'<p dir="auto"><small>reference</small><br>{html.escape(first.reference)}</p>')
    alike: dict[str, list[str]] = {}
    for system, row in zip(evaluation.systems, rows, strict=False):
        alike.setdefault(row.hypothesis, []).append(system.name)
    for names, row in ((alike.pop(row.hypothesis), row) for row in rows if row.hypothesis in alike):
        scores = " · ".join(
            f"{METRIC_NAMES[key].label} {row.scores[key]:.1f}"
            for key in SCORES
            if key in row.scores
        )
        log_prob = f" · log-probability {nats(row.log_prob)}" if row.log_prob is not None else ""
        named = f"<small><b>{html.escape(', '.join(names))}</b> · {scores}{log_prob}</small>"
        marked = against_reference(row.hypothesis, row.reference)
        lines.append(f'<p dir="auto">{named}<br>{marked}</p>')
    return "".join(lines) + legend("a translation", "the reference")


def _links(evaluation: Evaluation, row: SentenceRow, place: int) -> None:
    """Links to Compare, with these systems as columns and the reference, and to Steps, with the selected system."""
    columns = [
        column(system) for system in evaluation.systems if system.run in cached.trained_runs()
    ]
    here = evaluation.systems[place]
    with st.container(horizontal=True):
        if columns:
            numbered = {
                f"c{number}": str(written)
                for number, written in enumerate(columns[:MOST_COLUMNS], 1)
            }
            page_link("compare", "Open in Compare", src=row.source, tgt=row.reference, **numbered)
        if here.run == st.session_state.get("run") and any(
            page.url_path == "steps" for page in PAGES
        ):
            search = {"strategy": here.strategy} | forms.to_address(here.settings)
            view = {"src": row.source, "tgt": row.reference, "set": share.pack(search)}
            page_link("steps", "Why each word", step=str(here.step), **view)


def column(system: System) -> Column:
    """A system as a column of Compare."""
    return Column(
        system.run, str(system.step or ""), system.strategy, forms.to_address(system.settings)
    )


def table(evaluation: Evaluation, every: Sequence[Sequence[SentenceRow]]) -> str:
    """CSV, one row per sentence and system: texts, scores, quality flags."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    texts = ["number", "system", "source", "reference", "translation"]
    details = ["log_prob", "rarest", "rarest_count", "repeats", "hints"]
    rows.writerow([*texts, *METRICS, *details])
    for system, found in zip(evaluation.systems, every, strict=True):
        for row in found:
            texts = [
                plots.csv_cell(text)
                for text in (system.name, row.source, row.reference, row.hypothesis)
            ]
            scores = [row.scores.get(key) for key in METRICS]
            rarest = [plots.csv_cell(row.rarest.word), row.rarest.n] if row.rarest else ["", ""]
            flags = plots.csv_cell("; ".join(f"{flag.rule}: {flag.evidence}" for flag in row.flags))
            rows.writerow(
                [
                    row.number,
                    *texts,
                    *scores,
                    row.log_prob,
                    *rarest,
                    plots.csv_cell(row.repeated),
                    flags,
                ]
            )
    return out.getvalue()
