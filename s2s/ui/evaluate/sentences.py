"""The sentences of an evaluation, the most interesting first, and one of them in detail."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType

import streamlit as st

from s2s.analysis import RULES, SentenceRow
from s2s.links import share
from s2s.links.share import Column
from s2s.plots import Picture
from s2s.plots import evaluation_view as of
from s2s.questions import Evaluate, Evaluated
from s2s.reports.differences import legend
from s2s.runs import System
from s2s.scores import METRIC_NAMES
from s2s.ui.evaluate.view_state import STATE, numbered
from s2s.ui.kit import cached, forms, nats, pictures, plain, score_counts
from s2s.ui.kit.text import against_reference
from s2s.ui.shell import PAGES, page_link
from s2s.words import MetricName

MOST_COLUMNS = 6  # of Compare
MOST_REFERENCES = 5  # of one sentence that are shown
NONE = MappingProxyType({"selection": MappingProxyType({"rows": ()})})  # nothing selected


def panel(answer: Evaluated) -> None:
    """Draw the search and the order, the table of sentences, and the selected one."""
    _choices(answer)
    question = STATE.question(Evaluate).of_stored(answer.evaluation.id)
    listed = of.order(question, answer)
    if not listed.places:
        st.caption("No sentence has this text.")
        return
    (picture,) = of.named(of.SENTENCES, question, answer)
    draw = partial(_table, picture, listed.places)
    pictures.show(picture, question, answer, draw=draw)
    selected = STATE.value("sentence") - 1
    picked = selected if selected in listed.places else listed.places[0]
    _detail(answer, listed.system, picked)


def _choices(answer: Evaluated) -> None:
    names = numbered(answer.names)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        STATE.draw("find", icon=":material/search:", width=220)
        ours = STATE.draw("system", names, default="1", width=220)
        known = {key: sort.label for key, sort in of.sorts(answer, int(ours) - 1).items()}
        known |= {of.GAP: of.GAP_LABEL} if len(names) > 1 else {}
        if STATE.draw("sort", known, width=220) != of.GAP:
            STATE.draw("is_reversed")
            return
        others = {number: name for number, name in names.items() if number != ours}
        last = [*others][-1]
        theirs = STATE.draw("other", others, default=last, width=220)
        first_rows = [answer.sentences[int(number) - 1][:1] for number in (ours, theirs)]
        both = [
            name
            for name in answer.given
            if all(name.key in row.scores for rows in first_rows for row in rows)
        ]
        labels = {
            name.key: name.label
            for name in (*(METRIC_NAMES[key] for key in of.OF_SENTENCES), *both)
        }
        STATE.draw("by", labels, width=140)


def _table(picture: Picture, places: Sequence[int]) -> None:
    selected = STATE.value("sentence") - 1
    is_there = selected in places
    marked = (places.index(selected),) if is_there else ()
    key = f"eval sentences {hash((*places,))}"
    if (*st.session_state.get(key, NONE)["selection"]["rows"],) != marked:
        st.session_state[key] = {"selection": {"rows": [*marked]}}
    pictures.show_table(
        picture.table,
        alt=picture.alt,
        key=key,
        height=320,
        on_select=partial(_select, key, places),
        selection_mode="single-row",
    )
    if not is_there:
        st.caption("Select a row to see its sentence below.")


def _select(key: str, places: Sequence[int]) -> None:
    chosen = st.session_state[key]["selection"]["rows"]
    is_there = chosen and chosen[0] < len(places)
    STATE.remember(sentence=places[chosen[0]] + 1 if is_there else 0)


def _detail(answer: Evaluated, system: int, picked: int) -> None:
    row = answer.sentences[system][picked]
    with st.container(border=True, key="sentence"):
        st.html(_lines(answer, picked))
        for flag in row.flags:
            rule = RULES[flag.rule]
            st.markdown(
                f":material/flag: **{rule.label}** ({rule.kind}): {plain(flag.evidence)}. {rule.about}"
            )
        _links(answer, row, system)
        with st.expander(
            f"How the scores of {plain(answer.names[system])} are counted",
            icon=":material/calculate:",
        ):
            if len(answer.references[picked]) > 1:
                st.caption(
                    "Counted against the first reference; the scores above count all of them."
                )
            score_counts.panel(row.hypothesis, row.reference, answer.evaluation.scoring)


def _lines(answer: Evaluated, picked: int) -> str:
    names = of.shown_scores(answer)
    rows = [every[picked] for every in answer.sentences]
    first = rows[0]
    lines = [
        f'<p dir="auto"><small>source {first.number:,}</small><br>{html.escape(first.source)}</p>',
        _reference_lines(answer.references[picked]),
    ]
    alike: dict[tuple[str, str], list[str]] = {}
    for name, row in zip(answer.names, rows, strict=True):
        alike.setdefault((row.hypothesis, _numbers(row, names)), []).append(name)
    for (text, numbers), systems in alike.items():
        named = f"<small><b>{html.escape(', '.join(systems))}</b> · {numbers}</small>"
        marked = against_reference(text, first.reference, len(first.reference))
        lines.append(f'<p dir="auto">{named}<br>{marked}</p>')
    return "".join(lines) + legend("a translation", "the reference")


def _reference_lines(known: Sequence[str]) -> str:
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
    known = [f"log-probability {nats(row.log_prob)}"] if row.log_prob is not None else []
    scores = [
        f"{html.escape(name.label)} {row.scores[name.key]:{'.1f' if name.key in of.OF_SENTENCES else '.4g'}}"
        for name in names
        if name.key in row.scores
    ]
    return " · ".join([*scores, *known])


def _links(answer: Evaluated, row: SentenceRow, number: int) -> None:
    known = cached.trained_runs()
    systems = [system for system in answer.evaluation.systems if system.run in known]
    here = answer.evaluation.systems[number]
    with st.container(horizontal=True):
        if systems:
            columns = enumerate(systems[:MOST_COLUMNS], 1)
            numbered = {f"c{at}": str(column(system)) for at, system in columns}
            view = {"src": row.source, "tgt": row.reference, **_languages(systems[0])}
            page_link("compare", "Open in Compare", run=systems[0].run, **view, **numbered)
        if here.run == st.session_state.get("run") and any(
            page.url_path == "steps" for page in PAGES
        ):
            search = {"strategy": here.strategy} | forms.to_address(here.settings)
            view = {"src": row.source, "tgt": row.reference, **_languages(here, search)}
            page_link("steps", "Why each word", step=str(here.step), **view)


def _languages(system: System, search: Mapping[str, str] | None = None) -> dict[str, str]:
    chosen = {"src_lang": system.src_lang, "tgt_lang": system.tgt_lang}
    packed = share.pack({**(search or {}), **{key: code for key, code in chosen.items() if code}})
    return {"set": packed} if packed else {}


def column(system: System) -> Column:
    """A system as a column of Compare."""
    return Column(
        system.run, str(system.step or ""), system.strategy, forms.to_address(system.settings)
    )
