"""What chats and mail show of a short link before anybody opens it: title, description, picture.

A robot has no workspace: it reads of a run what everybody with the link may see, and of a private one nothing.
"""

from __future__ import annotations

import contextlib
import functools
import html
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import urlencode

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from s2s import settings
from s2s.config import UserError, asker
from s2s.files import stored
from s2s.hosted import is_secure
from s2s.library import Library
from s2s.links import share
from s2s.plots import card
from s2s.questions import AttentionOf, Translate
from s2s.runs import Run
from s2s.runs.decoder import HEAVY, request_seconds
from s2s.ui.kit import cached, pickers, shortened, vocabulary
from s2s.ui.shell.pages import PAGES, Page, browser_title, run_meant
from s2s.ui.streamlit_parts import STATIC
from s2s.versions import NAME

MAX_SENTENCE = 120  # characters, in a title
MAX_DRAWN = 200  # characters of a sentence whose weights are drawn
MOST_WAITING = 16  # pictures; more are refused for a moment
MOST_STORED = 128  # pictures, of some 20 kB
PICTURE = "preview.png"
WITH_HEATMAP = frozenset({"", "attention", "compare", "steps", "states", "walkthrough"})  # pages
KINDS = MappingProxyType(
    {
        "cross": "cross-attention",
        "encoder": "encoder self-attention",
        "decoder": "decoder self-attention",
    }
)
FONT = "SourceSansVF-Upright*.woff2"  # the one that the pages use
# one at a time, and a picture that waits occupies no thread
_DRAWING = anyio.CapacityLimiter(1)


@dataclass(frozen=True)
class Preview:
    """What chats show of a link; `picture` is the address of its picture below the first page."""

    title: str
    description: str
    picture: str


class ShownRun(NamedTuple):
    """The id and name of a run that everybody with the link may see; both are "" where there is none."""

    id: str
    name: str


NO_RUN = ShownRun("", "")


@dataclass(frozen=True)
class PreviewedView:
    """A page with what the address says of it."""

    page: Page
    values: tuple[tuple[str, str], ...]

    @property
    def run(self) -> str:
        given = dict(self.values)
        column = share.Column.read(given.get("c1", "")).run
        return column or pickers.run_id_of(given.get("run", ""))


def view_of(page: Page, given: Mapping[str, str]) -> PreviewedView:
    """The view that a page shows with these parameters, which may be anything."""
    read = share.read(given).view
    return PreviewedView(page, tuple((key, read[key]) for key in page.keys if key in read))


def preview_of(view: PreviewedView) -> Preview:
    values = dict(view.values)
    query = urlencode([("page", view.page.url_path), *view.values])
    return Preview(
        browser_title(view.page, values.get("src", "")),
        " · ".join(filter(None, (view.page.summary, _run_of(view).name))),
        f"{PICTURE}?{query}",
    )


def tags(preview: Preview, request: Request, home: str) -> str:
    """The title and the meta elements of a preview; `home` is the path of the first page of this server."""
    scheme = "https" if is_secure(request.scope) else "http"
    picture = f"{scheme}://{request.headers.get('host', '')}{home}{preview.picture}"
    properties = {
        "og:type": "website",
        "og:site_name": NAME,
        "og:title": preview.title,
        "og:description": preview.description,
        "og:image": picture,
        "og:image:width": str(card.WIDTH),
        "og:image:height": str(card.HEIGHT),
    }
    names = {"description": preview.description, "twitter:card": "summary_large_image"}
    return "\n".join(
        (
            f"<title>{html.escape(preview.title)}</title>",
            *(
                f'<meta name="{name}" content="{html.escape(text)}">'
                for name, text in names.items()
            ),
            *(
                f'<meta property="{name}" content="{html.escape(text)}">'
                for name, text in properties.items()
            ),
        )
    )


