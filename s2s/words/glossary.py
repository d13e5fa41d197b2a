"""The glossary: its terms, the view in which each is seen alive, and the forms by which pages show it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import starmap
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s.config import POSITION_KINDS, shipped

POSITIONS = "Attention and positions"
# Topic -> the file in `terms` that has its terms.
FILES: Mapping[str, str] = MappingProxyType(
    {
        "Data and tokens": "data",
        "The model": "model",
        POSITIONS: "attention",
        "Training": "training",
        "Decoding": "decoding",
        "Sampling": "sampling",
        "Evaluation": "evaluation",
        "Looking inside a model": "inside",
        "Published models": "published",
        "Mathematics": "mathematics",
        "Files and computers": "program",
    }
)


class Term(NamedTuple):
    """A technical word: `plain` for a learner, `expert` for somebody who knows the field, a sentence each.

    `page` is the `url_path` of the page that shows it, empty for Home. `also` are other forms of the same
    term: plurals, synonyms, names of settings.
    """

    term: str
    plain: str
    expert: str
    source: str = ""  # paper, and section or equation
    page: str = ""
    also: tuple[str, ...] = ()


class Form(NamedTuple):
    """A text by which a term is shown. `pages` are `url_path`s; None: it means the term on every page."""

    text: str
    term: str
    pages: tuple[str, ...] | None = None


def _term(term: str, row: Mapping[str, Any]) -> Term:
    fields = {name: value for name, value in row.items() if name != "view"}
    return Term(term, **fields | {"also": tuple(row.get("also", ()))})


def _positions(rows: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    named = {form.casefold() for term, row in rows.items() for form in (term, *row.get("also", ()))}
    return {
        row.label: {
            "plain": row.summary,
            "expert": f"A positional encoding that acts on {row.acts_on}.",
            "source": row.source,
            "page": "positions",
            "view": f"set=encoding:{kind}",
            "also": () if kind == row.label.casefold() else (kind,),
        }
        for kind, row in POSITION_KINDS.items()
        if row.acts_on and kind not in named
    }


def _rows(topic: str, name: str) -> dict[str, Any]:
    rows = shipped(__file__, f"terms/{name}.toml")
    more = _positions(rows) if topic == POSITIONS else {}
    return dict(sorted({**rows, **more}.items(), key=lambda row: row[0].casefold()))


_ROWS = MappingProxyType({topic: _rows(topic, name) for topic, name in FILES.items()})
TOPICS: Mapping[str, tuple[Term, ...]] = MappingProxyType(
    {topic: tuple(starmap(_term, rows.items())) for topic, rows in _ROWS.items()}
)
# Term -> what the link to its page says, where the page opens with another view.
SEEN_IN: Mapping[str, str] = MappingProxyType(
    {term: row["view"] for rows in _ROWS.values() for term, row in rows.items() if "view" in row}
)
GLOSSARY: tuple[Term, ...] = tuple(
    sorted((row for rows in TOPICS.values() for row in rows), key=lambda row: row.term.casefold())
)
# Form -> term -> the pages on which it means that.
MEANT_ON: Mapping[str, Mapping[str, str]] = MappingProxyType(shipped(__file__, "meant_on.toml"))


def forms(glossary: Iterable[Term]) -> tuple[Form, ...]:
    """The forms of all terms; one that no page marks has an empty `term` and no pages."""
    found: list[Form] = []
    for text, meant in MEANT_ON.items():
        found += [
            Form(text, term, tuple("" if page == "home" else page for page in pages.split()))
            for term, pages in meant.items()
        ] or [Form(text, "", ())]
    seen = {text.casefold() for text in MEANT_ON}
    for row in glossary:
        for text in (row.term, *row.also):
            if text.casefold() not in seen:
                seen.add(text.casefold())
                found.append(Form(text, row.term))
    return tuple(found)
