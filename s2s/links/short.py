"""Short links: ten letters for a view, kept in the database with the title and note of who made them.

Knows nothing of pages or servers: a page is a name here, and what a link opens is what `share` can write.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import astuple, dataclass, replace
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from s2s import settings
from s2s.config import UserError, asker, shortened
from s2s.files import database
from s2s.links import share

# no vowels, so that no word comes of them, and none of L, Q, U, V, which are read as another letter or a digit
ALPHABET = "BCDFGHJKMNPRSTWXYZ"
LENGTH = 10
LENGTHS = (LENGTH, 7)  # older ones have seven
HYPHENS = (3, 7)  # before which letters
FORMAT = 1  # of what is stored of a link; a newer one is refused
MAX_TITLE = 80  # characters
MAX_NOTE = 280
MAX_VIEW = 6000  # characters of all values together
MOST_LINKS = 1000  # of one workspace on a hosted server
MOST_PER_HOUR = 60
DAYS = 365  # for which a link lives after it was last opened, on a server where things expire
REMEMBERED_DAYS = 90  # more, in which it can still be said that it expired
TRIES = 8  # at letters that nobody has
DAY = 86_400.0  # seconds
HOUR = 3600.0

SHORT_LINKS = sa.Table(
    "short_links",
    sa.MetaData(),
    sa.Column("letters", sa.String(16), primary_key=True),
    sa.Column("owner", sa.String(80)),
    sa.Column("digest", sa.String(64)),  # of what it says; a workspace has it once
    sa.Column("format", sa.Integer),
    sa.Column("page", sa.String(40)),
    sa.Column("view", sa.JSON),
    sa.Column("title", sa.Text),
    sa.Column("note", sa.Text),
    sa.Column("created", sa.Double),
    sa.Column("opened", sa.Double),  # to the day
    sa.Column("record", sa.JSON(none_as_null=True)),  # of its run
    sa.Column(
        "published", sa.Double
    ),  # in the gallery that was here; 0: never, or its owner knows that it ended
)


class DeadLinkError(UserError):
    """A short link that opens nothing."""


class UnknownLinkError(DeadLinkError):
    """A short link whose letters nobody has: somebody misread them, or guesses."""


@dataclass(frozen=True)
class Content:
    """What a short link says: a page by its address, its view, and the words of the sender."""

    page: str
    view: Mapping[str, str]
    title: str = ""
    note: str = ""


@dataclass(frozen=True)
class ShortLink:
    """A stored link. Times are seconds since the epoch."""

    letters: str
    owner: str
    content: Content
    created: float
    opened: float
    record: Mapping[str, Any] | None = None  # of its run, as JSON

    def to_json(self) -> dict[str, Any]:
        """The link for its maker's export of all data: `link` is the full one without a server's address."""
        return {
            "letters": written(self.letters),
            "title": self.content.title,
            "note": self.content.note,
            "created": datetime.fromtimestamp(self.created, UTC).isoformat(timespec="seconds"),
            "link": share.link(f"/{self.content.page}", self.content.view),
            "run": self.record,
        }


def written(letters: str) -> str:
    """The letters of a link as people read them.

    >>> written("KFRWTPHBCD"), written("KFRWTPH")
    ('KFR-WTPH-BCD', 'KFR-WTPH')
    """
    ends = (*HYPHENS, len(letters))
    parts = (letters[start:end] for start, end in zip((0, *HYPHENS), ends, strict=True))
    return "-".join(filter(None, parts))


def read(typed: str) -> str:
    """The letters of a link as somebody typed it, in any case and with hyphens or spaces anywhere.

    Raises DeadLinkError for what can be no short link.

    >>> read("kfr wtph bcd"), read("KFR-WTPH")
    ('KFRWTPHBCD', 'KFRWTPH')
    """
    letters = typed.replace("-", "").replace(" ", "").upper()
    if len(letters) in LENGTHS and not set(letters) - set(ALPHABET):
        return letters
    raise DeadLinkError(
        f"`{shortened(share.printable(typed), 20)}` is no short link: one has {LENGTH} letters, such as"
        f" {written(ALPHABET[:LENGTH])}, and none of them is a vowel or L, Q, V; check the letters."
    )


def make(
    content: Content, *, record: Mapping[str, Any] | None = None, now: float | None = None
) -> ShortLink:
    """Make a short link of this workspace; who has made the same before gets the same letters.

    It keeps `record`, which tells of its run when that is gone.

    Raises UserError for what is too long or too much, and where the database is away.
    """
    now = time.time() if now is None else now
    owner = asker.current()
    content = _checked(content)
    if owner == asker.NOBODY:
        raise UserError(
            "A short link is kept for a workspace, and this browser has none: allow cookies for this page, or send the"
            " full link."
        )
    for _ in range(TRIES):
        try:
            return _stored(owner, content, record, now)
        except (
            IntegrityError
        ):  # the letters are taken, or the same link was made at the same moment
            continue
    raise UserError("No free letters were found for a short link; send the full link.")


def find(typed: str, *, now: float | None = None) -> ShortLink:
    """The link with these letters, which somebody opens. Raises DeadLinkError where there is none (any more).

    Where nobody has had these letters, or their link was deleted, it is an UnknownLinkError.
    """
    now = time.time() if now is None else now
    letters = read(typed)
    mine = SHORT_LINKS.c.letters == letters
    with database.begin() as connection:
        row = connection.execute(sa.select(SHORT_LINKS).where(mine)).first()
        if row is None:
            raise UnknownLinkError(
                f"There is no short link {written(letters)}: a letter was misread, or its maker deleted it; check the"
                " letters, or ask for the link again."
            )
        if row.format > FORMAT:
            raise newer(letters)
        if (days := days_to_live()) is not None and row.opened < now - days * DAY:
            raise DeadLinkError(
                f"The short link {written(letters)} has expired: nobody opened it for {days} days; ask who sent it for"
                " a new one."
            )
        if row.opened < now - DAY:
            connection.execute(sa.update(SHORT_LINKS).where(mine).values(opened=now))
    return _link(row)


def own() -> list[ShortLink]:
    mine = SHORT_LINKS.c.owner == asker.current()
    with database.begin() as connection:
        rows = connection.execute(
            sa.select(SHORT_LINKS)
            .where(mine)
            .order_by(SHORT_LINKS.c.created, SHORT_LINKS.c.letters)
        ).all()
    return [_link(row) for row in rows]


def once_published() -> list[ShortLink]:
    """The links of this workspace that were in the gallery, newest first."""
    newest = sa.select(SHORT_LINKS).where(_was_published()).order_by(SHORT_LINKS.c.published.desc())
    with database.begin() as connection:
        return [_link(row) for row in connection.execute(newest)]


def forget_that_published() -> None:
    with database.begin() as connection:
        connection.execute(sa.update(SHORT_LINKS).where(_was_published()).values(published=0.0))


def _was_published() -> sa.ColumnElement[bool]:
    return (SHORT_LINKS.c.owner == asker.current()) & (SHORT_LINKS.c.published > 0)


def newer(letters: str) -> DeadLinkError:
    """The error for a link that a newer version of the program made."""
    return DeadLinkError(
        f"The short link {written(letters)} was made by a newer version of this program, which this one cannot open;"
        " ask who sent it for the full link, or update this program."
    )


def drop_records(run_id: str) -> None:
    """This workspace's links forget a run of which others may not know any more."""
    columns = SHORT_LINKS.c.letters, SHORT_LINKS.c.record
    own = (SHORT_LINKS.c.owner == asker.current()) & SHORT_LINKS.c.record.is_not(None)
    with database.begin() as connection:
        rows = connection.execute(sa.select(*columns).where(own)).all()
        of_run = [letters for letters, record in rows if record.get("run") == run_id]
        chosen = SHORT_LINKS.c.letters.in_(of_run)
        connection.execute(sa.update(SHORT_LINKS).where(chosen).values(record=None))


