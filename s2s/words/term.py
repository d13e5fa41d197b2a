"""One entry of the glossary."""

from __future__ import annotations

from typing import NamedTuple


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
