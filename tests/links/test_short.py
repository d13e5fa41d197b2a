"""Short links in the database: letters, limits, owners, and what is said of one that opens nothing."""

import re

import pytest
import sqlalchemy as sa

from s2s import settings
from s2s.config import DeniedError, UserError, asker
from s2s.library.own import delete_short_link
from s2s.links import short as short_links
from s2s.links.short import DAY, SHORT_LINKS, Content, DeadLinkError
from s2s.processes import queue

HOUSE = Content(
    "attention", {"run": "demo-en-fr", "src": "the red house"}, "A house", "Look at *la*."
)


def make(owner: str, content: Content = HOUSE, now: float = 1000.0) -> short_links.ShortLink:
    with asker.acting_as(owner):
        return short_links.make(content, now=now)


@pytest.fixture
def _hosted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")


@pytest.mark.parametrize("typed", ["KFRWTPHBCD", "kfr-wtph-bcd", "KFRW-TPHBCD", " kFr wTpH bcd"])
@pytest.mark.parametrize("letters", ["KFRWTPHBCD", "KFRWTPH"])
def test_letters_are_read_in_any_case_with_any_hyphens(typed: str, letters: str) -> None:
    typed = typed if len(letters) == short_links.LENGTH else typed[:-3]
    assert short_links.read(typed) == letters
    assert short_links.read(short_links.written(letters)) == letters


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "KFRWTP",
        "KFRWTPHB",
        "KFRWTPHBCDF",
        "KFRWTPU",
        "KFR/TPH",
        "'; DROP",
        "ＫFRWTPH",
        "x" * 999,
    ],
)
def test_what_can_be_no_link_is_a_sentence(typed: str) -> None:
    with pytest.raises(DeadLinkError, match="is no short link: one has 10 letters") as error:
        short_links.find(typed)
    assert len(str(error.value)) < 250


def test_what_is_made_is_found_and_made_once() -> None:
    link = make("ann")
    assert short_links.find(link.letters.lower()).content == HOUSE
    assert make("ann").letters == link.letters
    others = {make("bob").letters, make("ann", Content("attention", HOUSE.view)).letters}
    assert link.letters not in others
    assert len(others) == 2


def test_a_link_that_an_older_version_made_opens_and_a_new_one_has_ten_letters() -> None:
    link = make("ann")
    assert re.fullmatch(r"\w{3}-\w{4}-\w{3}", short_links.written(link.letters))
    with queue.begin() as connection:
        connection.execute(sa.update(SHORT_LINKS).values(letters="KFRWTPH"))
    assert short_links.find("kfr-wtph").content == HOUSE
    assert make("ann").letters == "KFRWTPH"


def test_hostile_words_are_one_line_and_bounded() -> None:
    link = make("ann", Content("", {"src": "a\x00b"}, " a\n\u202eb ", "c\r\nd"))
    assert (link.content.title, link.content.note) == ("a b", "c d")
    assert link.content.view == {"src": "ab"}
    for content, why in (
        (Content("", {}, "x" * 81), "title of a short link has 81 characters; at most 80"),
        (Content("", {}, "", "x" * 281), "at most 280"),
        (
            Content("", dict.fromkeys(("src", "tgt", "set", "c1", "c2"), "x" * 1400)),
            "at most 6,000",
        ),
    ):
        with pytest.raises(UserError, match=why):
            make("ann", content)
    with pytest.raises(UserError, match="this browser has none"):
        make(asker.NOBODY)


@pytest.mark.usefixtures("_hosted")
def test_a_workspace_makes_so_many_links_and_one_computer_any_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def nth(n: int) -> Content:
        return Content("", {"src": str(n)})

    monkeypatch.setattr(short_links, "MOST_PER_HOUR", 2)
    monkeypatch.setattr(short_links, "MOST_LINKS", 3)
    for n in range(4):
        make(asker.LOCAL, nth(n))
    for n in range(2):
        make("ann", nth(n))
    with pytest.raises(UserError, match="2 short links within an hour"):
        make("ann", nth(2))
    make("ann", nth(1))  # which there is
    make("bob", nth(2))
    make("ann", nth(2), now=1000.0 + short_links.HOUR)
    with pytest.raises(UserError, match="has 3 short links"):
        make("ann", nth(3), now=1000.0 + 9 * short_links.HOUR)


@pytest.mark.usefixtures("_hosted")
def test_a_link_expires_a_year_after_it_was_last_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    link = make("ann", now=0.0)
    assert short_links.find(link.letters, now=300 * DAY).content == HOUSE
    assert short_links.find(link.letters, now=600 * DAY).content == HOUSE
    for now in (1000 * DAY, 1000 * DAY):
        with pytest.raises(DeadLinkError, match="has expired: nobody opened it for 365 days"):
            short_links.find(link.letters, now=now)
    short_links.delete_expired(1000 * DAY)  # it can still be said
    monkeypatch.setenv("S2S_EXPIRE_DAYS", "none")
    short_links.delete_expired(9999 * DAY)
    assert short_links.find(link.letters, now=1000 * DAY).content == HOUSE
    monkeypatch.delenv("S2S_EXPIRE_DAYS")
    short_links.delete_expired(2000 * DAY)
    with pytest.raises(DeadLinkError, match="There is no short link"):
        short_links.find(link.letters)


def test_a_newer_link_is_refused() -> None:
    link = make("ann")
    with queue.begin() as connection:
        connection.execute(sa.update(SHORT_LINKS).values(format=short_links.FORMAT + 1))
    with pytest.raises(DeadLinkError, match="made by a newer version"):
        short_links.find(link.letters)


@pytest.mark.usefixtures("_hosted")
def test_its_owner_alone_deletes_a_link() -> None:
    link = make("ann")
    with asker.acting_as("bob"), pytest.raises(DeniedError):
        delete_short_link(link.letters)
    with asker.acting_as("ann"):
        delete_short_link(link.letters)
        delete_short_link(link.letters)  # pressed twice
    with pytest.raises(DeadLinkError, match="There is no short link"):
        short_links.find(link.letters)


def test_links_go_with_their_workspace_and_change_hands_with_it() -> None:
    both = [make("ann"), make("bob")]
    hers = make("ann", Content("", {}))
    short_links.give("ann", "bob")
    assert {short_links.find(link.letters).owner for link in (*both, hers)} == {"bob"}
    short_links.delete_of("bob")
    for link in (*both, hers):
        with pytest.raises(DeadLinkError):
            short_links.find(link.letters)


def test_a_database_that_is_away_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings.database_url()
    monkeypatch.setenv("S2S_DATABASE_URL", "postgresql+psycopg://@/none?host=/nowhere")
    with pytest.raises(UserError, match="database of the queue"):
        short_links.find("KFRWTPH")
