"""Every technical word of a page opens its sentence: by hovering, by a tap, or from the list that a button opens."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response

from s2s.links import share
from s2s.words import GLOSSARY, SEEN_IN, Term, forms

FILE = Path(__file__)
TERMS = "glossary.json"


def terms_button(page: str) -> None:
    """The button that lists the words of a page, `page` being its address; it also marks them in the text."""
    data = {"here": page, "words": f"{TERMS}?v={_version()}"}
    TERMS_BUTTON(key="terms", data=data, width="content", height="content")


def term_address(term: str = "") -> str:
    """Of one term in the glossary, or of all, below the address of the first page."""
    values = {"view": "glossary"} | ({"term": term} if term else {})
    return f"lessons?{urlencode({'set': share.pack(values)})}"


def seen_in(row: Term) -> dict[str, str]:
    """What a link to the page of a term says, so that it opens the view in which the term is seen."""
    return dict(parse_qsl(SEEN_IN.get(row.term, "")))


async def terms_data(request: Request) -> Response:
    """The glossary, which a browser keeps: its address changes with it."""
    headers = {"cache-control": "public, max-age=31536000, immutable"}
    return Response(_written(), media_type="application/json", headers=headers)


@cache
def _written() -> bytes:
    rows = [
        {**row._asdict(), "link": term_address(row.term), "view": urlencode(seen_in(row))}
        for row in GLOSSARY
    ]
    at = {row.term: number for number, row in enumerate(GLOSSARY)}
    found = [[form.text, at.get(form.term, -1), form.pages] for form in forms(GLOSSARY)]
    return json.dumps(
        {"terms": rows, "forms": found, "all": term_address()}, separators=(",", ":")
    ).encode()


@cache
def _version() -> str:
    return hashlib.sha256(_written()).hexdigest()[:12]


TERMS_BUTTON = st.components.v2.component(
    "terms_button",
    html="""<button type="button" popovertarget="list" aria-haspopup="dialog" aria-label="Words on this page">
<svg viewBox="0 -960 960 960" aria-hidden="true"><path d="M240-80q-33 0-56.5-23.5T160-160v-640q0-33
 23.5-56.5T240-880h480q33 0 56.5 23.5T800-800v640q0 33-23.5 56.5T720-80H240Zm0-80h480v-640h-80v280l-100-60-100
 60v-280H240v640Z"/></svg><span>Words</span></button>
<div id="list" popover role="dialog" aria-label="Words on this page"></div>
<div id="card" popover="manual" role="dialog" aria-labelledby="term"></div>
""",
    css=FILE.with_suffix(".css").read_text(encoding="utf-8"),
    js=FILE.with_suffix(".js").read_text(encoding="utf-8"),
)
