"""The gallery: short links that their owners published, for everybody who opens this server.

A published view is listed as long as everybody may see what it shows. Knows nothing of pages.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from s2s import access, settings, share
from s2s.access import Thing
from s2s.config import UserError
from s2s.jobs import queue
from s2s.short_links import DAY, HOUR, REPORTS, SHORT_LINKS, Content, days_to_live, read, written

MAX_REASON = 280  # characters
MAX_QUERY = 80
MOST_PUBLISHED = 50  # of one workspace on a hosted server
MOST_LISTED = 2000  # the newest
MOST_REPORTS_PER_HOUR = 10  # of one workspace
MOST_REPORTS = 20  # that are stored of one view
EVALUATION = "evaluation"  # what names one in the settings of a view
GONE = "This view is not in the gallery any more; there is nothing to report."


@dataclass(frozen=True)
class Entry:
    """A published view. It does not say whose it is; `run` is the first of those that it shows."""

    letters: str
    content: Content
    run: str
    is_own: bool


@dataclass(frozen=True)
class Reported:
    """A published view with what visitors wrote about it, the newest first."""

    letters: str
    content: Content
    reasons: tuple[str, ...]


def publish(letters: str, *, now: float | None = None) -> None:
    """Lists a short link of this workspace; on a hosted server this shares what it shows with everybody.

    Raises UserError for a view without a run, one that shows what belongs to somebody else, and too many.
    """
    now = time.time() if now is None else now
    letters = read(letters)
    row = _own(letters)
    things = _things(_content(row))
    for thing in things:
        if not access.may(access.current(), "change", thing) and thing.owner != access.EVERYBODY:
            raise UserError(
                f"The {thing.kind} `{thing.id}` belongs to somebody else, who alone can publish it; make a copy, and"
                " publish that."
            )
    if _is_hidden(row):
        raise UserError("The operator of this server has taken this view out of the gallery.")
    with queue.begin() as connection:
        if row.owner != access.LOCAL:
            _require_room(connection, str(row.owner), letters)
        mine = sa.update(SHORT_LINKS).where(SHORT_LINKS.c.letters == letters)
        connection.execute(mine.values(published=now))
    for thing in things:
        said = access.sharing(thing.kind, thing.id)
        if settings.is_hosted() and thing.owner != access.EVERYBODY and not said.link:
            access.share(thing, replace(said, link=True))


def unpublish(letters: str) -> None:
    """Takes a short link of this workspace out of the gallery. The link, and what is shared, stay."""
    letters = read(letters)
    _own(letters)
    with queue.begin() as connection:
        _take_out(connection, letters)


def is_listed(letters: str) -> bool:
    """Whether everybody finds this view in the gallery now."""
    letters = read(letters)
    with queue.begin() as connection:
        wanted = sa.select(SHORT_LINKS).where(SHORT_LINKS.c.letters == letters)
        row = connection.execute(wanted).first()
    return row is not None and row.published > 0 and not row.hidden and _is_public(_content(row))


def entries(query: str = "", *, now: float | None = None) -> Iterator[Entry]:
    """Published views, newest first, whose title and note have all words of the query.

    On one's own computer these are one's own. Raises UserError where the database is away.
    """
    now = time.time() if now is None else now
    words = query[:MAX_QUERY].casefold().split()
    listed = sa.select(SHORT_LINKS).where(SHORT_LINKS.c.published > 0, ~SHORT_LINKS.c.hidden)
    if (days := days_to_live()) is not None:
        listed = listed.where(SHORT_LINKS.c.opened >= now - days * DAY)
    newest = listed.order_by(SHORT_LINKS.c.published.desc(), SHORT_LINKS.c.letters)
    with queue.begin() as connection:
        rows = connection.execute(newest.limit(MOST_LISTED)).all()
    for row in rows:
        content = _content(row)
        said = f"{content.title} {content.note}".casefold()
        if all(word in said for word in words) and _is_public(content):
            is_own = row.owner == access.current()
            yield Entry(str(row.letters), content, runs_of(content)[0], is_own)


def report(letters: str, reason: str, *, now: float | None = None) -> None:
    """Tells the operator what is wrong with a published view; another reason of the same workspace replaces it.

    Raises UserError for no reason or too long a one, too many reports, and a browser without a workspace.
    """
    now = time.time() if now is None else now
    letters = read(letters)
    reporter = access.current()
    reason = share.printable(reason).strip()
    if not reason:
        raise UserError("The report has no reason; say in a few words what is wrong with the view.")
    if len(reason) > MAX_REASON:
        raise UserError(
            f"The reason has {len(reason):,} characters; at most {MAX_REASON} are stored: shorten it."
        )
    if reporter == access.NOBODY:
        raise UserError(
            "Reports are taken from a workspace, and this browser has none: allow cookies for this page, and try again."
        )
    own = REPORTS.c.reporter == reporter
    of_it = REPORTS.c.letters == letters
    with queue.begin() as connection:
        listed = (SHORT_LINKS.c.letters == letters) & (SHORT_LINKS.c.published > 0)
        if not _count(connection, SHORT_LINKS, listed):
            raise UserError(GONE)
        connection.execute(sa.delete(REPORTS).where(own, of_it))
        if _count(connection, REPORTS, own & (REPORTS.c.created > now - HOUR)) >= (
            MOST_REPORTS_PER_HOUR
        ):
            raise UserError(
                f"This workspace has reported {MOST_REPORTS_PER_HOUR} views within an hour, the most it may; report"
                " this one later."
            )
        if _count(connection, REPORTS, of_it) >= MOST_REPORTS:
            raise UserError(
                "The operator already has many reports of this view; no more are needed."
            )
        row = {"letters": letters, "reporter": reporter, "reason": reason, "created": now}
        connection.execute(sa.insert(REPORTS).values(row))


def reported() -> list[Reported]:
    """Published views that visitors reported, those with most reports first; for the operator alone."""
    access.require("list", Thing("gallery", "", access.OPERATOR))
    reasons: defaultdict[str, list[str]] = defaultdict(list)
    newest = sa.select(REPORTS).order_by(REPORTS.c.created.desc()).limit(MOST_LISTED)
    with queue.begin() as connection:
        for row in connection.execute(newest):
            reasons[str(row.letters)].append(str(row.reason))
        listed = sa.select(SHORT_LINKS).where(SHORT_LINKS.c.published > 0)
        rows = connection.execute(listed.where(SHORT_LINKS.c.letters.in_(reasons))).all()
    found = [
        Reported(str(row.letters), _content(row), tuple(reasons[str(row.letters)])) for row in rows
    ]
    return sorted(found, key=lambda each: (-len(each.reasons), each.letters))


def hide(letters: str) -> None:
    """Takes anybody's view out of the gallery, into which its owner cannot put it back; for the operator alone."""
    letters = read(letters)
    access.require("change", Thing("gallery", written(letters), access.OPERATOR))
    with queue.begin() as connection:
        _take_out(connection, letters)
        mine = sa.update(SHORT_LINKS).where(SHORT_LINKS.c.letters == letters)
        connection.execute(mine.values(hidden=True))


