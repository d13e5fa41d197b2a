"""Every question with the pictures of its answer, and the page and tab that show them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s.config import choose
from s2s.plots import evaluation_view, same_word
from s2s.plots.picture import Picture
from s2s.questions import Evaluate, Question, SameWord, ScoreBuckets


class View(NamedTuple):
    """`page` and `slug` are in links: `/states?set=view:same`. `pictures(question, answer, model)` draws the answer."""

    page: str
    slug: str
    label: str  # of the tab
    question: type[Question[Any]]
    pictures: Callable[[Any, Any, str], list[Picture]]


VIEWS = (
    View("states", "same", "Same word", SameWord, same_word.pictures),
    View("evaluate", "scores", "Scores", Evaluate, evaluation_view.pictures),
    View("evaluate", "buckets", "Buckets", ScoreBuckets, evaluation_view.bucket_pictures),
)
BY_NAME: Mapping[str, View] = MappingProxyType({row.question.name: row for row in VIEWS})


def view_of(question: Question[Any]) -> View:
    """The first row that shows it."""
    return BY_NAME[question.name]


def of_page(page: str) -> dict[str, View]:
    """The rows of a page, by slug."""
    return {row.slug: row for row in VIEWS if row.page == page}


def named(name: str) -> View:
    """By the name on the command line. Raises UserError for one that there is not."""
    return choose("question", name, BY_NAME)
