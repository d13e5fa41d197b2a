"""The glossary as a list: every term, for newcomers and for experts, with the page on which it is seen alive."""

from __future__ import annotations

import difflib
import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlencode

import streamlit as st

from s2s.questions import Table
from s2s.ui.canvas import seen_in, term_address
from s2s.ui.kit import as_markdown, plain
from s2s.ui.lessons.view_state import STATE
from s2s.ui.shell import PAGES, page_link
from s2s.words import GLOSSARY, TOPICS, Term

MAX_QUERY = 60  # characters
MOST_SUGGESTED = 3
NAMES = {row.term: row for row in GLOSSARY}
PAGE = {row.url_path: row for row in PAGES}
SETTING_NAME = re.compile(r"[a-z][\w.]*_\w+")


def draw() -> None:
    """Draw search, order and downloads; the term that a link names; the list."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="glossary-tools"):
        query = STATE.text(
            "find",
            "Search the glossary",
            placeholder="a word",
            live="300ms",
            max_chars=MAX_QUERY,
            width=280,
        ).strip()
        by = STATE.segments(
            "by", "Grouped by", {"letter": "Letter", "topic": "Topic"}, default="letter"
        )
        _downloads()
    if chosen := NAMES.get(STATE.now.term):
        _chosen(chosen)
    if groups := grouped(query, by):
        st.html(listed(groups, str(st.session_state.get("run") or "")))
    else:
        st.info(_nothing(query), icon=":material/search_off:")


def grouped(query: str, by: str) -> dict[str, list[Term]]:
    """All terms by letter or topic; with a search, terms whose name matches, and terms whose sentences do."""
    if not query:
        return by_topic() if by == "topic" else by_letter()
    words = query.casefold().split()
    named = [row for row in GLOSSARY if _has(words, " ".join((row.term, *row.also)))]
    named.sort(key=lambda row: _closeness(" ".join(words), row))
    said = [row for row in GLOSSARY if _has(words, f"{row.plain} {row.expert} {row.source}")]
    groups = {"Found": named, "Mentioned in": [row for row in said if row not in named]}
    return {name: rows for name, rows in groups.items() if rows}


def _closeness(query: str, row: Term) -> int:
    if query in (name.casefold() for name in (row.term, *row.also)):
        return 0
    return 1 if row.term.casefold().startswith(query) else 2


def _has(words: Iterable[str], text: str) -> bool:
    return all(word in text.casefold() for word in words)


def by_letter() -> dict[str, list[Term]]:
    groups: dict[str, list[Term]] = {}
    for row in GLOSSARY:
        groups.setdefault(row.term[0].upper(), []).append(row)
    return groups


def by_topic() -> dict[str, list[Term]]:
    return {topic: list(rows) for topic, rows in TOPICS.items()}


def listed(groups: Mapping[str, Sequence[Term]], run: str = "") -> str:
    """The glossary's terms as HTML, in columns where the screen is wide; its links keep the run."""
    links = "".join(
        f'<a href="#glossary-{number}">{html.escape(name)}</a> '
        for number, name in enumerate(groups)
    )
    body = "".join(
        f'<h3 id="glossary-{number}">{html.escape(name)}</h3><dl>{"".join(_entry(row, run) for row in rows)}</dl>'
        for number, (name, rows) in enumerate(groups.items())
    )
    n = sum(map(len, groups.values()))
    head = f"<p>{n} term{'s' * (n > 1)}</p><nav aria-label='Groups of terms'>{links}</nav>"
    return f'<div class="glossary">{head}{body}</div>'


def _entry(row: Term, run: str) -> str:
    page = PAGE[row.page]
    view = urlencode(_values(row, run))
    also = f" <small>{html.escape(', '.join(row.also))}</small>" if row.also else ""
    source = f" ({html.escape(row.source)})" if row.source else ""
    address = f"{row.page or './'}{'?' if view else ''}{view}"
    own = html.escape(term_address(row.term))
    return (
        f'<div><dt><a class="in-app" href="{own}">{html.escape(row.term)}</a>{also}</dt>'
        f"<dd>{_with_names(row.plain)}</dd><dd><small>{_with_names(row.expert)}{source}</small></dd>"
        f'<dd><a class="in-app" href="{html.escape(address)}">See it on {page.title}</a></dd></div>'
    )


def _with_names(sentence: str) -> str:
    return SETTING_NAME.sub(r"<code>\g<0></code>", html.escape(sentence))


def _values(row: Term, run: str = "") -> dict[str, str]:
    return seen_in(row) | ({"run": run} if run and "run" in PAGE[row.page].keys else {})


def _chosen(row: Term) -> None:
    with st.container(border=True, key="glossary-term"):
        st.subheader(plain(row.term), anchor=False)
        st.markdown(_as_markdown(row.plain))
        st.caption(_as_markdown(row.expert + (f" ({row.source})" if row.source else "")))
        with st.container(horizontal=True, vertical_alignment="center"):
            page_link(row.page, f"See it on {PAGE[row.page].title}", **_values(row))
            st.button("Close", on_click=STATE.show, kwargs={"term": ""}, key="glossary close")


def _as_markdown(sentence: str) -> str:
    return as_markdown(SETTING_NAME.sub(r"`\g<0>`", sentence))


def _nothing(query: str) -> str:
    near = difflib.get_close_matches(query.casefold(), list(NAMES), MOST_SUGGESTED, 0.5)
    hint = f" Similar: {', '.join(map(plain, near))}." if near else " Try a shorter word."
    return f"No term or sentence has “{plain(query)}”.{hint}"


def _downloads() -> None:
    for label, make, file, kind in (
        ("CSV", table_csv, "glossary.csv", "text/csv"),
        ("JSON", table_json, "glossary.json", "application/json"),
    ):
        st.download_button(
            label,
            make,
            file,
            kind,
            on_click="ignore",
            icon=":material/download:",
            key=f"glossary {label}",
        )


def table_csv() -> str:
    rows = [{**row._asdict(), "also": "; ".join(row.also)}.values() for row in GLOSSARY]
    return Table(Term._fields, [[*row] for row in rows]).csv()


def table_json() -> str:
    """The glossary as JSON: a list of terms."""
    return json.dumps([row._asdict() for row in GLOSSARY], ensure_ascii=False, indent=1)
