"""Under which forms a page shows each term, and on which pages a form that is also everyday English means the term."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from s2s.words.term import Term

HOME = "home"  # stands for the root address, which has no name
SEARCH = "home compare steps attention evaluate"
INSIDE = "attention heads walkthrough architecture"

# Form -> term -> the pages on which it means that, with spaces between. A form without terms is marked nowhere: it only
# keeps shorter ones from being found in it.
MEANT_ON: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "accuracy": {"token accuracy": "train runs evaluate"},
        "agreement": {"agreement": "data heads"},
        "averaging": {"checkpoint averaging": "train"},
        "baseline": {"baseline": "runs evaluate"},
        "byte": {},
        "cache": {"KV cache": "architecture"},
        "character": {},
        "clean": {},
        "continue": {},
        "cosine layout": {},
        "cosine wave": {},
        "cosine": {
            "cosine schedule": "train runs",
            "cosine similarity": "states heads attention",
        },
        "coverage": {"coverage": "data evaluate"},
        "distinct words": {"distinct-n": "compare evaluate"},
        "evaluate": {},
        "dimension": {"dimension": "states train architecture positions walkthrough"},
        "distribution": {"probability distribution": "steps heads"},
        "distributions": {"probability distribution": "steps heads"},
        "filter": {"filter": "compare steps"},
        "filters": {"filter": "compare steps"},
        "forward": {},
        "forecast": {"forecast": "train runs"},
        "epsilon": {"epsilon": "train"},
        "grid": {"sweep": "train runs"},
        "id": {"token id": "walkthrough"},
        "ids": {"token id": "walkthrough"},
        "init": {},
        "key": {"key": INSIDE},
        "keys": {"key": INSIDE},
        "learned": {},
        "length ratio": {"length ratio": "evaluate"},
        "memory": {"memory": "home walkthrough"},
        "neighbor": {"nearest neighbors": "states"},
        "norm": {"norm": "train walkthrough architecture"},
        "norms": {"norm": "train walkthrough architecture"},
        "p": {"p-value": "evaluate"},
        "pairs": {"parallel text": "data train runs"},
        "positions": {"positional encoding": "architecture"},
        "precision": {"precision and recall": "attention heads evaluate"},
        "prefix": {"prefix": SEARCH},
        "prefixes": {"prefix": SEARCH},
        "queries": {"query": INSIDE},
        "query": {"query": INSIDE},
        "relative": {},
        "repetition": {"repetition": "compare evaluate"},
        "residual": {"residual connection": "train walkthrough architecture"},
        "run": {"run": "train runs compare evaluate"},
        "runs": {},
        "sample": {"sampling": "compare steps"},
        "samples": {"probe sentence": "train"},
        "scaled": {},
        "scaling": {"scaled dot-product": "walkthrough"},
        "score": {"score": "compare steps", "attention scores": "walkthrough"},
        "scores": {"score": "compare steps", "attention scores": "walkthrough"},
        "scores are meant": {},
        "scores compare": {},
        "signature": {"signature": "evaluate"},
        "source:": {},
        "source code": {},
        "split": {"split": "train runs"},
        "splits": {"split": "train runs"},
        "state": {"hidden state": "states heads"},
        "states": {"hidden state": "states heads"},
        "step": {"step": "train runs architecture"},
        "step by step": {},
        "steps": {"step": "train runs architecture"},
        "system": {"system": "evaluate"},
        "systems": {"system": "evaluate"},
        "role": {"role": "attention heads"},
        "roles": {"role": "attention heads"},
        "queue": {"job": "train"},
        "worker": {},
        "frontier": {"frontier": "evaluate"},
        "language model": {},
        "transformers": {},
        "tree": {"search tree": "steps"},
        "truncation": {"filter": "compare steps"},
        "type": {},
        "types": {},
        "unknown": {"unknown token": "home data evaluate"},
        "update": {"step": "train architecture walkthrough lessons"},
        "updates": {"step": "train architecture walkthrough lessons"},
        "utility": {"MBR decoding": "compare steps evaluate"},
        "valid": {"validation": "train runs"},
        "value": {"value": "walkthrough"},
        "values": {"value": "walkthrough"},
        "weights": {
            "attention weights": "home attention heads",
            "parameters": "train runs compare architecture",
        },
        "word": {},
    }
)


class Form(NamedTuple):
    """A text by which a term is shown. `pages` are `url_path`s; None: it means the term on every page."""

    text: str
    term: str
    pages: tuple[str, ...] | None = None


def forms(glossary: Iterable[Term]) -> tuple[Form, ...]:
    """The forms of all terms; one that no page marks has an empty `term` and no pages."""
    found: list[Form] = []
    for text, meant in MEANT_ON.items():
        found += [
            Form(text, term, tuple("" if page == HOME else page for page in pages.split()))
            for term, pages in meant.items()
        ] or [Form(text, "", ())]
    seen = {text.casefold() for text in MEANT_ON}
    for row in glossary:
        for text in (row.term, *row.also):
            if text.casefold() not in seen:
                seen.add(text.casefold())
                found.append(Form(text, row.term))
    return tuple(found)
