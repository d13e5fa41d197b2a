"""The glossary as pages use it: every term leads to a page, every form to one term, and browsers are sent all of it."""

import json
from collections import Counter
from urllib.parse import parse_qsl

from starlette.requests import Request

from s2s.analysis import REDUCTIONS
from s2s.config import POSITION_KINDS
from s2s.decode import STRATEGIES
from s2s.lessons.claims import CLAIMS
from s2s.links.share import unpack
from s2s.questions.views import tabs
from s2s.ui import heads
from s2s.ui.data import views as data
from s2s.ui.heads.roles import LABELS as PARTS
from s2s.ui.lessons.segments import SEGMENTS
from s2s.ui.positions import page as positions
from s2s.ui.runs.view_state import OPEN_MODEL, SWEEPS
from s2s.ui.shell import PAGES
from s2s.ui.shell.search import searched
from s2s.ui.walkthrough.steps import STEPS
from s2s.words import GLOSSARY, MEANT_ON, SEEN_IN, forms
from tests.spawned import awaited

FOUND = forms(GLOSSARY)
TERMS = {row.term for row in GLOSSARY}
ADDRESSES = {row.url_path for row in PAGES}


def test_every_term_is_seen_alive_on_a_page_that_exists() -> None:
    assert {row.page for row in GLOSSARY} <= ADDRESSES


VIEWS_OF = {
    ("walkthrough", "step"): STEPS,
    ("attention", "view"): tabs("attention"),
    ("attention", "reduce"): REDUCTIONS,
    ("attention", "kind"): ("cross", "encoder", "decoder"),
    ("heads", "view"): heads.VIEWS,
    ("heads", "part"): PARTS,
    ("states", "view"): tabs("states"),
    ("steps", "view"): tabs("steps"),
    ("steps", "strategy"): STRATEGIES,
    ("data", "view"): data.VIEWS,
    ("positions", "view"): positions.labels(),
    ("positions", "encoding"): POSITION_KINDS,
    ("architecture", "view"): tabs("architecture"),
    ("lessons", "view"): SEGMENTS,
    ("lessons", "claim"): CLAIMS,
    ("runs", "tab"): (OPEN_MODEL, SWEEPS),
}


def test_the_view_of_a_term_is_one_of_its_page() -> None:
    pages = {row.term: row.page for row in GLOSSARY}
    for term, query in SEEN_IN.items():
        said = dict(parse_qsl(query, strict_parsing=True))
        for name, value in {**said, **unpack(said.pop("set", ""))}.items():
            if name != "set":
                assert value in VIEWS_OF[pages[term], name], term


def test_a_form_that_is_also_plain_english_means_one_term_per_page() -> None:
    for form, meant in MEANT_ON.items():
        pages = Counter(page for named in meant.values() for page in named.split())
        assert set(pages) <= {page or "home" for page in ADDRESSES}, form
        assert set(pages.values()) <= {1}, f"{form}: two terms on one page"
        assert set(meant) <= TERMS, form


def test_every_term_has_its_own_form_and_no_form_two_terms() -> None:
    everywhere = [form.text.casefold() for form in FOUND if form.pages is None]
    assert len(everywhere) == len(set(everywhere))
    named = {form.term for form in FOUND}
    assert named >= TERMS, sorted(TERMS - named)
    shared = Counter(text.casefold() for row in GLOSSARY for text in {row.term, *row.also})
    known = {text.casefold() for text in MEANT_ON} | {"<pad>", "<unk>", "bpe"}
    assert {text for text, n in shared.items() if n > 1} <= known


def test_a_browser_is_sent_terms_and_forms() -> None:
    request = Request({"type": "http", "method": "GET", "path": "/search.json", "headers": []})
    sent = json.loads(bytes(awaited(searched(request)).body))
    assert [row["term"] for row in sent["terms"]] == [row.term for row in GLOSSARY]
    terms = [row["term"] for row in sent["terms"]]
    by_page = {(text, page): at for text, at, pages in sent["forms"] for page in pages or ()}
    assert terms[by_page["weights", "attention"]] == "attention weights"
    assert terms[by_page["weights", "train"]] == "parameters"
    assert terms[next(at for text, at, _ in sent["forms"] if text == "beams")] == "beam search"
    assert [at for text, at, _ in sent["forms"] if text == "source code"] == [-1]