def dismiss(letters: str) -> None:
    """Forgets the reports of a view, which stays in the gallery; for the operator alone."""
    letters = read(letters)
    access.require("change", Thing("gallery", written(letters), access.OPERATOR))
    with queue.begin() as connection:
        connection.execute(sa.delete(REPORTS).where(REPORTS.c.letters == letters))


def runs_of(content: Content) -> list[str]:
    """The ids of the runs that a view names, those of its columns first."""
    view = content.view
    columns = [share.Column.read(view[key]).run for key in share.COLUMNS if key in view]
    ids = [named.rpartition(" · ")[2].strip() for named in (*columns, view.get("run", ""))]
    return list(dict.fromkeys(filter(None, ids)))


def _things(content: Content) -> list[Thing]:
    """What a view shows that has an owner. Raises UserError where that is gone, and where it shows no run."""
    runs = runs_of(content)
    if not runs:
        raise UserError(
            "The gallery has views of runs, and this one names none; publish a view of another page."
        )
    evaluation = share.unpack(content.view.get("set", "")).get(EVALUATION, "")
    return [*map(_run, runs), *([_evaluation(evaluation)] if evaluation else [])]


def _run(run: str) -> Thing:
    if not access.ID.fullmatch(run):
        raise access.unknown("run", run)
    folder = access.run_folder(run, "view")
    try:
        return access.run_in(folder)
    except OSError as error:  # deleted a moment ago
        raise access.unknown("run", run) from error


def _evaluation(evaluation: str) -> Thing:
    if not access.ID.fullmatch(evaluation):
        raise access.unknown("evaluation", evaluation)
    folder = settings.home() / access.SHARED["evaluation"][0] / evaluation
    try:
        owner = access.about(folder / access.SHARED["evaluation"][1]).owner
    except OSError as error:
        raise access.unknown("evaluation", evaluation) from error
    thing = access.evaluation_of(evaluation, owner)
    access.require("view", thing)
    return thing


def _is_public(content: Content) -> bool:
    """Whether everybody may see all that a view shows; on one's own computer, whether it is there."""
    try:
        with access.acting_as(access.NOBODY if settings.is_hosted() else access.LOCAL):
            return bool(_things(content))
    except UserError:
        return False


def _is_hidden(row: sa.Row[Any]) -> bool:
    """Whether the operator has hidden this view, perhaps under another title."""
    link = SHORT_LINKS.c
    hidden = sa.select(link.view).where(link.hidden, link.owner == row.owner, link.page == row.page)
    with queue.begin() as connection:
        return row.view in connection.execute(hidden).scalars().all()


def _own(letters: str) -> sa.Row[tuple[object, ...]]:
    """The row of a link of this workspace."""
    with queue.begin() as connection:
        wanted = sa.select(SHORT_LINKS).where(SHORT_LINKS.c.letters == letters)
        row = connection.execute(wanted).first()
    if row is None:
        raise access.unknown("short link", written(letters))
    access.require("change", Thing("short link", written(letters), str(row.owner)))
    return row


def _require_room(connection: sa.Connection, owner: str, letters: str) -> None:
    others = (SHORT_LINKS.c.owner == owner) & (SHORT_LINKS.c.letters != letters)
    if _count(connection, SHORT_LINKS, others & (SHORT_LINKS.c.published > 0)) >= MOST_PUBLISHED:
        raise UserError(
            f"This workspace has {MOST_PUBLISHED} views in the gallery, the most there may be of one; unpublish some."
        )


def _take_out(connection: sa.Connection, letters: str) -> None:
    mine = sa.update(SHORT_LINKS).where(SHORT_LINKS.c.letters == letters)
    connection.execute(mine.values(published=0.0))
    connection.execute(sa.delete(REPORTS).where(REPORTS.c.letters == letters))


def _count(connection: sa.Connection, table: sa.Table, which: sa.ColumnElement[bool]) -> int:
    counted = sa.select(sa.func.count()).select_from(table).where(which)
    return int(connection.execute(counted).scalar_one())


def _content(row: sa.Row[tuple[object, ...]]) -> Content:
    view = share.read(row.view if isinstance(row.view, dict) else {}).view
    return Content(str(row.page), view, str(row.title), str(row.note))