def delete_of(workspace: str) -> None:
    """Deletes all links of a workspace, which the caller may delete."""
    with database.begin() as connection:
        connection.execute(sa.delete(SHORT_LINKS).where(SHORT_LINKS.c.owner == workspace))


def give(source: str, target: str) -> None:
    """Gives the links of one workspace to another; where both have the same, the letters of the target stay."""
    own = sa.select(SHORT_LINKS.c.digest).where(SHORT_LINKS.c.owner == target)
    with database.begin() as connection:
        theirs = SHORT_LINKS.c.owner == source
        has = {str(digest) for digest in connection.execute(own).scalars()}
        moves = sa.update(SHORT_LINKS).where(theirs, SHORT_LINKS.c.digest.not_in(has))
        connection.execute(moves.values(owner=target))
        # the letters stay good: the digest only keeps a workspace from having the same link twice
        again = sa.update(SHORT_LINKS).where(theirs)
        connection.execute(again.values(owner=target, digest=SHORT_LINKS.c.letters))


def delete_expired(now: float) -> None:
    """Deletes links that expired long ago."""
    if (days := days_to_live()) is not None:
        long_ago = now - (days + REMEMBERED_DAYS) * DAY
        with database.begin() as connection:
            connection.execute(sa.delete(SHORT_LINKS).where(SHORT_LINKS.c.opened < long_ago))