async def picture(request: Request) -> Response:
    asked = request.query_params.get("page", "")
    page = next((row for row in PAGES if row.url_path == asked), None)
    if page is None:
        return PlainTextResponse("There is no such page.\n", 404)
    if _DRAWING.statistics().tasks_waiting >= MOST_WAITING:
        return PlainTextResponse("Too many pictures are asked for; try again.\n", 503)
    view = view_of(page, dict(request.query_params))
    content = await anyio.to_thread.run_sync(picture_of, view, limiter=_DRAWING)
    headers = {"cache-control": "public, max-age=600", "x-content-type-options": "nosniff"}
    return Response(content, media_type="image/png", headers=headers)


def picture_of(view: PreviewedView) -> bytes:
    """The picture of a view as everybody with its link sees it; what nobody may see is not even looked for."""
    return _drawn(view, _run_of(view))


@functools.lru_cache(maxsize=MOST_STORED)
def _drawn(view: PreviewedView, run: ShownRun) -> bytes:
    values = dict(view.values)
    sentence = values.get("src", "")
    about = [f"“{shortened(sentence, MAX_SENTENCE)}”" if sentence else view.page.summary]
    drawn = card.Card(view.page.title, [*about, run.name])
    if run.id and view.page.url_path in WITH_HEATMAP and values.get("src", "any"):
        with _as_everybody():
            drawn = _with_heatmap(drawn, run, values)
    return card.png(drawn, _font())


def _with_heatmap(plain: card.Card, shown: ShownRun, values: Mapping[str, str]) -> card.Card:
    try:
        step = values.get("step", "")
        run = cached.open_run(shown.id, int(step) if step.isdecimal() and len(step) < 10 else None)
        text = values.get("src") or next(iter(vocabulary.of(run).examples), "")
        if not text or len(text) > MAX_DRAWN or not _is_cheap(run, text):
            return plain
        target = values.get("tgt", "")[:MAX_DRAWN]
        answer = cached.SCREEN.answer(AttentionOf(cached.named(run), text, target))
    except UserError:  # a sentence that is too long, a checkpoint that is gone
        return plain
    view = answer.attention.view(_kind(values))
    n_layers, n_heads = view.weights.shape[:2]
    layer = _index(values.get("layer", ""), n_layers, n_layers - 1)
    head = _index(values.get("head", ""), n_heads, None)
    lines = [f"“{shortened(text, MAX_SENTENCE)}”"]
    if _kind(values) != "encoder":
        lines.append(f"→ “{shortened(answer.target, MAX_SENTENCE)}”")
    part = ", ".join((KINDS[_kind(values)], _part("layer", layer), _part("head", head)))
    drawn = view.reduced(layer, head)
    return card.Card(plain.title, [*lines, part, shown.name], drawn, view.rows, view.keys)


def _part(what: str, index: int | None) -> str:
    return f"mean of {what}s" if index is None else f"{what} {index + 1}"


def _is_cheap(run: Run, text: str) -> bool:
    request = Translate(cached.named(run), text).beside(cached.SCREEN)
    return request_seconds(run, request) <= HEAVY


def _kind(values: Mapping[str, str]) -> str:
    return kind if (kind := values.get("kind", "")) in KINDS else "cross"


def _index(given: str, n: int, default: int | None) -> int | None:
    if given == pickers.MEAN:
        return None
    is_there = given.isdecimal() and len(given) < 5 and 1 <= int(given) <= n
    return int(given) - 1 if is_there else default


def _run_of(view: PreviewedView) -> ShownRun:
    run_id = view.run
    if not view.page.run or (run_id and not stored.ID.fullmatch(run_id)):
        return NO_RUN
    with _as_everybody():
        try:
            folder = Library().run(run_id or run_meant(view.page, dict(view.values)), "view").path
            name = stored.about(folder / "recipe.json").name
        except (UserError, OSError):
            return NO_RUN
    named = shortened(share.printable(name))
    is_shipped = folder.parent == settings.SHIPPED
    return ShownRun(folder.name, folder.name if is_shipped else named or "unnamed run")


def _as_everybody() -> contextlib.AbstractContextManager[None]:
    return asker.acting_as(asker.NOBODY if asker.is_hosted() else asker.LOCAL)


@functools.cache
def _font() -> Path:
    return next((STATIC / "static" / "media").glob(FONT))
