"""The search, which also lists a page's technical words; hovering or tapping one opens its sentence."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from s2s.links import share
from s2s.words import GLOSSARY, SEEN_IN, Term, forms

FILE = Path(__file__)


def term_address(term: str = "") -> str:
    """The address of one term in the glossary, or of the whole glossary."""
    values = {"view": "glossary"} | ({"term": term} if term else {})
    return f"lessons?{urlencode({'set': share.pack(values)})}"


def seen_in(row: Term) -> dict[str, str]:
    """The link values that open the view in which a term can be seen."""
    return dict(parse_qsl(SEEN_IN.get(row.term, "")))


def glossary() -> dict[str, object]:
    """Data for the browser: every term with its sentences and links, and the forms in which texts have it."""
    rows = [
        {**row._asdict(), "link": term_address(row.term), "view": urlencode(seen_in(row))}
        for row in GLOSSARY
    ]
    at = {row.term: number for number, row in enumerate(GLOSSARY)}
    found = [[form.text, at.get(form.term, -1), form.pages] for form in forms(GLOSSARY)]
    return {"terms": rows, "forms": found, "all": term_address()}


SEARCH_BUTTON = st.components.v2.component(
    "search_button",
    html="""<button type="button" popovertarget="list" aria-haspopup="dialog"
 aria-label="Search pages, lessons and words"><svg viewBox="0 0 24 24" aria-hidden="true"><path
 d="M10 3a7 7 0 1 0 4.200 12.600l5.100 5.100 1.400-1.400-5.100-5.100A7
 7 0 0 0 10 3zm0 2a5 5 0 1 1 0 10 5 5 0 0 1 0-10z"/></svg>
<span>Search</span></button>
<div id="list" popover role="dialog" aria-label="Search"></div>
<div id="card" popover="manual" role="dialog" aria-labelledby="term"></div>
""",
    css=FILE.with_suffix(".css").read_text(encoding="utf-8"),
    js=FILE.with_suffix(".js").read_text(encoding="utf-8"),
)