def days_to_live() -> int | None:
    """The days after which a short link that nobody opens expires; None where nothing does."""
    expire = settings.expire_days()
    return None if expire is None else max(DAYS, expire)


def _checked(content: Content) -> Content:
    title = share.printable(content.title).strip()
    note = share.printable(content.note).strip()
    for what, given, most in (("title", title, MAX_TITLE), ("note", note, MAX_NOTE)):
        if len(given) > most:
            raise UserError(
                f"The {what} of a short link has {len(given):,} characters; at most {most} are stored: shorten it."
            )
    view = share.read(content.view).view
    length = sum(map(len, view.values()))
    if length > MAX_VIEW:
        raise UserError(
            f"This view takes {length:,} characters, and a short link holds at most {MAX_VIEW:,}: shorten the sentence,"
            " or send the full link."
        )
    return Content(content.page, view, title, note)


def _stored(
    owner: str, content: Content, record: Mapping[str, Any] | None, now: float
) -> ShortLink:
    digest = hashlib.sha256(json.dumps(astuple(content), sort_keys=True).encode()).hexdigest()
    own = SHORT_LINKS.c.owner == owner
    with database.begin() as connection:
        same = own & (SHORT_LINKS.c.digest == digest)
        if row := connection.execute(sa.select(SHORT_LINKS).where(same)).first():
            newest = row.record if record is None else record
            if row.opened < now - DAY or newest != row.record:
                changed = sa.update(SHORT_LINKS).where(same).values(opened=now, record=newest)
                connection.execute(changed)
            return replace(_link(row), record=newest)
        if owner != asker.LOCAL:
            _require_room(connection, own, now)
        letters = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
        link = ShortLink(letters, owner, content, now, now, record)
        connection.execute(
            sa.insert(SHORT_LINKS).values(
                letters=letters,
                owner=owner,
                digest=digest,
                format=FORMAT,
                page=content.page,
                view=dict(content.view),
                title=content.title,
                note=content.note,
                created=now,
                opened=now,
                record=record,
                published=0.0,
            )
        )
    return link


def _require_room(connection: sa.Connection, own: sa.ColumnElement[bool], now: float) -> None:
    counted = sa.select(sa.func.count()).select_from(SHORT_LINKS).where(own)
    if int(connection.execute(counted).scalar_one()) >= MOST_LINKS:
        raise UserError(
            f"This workspace has {MOST_LINKS:,} short links, the most that are stored for one: delete some, or send the"
            " full link."
        )
    lately = counted.where(SHORT_LINKS.c.created > now - HOUR)
    if int(connection.execute(lately).scalar_one()) >= MOST_PER_HOUR:
        raise UserError(
            f"This workspace has made {MOST_PER_HOUR} short links within an hour, the most there may be: make this one"
            " later, or send the full link."
        )


def _link(row: sa.Row[tuple[object, ...]]) -> ShortLink:
    view = share.read(row.view if isinstance(row.view, dict) else {}).view
    content = Content(str(row.page), view, str(row.title), str(row.note))
    times = float(row.created), float(row.opened)
    record = row.record if isinstance(row.record, dict) else None
    return ShortLink(str(row.letters), str(row.owner), content, *times, record)
