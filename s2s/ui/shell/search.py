"""The search of every page: it finds pages, their views, lessons, mistakes, curated views, and words."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from s2s.faults import FAULTS
from s2s.lessons import EXERCISES, LESSONS, OpenedStep
from s2s.links import share
from s2s.questions.views import VIEWS
from s2s.ui.canvas import SEARCH_BUTTON, glossary
from s2s.ui.shell.curated_views import CURATED_VIEWS
from s2s.ui.shell.pages import PAGES

SEARCHED = "search.json"  # the address of what is searched, which a browser keeps
ALSO = {  # words for which people look, by page
    "data": "upload a file of your own, paste pairs",
    "lessons": "make a lesson of your own, teach, class",
    "positions": "why sinusoids, sine and cosine",
    "compare": "greedy, beam, top-k, top-p, sampling, temperature",
    "architecture": "T5-small, T5-base, number of parameters, size",
}


class Place(NamedTuple):
    """A page, view, lesson or mistake that the search finds; `link` is relative to the first page."""

    title: str
    kind: str
    about: str
    link: str
    also: str = ""  # is searched, not shown


def search_button(page: str) -> None:
    """Draw the button that opens the search, `page` being the address shown; it also marks technical words in the
    text.
    """
    data = {"here": page, "searched": f"{SEARCHED}?v={_version()}"}
    SEARCH_BUTTON(key="search", data=data, width="content", height="content")


def places() -> Iterator[Place]:
    """Everything that the search finds besides words, in listing order."""
    title = {row.url_path: row.title for row in PAGES}
    takes_run = {row.url_path for row in PAGES if row.run}
    for row in PAGES:
        yield Place(
            row.title, "page", row.summary, row.url_path or "./", ALSO.get(row.url_path, "")
        )
    for view in VIEWS:
        if view.slug:
            shown = {"set": share.pack({"view": view.slug})}
            yield Place(view.label, f"on {title[view.page]}", "", _link(view.page, shown))
    for lesson in (*LESSONS.values(), *EXERCISES.values()):
        first = lesson.steps[0].view
        run = {"run": first.run} if first.page in takes_run else {}
        values = {**run, **first.values, share.LESSON: str(OpenedStep(lesson, 1))}
        kind = f"lesson, {lesson.minutes} minutes"
        yield Place(lesson.title, kind, lesson.summary, _link(first.page, values))
    for number, fault in enumerate(FAULTS.values(), 1):
        shown = {"set": share.pack({"view": "faults", "fault": str(number)})}
        yield Place(fault.title, "break it on purpose", fault.symptom, _link("lessons", shown))
    for curated in CURATED_VIEWS:
        kind = f"view of {title[curated.page]}"
        said = curated.title.replace("*", "")
        yield Place(said, kind, curated.about, _link(curated.page, dict(curated.values)))


def _link(page: str, values: dict[str, str]) -> str:
    return f"{page or './'}?{urlencode({name: value for name, value in values.items() if value})}"


async def searched(request: Request) -> Response:
    """Answers with everything that can be found, which a browser keeps: its address changes with it."""
    headers = {"cache-control": "public, max-age=31536000, immutable"}
    return Response(_written(), media_type="application/json", headers=headers)


@cache
def _written() -> bytes:
    everything = glossary() | {"places": [place._asdict() for place in places()]}
    return json.dumps(everything, separators=(",", ":")).encode()


@cache
def _version() -> str:
    return hashlib.sha256(_written()).hexdigest()[:12]
